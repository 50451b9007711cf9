// SPDX-License-Identifier: BSL-1.0
// Counts are those of a conversion to half, number for number; mean and deviation those of their definitions.
#include <ipuflow/core/half.hpp>
#include <ipuflow/report/distribution.hpp>

#include "printed.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <vector>

namespace distribution_test {

using namespace ipuflow;
using namespace ipuflow::report;

namespace {

/// Numbers of all sizes, the borders of half among them.
std::vector<float> some() {
  std::vector<float> all{0, -0.0f, 0x1p-25f, 0x1.000002p-25f, -0x1p-24f, 0x1p-14f, 0x1.fffffep-15f, 65519, 65520, -65536, 1, -1,
                         std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::max()};
  std::mt19937 random{5};
  for (int i = 0; i < 5000; ++i) {
    const float size = std::ldexp(1 + static_cast<float>(random() % 1024) / 1024, static_cast<int>(random() % 70) - 45);
    all.push_back(random() % 2 == 0 ? size : -size);
  }
  return all;
}

}  // namespace

TEST_CASE("what half precision loses is what a conversion loses") {
  const std::vector<float> numbers = some();
  const distribution d = distribution_of(std::span{numbers});
  std::uint64_t zeros = 0;
  std::uint64_t lost = 0;
  std::uint64_t infinite = 0;
  std::uint64_t fewer = 0;
  for (const float x : numbers) {
    const auto h = static_cast<float>(static_cast<half>(x));
    zeros += x == 0 ? 1u : 0u;
    lost += x != 0 && h == 0 ? 1u : 0u;
    infinite += std::isinf(h) ? 1u : 0u;
    fewer += h != 0 && std::fabs(x) < 0x1p-14f ? 1u : 0u;
  }
  CHECK(d.count == numbers.size());
  CHECK(d.zeros == zeros);
  CHECK(d.lost_in_half == lost);
  CHECK(d.infinite_in_half == infinite);
  CHECK(d.subnormal_in_half == fewer);
  CHECK(d.not_finite == 0);
}

TEST_CASE("every number that is finite and not zero has a power; ends have what is beyond") {
  const std::vector<float> numbers = some();
  const distribution d = distribution_of(std::span{numbers});
  CHECK(std::accumulate(d.powers.begin(), d.powers.end(), std::uint64_t{0}) == d.count - d.zeros);
  for (int p = d.least_power; p <= d.most_power; ++p) {
    std::uint64_t here = 0;
    for (const float x : numbers) {
      const double size = std::fabs(static_cast<double>(x));
      const bool low = p == d.least_power || size >= std::ldexp(1.0, p);
      const bool high = p == d.most_power || size < std::ldexp(1.0, p + 1);
      here += size > 0 && low && high ? 1u : 0u;
    }
    CHECK(d.with_power(p) == here);
  }
}

TEST_CASE("mean, deviation and the largest are those of what is finite") {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> numbers{1, 2, 3, 4, -10, inf, -inf, std::numeric_limits<float>::quiet_NaN()};
  const distribution d = distribution_of(std::span{numbers});
  CHECK(d.not_finite == 3);
  CHECK(d.mean == 0);
  CHECK(d.deviation == doctest::Approx(std::sqrt(130.0 / 5)));
  CHECK(d.largest == 10);
  CHECK(distribution_of(std::span<const double>{}) == distribution{});
}

TEST_CASE("the table has a line for each, with the parts in percent") {
  const std::vector<float> numbers{0, 0x1p-30f, 0x1p-20f, 1, 70000};
  const named_distribution shown[] = {{"a[0] weights", distribution_of(std::span{numbers})}, {"b", {}}};
  const std::string text = distribution_text(shown);
  CHECK(text.find("a[0] weights        5 ") != std::string::npos);
  CHECK(text.find("20.0            20.0         20.0         20.0           0\n") != std::string::npos);
}

}  // namespace distribution_test
