// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/predict/fits_fault.hpp>

#include <doctest/doctest.h>

namespace fits_fault_test {

using namespace ipuflow;
using plan::memory_use;

namespace {

plan::prediction with_bytes(std::uint64_t weights, std::uint64_t code) {
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
        "ipuflow: chip 1 of the plan is too small: its tile 7 needs 951 bytes and may have 950, 1 too few; most are weights, 901: ask plan::advise, or --advise of the command, what would help");
}

TEST_CASE("code has a region of its own") {
  const plan::fits_fault code = plan::verify_fits(with_bytes(10, 101));
  CHECK(code == plan::fits_fault{plan::fits_wrong::code_region, 101, 100, {1, 7, memory_use::exchange_code, 101}});
  CHECK(sentence(code).view() ==
        "ipuflow: the code on tile 7 of chip 1 of the plan takes 101 bytes but its region has 100; most is exchange code: cut the network into more stages");
}

TEST_CASE("the tile with most code is looked at, too, where another is fuller") {
  plan::prediction p = with_bytes(900, 50);
  p.memory[1].code_tile = 3;
  p.memory[1].most_code[memory_use::control_code] = 101;
  CHECK(plan::verify_fits(p) == plan::fits_fault{plan::fits_wrong::code_region, 101, 100, {1, 3, memory_use::control_code, 101}});
  p.memory[1].most_code[memory_use::control_code] = 100;
  CHECK(!plan::verify_fits(p));
}

TEST_CASE("more bytes than 32 bits count are too many, and headroom is a share") {
  CHECK(plan::verify_fits(with_bytes(900 + (std::size_t{1} << 32), 50)).got == 950 + (std::uint64_t{1} << 32));
  for (const double headroom : {-0.5, 1.0, 2.0}) CHECK_THROWS_AS((void)plan::verify_fits(with_bytes(1, 1), headroom), rejected<plan::configuration_fault>);
}

}  // namespace fits_fault_test
