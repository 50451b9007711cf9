// SPDX-License-Identifier: BSL-1.0
// The time that chips wait for a host that makes one micro-batch after the other, a few ahead of what was taken, and for I/O tiles, by which
// micro-batches come and results leave. Chips that end steps together wait in the step in which one enters that is not ready, or in which
// results find those before them not sent, so the steps are gone through in their order; each run waits as long as the one before it.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/machine/busy_spans.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::plan {

/// A kind of step: its cycles, and how many micro-batches enter the pipeline in it and leave it.
struct fed_step {
  std::uint64_t time = 0;
  std::size_t enter = 0;
  std::size_t crossed = 0;  ///< of these, the last ones: on the other chip that a crossed schedule feeds
  std::size_t leave = 0;
};

/// A host, and what is around the steps of a run: cycles.
struct host_pace {
  std::uint64_t each = 0;     ///< to make a micro-batch
  std::size_t prefetch = 1;   ///< micro-batches that are made ahead; with none it begins when it is asked
  std::uint64_t before = 0;   ///< from the begin of a run to its first step
  std::uint64_t behind = 0;   ///< from its last step to its end
  bool beside = false;        ///< I/O tiles take the next one as soon as what they had is copied to where it is worked on, and send results
  std::uint64_t way = 0;      ///< to I/O tiles
  std::uint64_t copy = 0;     ///< from there
  std::uint64_t rest = 0;     ///< of a micro-batch, what comes to other stages by the port of its results
  std::uint64_t carried = 0;  ///< results to I/O tiles, at the end of a step
  std::uint64_t results = 0;  ///< from there
  bool one_port = true;       ///< for what comes and what leaves: the first chip and the last one are of one machine
  bool sends_all = false;     ///< results of each micro-batch; or those of the last one of a run
};

namespace impl {

/// The cycles between the begin of the last step in which one enters and the end of the steps.
template <class = void>
[[nodiscard]] std::uint64_t way_of_the_last(light_span<const fed_step> kinds, light_span<const std::size_t> order) {
  std::uint64_t way = 0;
  for (std::size_t i = order.size(); i-- > 0;) {
    way += kinds[order[i]].time;
    if (kinds[order[i]].enter > 0) return way;
  }
  return 0;
}

/// The time of a host and of I/O tiles beside chips that end steps together.
template <class = void>
class basic_fed_run {
 public:
  basic_fed_run(light_span<const fed_step> kinds, light_span<const std::size_t> order, const host_pace& host, std::size_t runs)
      : kinds_{kinds}, order_{order}, host_{host} {
    for (std::size_t i = 0; i < order.size(); ++i) {
      enter_ += kinds[order[i]].enter, crossed_ += kinds[order[i]].crossed;
      if (kinds[order[i]].leave > 0) last_to_leave_ = i;
    }
    const std::size_t all = algorithms::max(enter_ * runs, std::size_t{1});
    ahead_ = algorithms::min(host.prefetch, all);
    taken_.resize(algorithms::max(ahead_, std::size_t{1}), 0);
  }

  /// The cycles that a run waits.
  void take_run() {
    std::size_t left[2]{enter_ - crossed_, crossed_};
    for (std::size_t at = 0; host_.beside && at < 2; ++at) {
      if (left[at] > 0) ask(at);
    }
    now_ += host_.before;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const fed_step& step = kinds_[order_[i]];
      for (std::size_t k = 0; k < step.enter; ++k) enter(k + step.crossed < step.enter ? 0 : 1, left);
      now_ += step.time;
      if (step.leave > 0 && (host_.sends_all || i == last_to_leave_)) leave();
    }
    now_ += host_.behind;
  }
  /// All that was waited for so far, up to where all results are sent.
  [[nodiscard]] std::uint64_t waited() const { return waited_ + algorithms::max(now_, sent_) - now_; }

 private:
  void enter(std::size_t at, std::size_t (&left)[2]) {
    if (!host_.beside) {
      ask(at);
      return wait_until(place_[at].ready);
    }
    wait_until(place_[at].ready);
    place_[at].free = now_ + host_.copy;
    if (--left[at] > 0) ask(at);
  }

  /// The next micro-batch is to come to a place, or at once where there is none.
  void ask(std::size_t at) {
    const std::uint64_t asked = host_.beside ? place_[at].free : now_;
    std::uint64_t& taken = taken_[ahead_ == 0 ? 0 : number_++ % ahead_];
    made_ = algorithms::max(made_, ahead_ == 0 ? asked : taken) + host_.each;
    taken = algorithms::max(asked, made_);
    place_[at].ready = by_port(0, taken, host_.way);
    if (host_.rest > 0) by_port(1, taken, host_.rest);
  }

  void leave() {
    if (!host_.beside) return;
    wait_until(sent_);
    wait_until(now_ + host_.carried);
    sent_ = by_port(1, now_, host_.results);
  }

  /// The end of a transfer: from the host, or to it.
  std::uint64_t by_port(std::size_t port, std::uint64_t from, std::uint64_t time) {
    return host_.beside ? ports_[host_.one_port ? 0 : port].end_of_transfer(from, time) : from;
  }
  void wait_until(std::uint64_t time) {
    if (time <= now_) return;
    waited_ += time - now_, now_ = time;
  }

