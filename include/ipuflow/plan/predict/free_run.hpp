// SPDX-License-Identifier: BSL-1.0
// Runs of a timetable on chips that have a clock each and wait for their neighbours alone, from the times of passes and messages.
// Messages wait for places on I/O tiles, and chips for those that their values leave from.
// The host makes one micro-batch after the other, and I/O tiles take the next one as soon as the one before has gone to where it
// is worked on; results go to the host beside all else. A chip begins its next run when it has done its update.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/machine/busy_spans.hpp>
#include <ipuflow/plan/predict/free_chips.hpp>
#include <ipuflow/plan/predict/mail_places.hpp>
#include <ipuflow/schedule/forms/table.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace ipuflow::plan {

namespace impl {

template <class = void>
class basic_free_run {
 public:
  basic_free_run(const schedule::table& t, const free_chips& chips, const free_host& host)
      : t_{t}, chips_{chips}, host_{host}, clocks_(t.where.ipus, 0) {
    constexpr std::size_t most_runs = 2;  // that are gone through; the host makes no more ahead than they take
    host_.prefetch = algorithms::min(host_.prefetch, most_runs * t.where.micro_batches);
    taken_.resize(algorithms::max(host_.prefetch, std::size_t{1}), 0);
    for (auto& places : places_) places.resize(t.where.stages);
    for (const auto& row : t.rows) {
      for (const schedule::placed& o : row) places_[this->half(o)][o.stage].all += o.kind == pass::forward;
    }
    for (const auto& row : t.rows) moved_.push_back(moved_behind(row, [&](const schedule::placed& o) -> const free_stage& { return stage_of(o); }));
    for (std::size_t half = 0; half < 2; ++half) {
      const light_vector<free_stage>& all = chips.stages[half];
      for (std::size_t s = 0; s < t.where.stages; ++s) {  // the places to each
        mail_[half][0].emplace_back(s > 0 ? all[s - 1].moved : 0);
        mail_[half][1].emplace_back(s + 1 < t.where.stages ? all[s + 1].moved_back : 0);
      }
    }
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

  /// Step by step, as the chips' programs are written: what a place holds is gone when the next value comes there.
  void take_run() {
    light_vector<std::size_t> next(clocks_.size(), 0);
    for (std::size_t half = 0; half < 2; ++half) {
      for (std::size_t s = 0; s < t_.where.stages; ++s) {
        places_[half][s].left = places_[half][s].all;
        feed(half, s);
      }
    }
    for (std::size_t chip = 0; chip < clocks_.size(); ++chip) clocks_[chip] += chips_.clear[chip];
    bool any = true;
    for (std::size_t step = 0; any; ++step) {
      any = false;
      sent_in_step_.clear();
      for (std::size_t chip = 0; chip < clocks_.size(); ++chip) {
        const auto& row = t_.rows[chip];
        while (next[chip] < row.size() && row[next[chip]].step == step) {
          const std::size_t count = row[next[chip]].with_next && next[chip] + 1 < row.size() ? 2 : 1;
          begin(chip, next[chip], count);
          next[chip] += count;
        }
        any = any || next[chip] < row.size();
      }
      for (const message& m : sent_in_step_) m.by->send(m.micro_batch, m.made, m.time);
    }
    for (const light_vector<free_meeting>& m : chips_.meetings) meet(m);
    for (std::size_t chip = 0; chip < clocks_.size(); ++chip) clocks_[chip] += chips_.update[chip] + host_.behind;
  }

  /// Chips go on together when the last of those that meet has come so far.
  void meet(const light_vector<free_meeting>& of) {
    std::uint64_t last = 0;
    for (std::size_t chip = 0; chip < of.size(); ++chip) {
      clocks_[chip] += of[chip].before;
      if (of[chip].together > 0) last = algorithms::max(last, clocks_[chip]);
    }
    for (std::size_t chip = 0; chip < of.size(); ++chip)
      if (of[chip].together > 0) clocks_[chip] = last + of[chip].together;
  }

  /// True if results of an operation go to the host.
  [[nodiscard]] bool leaves(const schedule::op& o) const {
    const bool sent = t_.run_for == mode::inference || o.micro_batch + 1 == t_.where.micro_batches;
    return sent && o.kind == pass::forward && o.stage + 1 == t_.where.stages;
  }
  /// The end of a transfer: from the host, or to it.
  [[nodiscard]] std::uint64_t by_port(std::size_t port, std::uint64_t from, std::uint64_t time) {
    return ports_[chips_.one_port ? 0 : port].end_of_transfer(from, time);
  }
  [[nodiscard]] bool enters(const schedule::op& o) const { return o.kind == pass::forward && o.stage == chips_.fed; }
  [[nodiscard]] std::size_t half(const schedule::op& o) const {
    return t_.where.crossed && o.micro_batch >= t_.where.micro_batches / 2 ? 1 : 0;
  }
  [[nodiscard]] const free_stage& stage_of(const schedule::op& o) const { return chips_.stages[half(o)][o.stage]; }
  [[nodiscard]] std::size_t chip_of(std::size_t stage, std::size_t micro_batch) const {
    return t_.where.ipu_of(t_.where.first_seat(stage), micro_batch);
  }

  /// The places by which an operation gets what it reads from another chip, if it does.
  [[nodiscard]] mail_places* mail_to(const schedule::op& o) { return mail_between(o, true); }
  /// And those by which it hands on what it makes.
  [[nodiscard]] mail_places* mail_from(const schedule::op& o) { return mail_between(o, false); }
  [[nodiscard]] mail_places* mail_between(const schedule::op& o, bool arrives) {
    const bool onwards = o.kind == pass::forward;
    if (!onwards && !schedule::is_backward(o.kind)) return nullptr;
    const bool before = onwards == arrives;  // it is the stage before that it has to do with
    if (before ? o.stage == 0 : o.stage + 1 == t_.where.stages) return nullptr;
    const std::size_t other = before ? o.stage - 1 : o.stage + 1;
    if (chip_of(other, o.micro_batch) == chip_of(o.stage, o.micro_batch)) return nullptr;
    return &mail_[half(o)][onwards ? 0 : 1][arrives ? o.stage : other];
  }

  void begin(std::size_t chip, std::size_t at, std::size_t count) {
    const light_span<const schedule::placed> together{t_.rows[chip].data() + at, count};
    std::uint64_t start = clocks_[chip], time = 0, behind = 0, taken = 0, posted = 0;
    for (const schedule::placed& o : together) {
      const free_stage& s = stage_of(o);
      mail_places* const from = mail_to(o);
      const std::uint64_t come = from == nullptr ? 0 : from->fetch(o.micro_batch);
      start = algorithms::max(start, come);
      if (o.kind == pass::forward) start = algorithms::max(start, places_[half(o)][o.stage].ready);
      const auto kind = static_cast<std::size_t>(o.kind);
      const std::uint64_t moved = moved_[chip][at++];
      time += s.passes[kind] - s.behind[kind] + moved, behind = moved, taken += s.taken[kind], posted += s.posted[kind];
    }
    std::uint64_t made = start + time - behind;
    for (const schedule::placed& o : together) {
      if (mail_places* const from = mail_to(o)) from->take(start + taken);
      if (o.kind == pass::forward) {
        places_[half(o)][o.stage].free = start + taken;
        feed(half(o), o.stage);
      }
      if (mail_places* const to = mail_from(o)) made = algorithms::max(made, to->free_to_leave() + posted);
      if (leaves(o)) made = algorithms::max(made, sent_ + posted);
    }
    for (const schedule::placed& o : together) {
      const free_stage& s = stage_of(o);
      const bool onwards = o.kind == pass::forward;
      if (enters(o)) last_entered_ = start, last_chip_ = chip;
      if (mail_places* const to = mail_from(o))
        sent_in_step_.push_back({to, o.micro_batch, made, onwards ? s.message : s.message_back});
      if (leaves(o)) sent_ = by_port(1, made, s.outfeed);  // beside what chips do next
    }
    clocks_[chip] = made + behind;
  }

  /// The host is to send what the next forward pass of a stage reads, if there is one in this run: to I/O tiles.
  void feed(std::size_t half, std::size_t stage) {
    fed_place& to = places_[half][stage];
    if (to.left == 0) return;
    --to.left;
    const std::uint64_t infeed = chips_.stages[half][stage].infeed;
    if (stage != chips_.fed) {
      to.ready = infeed == 0 ? 0 : by_port(1, to.free, infeed);
      return;
    }
    std::uint64_t& place = taken_[host_.prefetch == 0 ? 0 : number_++ % host_.prefetch];
    ready_ = algorithms::max(ready_, host_.prefetch == 0 ? to.free : place) + host_.each;
    place = algorithms::max(to.free, ready_);
    to.ready = by_port(0, place, infeed);
  }

  /// A place on I/O tiles for what comes from the host.
  struct fed_place {
    std::size_t all = 0, left = 0;  // micro-batches of a run, and those that have not been asked for
    std::uint64_t free = 0;         // since when
    std::uint64_t ready = 0;        // when the one is there that was asked for last
  };
  struct message {
    mail_places* by = nullptr;
    std::size_t micro_batch = 0;
    std::uint64_t made = 0, time = 0;
  };

  const schedule::table& t_;
  const free_chips& chips_;
  free_host host_;
  light_vector<std::uint64_t> clocks_;    // of the chips
  light_vector<light_vector<std::uint64_t>> moved_{};  // behind each of their passes
  light_vector<std::uint64_t> taken_{};   // when the last ones were, as many as the host makes ahead
  light_vector<mail_places> mail_[2][2]{};  // of each half, onwards and back: to each stage
  light_vector<message> sent_in_step_{};
  light_vector<fed_place> places_[2]{};      // of each stage
  std::size_t number_ = 0;
  std::uint64_t ready_ = 0, sent_ = 0;  // when the host has made the newest one, and when results were sent
  ipu::busy_spans ports_[2]{};
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
