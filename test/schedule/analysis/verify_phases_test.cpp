// SPDX-License-Identifier: BSL-1.0
// What is proven by phases is right when it is run; the programs of the catalogue are proven at every size. Sizes beyond
// what a compiler could run are static assertions, within its usual limits.
#include <ipuflow/schedule/analysis/run_order.hpp>
#include <ipuflow/schedule/analysis/verify_phases.hpp>
#include <ipuflow/schedule/generators/dualpipe.hpp>
#include <ipuflow/schedule/generators/zbv.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace verify_phases_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

static_assert(accept<verify(dualpipe({.ipus = 64, .micro_batches = 128}))>());
static_assert(accept<verify(dualpipev({.ipus = 32, .micro_batches = 1'000'064}))>());
static_assert(accept<verify(zbv({.ipus = 32, .micro_batches = 1'000'064}))>());
static_assert(proven_by_phases(zbv({.ipus = 3, .micro_batches = 1})));  // a program for more of them
static_assert(proven_by_phases(dualpipev({.ipus = 2, .micro_batches = most_micro_batches})));
static_assert(!proven_by_phases(dualpipe({.ipus = 4, .micro_batches = 6})));  // refused

namespace {

std::size_t skew = 0;

template <const auto& Generator>
phase_list phases_of_generator(const grid& where, std::size_t ipu) {
  return Generator({.ipus = where.ipus, .micro_batches = where.micro_batches}).phases(where, ipu);
}

/// The same with one beat, one number of repeats, or the order of two phases changed, as `skew` says.
template <const auto& Generator>
phase_list skewed(const grid& where, std::size_t ipu) {
  phase_list phases = phases_of_generator<Generator>(where, ipu);
  std::size_t which = skew;
  if (which % where.ipus != ipu) return phases;
  which /= where.ipus;
  program_phase& at = phases[which % phases.size()];
  which /= phases.size();
  if (which == 0) {
    if (at.times > 0) --at.times;
  } else if (which == 1) {
    ++at.times;
  } else if (which == 2) {
    const program_phase kept = at;
    at = phases[0];
    phases[0] = kept;
  } else {
    const beat kept = at.beats[0];
    at.beats[0] = at.beats[at.beats.size() - 1];
    at.beats[at.beats.size() - 1] = kept;
  }
  return phases;
}

template <const auto& Generator>
void skew_all(std::size_t& right, std::size_t& proven) {
  for (const std::size_t ipus : {2u, 4u}) {
    for (const std::size_t count : {8u, 20u}) {
      program t = Generator({.ipus = ipus, .micro_batches = count});
      t.phases = skewed<Generator>;
      for (skew = 0; skew < ipus * 12 * 4; ++skew) {
        const bool holds = !verify_order(t);
        if (proven_by_phases(t)) {
          CHECK_MESSAGE(holds, Generator.name, " on ", ipus, " IPUs, ", count, " micro-batches, skew ", skew);
          ++proven;
        }
        right += holds ? 1 : 0;
        CHECK(static_cast<bool>(verify(t)) == !holds);
      }
    }
  }
}

}  // namespace

TEST_CASE("every program of the catalogue is proven, at every size") {
  for (std::size_t ipus = 1; ipus <= 12; ++ipus) {
    for (std::size_t count = 1; count <= 40; ++count) {
      const auto has = [&](const program& t) { CHECK(proven_by_phases(t) == !t.refused); };
      has(dualpipe({.ipus = ipus, .micro_batches = count}));
      has(dualpipev({.ipus = ipus, .micro_batches = count}));
      has(zbv({.ipus = ipus, .micro_batches = count}));
    }
  }
}

TEST_CASE("of changed programs none is proven that does not run to its end, and few that do are left") {
  std::size_t right = 0, proven = 0;
  skew_all<dualpipe>(right, proven);
  skew_all<dualpipev>(right, proven);
  skew_all<zbv>(right, proven);
  CHECK(proven > 0);
  CHECK(10 * proven > 9 * right);
}

