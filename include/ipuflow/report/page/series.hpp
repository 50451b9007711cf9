// SPDX-License-Identifier: BSL-1.0
// Numbers over time that follow from the slices of a run: how many values each stage's stash holds, how many wait between two
// stages, and how many micro-batches are in the pipeline.
#pragma once

#include <ipuflow/report/drawing/numbers.hpp>
#include <ipuflow/report/runs/timeline.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ipuflow::report {

/// A number that changes at some times of a run and stays between them.
struct time_series {
  std::string name{};
  std::string_view unit{};
  std::string_view group{};                                       ///< "stash", "queue" or "host"
  std::vector<std::pair<std::uint64_t, std::uint32_t>> points{};  ///< time and number from then on

  /// The largest number.
  template <class = void>
  [[nodiscard]] std::uint32_t most() const {
    std::uint32_t largest = 0;
    for (const auto& [at, number] : points) largest = std::max(largest, number);
    return largest;
  }
};

namespace impl {

/// Changes by time, added up.
class running_sum {
 public:
  void add(std::uint64_t at, std::int32_t change) { changes_.emplace_back(at, change); }
  [[nodiscard]] bool empty() const { return changes_.empty(); }

  /// The sum from each time on at which it changes.
  template <class = void>
  std::vector<std::pair<std::uint64_t, std::uint32_t>> points() {
    std::sort(changes_.begin(), changes_.end());
    std::vector<std::pair<std::uint64_t, std::uint32_t>> made;
    std::int64_t sum = 0;
    for (const auto& [at, change] : changes_) {
      sum += change;
      if (made.empty() || made.back().first != at) made.emplace_back(at, 0);
      made.back().second = static_cast<std::uint32_t>(std::max<std::int64_t>(sum, 0));  // a trace may begin in the middle
    }
    return made;
  }

 private:
  std::vector<std::pair<std::uint64_t, std::int32_t>> changes_;
};

/// The passes that a stage has.
struct stage_passes {
  bool forward = false, backward = false, weights = false;
};

}  // namespace impl

/// Stashes: forwards that are done less backwards that are done, of a whole backward or that for weights. Queues: what a stage
/// has handed on less what the next one has begun to work on.
template <class = void>
[[nodiscard]] std::vector<time_series> series_of(const timeline& t) {
  std::vector<impl::stage_passes> stages;
  for (const slice& s : t.slices) {
    if (!is_pass(s.kind) || s.stage == schedule::nowhere) continue;
    if (s.stage >= stages.size()) stages.resize(s.stage + 1);
    stages[s.stage].forward = stages[s.stage].forward || s.kind == slice_kind::forward;
    stages[s.stage].backward = stages[s.stage].backward || is_backward(s.kind);
    stages[s.stage].weights = stages[s.stage].weights || s.kind == slice_kind::backward_weights;
  }
  std::vector<impl::running_sum> stashes(stages.size()), forwards(stages.size()), backwards(stages.size());
  impl::running_sum inside;
  const bool trains = std::any_of(stages.begin(), stages.end(), [](const impl::stage_passes& s) { return s.backward; });
  for (const slice& s : t.slices) {
    if (!is_pass(s.kind) || s.stage == schedule::nowhere) continue;
    const bool forward = s.kind == slice_kind::forward, back = is_backward(s.kind);
    const bool ends = stages[s.stage].weights ? s.kind == slice_kind::backward_weights || s.kind == slice_kind::backward : back;
    if (forward && stages[s.stage].backward) stashes[s.stage].add(s.finish, 1);
    if (ends) stashes[s.stage].add(s.finish, -1);
    if (forward && s.stage + 1 < stages.size()) forwards[s.stage].add(s.finish, 1);
    if (forward && s.stage > 0) forwards[s.stage - 1].add(s.start, -1);
    if (back && s.stage > 0) backwards[s.stage].add(s.finish, 1);
    if (back && s.stage + 1 < stages.size()) backwards[s.stage + 1].add(s.start, -1);
    if (forward && s.stage == 0) inside.add(s.start, 1);
    const bool leaves = trains ? s.stage == 0 && ends : forward && s.stage + 1 == stages.size();
    if (leaves) inside.add(s.finish, -1);
  }
  std::vector<time_series> all;
  const auto keep = [&](std::string name, const char* unit, const char* group, impl::running_sum& sum) {
    if (!sum.empty()) all.push_back({std::move(name), unit, group, sum.points()});
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
