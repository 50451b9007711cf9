// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/profile.hpp>

#include <doctest/doctest.h>

namespace profile_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("balance, utilisation and waiting follow from the cycles") {
  profile p;
  p.total = 1000_cycles;
  p.tiles_per_chip = 4;
  p.clock = 1.0_GHz;
  p.chips.resize(2);
  p.chips[0][phase::compute] = 500_cycles;
  p.chips[0][phase::sync] = 100_cycles;
  p.chips[0].tile_busy = 1500_cycles;
  p.chips[0].flops = 4000;
  CHECK(p.balance(0) == doctest::Approx(0.75));
  CHECK(p.balance(1) == 1.0);
  CHECK(p.utilisation(0) == doctest::Approx(0.375));
  CHECK(p.waiting(0) == 400_cycles);
  CHECK(p.waiting(1) == 1000_cycles);
  CHECK(p.average(phase::compute) == 250.0);
  CHECK(p.flops() == doctest::Approx(4e9));
  CHECK(p.time().value == doctest::Approx(1e-6));
}

TEST_CASE("adding many times is adding each time") {
  chip_profile one;
  one[phase::exchange] = 7_cycles;
  one.flops = 3;
  one.moved.host_in = 5;
  one.moved.streaming_out = 2;
  chip_profile many;
  chip_profile each;
  many.add(one, 6);
  for (int i = 0; i < 6; ++i) each.add(one, 1);
  CHECK(many == each);
  for (std::size_t p = 0; p < ipu::impl::phase_count; ++p) CHECK_FALSE(name_of(static_cast<phase>(p)).empty());
}

}  // namespace profile_test
