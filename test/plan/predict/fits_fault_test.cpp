// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/predict/fits_fault.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <utility>

namespace fits_fault_test {

using namespace ipuflow;
using enum plan::memory_use;

namespace {

/// Chips whose fullest tiles, of 1000 bytes with 400 for code, need these.
plan::prediction of_chips(std::initializer_list<std::initializer_list<std::pair<plan::memory_use, std::uint32_t>>> chips) {
  plan::prediction p{.tile_memory = bytes{1000}, .code_region = bytes{400}};
  for (const auto& uses : chips) {
    plan::chip_memory m{.tile = 7};
    for (const auto& [use, size] : uses) m.bytes[use] = size;
    p.memory.push_back(m);
  }
  return p;
}

}  // namespace

TEST_CASE("a plan fits up to what is not kept free") {
  CHECK_FALSE(plan::verify_fits(of_chips({{{weights, 950}}})));
  CHECK(plan::verify_fits(of_chips({{{weights, 951}}})).kind == plan::fits_wrong::out_of_memory);
  CHECK_FALSE(plan::verify_fits(of_chips({{{weights, 1000}}}), 0));
  CHECK(plan::verify_fits(of_chips({{{weights, 951}}}), 0.1).limit == 900);
  CHECK_FALSE(plan::verify_fits(of_chips({})));
}

TEST_CASE("the first chip that is too small is named, with its tile and what takes most there") {
  const plan::fits_fault f = plan::verify_fits(of_chips({{{weights, 10}}, {{weights, 300}, {stash, 500}, {stack, 200}}, {{weights, 5000}}}));
  CHECK(f == plan::fits_fault{plan::fits_wrong::out_of_memory, 1000, 950, {.chip = 1, .tile = 7, .largest = stash, .largest_bytes = 500}});
  CHECK(sentence(f).view() ==
        "ipuflow: chip 1 of the plan is too small: its tile 7 needs 1000 bytes and may have 950, 50 too few; most are stash, 500: ask plan::advise "
        "what would help");
}

TEST_CASE("code has a region of its own, of which no part is kept free") {
  CHECK_FALSE(plan::verify_fits(of_chips({{{vertex_code, 150}, {exchange_code, 200}, {control_code, 50}, {activations, 550}}})));
  const plan::fits_fault f = plan::verify_fits(of_chips({{{vertex_code, 150}, {exchange_code, 200}, {control_code, 51}, {activations, 900}}}));
  CHECK(f == plan::fits_fault{plan::fits_wrong::code_region, 401, 400, {.chip = 0, .tile = 7, .largest = exchange_code, .largest_bytes = 200}});
  CHECK(sentence(f).view() ==
        "ipuflow: the code on tile 7 of chip 0 of the plan takes 401 bytes but its region has 400; most is exchange code: cut the network into "
        "more stages");
  CHECK(sentence(plan::fits_fault{}).view().empty());
}

}  // namespace fits_fault_test
