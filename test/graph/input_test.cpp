// SPDX-License-Identifier: BSL-1.0
// Declarations are empty values; what they declare is in their types.
#include <ipuflow/graph/input.hpp>

#include <doctest/doctest.h>

#include <tuple>
#include <type_traits>

namespace input_test {

using namespace ipuflow;
using namespace ipuflow::impl;

namespace {

template <auto Declared>
using declared = std::remove_const_t<decltype(Declared)>;

static_assert(std::is_same_v<declared<input<float, 1, 28, 28>>, input_t<tensor<float, 1, 28, 28>>>);
static_assert(std::is_same_v<declared<input<int>>, input_t<int>>, "a type without extents is that type");
static_assert(std::is_same_v<declared<input<const int&>>, input_t<int>>, "values flow");
static_assert(std::is_same_v<declared<input<std::tuple<int, char>>>, input_t<std::tuple<int, char>>>);
static_assert(std::is_same_v<declared<per_sample<"label", char>>, per_sample_t<"label", char>>);
static_assert(std::is_same_v<declared<per_sample<"mask", half, 4>>, per_sample_t<"mask", tensor<half, 4>>>);
static_assert(std::is_same_v<declared<per_run<"rate", float&>>, per_run_t<"rate", float>>);
static_assert(std::is_same_v<declared<per_run<"rates", float, 4>>, per_run_t<"rates", tensor<float, 4>>>);
static_assert(is_declaration<input_t<int>> && is_declaration<per_sample_t<"a", int>> && is_declaration<per_run_t<"a", int>>);
static_assert(!is_declaration<int> && !is_declaration<named<"a", int>>);

}  // namespace

TEST_CASE("declarations take no room and are the same wherever they are written") {
  CHECK(std::is_empty_v<decltype(input<int>)>);
  CHECK(&input<float, 2> == &input<float, 2>);
  CHECK(&per_run<"rate", float> == &per_run<"rate", float>);
}

}  // namespace input_test
