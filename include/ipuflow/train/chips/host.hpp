// SPDX-License-Identifier: BSL-1.0
// The host's side of a step on chips: columns of samples become the items of streams, scaled as a session on threads
// scales them, and the items that streams bring back become rows of results.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/feed/device/outputs.hpp>
#include <ipuflow/ipu/engine/engine.hpp>
#include <ipuflow/plan/lowered.hpp>
#include <ipuflow/schedule/forms/any_timetable.hpp>
#include <ipuflow/train/step_data.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace ipuflow::train::impl {

/// The number of chips that run each stage, for one half of the micro-batches.
template <class = void>
[[nodiscard]] light_vector<std::size_t> chips_of_stages(const schedule::any_timetable& t) {
  light_vector<std::size_t> made;
  for (std::size_t s = 0; s < t.where.stages; ++s) made.push_back(t.where.first_seat(s + 1) - t.where.first_seat(s));
  return made;
}

/// The micro-batches that a chip runs forward in a stage, in its order.
template <class = void>
[[nodiscard]] light_vector<std::size_t> forwards_on(const schedule::any_timetable& t, std::size_t chip, std::size_t stage) {
  light_vector<std::size_t> made;
  for (auto w = t.walk(chip); w; ++w) {
    if (w->kind == schedule::pass::forward && w->stage == stage) made.push_back(w->micro_batch);
  }
  return made;
}

/// A whole number as tiles keep it. One that does not fit becomes the largest or the least, so that a label or a token that is too
/// large stays one.
template <class To, class From>
constexpr To whole_on_tiles(From number) {
  if constexpr (sizeof(From) > sizeof(To)) {
    using limits = std::numeric_limits<To>;
    if (std::cmp_greater(number, limits::max())) return limits::max();
    if (std::cmp_less(number, limits::min())) return limits::min();
  }
  return static_cast<To>(number);
}

/// `count` numbers to a stream, zeros behind them up to `all`.
template <class From>
void feed_numbers(ipu::engine& e, ipu::stream_id stream, std::size_t replica, ipu::element_type type, const From* from,
                  std::size_t count, std::size_t all, scaling how) {
  ipu::with_element(type, [&](auto element) {
    using element_type = decltype(element);
    constexpr bool scales = std::is_integral_v<From> && !std::is_integral_v<element_type>;
    light_vector<element_type> given(all, element_type{});
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (scales)
        given[i] = static_cast<element_type>(how.scale * static_cast<float>(from[i]) + how.shift);
      else if constexpr (std::is_integral_v<From>)
        given[i] = whole_on_tiles<element_type>(from[i]);
      else
        given[i] = static_cast<element_type>(static_cast<float>(from[i]));
    }
    e.feed(stream, std::span<const element_type>{given}, replica);
  });
}

/// All that a stream has brought, as floats.
template <class = void>
[[nodiscard]] inline light_vector<float> drained(ipu::engine& e, ipu::stream_id stream, std::size_t replica,
                                                ipu::element_type type) {
  return ipu::with_element(type, [&](auto element) {
    light_vector<float> made;
    for (const auto x : e.drain<decltype(element)>(stream, replica)) made.push_back(static_cast<float>(x));
    return made;
  });
}

template <class = void>
inline void write_numbers(ipu::engine& e, const ipu::graph& g, ipu::variable_id to, std::span<const float> values,
                          std::size_t replica) {
  ipu::with_element(g[to].type(), [&](auto element) {
    light_vector<decltype(element)> given;
    for (const float x : values) given.push_back(static_cast<decltype(element)>(x));
    e.write(to, given, replica);
  });
}
template <class = void>
inline void read_numbers(ipu::engine& e, const ipu::graph& g, ipu::variable_id from, std::span<float> values,
                         std::size_t replica = 0) {
  ipu::with_element(g[from].type(), [&](auto element) {
    const auto read = e.read<decltype(element)>(from, replica);
    for (std::size_t i = 0; i < read.size(); ++i) values[i] = static_cast<float>(read[i]);
  });
}

/// The same in streaming memory.
template <class = void>
inline void write_numbers(ipu::engine& e, const ipu::graph& g, ipu::remote_id to, std::span<const float> values,
                          std::size_t replica) {
  ipu::with_element(g.remotes()[to.index].type, [&](auto element) {
    light_vector<decltype(element)> given;
    for (const float x : values) given.push_back(static_cast<decltype(element)>(x));
    e.write(to, given, replica);
  });
}
template <class = void>
inline void read_numbers(ipu::engine& e, const ipu::graph& g, ipu::remote_id from, std::span<float> values,
                         std::size_t replica = 0) {
  ipu::with_element(g.remotes()[from.index].type, [&](auto element) {
    const auto read = e.read<decltype(element)>(from, replica);
    for (std::size_t i = 0; i < read.size(); ++i) values[i] = static_cast<float>(read[i]);
  });
}

/// Numbers of the model in the order in which tiles have them, and back.
template <class = void>
[[nodiscard]] inline light_vector<float> into_order(const ipu::matrix_order& m, std::span<const float> numbers) {
  light_vector<float> made(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < m.elements(); ++i) made[m.place(i)] = numbers[i];
  return made;
}
template <class = void>
inline void out_of_order(const ipu::matrix_order& m, std::span<float> numbers) {
  const light_vector<float> from(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(m.elements()));
  for (std::size_t i = 0; i < from.size(); ++i) numbers[i] = from[m.place(i)];
}

/// The results of a step: which row a micro-batch's are, if they come back at all.
template <class = void>
struct basic_result_rows {
  feed::outputs kept{};
  feed::batch_sizes sizes{};    // of a step
  std::size_t all_samples = 0;  // of the step, if that is not full

  [[nodiscard]] bool sums() const { return mode_of(kept, sizes.run_for) == feed::output_mode::sum; }
  /// The number of its samples.
  [[nodiscard]] std::size_t count(std::size_t index, std::size_t replica) const {
    const std::size_t first = (index * sizes.replicas + replica) * sizes.micro_batch;
    return sums() ? sizes.micro_batch : algorithms::min(sizes.micro_batch, all_samples - algorithms::min(first, all_samples));
  }
  /// One micro-batch's numbers, or the sum of some, into its row; of a loss their mean.
  void store(result_column& to, bool loss, std::span<const float> values, std::size_t index,
             std::size_t replica) const {
    const std::optional<std::size_t> row = row_of(kept, sizes, index, replica);
    if (!row) return;
    const std::size_t present = count(index, replica);
    if (present == 0) return;
    float* at = to.values.data() + *row * to.width;
    const light_span<const float> mine{values.data(), values.size() / sizes.micro_batch * present};
    if (loss) {
      double total = 0;
      for (const float x : mine) total += static_cast<double>(x);
      *at += static_cast<float>(total / static_cast<double>(present));
    } else {
      for (std::size_t i = 0; i < mine.size(); ++i) at[i] += mine[i];
    }
  }
};
using result_rows = basic_result_rows<>;

}  // namespace ipuflow::train::impl
