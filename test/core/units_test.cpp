// SPDX-License-Identifier: BSL-1.0
// Counts are whole numbers that never wrap around. Oracle: 128-bit arithmetic.
#include <ipuflow/core/units.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace units_test {

using namespace ipuflow;

namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
__extension__ using wide = unsigned __int128;

template <class A, class B>
concept adds = requires(A a, B b) { a + b; };

static_assert(adds<bytes, bytes> && adds<cycles, cycles> && adds<seconds, seconds>);
static_assert(!adds<bytes, cycles> && !adds<bytes, samples> && !adds<seconds, hertz> && !adds<bytes, int>);
static_assert(!std::is_convertible_v<bytes, std::uint64_t> && !std::is_convertible_v<bytes, cycles>);

static_assert(1_KiB == 1024_B && 1_MiB == 1024_KiB && 1_GiB == 1024_MiB);
static_assert(7_B / 2 == 3_B && divided_up(7_B, 2) == 4_B && divided_up(8_B, 2) == 4_B && divided_up(0_B, 2) == 0_B);
static_assert(7_B / 2_B == 3 && 7_B % 2_B == 1_B && divided_up(7_B, 2_B) == 4);
static_assert(3_samples < 4_samples && 2 * 3_cycles == 6_cycles);
static_assert(cycles_in(1.0_s, 1.85_GHz) == 1'850'000'000_cycles);
static_assert(cycles_in(seconds{1e-9}, hertz{1.5e9}) == 2_cycles, "the first whole cycle at which it is over");
static_assert(2000_cycles / hertz{1000} == 2.0_s);
static_assert(6.0_s / 2 == 3.0_s && 6.0_s / 2.0_s == 3.0 && 1.0_s + 2.0_s - 0.5_s == 2.5_s);

// The numbers at which something could go wrong.
template <class Check>
void for_pairs(Check&& check) {
  const std::uint64_t border[] = {0,       1,        2,        3,        7,       1000,     0xffff'ffff, 0x1'0000'0000,
                                  most / 3, most / 2, most / 2 + 1, most - 2, most - 1, most};
  for (const std::uint64_t a : border) {
    for (const std::uint64_t b : border) {
      CAPTURE(a);
      CAPTURE(b);
      check(a, b);
    }
  }
}

std::string numbers(std::uint64_t a, const char* op, std::uint64_t b) {
  return std::to_string(a) + op + std::to_string(b);
}

}  // namespace

TEST_CASE("a sum is right or refused, at every border") {
  for_pairs([](std::uint64_t a, std::uint64_t b) {
    if (wide{a} + b <= most) {
      CHECK((bytes{a} + bytes{b}).value == a + b);
    } else {
      const std::string says = "ipuflow: a count overflows in " + numbers(a, " + ", b) + "; keep it below 2 to the 64";
      CHECK_THROWS_WITH_AS(static_cast<void>(bytes{a} + bytes{b}), says.c_str(), error);
    }
  });
}

TEST_CASE("a difference is right or refused, at every border") {
  for_pairs([](std::uint64_t a, std::uint64_t b) {
    if (a >= b) {
      CHECK((cycles{a} - cycles{b}).value == a - b);
    } else {
      const std::string says =
          "ipuflow: a count would be negative in " + numbers(a, " - ", b) + "; compare before you subtract";
      CHECK_THROWS_WITH_AS(static_cast<void>(cycles{a} - cycles{b}), says.c_str(), error);
    }
  });
}

TEST_CASE("a product is right or refused, at every border, from either side") {
  for_pairs([](std::uint64_t a, std::uint64_t b) {
    if (wide{a} * b <= most) {
      CHECK((samples{a} * b).value == a * b);
      CHECK((b * samples{a}).value == a * b);
    } else {
      const std::string says = "ipuflow: a count overflows in " + numbers(a, " * ", b) + "; keep it below 2 to the 64";
      CHECK_THROWS_WITH_AS(static_cast<void>(samples{a} * b), says.c_str(), error);
      CHECK_THROWS_AS(static_cast<void>(b * samples{a}), error);
    }
  });
}

TEST_CASE("quotient times divisor plus remainder is the dividend, and rounding up covers it") {
  for_pairs([](std::uint64_t a, std::uint64_t b) {
    if (b == 0) {
      const std::string says = "ipuflow: a count is divided by zero: " + numbers(a, " / ", b) + "; give a divisor of at least 1";
      CHECK_THROWS_WITH_AS(static_cast<void>(bytes{a} / b), says.c_str(), error);
      CHECK_THROWS_AS(static_cast<void>(bytes{a} / bytes{b}), error);
      CHECK_THROWS_AS(static_cast<void>(bytes{a} % bytes{b}), error);
      CHECK_THROWS_AS(static_cast<void>(divided_up(bytes{a}, b)), error);
      return;
    }
    CHECK(bytes{b} * (bytes{a} / bytes{b}) + bytes{a} % bytes{b} == bytes{a});
    CHECK((bytes{a} / b).value == a / b);
    const wide covered = wide{divided_up(bytes{a}, bytes{b})} * b;
    CHECK(covered >= a);
    CHECK(covered < wide{a} + b);
    CHECK(divided_up(bytes{a}, b).value == divided_up(bytes{a}, bytes{b}));
  });
}

TEST_CASE("what is refused leaves its operand as it was") {
  bytes a{most};
  CHECK_THROWS_AS(a += 1_B, error);
  CHECK_THROWS_AS(a *= 2, error);
  CHECK(a == bytes{most});
  a -= bytes{most};
  CHECK(a == 0_B);
  CHECK_THROWS_AS(a -= 1_B, error);
  CHECK((a += 5_B) == 5_B);
  CHECK((a *= 3) == 15_B);
}

TEST_CASE("a time in cycles is refused where there is no such count") {
  const char* says = "ipuflow: a time is negative or longer than cycles can count; keep it below 2 to the 64 cycles";
  for (const double time : {-1.0, -1e-300, 1e30, 0x1p64, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()}) {
    CAPTURE(time);
    CHECK_THROWS_WITH_AS(static_cast<void>(cycles_in(seconds{time}, hertz{1})), says, error);
  }
  CHECK(cycles_in(seconds{0x1.fffffffffffffp63}, hertz{1}).value == 0xffff'ffff'ffff'f800u);
  CHECK(cycles_in(seconds{0}, hertz{1}) == 0_cycles);
}

TEST_CASE("a proportion of bytes is at most all of them, and refused where it is none") {
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t whole : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{638'976}, largest}) {
    CHECK(proportion_of(bytes{whole}, 0) == 0_B);
    CHECK(proportion_of(bytes{whole}, 1) == bytes{whole});
    CHECK(proportion_of(bytes{whole}, 0x1.fffffffffffffp-1) <= bytes{whole});
  }
  CHECK(proportion_of(7_B, 0.5) == 3_B);
  const char* says = "ipuflow: a proportion of bytes is negative, more than all of them or no number; give one from 0 to 1";
  for (const double none : {-1e-300, -1.0, 0x1.0000000000001p0, 1e30, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()}) {
    CAPTURE(none);
    CHECK_THROWS_WITH_AS(static_cast<void>(proportion_of(1_B, none)), says, error);
  }
}

TEST_CASE("cycles over a clock and back is where they began") {
  for (std::uint64_t n = 0; n < 2000; ++n) {
    CHECK(cycles_in(cycles{n} / hertz{1024}, hertz{1024}) == cycles{n});
  }
}

}  // namespace units_test
