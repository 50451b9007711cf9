// SPDX-License-Identifier: BSL-1.0
// Runs of a timetable on chips that have a clock each and wait for their neighbours alone, from the times of passes and messages.
// The host makes one micro-batch after the other, and I/O tiles take the next one as soon as the one before has gone to where it
// is worked on; results go to the host beside all else. A chip begins its next run when it has done its update.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/schedule/forms/table.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace ipuflow::plan {

/// A stage on its chip, in cycles of a micro-batch.
struct free_stage {
  std::array<std::uint64_t, schedule::pass_count> passes{};
  std::array<std::uint64_t, schedule::pass_count> behind{};  ///< of these the last cycles, for which no other chip waits
  std::uint64_t message = 0;       ///< to the next stage; none on the same chip
  std::uint64_t message_back = 0;  ///< to the stage before
  std::uint64_t infeed = 0;        ///< from the host to I/O tiles
  std::uint64_t outfeed = 0;       ///< of the last micro-batch's results
};

/// Chips and their stages: those for the second half of the micro-batches are others if the schedule is crossed.
struct free_chips {
  light_vector<free_stage> stages[2]{};
  light_vector<std::uint64_t> clear{};   ///< of each chip, before its first pass of a run
  light_vector<std::uint64_t> update{};  ///< behind its last one
  std::size_t fed = 0;                   ///< stage that is fed first, with which all values of a micro-batch come
};

/// A host that makes one micro-batch after the other, and what is behind the passes of a run: cycles.
struct free_host {
  std::uint64_t each = 0;    ///< to make a micro-batch
  std::size_t prefetch = 1;  ///< micro-batches that are made ahead; with none it begins when it is asked
  std::uint64_t behind = 0;  ///< on all chips, beside their updates
};

namespace impl {

template <class = void>
class basic_free_run {
 public:
  basic_free_run(const schedule::table& t, const free_chips& chips, const free_host& host)
      : t_{t}, chips_{chips}, host_{host}, clocks_(t.where.ipus, 0) {
    constexpr std::size_t most_runs = 2;  // that are gone through; the host makes no more ahead than they take
    host_.prefetch = algorithms::min(host_.prefetch, most_runs * t.where.micro_batches);
    taken_.resize(algorithms::max(host_.prefetch, std::size_t{1}), 0);
    for (auto& places : free_) places.resize(t.where.stages, 0);
    for (std::size_t chip = 0; chip < t.where.ipus; ++chip) {
      for (const schedule::placed& o : t.rows[chip])
        if (o.kind == pass::forward && o.stage == chips.fed) entering_.push_back(o);
    }
    algorithms::sort(entering_.begin(), entering_.end(), [](const schedule::placed& a, const schedule::placed& b) {
      return a.step != b.step ? a.step < b.step : a.micro_batch < b.micro_batch;
    });
  }

  /// The cycles of some runs, from the begin of the first to when all chips are done and all results are sent.
  std::uint64_t take(std::uint64_t runs) {
    for (std::uint64_t run = 0; run < runs; ++run) take_run();
    return algorithms::max(sent_, *algorithms::max_element(clocks_.begin(), clocks_.end()));
  }
  /// The cycles from where the last micro-batch has entered to when its chip can begin the next run.
  [[nodiscard]] std::uint64_t way_of_the_last() const { return clocks_[last_chip_] - last_entered_; }

 private:
  using pass = schedule::pass;

