// SPDX-License-Identifier: BSL-1.0
// Totals of the gradients of micro-batches, on host threads: neighbouring tensors that are added up in one type are a run, and
// runs of several types stand one behind the other.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/half.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/train/optimisers/state.hpp>
#include <ipuflow/train/tensors.hpp>
#include <ipuflow/train/threads/accumulation.hpp>

#include <cstddef>
#include <type_traits>

namespace ipuflow::train::impl {

/// Neighbouring parameters whose gradients are added up in one type.
struct accumulator_run {
  std::size_t first = 0;
  std::size_t count = 0;
  accumulator_type type = accumulator_type::f32;

  friend bool operator==(const accumulator_run&, const accumulator_run&) = default;
};

/// All parameters of a model, in its order, in as few runs as there can be.
template <class = void>
[[nodiscard]] inline light_vector<accumulator_run> accumulator_runs(const light_vector<piece>& tensors, accumulator_type of_precision) {
  light_vector<accumulator_run> made;
  for (const piece& t : tensors) {
    const accumulator_type type = t.accumulators == accumulator_type::of_precision ? of_precision : t.accumulators;
    if (!made.empty() && made.back().type == type)
      made.back().count += t.count;
    else
      made.push_back({t.begin, t.count, type});
  }
  return made;
}

/// Those of some neighbouring parameters, counted from the first of them; floats, if nothing is known of any.
template <class = void>
[[nodiscard]] inline light_vector<accumulator_run> runs_within(const light_vector<accumulator_run>& all, std::size_t first, std::size_t count) {
  if (all.empty()) return {{0, count, accumulator_type::f32}};
  light_vector<accumulator_run> made;
  for (const accumulator_run& r : all) {
    const std::size_t from = algorithms::max(r.first, first);
    const std::size_t end = algorithms::min(r.first + r.count, first + count);
    if (from < end) made.push_back({from - first, end - from, r.type});
  }
  return made;
}

/// Totals that begin as zeros.
template <class = void>
class basic_gradient_sums {
 public:
  explicit basic_gradient_sums(const light_vector<accumulator_run>& runs) {
    std::size_t bytes = 0;
    for (const accumulator_run& r : runs) {
      runs_.push_back({r, bytes});
      bytes += rounded_count(r.count) * with_type(r.type, [](auto number) { return sizeof number; });
    }
    totals_.resize(bytes);
  }

  void clear() { algorithms::fill(totals_.begin(), totals_.end(), std::byte{}); }

  /// The gradients of one micro-batch, of all parameters.
  template <class Gradient>
  void add(reduction_scales by, light_span<const Gradient> gradient) {
    for (const placed_run& r : runs_) {
      with_type(r.what.type, [&](auto number) {
        accumulate(by, light_span{numbers_of<decltype(number)>(totals_.data(), r), r.what.count}, gradient.subspan(r.what.first, r.what.count));
      });
    }
  }

  /// The totals of parameters from `first` on.
  void read(std::size_t first, light_span<float> to) const {
    each_common(first, to, [&](const placed_run& r, std::size_t at, light_span<float> some) {
      with_type(r.what.type, [&](auto number) {
        const auto* const from = numbers_of<const decltype(number)>(totals_.data(), r) + at;
        for (std::size_t i = 0; i < some.size(); ++i) some[i] = static_cast<float>(from[i]);
      });
    });
  }
  /// Rounds what is added up over copies, so that it fits into the type of the totals, too.
  void round(std::size_t first, light_span<float> sums) const {
    each_common(first, sums, [&](const placed_run& r, std::size_t, light_span<float> some) {
      if (r.what.type != accumulator_type::f16) return;
      for (float& s : some) s = static_cast<float>(half{s});
    });
  }

 private:
  struct placed_run {
    accumulator_run what{};
    std::size_t offset = 0;  // in bytes
  };

  template <class Visit>
  static decltype(auto) with_type(accumulator_type type, Visit visit) {
    if (type == accumulator_type::f16) return visit(half{});
    return type == accumulator_type::f64 ? visit(double{}) : visit(float{});
  }
  template <class Number, class Byte>
  static Number* numbers_of(Byte* totals, const placed_run& r) {
    return reinterpret_cast<Number*>(totals + r.offset);
  }

  /// Calls `visit(run, where in it, their part of the span)` for the runs that parameters from `first` on are in.
  template <class Visit>
  void each_common(std::size_t first, light_span<float> numbers, Visit visit) const {
    for (const placed_run& r : runs_) {
      const std::size_t from = algorithms::max(r.what.first, first);
      const std::size_t end = algorithms::min(r.what.first + r.what.count, first + numbers.size());
      if (from < end) visit(r, from - r.what.first, numbers.subspan(from - first, end - from));
    }
  }

  light_vector<placed_run> runs_;
  light_vector<std::byte> totals_;
};
using gradient_sums = basic_gradient_sums<>;

}  // namespace ipuflow::train::impl