  struct place {
    std::uint64_t free = 0;   // since when
    std::uint64_t ready = 0;  // when the micro-batch is there that was asked for last
  };

  light_span<const fed_step> kinds_;
  light_span<const std::size_t> order_;
  const host_pace& host_;
  std::size_t enter_ = 0, crossed_ = 0, last_to_leave_ = 0, ahead_ = 0, number_ = 0;
  light_vector<std::uint64_t> taken_{};  // when the last ones were, as many as are made ahead
  std::uint64_t now_ = 0, made_ = 0, sent_ = 0, waited_ = 0;
  ipu::busy_spans ports_[2]{};
  place place_[2]{};  // on I/O tiles, of each chip that is fed
};

}  // namespace impl

/// The cycles of waiting in a number of runs, each of these steps: `order` has their kinds, one after the other.
template <class = void>
[[nodiscard]] std::uint64_t host_waits(light_span<const fed_step> kinds, light_span<const std::size_t> order, const host_pace& host, std::size_t runs = 1) {
  impl::basic_fed_run<> fed(kinds, order, host, runs);
  for (std::size_t run = 0; run < runs; ++run) fed.take_run();
  return fed.waited();
}

namespace impl {

/// Equal kinds of steps that follow each other.
struct run_of_steps {
  std::size_t kind = 0, count = 0;
};
template <class = void>
[[nodiscard]] light_vector<run_of_steps> runs_of_steps(light_span<const std::size_t> order) {
  light_vector<run_of_steps> made;
  for (const std::size_t kind : order) {
    if (made.empty() || made.back().kind != kind) made.push_back({kind, 0});
    ++made.back().count;
  }
  return made;
}

/// The steps with `bodies` more bodies than `few`, where `more` has one: that stands in one place, or steps of some kinds are repeated.
/// None if it is neither.
template <class = void>
[[nodiscard]] light_vector<std::size_t> with_bodies(light_span<const std::size_t> few, light_span<const std::size_t> more, std::size_t bodies) {
  light_vector<std::size_t> made;
  if (more.size() < few.size()) return made;
  const light_vector<run_of_steps> short_runs = runs_of_steps<>(few), long_runs = runs_of_steps<>(more);
  const auto grows = [](const run_of_steps& a, const run_of_steps& b) { return a.kind == b.kind && a.count <= b.count; };
  if (algorithms::equal(short_runs.begin(), short_runs.end(), long_runs.begin(), long_runs.end(), grows)) {
    for (std::size_t i = 0; i < short_runs.size(); ++i)
      made.resize(made.size() + short_runs[i].count + (long_runs[i].count - short_runs[i].count) * bodies, short_runs[i].kind);
    return made;
  }
  std::size_t at = 0;
  while (at < few.size() && few[at] == more[at]) ++at;
  const std::size_t body = more.size() - few.size();
  if (!algorithms::equal(few.begin() + at, few.end(), more.begin() + at + body, more.end())) return made;
  made.insert(made.end(), few.begin(), few.begin() + at);
  for (std::size_t i = 0; i < bodies; ++i) made.insert(made.end(), more.begin() + at, more.begin() + at + body);
  made.insert(made.end(), few.begin() + at, few.end());
  return made;
}

}  // namespace impl

/// The same in any number of runs of a schedule that has `bodies` more bodies than `few`, where `more` has one. Until a run ends, the host
/// is ahead as the whole schedule lets it: the way of the last micro-batch is as long as there. What it has made ahead lasts for some
/// bodies of the next run, so they are gone through; all others wait as long as the one before. `goes_on`: other runs were before the
/// first, and the host has made ahead what it could.
template <class = void>
[[nodiscard]] std::uint64_t host_waits(light_span<const fed_step> kinds, light_span<const std::size_t> few, light_span<const std::size_t> more, std::size_t bodies,
                                       const host_pace& host, std::uint64_t runs, bool goes_on = false) {
  constexpr std::size_t enough = 256;  // steps
  if (bodies > 0 && few.size() < enough && more.size() > few.size()) {
    const std::size_t known = algorithms::min(bodies, 1 + (enough - few.size()) / (more.size() - few.size()));
    const light_vector<std::size_t> longer = impl::with_bodies<>(few, more, known), next = impl::with_bodies<>(few, more, known + 1);
    if (longer.size() > few.size()) return host_waits<>(kinds, longer, next, bodies - known, host, runs, goes_on);
  }
  const std::uint64_t way = impl::way_of_the_last<>(kinds, few), longer = impl::way_of_the_last<>(kinds, more) - way;
  const auto of = [&](light_span<const std::size_t> order, std::size_t added, std::size_t count) {
    host_pace paced = host;
    paced.behind += longer * added;
    return host_waits<>(kinds, order, paced, count);
  };
  const auto whole = [&](std::size_t count) {
    const std::uint64_t waits = of(few, bodies, count);
    return bodies == 0 ? waits : waits + (of(more, bodies - 1, count) - waits) * bodies;
  };
  const std::uint64_t once = whole(1);
  if (goes_on) return (algorithms::max(whole(2), once) - once) * runs;
  return runs == 1 ? once : once + (whole(2) - once) * (runs - 1);
}

}  // namespace ipuflow::plan
