// SPDX-License-Identifier: BSL-1.0
// A depth is the number of values that have to fit between two stages so that a timetable cannot block itself. An IPU that
// has several stages may want to make many values of one before it takes up the next. If one order of all operations can be
// run to its end with some depths, every order can (the IPUs form a Kahn network). So one order is enough to find depths:
// that of the steps for a closed form, oldest micro-batch first for anything else.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/run/threads/known_order.hpp>
#include <ipuflow/run/threads/placed_blocks.hpp>
#include <ipuflow/run/threads/run_fault.hpp>
#include <ipuflow/schedule/forms/any_timetable.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>

namespace ipuflow::run::impl {

/// The fault of a timetable's order for values that pass each stage in a row, and the depths that it needs if there is none.
struct depth_answer {
  run_fault wrong{};
  depths needed{};
};

/// Does all forwards of a timetable, oldest micro-batch first, and watches how many values lie between the stages.
class depth_count {
 public:
  depth_count(const placed_blocks& blocks, const schedule::any_timetable& t) : done_(blocks.stages()) {
    for (std::size_t b = 0; b < blocks.stage.size(); ++b) {
      if (blocks.begins_branch(b)) done_[blocks.stage[b]].push_back({blocks.ipu[b], 0});
    }
    for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
      walks_.push_back(t.walk(ipu));
      skip(walks_.back());
    }
    answer_.needed.assign(done_.size(), 1);
  }

  depth_answer run() {
    for (std::size_t ipu = next(); ipu != schedule::nowhere && !answer_.wrong; ipu = next()) take(ipu);
    return answer_;
  }

 private:
  struct tally {
    std::size_t ipu = 0;
    std::size_t count = 0;
  };

  static void skip(schedule::any_walk& walk) {
    while (walk && walk->kind != schedule::pass::forward) ++walk;
  }

  std::size_t least(std::size_t stage) const {
    std::size_t found = done_[stage][0].count;
    for (const tally& t : done_[stage]) found = algorithms::min(found, t.count);
    return found;
  }
  std::size_t most(std::size_t stage) const {
    std::size_t found = 0;
    for (const tally& t : done_[stage]) found = algorithms::max(found, t.count);
    return found;
  }

  bool ready(const schedule::op& o) const { return o.stage == 0 || least(o.stage - 1) > o.micro_batch; }

  /// The IPU whose operation comes next; nowhere at the end.
  std::size_t next() const {
    std::size_t best = schedule::nowhere;
    for (std::size_t ipu = 0; ipu < walks_.size(); ++ipu) {
      if (!walks_[ipu] || !ready(*walks_[ipu])) continue;
      if (best == schedule::nowhere || walks_[ipu]->micro_batch < walks_[best]->micro_batch) best = ipu;
    }
    return best;
  }

  void take(std::size_t ipu) {
    const std::size_t stage = walks_[ipu]->stage;
    for (tally& t : done_[stage]) {
      if (t.ipu != ipu) continue;
      if (walks_[ipu]->micro_batch != t.count) {
        answer_.wrong = {run_wrong::out_of_order, walks_[ipu]->micro_batch, t.count, {stage, ipu}};
        return;
      }
      ++t.count;
    }
    for (std::size_t into = 1; into <= algorithms::min(stage + 1, done_.size() - 1); ++into) {
      const std::size_t held_by = done_[into].size() > 1 && into + 1 < done_.size() ? into + 1 : into;
      answer_.needed[into] = algorithms::max(answer_.needed[into], most(into - 1) - least(held_by));
    }
    answer_.needed[0] = algorithms::max(answer_.needed[0], most(0) - least(algorithms::min<std::size_t>(1, done_.size() - 1)) + 1);
    ++walks_[ipu];
    skip(walks_[ipu]);
  }

  dynamic_array<dynamic_array<tally>> done_;  // of each stage, by IPU
  dynamic_array<schedule::any_walk> walks_;
  depth_answer answer_{};
};

}  // namespace ipuflow::run::impl
