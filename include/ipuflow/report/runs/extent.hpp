// SPDX-License-Identifier: BSL-1.0
// The width of a drawn run and the parts of it that are drawn: a micro-batch takes the same room on the busiest stage,
// however long the run is. A run that is too wide is cut to its beginning, some of its middle and its end.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/report/runs/timeline.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::report {

namespace impl {

/// The windows of a run that a picture shows, each with its width.
struct extent {
  light_vector<window> windows{};
  light_vector<std::size_t> widths{};  ///< of each window, in pixels

  friend bool operator==(const extent&, const extent&) = default;
};

}  // namespace impl

/// Options of the picture of a run; widths are pixels.
struct timeline_style {
  std::size_t micro_batch_width = 40;         ///< on the busiest stage
  std::size_t least_width = 920;              ///< of the time that is drawn, but no more than the most
  std::size_t most_width = 4800;              ///< of it; of a longer run the picture shows begin, middle and end
  std::size_t highlight = schedule::nowhere;  ///< a micro-batch that stands out, with a line along its way
  bool all_replicas = false;                  ///< rows for each replica of a run on chips, which all do the same at the same time
  std::size_t wrap = 1200;                    ///< width of the picture at which it is broken into bands, 0 for never
};

namespace impl {

/// `interval`: ticks of a micro-batch on the busiest stage. Each of three parts has a pixel at least.
template <class = void>
[[nodiscard]] inline extent extent_of(std::uint64_t length, std::uint64_t interval, const timeline_style& style = {}) {
  const std::size_t most = algorithms::max<std::size_t>(style.most_width, 5);
  const std::size_t least = algorithms::clamp<std::size_t>(style.least_width, 1, most);
  const std::size_t each = algorithms::min(style.micro_batch_width, most);
  const std::uint64_t wanted = interval == 0 ? 0 : length / interval * each;
  if (wanted <= most) {
    const std::uint64_t exact = interval == 0 ? 0 : wanted + length % interval * each / interval;
    return {{{0, length}}, {algorithms::clamp<std::size_t>(exact, least, most)}};
  }
  const std::size_t side = most / 5 * 2;
  const std::size_t middle = most / 5;
  const auto ticks = [&](std::size_t pixels) { return pixels * interval / each; };
  const std::uint64_t from = (length - ticks(middle)) / 2;
  return {{{0, ticks(side)}, {from, from + ticks(middle)}, {length - ticks(side), length}}, {side, middle, side}};
}

/// The time that the passes of a stage take together, of the stage that takes longest.
template <class = void>
class basic_busiest_stage {
 public:
  void add(slice_kind kind, std::size_t stage, std::uint64_t times, std::uint64_t busy) {
    if (!is_pass(kind) || times == 0) return;
    auto& [count, sum] = passes_[{stage, kind}];
    count += times;
    sum += busy;
  }

  /// Not less than a quarter of what `micro_batches` take of a run of that length: where most of the time goes
  /// elsewhere, passes are drawn smaller.
  [[nodiscard]] std::uint64_t interval(std::uint64_t length, std::uint64_t micro_batches) const {
    return algorithms::max(longest(), micro_batches == 0 ? 0 : length / 4 / micro_batches);
  }

 private:
  std::uint64_t longest() const {
    flat_map<std::size_t, std::uint64_t> stages;
    for (const auto& [pass, seen] : passes_) stages[pass.first] += seen.second / seen.first;
    std::uint64_t longest = 0;
    for (const auto& [stage, time] : stages) longest = algorithms::max(longest, time);
    return longest;
  }

  flat_map<light_pair<std::size_t, slice_kind>, light_pair<std::uint64_t, std::uint64_t>> passes_;
};
using busiest_stage = basic_busiest_stage<>;

}  // namespace impl

}  // namespace ipuflow::report
