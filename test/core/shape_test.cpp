// SPDX-License-Identifier: BSL-1.0
// A shape is a type; what is known of it is constant.
#include <ipuflow/core/shape.hpp>

#include <doctest/doctest.h>

namespace shape_test {

using namespace ipuflow;

namespace {

static_assert(shape<2, 3, 4>::rank == 3 && shape<2, 3, 4>::elements == 24);
static_assert(shape<>::rank == 0 && shape<>::elements == 1, "a scalar has one element");
static_assert(shape<2, 0>::elements == 0);
static_assert(shape<2, 3>{} == shape<2, 3>{} && shape<2, 3>{} != shape<3, 2>{} && shape<2, 3>{} != shape<2, 3, 1>{});

template <std::size_t... Extent>
void extents_are_those_given() {
  constexpr std::size_t given[] = {Extent..., 0};
  std::size_t product = 1;
  for (std::size_t axis = 0; axis < sizeof...(Extent); ++axis) {
    CHECK(shape<Extent...>::extent(axis) == given[axis]);
    product *= given[axis];
  }
  CHECK(product == shape<Extent...>::elements);
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
