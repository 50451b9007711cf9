// SPDX-License-Identifier: BSL-1.0
// Recomputation and offloading as decisions: what is found is held within its limits at every instant, no plan of all is better where all
// can be tried, and the bound is below all of them.
#include <ipuflow/core/mixed_bits.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/lowering/lower.hpp>
#include <ipuflow/schedule/search/stash_plans.hpp>
#include <instrumented.hpp>
#include <schedule/search/search_check.hpp>

#include <doctest/doctest.h>

#include <cstdlib>

namespace stash_plans_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::test;

struct unequal {
  std::size_t seed;
  [[nodiscard]] std::size_t of(pass kind, std::size_t stage) const {
    if (kind == pass::update) return 0;
    if (kind == pass::backward) return of(pass::backward_inputs, stage) + of(pass::backward_weights, stage);
    return 1 + mixed_bits(seed * 64 + stage * 8 + static_cast<std::size_t>(kind)) % 9;
  }
  [[nodiscard]] std::size_t communication_of(std::size_t stage) const { return mixed_bits(seed * 64 + stage * 8 + 7) % 4; }
};

/// Instances that are tried out with all decisions: some take seconds.
constexpr std::size_t few = is_instrumented ? 8 : 20;

std::size_t instances(std::size_t usual) {
  const char* const asked = std::getenv("IPUFLOW_SEARCH_INSTANCES");
  return asked == nullptr ? usual : static_cast<std::size_t>(std::atoll(asked));
}

search_memory with(search_memory memory, bool again, bool away, std::size_t kept, std::size_t time) {
  if (again) memory.recomputable.push_back({kept});
  if (away) memory.offloadable.push_back({kept, time, time + 1});
  return memory;
}

constexpr grid line{.ipus = 4, .stages = 4, .micro_batches = 8};
constexpr search_memory allowing() {
  search_memory memory{{3, -2, -1}, 6};
  memory.recomputable.push_back({1});
  return memory;
}
static_assert(search(grid{.ipus = 3, .stages = 3, .micro_batches = 4}, costs{4, 5, 3, 1}, allowing(), {.iterations = 1}).span <= 100);

