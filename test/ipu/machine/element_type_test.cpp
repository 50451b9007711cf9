// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/machine/element_type.hpp>

#include <doctest/doctest.h>

namespace element_type_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

static_assert(element_type_of<half>() == element_type::f16 && element_type_of<const float>() == element_type::f32);
static_assert(element_type_of<std::int32_t>() == element_type::i32 &&
              element_type_of<std::uint8_t>() == element_type::u8);

TEST_CASE("sizes are those of the types, and a vector is 64 bits") {
  CHECK(size_of(element_type_of<half>()) == sizeof(half));
  CHECK(size_of(element_type_of<float>()) == sizeof(float));
  CHECK(size_of(element_type_of<std::uint32_t>()) == sizeof(std::uint32_t));
  for (const element_type t :
       {element_type::f16, element_type::f32, element_type::i32, element_type::u32, element_type::u8}) {
    CHECK(vector_width(t) * size_of(t) == 8);
    CHECK_FALSE(name_of(t).empty());
    with_element(t, [&](auto element) { CHECK(element_type_of<decltype(element)>() == t); });
  }
}

}  // namespace element_type_test
