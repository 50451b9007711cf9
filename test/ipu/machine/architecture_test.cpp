// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/machine/architecture.hpp>

#include "said.hpp"

#include <doctest/doctest.h>

namespace architecture_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

static_assert(accept<verify(mk1)>() && accept<verify(mk2)>() && accept<verify(bow)>());

// The datasheets' figures follow from the records.
static_assert(memory_of(mk1) == 318'767'104_B);
static_assert(memory_of(mk2) == 940'572'672_B);
static_assert(mk2.tile_memory == 638'976_B);
static_assert(macs_per_cycle(mk1, amp_precision::half_half) == 32 && macs_per_cycle(mk1, amp_precision::float_float) == 8);
static_assert(macs_per_cycle(mk2, amp_precision::half_half) == 64 && macs_per_cycle(mk2, amp_precision::half_float) == 32);
static_assert(macs_per_cycle(bow, amp_precision::float_float) == 16);

TEST_CASE("peak rates are those of the datasheets") {
  CHECK(peak_flops(mk1, amp_precision::half_half) == doctest::Approx(124.5e12).epsilon(0.001));
  CHECK(peak_flops(mk2, amp_precision::half_half) == doctest::Approx(249.65e12).epsilon(0.001));
  CHECK(peak_flops(bow, amp_precision::half_half) == doctest::Approx(348.6e12).epsilon(0.001));
  CHECK(peak_flops(mk2, amp_precision::half_float) == doctest::Approx(124.8e12).epsilon(0.001));
  CHECK(peak_flops(mk2, amp_precision::float_float) == doctest::Approx(62.4e12).epsilon(0.001));
  CHECK(exchange_bandwidth(mk2) == doctest::Approx(7.80e12).epsilon(0.001));
  CHECK(exchange_bandwidth(bow) == doctest::Approx(10.9e12).epsilon(0.002));
  CHECK(memory_bandwidth(mk1) == doctest::Approx(46.7e12).epsilon(0.001));
  CHECK(memory_bandwidth(bow) == doctest::Approx(65.4e12).epsilon(0.001));
}

TEST_CASE("a record that is not a chip is refused by name") {
  const auto broken = [](auto&& change) {
    architecture chip = mk2;
    chip.name = fixed_string<15>{std::string_view{"mine"}};
    change(chip);
    return verify(chip);
  };
  using wrong = architecture_wrong;
  CHECK(broken([](architecture& c) { c.tiles = 0; }).kind == wrong::no_tiles);
  CHECK(broken([](architecture& c) { c.workers = 0; }).kind == wrong::no_workers);
  CHECK(broken([](architecture& c) { c.tile_memory = 12_B; }).kind == wrong::no_memory);
  CHECK(broken([](architecture& c) { c.clock = {}; }).kind == wrong::no_clock);
  CHECK(broken([](architecture& c) { c.copy_width = 0; }).kind == wrong::no_width);
  CHECK(broken([](architecture& c) { c.half_float.units = 0; }).kind == wrong::no_array);
  CHECK(said(broken([](architecture& c) { c.tiles = 0; })) ==
        "ipuflow: architecture 'mine' has no tiles; give it at least one");
  CHECK(said(broken([](architecture& c) { c.tiles = 7; })) ==
        "ipuflow: the 7 tiles of architecture 'mine' do not share buses of 2; make tiles a multiple of tiles_per_bus");
  CHECK(said(broken([](architecture& c) { c.workers = 0; })) ==
        "ipuflow: a tile of architecture 'mine' has no workers; give it at least one");
  CHECK(said(broken([](architecture& c) { c.tile_memory = 12_B; })) ==
        "ipuflow: a tile of architecture 'mine' has 12 bytes of memory; give it a positive multiple of 8");
  CHECK(said(broken([](architecture& c) { c.code_region = 1_MiB; })) ==
        "ipuflow: the code region of architecture 'mine' has 1048576 bytes, its tile only 638976; make it a part of "
        "tile_memory");
  CHECK(said(broken([](architecture& c) { c.clock = {}; })) ==
        "ipuflow: architecture 'mine' has no clock; give it a positive frequency");
  CHECK(said(broken([](architecture& c) { c.exchange_width = 0; })) ==
        "ipuflow: a width of architecture 'mine' is zero; exchange, load, store, copy and weights each need bytes a "
        "cycle");
  CHECK(
      said(broken([](architecture& c) { c.half_half.core = 0; })) ==
      "ipuflow: an array of architecture 'mine' does nothing; give units, channels and core cycles for each precision");
}

}  // namespace architecture_test
