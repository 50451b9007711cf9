// SPDX-License-Identifier: BSL-1.0
// A tensor is a type; what is known of it is constant.
#include <ipuflow/core/tensor.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <type_traits>

namespace tensor_test {

struct owner {
  std::unique_ptr<char[]> elsewhere;
};

}  // namespace tensor_test

template <>
inline constexpr ipuflow::bytes ipuflow::bytes_of<tensor_test::owner> = ipuflow::bytes{4096};

namespace tensor_test {

using namespace ipuflow;

namespace {

struct frame {
  std::int32_t pixels[12];
};

static_assert(tensor<float, 2>{} == tensor<float, 2>{} && tensor<float, 2>{} != tensor<half, 2>{} &&
              tensor<float, 2>{} != tensor<float, 3>{});
static_assert(std::is_same_v<tensor<half, 2, 3>::element_type, half>);
static_assert(std::is_same_v<tensor<half, 2, 3>::shape_type, shape<2, 3>>);
static_assert(std::is_empty_v<tensor<float, 1000, 1000>>, "a tensor's type holds no data");

static_assert(element<float> && element<half> && element<std::uint8_t> && element<bool>);
static_assert(!element<frame> && !element<float*>);

static_assert(bytes_of<tensor<float, 10, 24, 24>> == 23'040_B);
static_assert(bytes_of<tensor<half, 10, 24, 24>> == 11'520_B);
static_assert(bytes_of<tensor<std::uint8_t>> == 1_B && bytes_of<tensor<double>> == 8_B);
static_assert(bytes_of<frame> == 48_B && bytes_of<int> == 4_B);
static_assert(bytes_of<owner> == 4_KiB, "what a type owns elsewhere, its author says");

}  // namespace

TEST_CASE_TEMPLATE("A tensor has the elements of its shape, and their bytes", T, tensor<double>, tensor<double, 7>, tensor<double, 1, 28, 28>,
                   tensor<double, 4, 0, 4>) {
  CHECK(T::elements == T::shape_type::elements);
  CHECK(T::elements * 8 == bytes_of<T>.value);
}

}  // namespace tensor_test
