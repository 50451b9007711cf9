// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/views.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace views_test {

using namespace ipuflow;

/// As passes have them.
struct pass {
  nn::views<const float*, int, const float*> in{};
  nn::views<double> out{};
  nn::views<> d_out{};
};

static_assert(std::tuple_size_v<decltype(pass::in)> == 3);
static_assert(std::is_same_v<std::tuple_element_t<1, decltype(pass::in)>, int>);
static_assert(std::is_same_v<std::tuple_element_t<2, const nn::views<int, char, float>>, const float>);
static_assert(std::is_trivially_copyable_v<decltype(pass::in)>);
static_assert(std::is_empty_v<nn::views<>>);

constexpr int sum_of(nn::views<int, int> two) {
  const auto [a, b] = two;
  return a + 10 * b;
}
static_assert(sum_of({3, 4}) == 43);
static_assert(get<1>(nn::views<int, int>{3, 4}) == 4);

TEST_CASE("views are bound by name and got by place, those of one type, too; nothing is there before") {
  const float x[2] = {1.0f, 2.0f};
  const pass given{{&x[0], 7, &x[1]}, {0.5}, {}};
  const auto [first, label, second] = given.in;
  CHECK(*first == 1.0f);
  CHECK(label == 7);
  CHECK(*second == 2.0f);
  CHECK(get<2>(given.in) == second);
  CHECK(get<0>(given.out) == 0.5);
  CHECK(get<0>(pass{.out = {2.0}}.in) == nullptr);
}

}  // namespace views_test
