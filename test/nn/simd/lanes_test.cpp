// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/simd/half_lanes.hpp>
#include <ipuflow/nn/simd/lane_math.hpp>
#include <ipuflow/nn/simd/lanes.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

namespace lanes_test {

using namespace ipuflow;

static_assert(nn::groups_for(0) == 0);
static_assert(nn::groups_for(1) == 1);
static_assert(nn::groups_for(nn::lane_count) == 1);
static_assert(nn::groups_for(nn::lane_count + 1) == 2);
static_assert(sizeof(nn::lanes<float>) == nn::impl::vector_bytes);
static_assert(sizeof(nn::lanes<double>) == 2 * nn::impl::vector_bytes);
static_assert(nn::impl::accumulator_count >= 8);

TEST_CASE_TEMPLATE("Arithmetic is lane by lane", T, float, double) {
  nn::lanes<T> a{}, b{};
  for (std::size_t l = 0; l < nn::lane_count; ++l) {
    a.set(l, static_cast<T>(l));
    b.set(l, static_cast<T>(2));
  }
  const nn::lanes<T> sum_ = a + b, difference = a - b, product = a * b, quotient = a / b, scaled = T{3} * a;
  const nn::lanes<T> larger = greater(a, b), chosen = where_greater(a, b, product, sum_);
  const nn::lanes<T> equal = where_equal(a, b, product, nn::lanes<T>{});
  for (std::size_t l = 0; l < nn::lane_count; ++l) {
    const T x = static_cast<T>(l);
    CHECK(sum_[l] == x + 2);
    CHECK(difference[l] == x - 2);
    CHECK(product[l] == x * 2);
    CHECK(quotient[l] == x / 2);
    CHECK(scaled[l] == x * 3);
    CHECK(larger[l] == (x > 2 ? x : 2));
    CHECK(chosen[l] == (x > 2 ? x * 2 : x + 2));
    CHECK(equal[l] == (x == T{2} ? T{4} : T{0}));
  }
  CHECK(sum(a) == static_cast<T>(nn::lane_count * (nn::lane_count - 1) / 2));
  a += b;
  a -= nn::lanes<T>::all(1);
  CHECK(a[0] == 1);
}

TEST_CASE_TEMPLATE("A number on either side is lanes that are all this number", T, float, double, half) {
  nn::lanes<T> a{};
  for (std::size_t l = 0; l < nn::lane_count; ++l) a.set(l, nn::number<T>(static_cast<double>(l) + 0.5));
  const T b = nn::number<T>(3);
  const nn::lanes<T> all = nn::lanes<T>::all(b);
  for (std::size_t l = 0; l < nn::lane_count; ++l) {
    CHECK((a + b)[l] == (a + all)[l]);
    CHECK((b + a)[l] == (all + a)[l]);
    CHECK((a - b)[l] == (a - all)[l]);
    CHECK((b - a)[l] == (all - a)[l]);
    CHECK((a * b)[l] == (a * all)[l]);
    CHECK((b * a)[l] == (all * a)[l]);
    CHECK((a / b)[l] == (a / all)[l]);
    CHECK((b / a)[l] == (all / a)[l]);
  }
}

TEST_CASE("Whole numbers have lanes too") {
  nn::lanes<std::uint8_t> labels{};
  labels.set(nn::lane_count - 1, 7);
  CHECK(labels[nn::lane_count - 1] == 7);
  CHECK(labels[0] == 0);
}

TEST_CASE("A number is added to") {
  float number = 1;
  nn::add_to(number, 2.0f);
  CHECK(number == 3);
}

TEST_CASE("A vector is added to numbers at any address") {
  float numbers[nn::lane_count + 1]{};
  nn::impl::add_lanes_to(numbers + 1, nn::lanes<float>::all(2));
  CHECK(numbers[0] == 0);
  CHECK(numbers[nn::lane_count] == 2);
}

}  // namespace lanes_test
