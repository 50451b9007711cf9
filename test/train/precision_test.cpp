// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/precision.hpp>

#include <ipuflow/core/light_span.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace precision_test {

using namespace ipuflow;

static_assert(std::is_same_v<train::precision<>::accumulator, float>);
static_assert(std::is_same_v<train::precision<double>::accumulator, double>);
static_assert(std::is_same_v<train::precision<half>::accumulator, float>);
static_assert(std::is_same_v<train::precision<half>::number, float>);
static_assert(std::is_same_v<train::precision<float, double>::number, double>);
static_assert(std::is_same_v<train::precision<float, half>::number, float>);

namespace {

std::vector<float> rounded(std::vector<float> values, train::rounding how, std::uint64_t stream = 1,
                           std::size_t first = 0) {
  train::impl::round_to<half>(light_span{values}, how, stream, first);
  return values;
}

}  // namespace

TEST_CASE("to the nearest half, or not at all") {
  CHECK(rounded({1.0004f, 1.0006f, -3.14159f}, train::rounding::nearest) ==
        std::vector<float>{static_cast<float>(half{1.0004f}), static_cast<float>(half{1.0006f}),
                           static_cast<float>(half{-3.14159f})});
  std::vector<float> same{1.0004f};
  train::impl::round_to<float>(light_span{same}, train::rounding::stochastic, 1, 0);
  CHECK(same[0] == 1.0004f);
}

TEST_CASE("at random: one of the two neighbours, with the right mean, and halves stay") {
  constexpr float step = 0x1p-10f;  // between neighbouring halves from 1 on
  std::vector<float> values(8000, 1 + step / 4);
  values[3] = 1.5f;
  const auto some = rounded(values, train::rounding::stochastic);
  const auto up = static_cast<double>(std::count(some.begin(), some.end(), 1 + step));
  const auto down = static_cast<double>(std::count(some.begin(), some.end(), 1.0f));
  CHECK(up + down == 7999);
  CHECK(up / 7999 == doctest::Approx(0.25).epsilon(0.08));
  CHECK(some[3] == 1.5f);
}

TEST_CASE("random numbers belong to places, not to calls") {
  std::vector<float> values(40);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1 + 1e-4f * static_cast<float>(i);
  const auto whole = rounded(values, train::rounding::stochastic, 5);
  const auto back = rounded({values.begin() + 13, values.end()}, train::rounding::stochastic, 5, 13);
  CHECK(std::equal(back.begin(), back.end(), whole.begin() + 13));
  CHECK(rounded(values, train::rounding::stochastic, 6) != whole);
}

}  // namespace precision_test
