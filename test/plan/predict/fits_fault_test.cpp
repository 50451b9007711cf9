// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/predict/fits_fault.hpp>

#include <doctest/doctest.h>

namespace fits_fault_test {

using namespace ipuflow;
using plan::memory_use;

namespace {

plan::prediction with_bytes(std::uint32_t weights, std::uint32_t code) {
  plan::prediction p{.tile_memory = {1000}, .code_region = {100}};
  p.memory.resize(2);
  p.memory[1].tile = 7;
  p.memory[1].bytes[memory_use::weights] = weights;
  p.memory[1].bytes[memory_use::exchange_code] = code;
  return p;
}

}  // namespace

TEST_CASE("a plan fits if each fullest tile has what it needs, and headroom") {
  CHECK(!plan::verify_fits(with_bytes(900, 50)));
  CHECK(!plan::verify_fits(with_bytes(950, 50), 0));
  const plan::fits_fault full = plan::verify_fits(with_bytes(901, 50));
  CHECK(full == plan::fits_fault{plan::fits_wrong::out_of_memory, 951, 950, {1, 7, memory_use::weights, 901}});
  CHECK(sentence(full).view() ==
        "ipuflow: chip 1 of the plan is too small: its tile 7 needs 951 bytes and may have 950, 1 too few; most are weights, 901: ask plan::advise what would help");
}

TEST_CASE("code has a region of its own") {
  const plan::fits_fault code = plan::verify_fits(with_bytes(10, 101));
  CHECK(code == plan::fits_fault{plan::fits_wrong::code_region, 101, 100, {1, 7, memory_use::exchange_code, 101}});
  CHECK(sentence(code).view() ==
        "ipuflow: the code on tile 7 of chip 1 of the plan takes 101 bytes but its region has 100; most is exchange code: cut the network into more stages");
}

}  // namespace fits_fault_test
