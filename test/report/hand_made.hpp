// SPDX-License-Identifier: BSL-1.0
// Profiles made by hand, for tests of what is shown of them: a timetable whose steps end together on chips, and the
// same timetable as a host may have traced it.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/run/chips/profile.hpp>
#include <ipuflow/run/trace.hpp>
#include <ipuflow/schedule/analysis/timeline.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace hand_made {

using namespace ipuflow;

/// How long things take; a forward of stage s takes `forward` + s, so that no two stages are alike.
struct lengths {
  std::uint64_t forward = 1000;
  std::uint64_t backward = 2000;
  std::uint64_t stash = 60;
  std::uint64_t exchange = 150;
  std::uint64_t infeed = 200;
  std::uint64_t update = 700;
};

class chips_run {
 public:
  explicit chips_run(std::size_t chips, const lengths& takes) : takes_{takes} {
    made_.chips.chips.resize(chips);
    made_.chips.clock = hertz{1.325e9};
    made_.chips.tiles_per_chip = 4;
  }

  /// One step: infeed, passes of all chips side by side, stash, exchange.
  template <class T>
  ipuflow::light_vector<ipu::activity> step(const T& t, std::size_t number, std::uint64_t& length) {
    ipuflow::light_vector<ipu::activity> all;
    std::uint64_t now = 0;
    const auto note = [&](const run::chips_label& what, std::uint64_t begin, std::uint64_t takes) {
      all.push_back({.label = label(what), .begin = {begin}, .length = {takes}});
    };
    for (const auto& o : t.ops(0, number)) {
      if (o.kind != schedule::pass::forward || o.stage != 0) continue;
      note({run::chips_work::infeed, 0, 0, {}}, 0, takes_.infeed);
      now = takes_.infeed;
    }
    std::uint64_t end = now;
    for (std::size_t chip = 0; chip < t.where.ipus; ++chip) {
      std::uint64_t at = now;
      for (const auto& o : t.ops(chip, number)) {
        const bool forward = o.kind == schedule::pass::forward;
        const std::uint64_t takes = (forward ? takes_.forward : takes_.backward) + o.stage;
        note({run::chips_work::pass, chip, o.stage, o.kind}, at, takes);
        at += takes;
        if (forward && t.run_for == mode::training) {
          note({run::chips_work::stash, chip, o.stage, o.kind}, at, takes_.stash);
          at += takes_.stash;
        }
      }
      end = std::max(end, at);
    }
    note({run::chips_work::exchange, schedule::nowhere, schedule::nowhere, {}}, end, takes_.exchange);
    length = end + takes_.exchange;
    return all;
  }

  /// The run of a timetable: equal steps behind each other are a loop.
  template <class T>
  void run(const T& t) {
    std::uint64_t length = 0;
    std::size_t count = 0;
    ipuflow::light_vector<ipu::activity> body;
    const auto close = [&] {
      if (count > 0)
        made_.chips.activities.push_back(
            {.begin = made_.chips.total, .length = {length}, .turns = count, .inside = body});
      made_.chips.total += cycles{length} * count;
      count = 0;
    };
    for (std::size_t number = 0; number < t.steps(); ++number) {
      std::uint64_t takes = 0;
      ipuflow::light_vector<ipu::activity> here = step(t, number, takes);
      if (here != body) {
        close();
        body = std::move(here);
        length = takes;
      }
      ++count;
    }
    close();
    if (t.run_for != mode::training) return;
    made_.chips.activities.push_back(
        {.label = label({run::chips_work::update, schedule::nowhere, schedule::nowhere, {}}),
         .begin = made_.chips.total,
         .length = {takes_.update}});
    made_.chips.total += cycles{takes_.update};
  }

  run::chips_profile finish(std::size_t runs, std::size_t micro_batches) {
    made_.runs = runs;
    made_.micro_batches = micro_batches;
    made_.order.resize(made_.labels.size());
    return made_;
  }

 private:
  std::size_t label(const run::chips_label& what) {
    const auto found = std::find(made_.labels.begin(), made_.labels.end(), what);
    const auto number = static_cast<std::size_t>(found - made_.labels.begin());
    if (found == made_.labels.end()) made_.labels.push_back(what);
    return number;
  }

  lengths takes_;
  run::chips_profile made_;
};

template <class T>
run::chips_profile on_chips(const T& t, std::size_t runs = 1, const lengths& takes = {}) {
  chips_run made{t.where.ipus, takes};
  for (std::size_t i = 0; i < runs; ++i) made.run(t);
  return made.finish(runs, t.where.micro_batches);
}

/// A run on two threads that keep to the least time of an order, one unit of which takes so many nanoseconds.
template <class T>
run::trace on_host(const T& t, std::size_t runs = 1, std::size_t capacity = 100'000, std::uint64_t unit = 1000) {
  run::trace traced{capacity};
  const std::chrono::steady_clock::time_point origin{std::chrono::seconds{7}};
  std::size_t length = 0;
  for (std::size_t i = 0; i < runs; ++i) {
    auto pens = traced.pens(2);
    std::size_t end = 0;
    schedule::for_each_timed(t, schedule::costs{.forward = 2, .backward_inputs = 2, .backward_weights = 2},
                             [&](std::size_t ipu, std::size_t, const schedule::op& o, schedule::span_of_time s) {
                               const std::size_t thread = 2 * ipu / t.where.ipus;
                               const auto at = [&](std::size_t time) {
                                 return origin + std::chrono::nanoseconds{(length + time) * unit};
                               };
                               pens[thread].note({o, ipu, thread, at(s.start), at(s.finish)});
                               end = std::max(end, s.finish);
                             });
    traced.collect(pens);
    length += end + 3;
  }
  return traced;
}

}  // namespace hand_made
