// SPDX-License-Identifier: BSL-1.0
// The vendor's table: which schedule can recompute when, and what it chooses by itself.
#include <ipuflow/schedule/forms/recomputation.hpp>

#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>
#include <ipuflow/schedule/generators/interleaved.hpp>
#include <ipuflow/schedule/generators/sequential.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace recomputation_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using enum ipuflow::schedule::recomputation;

namespace {

constexpr setup asked{.ipus = 3, .micro_batches = 12};
constexpr setup forwards{.ipus = 3, .micro_batches = 12, .run_for = mode::inference};

constexpr auto in_grouped = [](const setup& s, recomputation how) { return grouped(s, {.recompute = how}); };
constexpr auto in_interleaved = [](const setup& s, recomputation how) { return interleaved(s, how); };
constexpr auto in_sequential = [](const setup& s, recomputation how) { return sequential(s, how); };
constexpr auto in_sharded = [](const setup& s, recomputation how) { return sharded(s, how); };

/// What a schedule makes of a mode: that mode, another one, or a refusal.
template <class Schedule>
void check_row(Schedule of, recomputation automatically, bool before, bool within) {
  CHECK(of(asked, none).recompute == none);
  CHECK(of(asked, automatic).recompute == automatically);
  CHECK(of(asked, automatic) == of(asked, automatically));
  CHECK(of(asked, then_backpropagate).refused.kind ==
        (before ? schedule_wrong::nothing : schedule_wrong::no_recomputation_before));
  CHECK(of(asked, and_backpropagate).refused.kind ==
        (within ? schedule_wrong::nothing : schedule_wrong::no_recomputation_within));
  for (const recomputation how : {none, automatic, then_backpropagate, and_backpropagate}) {
    const auto t = of(asked, how);
    CHECK(static_cast<bool>(verify(t)) == static_cast<bool>(t.refused));
    CHECK(of(forwards, how) == of(forwards, none));  // inference makes nothing again
    std::size_t again = 0;
    for (std::size_t ipu = 0; ipu < 3; ++ipu) {
      for (auto w = t.walk(ipu); w; ++w) again += w->kind == pass::recompute;
    }
    CHECK(again == (!t.refused && t.recompute == then_backpropagate ? 2 * 12 : 0));  // never the last stage
  }
}

}  // namespace

TEST_CASE("grouped can do both, interleaved recomputes before, sequential within the backward") {
  check_row(in_grouped, then_backpropagate, true, true);
  check_row(in_interleaved, then_backpropagate, true, false);
  check_row(in_sequential, and_backpropagate, false, true);
  check_row(in_sharded, and_backpropagate, false, true);
}

TEST_CASE("recomputing within the backward leaves the timetable as it is") {
  const auto plain = grouped(asked), within = grouped(asked, {.recompute = and_backpropagate});
  for (std::size_t ipu = 0; ipu < 3; ++ipu) {
    auto a = plain.walk(ipu);
    for (auto b = within.walk(ipu); b; ++a, ++b) CHECK(*a == *b);
    CHECK_FALSE(static_cast<bool>(a));
  }
  CHECK(tabulate(within).recompute == and_backpropagate);
  CHECK(tabulate(plain).recompute == none);
}

}  // namespace recomputation_test