TEST_CASE("no proof of what is of another kind: inference, unknown chunks, passes and pairs") {
  program t = zbv({.ipus = 1, .micro_batches = 2});
  REQUIRE(proven_by_phases(t));
  program other = t;
  other.run_for = mode::inference;
  CHECK_FALSE(proven_by_phases(other));
  const auto with = [&](phases_of phases) {
    other = t;
    other.phases = phases;
    return proven_by_phases(other);
  };
  CHECK_FALSE(with([](const grid&, std::size_t) {
    phase_list p;
    p.push_back({2, {{{pass::forward, 2}}, 1}});
    return p;
  }));
  CHECK_FALSE(with([](const grid&, std::size_t) {
    phase_list p;
    p.push_back({2, {{{pass::forward, 0}, {pass::forward, 1}, {pass::recompute, 1}, {pass::backward, 1}, {pass::backward, 0}}, 5}});
    return p;
  }));
  const phases_of pair_across = [](const grid&, std::size_t) {
    phase_list p;
    p.push_back({2, {{{pass::forward, 0}, {pass::forward, 1}, {pass::backward, 1}, {pass::backward, 0, true}}, 4}});
    return p;
  };
  CHECK_FALSE(with(pair_across));
}

namespace {

/// The last backward runs together with a forward of a micro-batch that the schedule does not have.
constexpr phase_list pair_of_one(const grid& where, std::size_t) {
  phase_list phases;
  phases.push_back({1, {{beat{pass::forward, 0}}, 1}});
  phases.push_back({where.micro_batches, {{beat{pass::backward, 0, true}, beat{pass::forward, 0}}, 2}});
  return phases;
}

/// Two backwards in each repeat, of which the second comes before its forward.
constexpr phase_list two_backwards(const grid& where, std::size_t) {
  phase_list phases;
  phases.push_back({where.micro_batches, {{beat{pass::forward, 0}, beat{pass::backward, 0}, beat{pass::backward, 0}}, 3}});
  return phases;
}

}  // namespace

TEST_CASE("what is left out for want of micro-batches is no half of a pair, and no reason to take others for it") {
  for (const std::size_t micro_batches : {2u, 3u, 10u}) {
    for (const phases_of phases : {phases_of{pair_of_one}, phases_of{two_backwards}}) {
      const program t{.where = {1, 1, micro_batches}, .phases = phases, .settled = nowhere};
      CHECK_FALSE(proven_by_phases(t));
      CHECK(verify_order(t));
      CHECK(verify(t).kind == verify_order(t).kind);
    }
  }
}

TEST_CASE("gradients for weights by age are not asked for before there are any") {
  program t = zbv({.ipus = 1, .micro_batches = 4});
  const auto proven_with_gap = [&](phases_of phases) {
    t.phases = phases;
    CHECK(proven_by_phases(t) == !verify_order(t));
    return proven_by_phases(t);
  };
  const phases_of early = [](const grid&, std::size_t) {
    phase_list p;
    p.push_back({4, {{{pass::forward, 0}, {pass::forward, 1}, {pass::backward_inputs, 1}, {pass::backward_weights, oldest},
                      {pass::backward_weights, oldest}, {pass::backward_inputs, 0}}, 6}});
    return p;
  };
  const phases_of in_time = [](const grid&, std::size_t) {
    phase_list p;
    p.push_back({4, {{{pass::forward, 0}, {pass::forward, 1}, {pass::backward_inputs, 1}, {pass::backward_weights, oldest},
                      {pass::backward_inputs, 0}}, 5}});
    p.push_back({4, {{{pass::backward_weights, oldest}}, 1}});
    return p;
  };
  CHECK_FALSE(proven_with_gap(early));
  CHECK(proven_with_gap(in_time));
}

}  // namespace verify_phases_test