TEST_CASE("random instances with decisions: verified, walked and held within each limit, the bound below") {
  std::size_t chosen[3] = {};
  for (std::size_t seed = 0; seed < instances(50); ++seed) {
    const auto draw = [&](std::size_t n, std::size_t of) { return mixed_bits(seed * 100 + of + 900'000) % n; };
    const std::size_t ipus = 1 + draw(4, 1);
    const std::size_t kind = draw(3, 2);
    const grid where{ipus, (kind == 0 ? 1 : 2) * ipus, 1 + draw(8, 3), kind == 1 ? layout::vee : layout::loop};
    const std::size_t adds = 2 + draw(3, 4);
    search_memory memory{{static_cast<std::ptrdiff_t>(adds), -1, 1 - static_cast<std::ptrdiff_t>(adds)}, adds * (kind == 0 ? 1 : 2) + draw(7, 5)};
    const std::size_t allowed = 1 + draw(3, 6);
    memory = with(memory, allowed % 2 == 1, allowed > 1, draw(adds, 7), draw(5, 8));
    const unequal costs{seed};
    const search_options options{.metric = draw(2, 9) == 0 ? search_metric::span : search_metric::makespan, .split = draw(3, 10) > 0, .iterations = 300, .seed = seed};
    const auto found = search(where, costs, memory, options);
    CAPTURE(seed);
    check_searched(found, where, costs, memory);
    CHECK(found.stashes.size() == where.stages);
    for (const stash_choice how : found.stashes) ++chosen[static_cast<std::size_t>(how)];
    const auto lowered = lower(found.timetable, {.gathered = 0});
    CHECK(lowered.size() == ipus);
  }
  for (const std::size_t n : chosen) CHECK(n > 0);
}

TEST_CASE("small ones are tried out with all decisions: the bound is never above the shortest, and the search finds it") {
  std::size_t better = 0;
  std::size_t proved = 0;
  std::size_t longer = 0;
  for (std::size_t seed = 0; seed < instances(few); ++seed) {
    const auto draw = [&](std::size_t n, std::size_t of) { return mixed_bits(seed * 77 + of + 7000) % n; };
    const grid where{.ipus = 2, .stages = 2, .micro_batches = 2 + draw(2, 1)};
    const std::size_t allowed = 1 + draw(3, 2);
    const search_memory memory = with({{3, -1, -2}, 3 + draw(5, 3)}, allowed % 2 == 1, allowed > 1, draw(2, 4), draw(3, 5));
    const unequal costs{seed + 3000};
    std::size_t best = static_cast<std::size_t>(-1);
    for_each_treatment(memory, where.stages, {}, [&](const treatment& by) { best = std::min(best, exhaustion{where, costs, memory, false, by}.best); });
    const std::size_t kept = exhaustion{where, costs, memory, false}.best;
    const auto found = search(where, costs, memory, {.metric = search_metric::makespan, .iterations = 3000});
    CAPTURE(seed);
    CHECK(found.lower_bound <= best);
    CHECK(found.found() >= best);
    longer += found.found() > best ? 1u : 0u;
    better += best < kept ? 1u : 0u;
    proved += found.proved() ? 1u : 0u;
  }
  CHECK(100 * longer <= instances(few));  // none of few, one of a hundred in a soak
  CHECK(4 * better >= instances(few));
  CHECK(2 * proved >= instances(few));
}

TEST_CASE("a bound where passes for inputs add bytes, too: three passes free memory backwards in time") {
  const grid two{.ipus = 2, .stages = 2, .micro_batches = 2};
  costs_of_stages<2> c;
  c.stage.push_back({3, 5, 6});
  c.stage.push_back({8, 4, 8});
  search_memory memory;
  memory.stages.push_back({4, 1, -5});
  memory.stages.push_back({1, 2, -3});
  memory.limits.push_back(7);
  memory.limits.push_back(8);
  memory.recomputable.push_back({2, 2});
  std::size_t best = static_cast<std::size_t>(-1);
  for_each_treatment(memory, two.stages, {}, [&](const treatment& by) { best = std::min(best, exhaustion{two, c, memory, false, by}.best); });
  const auto found = search(two, c, memory, {.metric = search_metric::makespan, .iterations = 300});
  check_searched(found, two, c, memory);
  CHECK(best == 43);
  CHECK(found.lower_bound <= best);
  CHECK(found.makespan == best);
}

TEST_CASE("decisions are taken only where they pay, and where they are the only way to fit") {
  const costs c{4, 5, 3, 1};
  const auto roomy = search(line, c, with({{3, -2, -1}, 24}, true, true, 0, 1), {.iterations = 400});
  for (const stash_choice how : roomy.stashes) CHECK(how == stash_choice::kept);
  CHECK(roomy.span == search(line, c, {{3, -2, -1}, 24}, {.iterations = 400}).span);
  const auto narrow = search(line, c, with({{3, -2, -1}, 6}, true, false, 1, 0), {.iterations = 400});
  CHECK(narrow.span < search(line, c, {{3, -2, -1}, 6}, {.iterations = 400}).span);
  CHECK(narrow.timetable.recompute == recomputation::then_backpropagate);
  // An IPU with two stages, of which one alone fits beside what the other keeps when it is sent away.
  const grid two{.ipus = 1, .stages = 2, .micro_batches = 2};
  CHECK(search(two, c, {{3, -2, -1}, 4}).refused.kind == search_wrong::no_room);
  const auto fits = search(two, c, with({{3, -2, -1}, 4}, true, false, 1, 0), {.iterations = 100});
  check_searched(fits, two, c, with({{3, -2, -1}, 4}, true, false, 1, 0));
}

TEST_CASE("records that are not one for all nor one for each are refused; a stage that would save nothing is left alone") {
  search_memory memory{{3, -2, -1}, 9};
  memory.recomputable = dynamic_array<recomputed_stage>(2);
  CHECK(search(line, costs{}, memory).refused.kind == search_wrong::memory_records);
  memory.recomputable = dynamic_array<recomputed_stage>(4, recomputed_stage{3});
  memory.recomputable[1].kept = 1;
  CHECK_FALSE(memory.allows(stash_choice::recomputed, 0));
  CHECK(memory.allows(stash_choice::recomputed, 1));
  const auto found = search(line, costs{}, memory, {.iterations = 200});
  check_searched(found, line, costs{}, memory);
  for (const std::size_t stage : {0u, 2u, 3u}) CHECK(found.stash_of(stage) == stash_choice::kept);
  memory.offloadable.push_back({0, std::size_t{1} << 50, 0});
  CHECK(search(line, costs{}, memory).refused.kind == search_wrong::too_large);
}

TEST_CASE("what all stages may do is no worse than what some may, and no iteration is left while that is not proved") {
  const grid one{.ipus = 1, .stages = 3, .micro_batches = 2};
  costs_of_stages<3> c;
  c.stage.push_back({19, 2, 13});
  c.stage.push_back({10, 7, 16});
  c.stage.push_back({8, 3, 1});
  const auto of = [](unsigned allowed) {  // a bit for each stage
    search_memory memory{{}, 12};
    memory.stages = {};
    for (const activation_bytes bytes : {activation_bytes{3, -2, -1}, activation_bytes{5, 0, -5}, activation_bytes{5, -5, 0}}) memory.stages.push_back(bytes);
    memory.recomputable = dynamic_array<recomputed_stage>(3, recomputed_stage{9});  // as much as is kept anyway
    const recomputed_stage ways[] = {{1, 0}, {0, 1}, {2, 6}};
    for (std::size_t stage = 0; stage < 3; ++stage) {
      if ((allowed >> stage & 1) != 0) memory.recomputable[stage] = ways[stage];
    }
    return memory;
  };
  const searched all = search(one, c, of(7), {.iterations = 2000});
  CHECK((all.proved() || all.iterations >= 2000));
  for (unsigned allowed = 0; allowed < 7; ++allowed) {
    const searched some = search(one, c, of(allowed), {.iterations = 2000});
    if (!some.refused) CHECK(all.span <= some.span);
  }
  const grid vee{.ipus = 2, .stages = 4, .micro_batches = 6, .kind = layout::vee};
  costs_of_stages<4> unequal;
  unequal.stage.push_back({12, 18, 14, 5});
  unequal.stage.push_back({13, 1, 19, 0});
  unequal.stage.push_back({5, 19, 11, 0});
  unequal.stage.push_back({13, 3, 14, 8});
  const searched kept = search(vee, unequal, {{2, -2, 0}, 5}, {.iterations = 1000});
  const searched free = search(vee, unequal, with({{2, -2, 0}, 5}, true, false, 0, 0), {.iterations = 3000});
  CHECK((free.proved() || free.iterations >= 3000));
  CHECK(free.span <= kept.span);
}

}  // namespace stash_plans_test
