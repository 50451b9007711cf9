// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/step_kind.hpp>

#include <ipuflow/core/type_name.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace step_kind_test {

using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

static_assert(made_of_steps<repeat_of> && !made_of_steps<call> && !leaf_step<call> && !leaf_step<overlap_of>);
static_assert(leaf_step<copy> && !transfer_step<copy> && transfer_step<load> && transfer_step<all_reduce>);

TEST_CASE("a visitor is given the kind that a step is of") {
  const auto name = [](const step& s) {
    return visit_kind(s, []<class Kind>(const Kind&) { return ipuflow::type_name<Kind>(); });
  };
  CHECK(name(sequence()) == ipuflow::type_name<sequence_of>());
  CHECK(name(call({3})) == ipuflow::type_name<call>());
  CHECK(name(store({1}, {2})) == ipuflow::type_name<store>());
  CHECK(name(synchronise{}) == ipuflow::type_name<synchronise>());
}

TEST_CASE("the steps inside of one are visited once, those of both sides that overlap too") {
  const step inner = call({1});
  const auto inside = [](const step& s) {
    std::size_t count = 0;
    for_each_inner(s, [&](const step&) { ++count; });
    return count;
  };
  CHECK(inside(inner) == 0);
  CHECK(inside(repeat(3, sequence(inner, inner))) == 2);
  CHECK(inside(overlap(sequence(inner, inner), inner)) == 3);
  CHECK(is_made_of_steps(overlap(inner, inner)));
  CHECK_FALSE(is_made_of_steps(inner));
}

}  // namespace step_kind_test
