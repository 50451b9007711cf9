// SPDX-License-Identifier: BSL-1.0
// Shapes and tensors are types; what is known of them is constant.
#include <ipuflow/core/shape.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <type_traits>

namespace shape_test {

struct owner {
  std::unique_ptr<char[]> elsewhere;
};

}  // namespace shape_test

template <>
inline constexpr ipuflow::bytes ipuflow::bytes_of<shape_test::owner> = ipuflow::bytes{4096};

namespace shape_test {

using namespace ipuflow;

namespace {

struct frame {
  std::int32_t pixels[12];
};

static_assert(shape<2, 3, 4>::rank == 3 && shape<2, 3, 4>::elements == 24);
static_assert(shape<>::rank == 0 && shape<>::elements == 1, "a scalar has one element");
static_assert(shape<2, 0>::elements == 0);
static_assert(shape<2, 3>{} == shape<2, 3>{} && shape<2, 3>{} != shape<3, 2>{} && shape<2, 3>{} != shape<2, 3, 1>{});
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


template <std::size_t... Extent>
void extents_are_those_given() {
  constexpr std::size_t given[] = {Extent..., 0};
  std::size_t product = 1;
  for (std::size_t axis = 0; axis < sizeof...(Extent); ++axis) {
    CHECK(shape<Extent...>::extent(axis) == given[axis]);
    product *= given[axis];
  }
  CHECK(product == shape<Extent...>::elements);
  CHECK(tensor<double, Extent...>::elements * 8 == bytes_of<tensor<double, Extent...>>.value);
  CHECK_THROWS_AS(static_cast<void>(shape<Extent...>::extent(sizeof...(Extent))), error);
  CHECK_THROWS_AS(static_cast<void>(shape<Extent...>::extent(static_cast<std::size_t>(-1))), error);
}

}  // namespace

TEST_CASE("extents are those given, and their product the number of elements") {
  extents_are_those_given<>();
  extents_are_those_given<7>();
  extents_are_those_given<1, 28, 28>();
  extents_are_those_given<2, 3, 5, 7, 11, 13>();
  extents_are_those_given<4, 0, 4>();
}

}  // namespace shape_test
