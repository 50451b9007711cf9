// SPDX-License-Identifier: BSL-1.0
// Numbers over time that follow from the slices of a run: how many values each stage's stash holds, how many wait between two
// stages, and how many micro-batches are in the pipeline.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/report/drawing/numbers.hpp>
#include <ipuflow/report/runs/timeline.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ipuflow::report {

/// A number that changes at some times of a run and stays between them.
struct time_series {
  std::string name{};
  std::string_view unit{};
  std::string_view group{};                                       ///< "stash", "queue" or "host"
  light_vector<std::pair<std::uint64_t, std::uint32_t>> points{};  ///< time and number from then on

  /// The largest number.
  template <class = void>
  [[nodiscard]] std::uint32_t most() const {
    std::uint32_t largest = 0;
    for (const auto& [at, number] : points) largest = algorithms::max(largest, number);
    return largest;
  }
};

namespace impl {

/// Points of a series that a page keeps: of more, the largest number in each of that many parts of the run.
inline constexpr std::size_t most_points = 16384;

/// A number that is counted up at some times and down at others.
class running_sum {
 public:
  void up(std::uint64_t at) { ups_.push_back(at); }
  void down(std::uint64_t at) { downs_.push_back(at); }
  [[nodiscard]] bool empty() const { return ups_.empty() && downs_.empty(); }

  /// The number from each time on at which it changes; `length`: of the run.
  template <class = void>
  light_vector<std::pair<std::uint64_t, std::uint32_t>> points(std::uint64_t length) {
    for (light_vector<std::uint64_t>* of : {&ups_, &downs_}) {  // what one device does is in order
      if (!algorithms::is_sorted(of->begin(), of->end())) algorithms::sort(of->begin(), of->end());
    }
    const std::uint64_t part = ups_.size() + downs_.size() > most_points ? length / most_points + 1 : 1;
    light_vector<std::pair<std::uint64_t, std::uint32_t>> made;
    std::int64_t sum = 0;
    for (std::size_t up = 0, down = 0; up < ups_.size() || down < downs_.size();) {
      const std::uint64_t at = down == downs_.size() || (up < ups_.size() && ups_[up] < downs_[down]) ? ups_[up] : downs_[down];
      for (; up < ups_.size() && ups_[up] == at; ++up) ++sum;
      for (; down < downs_.size() && downs_[down] == at; ++down) --sum;
      const auto now = static_cast<std::uint32_t>(algorithms::max<std::int64_t>(sum, 0));  // a trace may begin in the middle
      const bool is_last = up == ups_.size() && down == downs_.size();
      if (made.empty() || is_last || made.back().first / part != at / part)
        made.emplace_back(at, now);
      else
        made.back().second = algorithms::max(made.back().second, now);
    }
    return made;
  }

 private:
  light_vector<std::uint64_t> ups_, downs_;
};

/// The passes that a stage has.
struct stage_passes {
  bool forward = false, backward = false, weights = false;
};

}  // namespace impl

/// Stashes: forwards that are done less backwards that are done, of a whole backward or that for weights. Queues: what a stage
/// has handed on less what the next one has begun to work on.
template <class = void>
[[nodiscard]] light_vector<time_series> series_of(const timeline& t) {
  light_vector<impl::stage_passes> stages;
  for (const slice& s : t.slices) {
    if (!is_pass(s.kind) || s.stage == schedule::nowhere) continue;
    if (s.stage >= stages.size()) stages.resize(s.stage + 1);
    stages[s.stage].forward = stages[s.stage].forward || s.kind == slice_kind::forward;
    stages[s.stage].backward = stages[s.stage].backward || is_backward(s.kind);
    stages[s.stage].weights = stages[s.stage].weights || s.kind == slice_kind::backward_weights;
  }
  light_vector<impl::running_sum> stashes(stages.size()), forwards(stages.size()), backwards(stages.size());
  impl::running_sum inside;
  const bool trains = algorithms::any_of(stages.begin(), stages.end(), [](const impl::stage_passes& s) { return s.backward; });
  for (const slice& s : t.slices) {
    if (!is_pass(s.kind) || s.stage == schedule::nowhere) continue;
    const bool forward = s.kind == slice_kind::forward, back = is_backward(s.kind);
    const bool ends = stages[s.stage].weights ? s.kind == slice_kind::backward_weights || s.kind == slice_kind::backward : back;
    if (forward && stages[s.stage].backward) stashes[s.stage].up(s.finish);
    if (ends) stashes[s.stage].down(s.finish);
    if (forward && s.stage + 1 < stages.size()) forwards[s.stage].up(s.finish);
    if (forward && s.stage > 0) forwards[s.stage - 1].down(s.start);
    if (back && s.stage > 0) backwards[s.stage].up(s.finish);
    if (back && s.stage + 1 < stages.size()) backwards[s.stage + 1].down(s.start);
    if (forward && s.stage == 0) inside.up(s.start);
    const bool leaves = trains ? s.stage == 0 && ends : forward && s.stage + 1 == stages.size();
    if (leaves) inside.down(s.finish);
  }
  light_vector<time_series> all;
  const auto keep = [&](std::string name, const char* unit, const char* group, impl::running_sum& sum) {
    if (!sum.empty()) all.push_back({std::move(name), unit, group, sum.points(t.length)});
  };
  for (std::size_t s = 0; s < stages.size(); ++s) keep("stash of stage " + std::to_string(s), "micro-batches", "stash", stashes[s]);
  for (std::size_t s = 0; s < stages.size(); ++s)
    keep(impl::joined("activations from stage ", std::to_string(s), " to ", std::to_string(s + 1)), "messages", "queue", forwards[s]);
  for (std::size_t s = 1; s < stages.size(); ++s)
    keep(impl::joined("gradients from stage ", std::to_string(s), " to ", std::to_string(s - 1)), "messages", "queue", backwards[s]);
  keep("micro-batches in the pipeline", "micro-batches", "host", inside);
  return all;
}

}  // namespace ipuflow::report
