// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/chips/carry.hpp>
#include <ipuflow/core/light_vector.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>

namespace carry_test {

using namespace ipuflow::run;
using namespace ipuflow::run::impl;

namespace {

constexpr std::uint32_t nothing = 1'000'000;

/// Does what a plan says with one place where values are made, one where they are read, and the slots.
struct machine {
  const ipuflow::light_vector<carry_event>& events;
  const carry_plan& plan;
  std::uint32_t made = nothing;
  std::uint32_t read = nothing;
  ipuflow::light_vector<std::uint32_t> slots = ipuflow::light_vector<std::uint32_t>(plan.depth, nothing);
  std::size_t pushes = 0;
  std::size_t pulls[2] = {0, 0};
  std::size_t pulled = 0;

  std::size_t slot(const ipuflow::light_vector<std::uint32_t>& list, std::size_t of_run, std::size_t number) const {
    if (!list.empty()) return list[number % list.size()];
    return (of_run == 0 ? number : number % of_run) % plan.depth;
  }
  void push() {
    CHECK(plan.pushed[pushes % plan.pushed.size()] == made);
    slots[slot(plan.pushes, plan.pushes_of_run, pushes++)] = made;
  }
  void pull(std::size_t reader) {
    read = slots[slot(plan.pulls[reader], plan.pulls_of_run.empty() ? 0 : plan.pulls_of_run[reader], pulls[reader]++)];
    CHECK(plan.pulled[pulled++ % plan.pulled.size()] == read);
  }

  /// Twice, one run after the other: nothing may depend on where the first one ended.
  void run() {
    once();
    once();
  }
  void once() {
    for (std::size_t e = 0; e < events.size(); ++e) {
      const carried_by what = plan.actions[e];
      if (has(what, carried_by::push_before)) push();
      if (has(what, carried_by::pull_before)) pull(events[e].reader);
      if (has(what, carried_by::copy_before)) read = made;
      if (events[e].makes)
        made = events[e].value;
      else
        CHECK(read == events[e].value);
      if (has(what, carried_by::pull_after)) pull(has(what, carried_by::second_reader) ? 1 : 0);
      if (has(what, carried_by::push_after)) push();
      if (made != nothing && plan.released[made] == e) made = nothing;  // whoever likes may write there now
    }
  }
};

/// How many values are made while one is still to be read, at most.
std::size_t overtaking(const ipuflow::light_vector<carry_event>& events) {
  std::size_t most = 0;
  for (std::size_t e = 0; e < events.size(); ++e) {
    if (!events[e].makes) continue;
    std::size_t later = 0;
    std::size_t before_last = 0;
    for (std::size_t i = e + 1; i < events.size(); ++i) {
      if (events[i].makes)
        ++later;
      else if (events[i].value == events[e].value)
        before_last = later;
    }
    most = std::max(most, before_last);
  }
  return most;
}

/// Values made in any order and read once or twice some time later.
ipuflow::light_vector<carry_event> any_events(std::mt19937& random, std::size_t values, std::size_t keeps, bool in_turn) {
  ipuflow::light_vector<std::uint32_t> order(values);
  for (std::size_t i = 0; i < values; ++i) order[i] = static_cast<std::uint32_t>(i);
  if (!in_turn) std::shuffle(order.begin(), order.end(), random);
  ipuflow::light_vector<carry_event> events;
  ipuflow::light_vector<std::uint32_t> first;
  ipuflow::light_vector<std::uint32_t> second;
  const auto take = [&](ipuflow::light_vector<std::uint32_t>& from) {
    const auto at = from.begin() + (in_turn ? 0 : static_cast<std::ptrdiff_t>(random() % from.size()));
    const std::uint32_t value = *at;
    from.erase(at);
    return value;
  };
  for (std::size_t made = 0; made < values || !first.empty() || !second.empty();) {
    const bool full = first.size() + second.size() >= keeps;
    const std::size_t kind = random() % 3;
    if (made < values && (kind == 0 || (first.empty() && second.empty())) && !full) {
      events.push_back({true, 0, order[made]});
      first.push_back(order[made++]);
    } else if (!first.empty() && (kind == 1 || second.empty())) {
      const std::uint32_t value = take(first);
      events.push_back({false, 0, value});
      if (random() % 2 == 0) second.push_back(value);
    } else if (!second.empty()) {
      events.push_back({false, 1, take(second)});
    }
  }
  return events;
}

}  // namespace

TEST_CASE("whoever reads when: each reader finds its value, in no more slots than values are made while one is kept") {
  std::mt19937 random(1);
  for (int trial = 0; trial < 3000; ++trial) {
    const std::size_t values = 1 + random() % 30;
    const auto events = any_events(random, values, 1 + random() % 6, trial % 2 == 0);
    for (const bool early : {false, true}) {
      for (const std::size_t depth : {std::size_t{0}, overtaking(events)}) {
        const carry_plan plan = plan_carry(events, values, depth, early);
        CHECK(plan.depth <= overtaking(events));
        machine{events, plan}.run();
      }
    }
  }
}

TEST_CASE("a queue needs all of them, and none of its slots has to be listed") {
  for (std::size_t depth = 0; depth < 9; ++depth) {
    ipuflow::light_vector<carry_event> events;
    for (std::uint32_t m = 0; m < 40 + depth; ++m) {
      if (m < 40) events.push_back({true, 0, m});
      if (m >= depth) events.push_back({false, 0, m - static_cast<std::uint32_t>(depth)});
    }
    const carry_plan plan = plan_carry(events, 40, 0, true);
    CHECK(plan.depth == depth);
    CHECK(plan.pushes.empty());
    CHECK(plan.pulls[0].empty());
  }
}

TEST_CASE("where values that are read at once take no slot for it, the ring begins again with each run, and no slot is listed") {
  ipuflow::light_vector<carry_event> events;
  for (std::uint32_t m = 0; m < 20; ++m) {
    events.push_back({true, 0, m});
    events.push_back({false, 0, m});                    // by the first reader at once
    if (m >= 3) events.push_back({false, 1, m - 3});  // by the second one later
  }
  for (std::uint32_t m = 17; m < 20; ++m) events.push_back({false, 1, m});
  const carry_plan plan = plan_carry(events, 20, 0, true);
  CHECK(plan.pushes.empty());
  CHECK(plan.pulls[0].empty());
  CHECK(plan.pulls[1].empty());
  CHECK(plan.pushes_of_run > 0);
  CHECK(plan.pulls_of_run[0] < plan.pulls_of_run[1]);
  machine{events, plan}.run();
}

TEST_CASE("a stack has a list of slots") {
  ipuflow::light_vector<carry_event> events;
  for (std::uint32_t m = 0; m < 4; ++m) events.push_back({true, 0, m});
  for (std::uint32_t m = 4; m-- > 0;) events.push_back({false, 0, m});
  const carry_plan plan = plan_carry(events, 4, 3, true);
  CHECK(plan.depth == 3);
  CHECK(plan.pulls[0] == ipuflow::light_vector<std::uint32_t>{2, 1, 0});
  machine{events, plan}.run();
}

}  // namespace carry_test