  void take_run() {
    for (auto& made : made_) made.assign(t_.where.stages * t_.where.micro_batches, unmade);
    entered_ = 0;
    light_vector<std::size_t> next(clocks_.size(), 0);
    for (std::size_t chip = 0; chip < clocks_.size(); ++chip) clocks_[chip] += chips_.clear[chip];
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t chip = 0; chip < clocks_.size(); ++chip) {
        for (std::size_t count = 0; (count = ready(chip, next[chip])) > 0; next[chip] += count) {
          begin(chip, next[chip], count);
          moved = true;
        }
      }
    }
    for (std::size_t chip = 0; chip < clocks_.size(); ++chip) clocks_[chip] += chips_.update[chip] + host_.behind;
  }

  /// The number of operations that a chip begins together, from that one on, if all that they read is made.
  [[nodiscard]] std::size_t ready(std::size_t chip, std::size_t at) const {
    const auto& row = t_.rows[chip];
    if (at >= row.size()) return 0;
    const std::size_t count = row[at].with_next && at + 1 < row.size() ? 2 : 1;
    for (std::size_t i = at; i < at + count; ++i) {
      if (read(row[i]) == unmade) return 0;
      if (enters(row[i]) && entering_[entered_].micro_batch != row[i].micro_batch) return 0;  // another one is made first
    }
    return count;
  }
  [[nodiscard]] bool enters(const schedule::op& o) const { return o.kind == pass::forward && o.stage == chips_.fed; }

  /// The time at which what an operation reads from another stage has come.
  [[nodiscard]] std::uint64_t read(const schedule::op& o) const {
    const auto& stages = chips_.stages[half(o)];
    const std::size_t before = o.stage - 1, behind = o.stage + 1;
    if (o.kind == pass::forward && o.stage > 0) return come(0, before, o, stages[before].message);
    if (schedule::is_backward(o.kind) && behind < t_.where.stages) return come(1, behind, o, stages[behind].message_back);
    return 0;
  }
  [[nodiscard]] std::uint64_t come(std::size_t way, std::size_t from, const schedule::op& o, std::uint64_t message) const {
    const std::uint64_t at = made_[way][from * t_.where.micro_batches + o.micro_batch];
    return at == unmade ? unmade : at + message;
  }
  [[nodiscard]] std::size_t half(const schedule::op& o) const {
    return t_.where.crossed && o.micro_batch >= t_.where.micro_batches / 2 ? 1 : 0;
  }

  void begin(std::size_t chip, std::size_t at, std::size_t count) {
    std::uint64_t start = clocks_[chip], time = 0, behind = 0;
    for (std::size_t i = at; i < at + count; ++i) {
      const schedule::placed& o = t_.rows[chip][i];
      const free_stage& s = chips_.stages[half(o)][o.stage];
      start = algorithms::max(start, algorithms::max(read(o), fed(o, s)));
      time += s.passes[static_cast<std::size_t>(o.kind)], behind += s.behind[static_cast<std::size_t>(o.kind)];
    }
    const std::uint64_t made = start + time - behind;
    for (std::size_t i = at; i < at + count; ++i) {
      const schedule::placed& o = t_.rows[chip][i];
      if (o.kind == pass::forward) free_[half(o)][o.stage] = start;
      if (enters(o)) last_entered_ = start, last_chip_ = chip;
      const std::size_t value = o.stage * t_.where.micro_batches + o.micro_batch;
      if (o.kind == pass::forward) made_[0][value] = made;
      if (schedule::is_backward(o.kind)) made_[1][value] = made;
      if (o.kind == pass::forward && value + 1 == made_[0].size())  // the last one leaves the last stage
        sent_ = made + chips_.stages[half(o)][o.stage].outfeed;
    }
    clocks_[chip] = start + time;
  }

  /// The time at which what the host sends for an operation has come to I/O tiles.
  [[nodiscard]] std::uint64_t fed(const schedule::op& o, const free_stage& s) {
    if (o.kind != pass::forward) return 0;
    const std::uint64_t asked = free_[half(o)][o.stage];
    if (!enters(o)) return s.infeed == 0 ? 0 : asked + s.infeed;
    ++entered_;
    std::uint64_t& place = taken_[host_.prefetch == 0 ? 0 : number_++ % host_.prefetch];
    ready_ = algorithms::max(ready_, host_.prefetch == 0 ? asked : place) + host_.each;
    place = algorithms::max(asked, ready_);
    return place + s.infeed;
  }

  static constexpr std::uint64_t unmade = ~std::uint64_t{0};

  const schedule::table& t_;
  const free_chips& chips_;
  free_host host_;
  light_vector<std::uint64_t> clocks_;    // of the chips
  light_vector<std::uint64_t> taken_{};   // when the last ones were, as many as the host makes ahead
  light_vector<schedule::placed> entering_{};  // operations that the host makes micro-batches for, in its order
  light_vector<std::uint64_t> made_[2]{};      // when values, and gradients, of each stage and micro-batch were
  light_vector<std::uint64_t> free_[2]{};      // since when the place on I/O tiles is, of each stage
  std::size_t entered_ = 0, number_ = 0;
  std::uint64_t ready_ = 0, sent_ = 0;  // when the host has made the newest one, and when results were sent
  std::uint64_t last_entered_ = 0;
  std::size_t last_chip_ = 0;
};

}  // namespace impl

/// A schedule that has `bodies` more bodies than `few`, where `more` has one, on its chips.
struct free_schedule {
  const schedule::table& few;
  const schedule::table& more;
  std::size_t bodies = 0;
  const free_chips& chips;
};

/// The cycles of some of its runs without a host: each body takes as long as the one before it, and so does each run.
template <class = void>
[[nodiscard]] std::uint64_t free_runs(const free_schedule& of, std::uint64_t runs) {
  const auto whole = [&](std::uint64_t count) {
    const std::uint64_t least = impl::basic_free_run<>(of.few, of.chips, {}).take(count);
    return of.bodies == 0 ? least : least + (impl::basic_free_run<>(of.more, of.chips, {}).take(count) - least) * of.bodies;
  };
  const std::uint64_t once = whole(1);
  return runs == 1 ? once : once + (whole(2) - once) * (runs - 1);
}

/// The cycles that a host makes them longer. Until a run ends it is ahead as the whole schedule lets it: the way of the last
/// micro-batch is as long as there. `goes_on`: other runs were before the first, and the host has made ahead what it could.
template <class = void>
[[nodiscard]] std::uint64_t free_waits(const free_schedule& of, const free_host& host, std::uint64_t runs,
                                       bool goes_on = false) {
  const auto way = [&](const schedule::table& t) {
    impl::basic_free_run<> one(t, of.chips, {});
    (void)one.take(1);
    return one.way_of_the_last();
  };
  const std::uint64_t longer = of.bodies == 0 ? 0 : way(of.more) - way(of.few);
  const auto waits = [&](const schedule::table& t, std::size_t added, std::uint64_t count) {
    free_host paced = host;
    paced.behind += longer * added;
    const std::uint64_t slow = impl::basic_free_run<>(t, of.chips, paced).take(count);
    paced.each = 0;
    const std::uint64_t quick = impl::basic_free_run<>(t, of.chips, paced).take(count);
    return slow - algorithms::min(slow, quick);
  };
  const auto whole = [&](std::uint64_t count) {
    const std::uint64_t least = waits(of.few, of.bodies, count);
    return of.bodies == 0 ? least : least + (waits(of.more, of.bodies - 1, count) - least) * of.bodies;
  };
  const std::uint64_t once = whole(1);
  if (goes_on) return (algorithms::max(whole(2), once) - once) * runs;
  return runs == 1 ? once : once + (whole(2) - once) * (runs - 1);
}

}  // namespace ipuflow::plan
