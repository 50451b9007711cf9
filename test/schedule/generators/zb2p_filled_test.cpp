// SPDX-License-Identifier: BSL-1.0
// ZB2P for costs: as short as the authors' order, within the same memory, and never longer than the lines for equal costs.
#include "../random_costs.hpp"
#include "../reference_greedy.hpp"

#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/catalogue.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace zb2p_filled_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

/// The most half values of an IPU: a forward makes two, each half of the backward frees one.
template <class T>
std::size_t most_halves(const T& t) {
  std::size_t most = 0;
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    std::size_t halves = 0;
    for (auto w = t.walk(ipu); w; ++w) {
      halves = w->kind == pass::forward ? halves + 2 : halves - 1;
      most = halves > most ? halves : most;
    }
  }
  return most;
}

}  // namespace

TEST_CASE("for many costs as short as the authors' order") {
  for (const reference::greedy_zb2p& of : reference::greedy_for_costs) {
    const costs c{of.forward, of.backward_inputs, of.backward_weights, of.communication};
    const setup asked{.ipus = of.ipus, .micro_batches = of.micro_batches};
    const table filled = zb2p_filled(zb2p(asked).where, c);
    REQUIRE_FALSE(verify_order(filled));
    CHECK(makespan(filled, c) == of.makespan);
    with_schedule("zb2p", asked, c, [&](const auto& t) {
      CHECK(makespan(t, c) <= of.makespan);
      CHECK(most_halves(t) <= 4 * of.ipus);
    });
  }
}

TEST_CASE("the figure of 8 IPUs with 24 micro-batches") {
  const setup asked{.ipus = 8, .micro_batches = 24};
  const costs c{2, 3, 1, 0};
  CHECK(makespan(zb2p(asked), c) == 165);
  with_schedule("zb2p", asked, c, [&](const auto& t) { CHECK(makespan(t, c) == 158); });
}

TEST_CASE("costs of each stage and link: valid, within memory, and no longer than the lines") {
  reference::random_costs draw{5};
  for (std::size_t i = 0; i < 200; ++i) {
    const setup asked{.ipus = 1 + draw.below(8), .micro_batches = 1 + draw.below(40)};
    const auto c = draw.of_stages<8>(asked.ipus);
    with_schedule("zb2p", asked, c, [&](const auto& t) {
      REQUIRE_FALSE(verify_order(t));
      CHECK(most_halves(t) <= 4 * asked.ipus);
      CHECK(makespan(t, c) <= makespan(zb2p(asked), c));
    });
  }
}

TEST_CASE("equal costs have the lines, as have too many operations for a table; other schedules do not ask") {
  const auto is_lines = [](const auto& t) { return requires { t.parts; }; };
  CHECK(with_schedule("zb2p", {.ipus = 4, .micro_batches = 8}, costs{}, is_lines));
  CHECK(with_schedule("zb2p", {.ipus = 4, .micro_batches = 1'000'000}, costs{2, 3, 1, 0}, is_lines));
  CHECK_FALSE(with_schedule("zb2p", {.ipus = 8, .micro_batches = 24}, costs{2, 3, 1, 0}, is_lines));
  CHECK(with_schedule("1f1b", {.ipus = 8, .micro_batches = 24}, costs{2, 3, 1, 0}, is_lines));
  static_assert(depends_on_costs("zb2p") && !depends_on_costs("zb1p") && !depends_on_costs("none"));
}

}  // namespace zb2p_filled_test
