// SPDX-License-Identifier: BSL-1.0
// Oracles: the value of a bit pattern by definition, the nearest of all 65536 found by search, and the compiler's own
// _Float16 where it has one.
#include <ipuflow/core/half.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace half_test {

using namespace ipuflow;

namespace {

float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }
half of_bits(std::uint32_t bits) {
  half h;
  h.bits = static_cast<std::uint16_t>(bits);
  return h;
}

double by_definition(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const int fraction = static_cast<int>(bits & 1023);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return sign * (fraction == 0 ? std::numeric_limits<double>::infinity() : std::nan(""));
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

// What is not negative and finite, then 2 to the 16 in the place of infinity, as rounding has it. Position is bit pattern.
const std::vector<double>& magnitudes() {
  static const std::vector<double> all = [] {
    std::vector<double> values;
    for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) values.push_back(by_definition(bits));
    values.push_back(65536);
    return values;
  }();
  return all;
}

std::uint16_t nearest(float value) {
  const double size = std::fabs(static_cast<double>(value));
  const auto& all = magnitudes();
  const auto above = std::lower_bound(all.begin(), all.end(), size);
  auto bits = static_cast<std::uint32_t>(above - all.begin());
  if (above == all.end()) {
    bits = 0x7c00;
  } else if (*above != size) {
    const double up = *above - size;
    const double down = size - *(above - 1);
    if (down < up || (down == up && (bits - 1) % 2 == 0)) --bits;
  }
  return static_cast<std::uint16_t>(bits | (std::signbit(value) ? 0x8000u : 0u));
}

// Bit patterns of floats: around every half and every middle between two, and a great many others.
template <class Check>
void for_many_floats(Check&& check) {
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const double middle = (magnitudes()[bits] + magnitudes()[bits + 1]) / 2;
    for (const double value : {magnitudes()[bits], middle}) {
      const auto at = std::bit_cast<std::uint32_t>(static_cast<float>(value));
      for (const std::uint32_t near : {at == 0 ? 0u : at - 1, at, at + 1}) {
        check(from_bits(near));
        check(from_bits(near | 0x80000000u));
      }
    }
  }
  for (std::uint32_t bits = 0; bits < 0xff000000u; bits += 40009) check(from_bits(bits));
}

static_assert(half{1.0f}.bits == 0x3c00 && half{-2.0f}.bits == 0xc000 && half{65504.0f}.bits == 0x7bff);
static_assert(half{65520.0f}.bits == 0x7c00 && half{65519.996f}.bits == 0x7bff);
static_assert(half{0x1p-24f}.bits == 1 && half{0x1p-25f}.bits == 0 && half{0x1.000002p-25f}.bits == 1);
static_assert(half{-0.0f}.bits == 0x8000 && half{}.bits == 0);
static_assert(float{half{1.5f}} == 1.5f);

}  // namespace

TEST_CASE("every bit pattern has the value of its definition, and comes back from it") {
  int wrong = 0;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = of_bits(bits);
    const double wanted = by_definition(bits);
    if (std::isnan(wanted)) {
      wrong += !std::isnan(value) || !std::isnan(static_cast<float>(half{value}));
    } else {
      wrong += value != wanted || std::signbit(value) != std::signbit(wanted) || half{value}.bits != bits;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("a float becomes the nearest half, the even one of two") {
  int wrong = 0;
  std::uint32_t last_wrong = 0;
  for_many_floats([&](float value) {
    if (std::isnan(value)) return;
    if (half{value}.bits == nearest(value)) return;
    ++wrong;
    last_wrong = std::bit_cast<std::uint32_t>(value);
  });
  CAPTURE(last_wrong);
  CHECK(wrong == 0);
}

TEST_CASE("what is not a number stays so, with its sign") {
  for (std::uint32_t payload = 1; payload < 0x800000; payload += 9973) {
    for (const std::uint32_t sign : {0u, 0x80000000u}) {
      const half h{from_bits(sign | 0x7f800000u | payload)};
      REQUIRE(std::isnan(static_cast<float>(h)));
      REQUIRE((h.bits & 0x8000u) == sign >> 16);
    }
  }
}

#if defined(__aarch64__) || defined(__FLT16_MAX__)
#ifdef __aarch64__
using compilers_half = __fp16;  // g++ 12 knows _Float16 there in C only
#else
using compilers_half = _Float16;
#endif

TEST_CASE("the compiler's own 16-bit float agrees") {
  int wrong = 0;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto theirs = static_cast<float>(std::bit_cast<compilers_half>(static_cast<std::uint16_t>(bits)));
    const float ours = of_bits(bits);
    wrong += std::isnan(theirs) ? !std::isnan(ours) : std::bit_cast<std::uint32_t>(theirs) != std::bit_cast<std::uint32_t>(ours);
  }
  for_many_floats([&](float value) {
    if (std::isnan(value)) return;
    wrong += half{value}.bits != std::bit_cast<std::uint16_t>(static_cast<compilers_half>(value));
  });
  CHECK(wrong == 0);
}
#endif

}  // namespace half_test
