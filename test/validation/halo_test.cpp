// SPDX-License-Identifier: BSL-1.0
#include <validation/halo.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace halo_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace validation;

TEST_CASE("row H7 comes out within a fifth; its sync has the waits of tiles that no facts tell apart") {
  const profile p = two_wave_halo_run(mk1, 100, 10);
  constexpr published_halo measured;
  const auto of = [&](phase what) { return static_cast<double>(p.chips[0][what].value); };
  CHECK(std::abs(static_cast<double>(p.total.value) / measured.total - 1) <= 0.20);
  CHECK(std::abs(of(phase::compute) / measured.compute - 1) <= 0.20);
  CHECK(std::abs(of(phase::exchange) / measured.exchange - 1) <= 0.02);
  CHECK(std::abs(of(phase::sync) / measured.sync - 1) <= 0.25);
  CHECK(p.total.value == p.chips[0][phase::compute].value + p.chips[0][phase::exchange].value + p.chips[0][phase::sync].value);
}

TEST_CASE("its supersteps by hand: 801 bundles of a worker put a column of 102 words in place") {
  const profile p = two_wave_halo_run(mk1, 100, 1);
  CHECK(p.chips[0][phase::compute] == cycles{2 * (6 * 801 + 6 * 100)});
  CHECK(p.chips[0][phase::exchange] == cycles{2 * (202 + 102)} + mk1.exchange_latency * 4);
  CHECK(p.chips[0][phase::sync] == mk1.sync * 4);
}

}  // namespace halo_test
