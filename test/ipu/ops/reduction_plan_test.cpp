// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/reduction_plan.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>

namespace reduction_plan_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("a share is whole panels: no part of the cut is larger, and one is as large to a panel") {
  for (const std::size_t size : {1u, 15u, 16u, 17u, 225u, 256u, 4096u}) {
    for (const std::size_t parts : {1u, 2u, 3u, 16u, 17u, 992u}) {
      std::size_t most = 0;
      for (std::size_t part = 0; part < parts; ++part) most = std::max(most, share_cut(size, parts).size(part));
      CHECK(largest_share(size, parts) >= most);
      CHECK(largest_share(size, parts) < most + panel_columns);
    }
  }
}

TEST_CASE("the vendor's thresholds: less than 16 at once, less than 125 in two times, more in three") {
  CHECK(plan_reduction(mk2, element_type::f32, 1 << 12, 15).times == 1);
  CHECK(plan_reduction(mk2, element_type::f32, 1 << 12, 16).times == 2);
  CHECK(plan_reduction(mk2, element_type::f32, 1 << 12, 124).times == 2);
  CHECK(plan_reduction(mk2, element_type::f32, 1 << 12, 125).times == 3);
  CHECK(most_sums == 3);
}

TEST_CASE("powers are divided by their roots: 49 by 7, 216 by 36 and 6") {
  CHECK(sums_in(49, 2).first.sums[0] == 7);
  CHECK(sums_in(216, 3).first.sums[0] == 36);
  CHECK(sums_in(216, 3).first.sums[1] == 6);
  CHECK(messages_of(49) == 14);
  CHECK(messages_of(216) == 18);
}

TEST_CASE("no other number of sums between two times leaves fewer messages on average") {
  for (std::size_t parts = 16; parts < 125; ++parts) {
    const auto [plan, messages] = sums_in(parts, 2);
    const auto of = [&](std::size_t left) { return static_cast<double>(left) + static_cast<double>(parts) / static_cast<double>(left); };
    CHECK(messages == of(plan.sums[0]));
    for (std::size_t left = 1; left <= parts; ++left) CHECK(messages <= of(left));
  }
}

TEST_CASE("each time leaves fewer sums, the last one, and a tile has fewer messages than of all partials") {
  for (std::size_t parts = 1; parts <= 1472; ++parts) {
    const reduction_plan p = plan_reduction(mk2, element_type::f16, 1000, parts);
    std::size_t depth = parts;
    for (std::size_t i = 0; i < p.times; ++i) {
      if (parts > 1) CHECK(p.sums[i] < depth);
      depth = p.sums[i];
    }
    CHECK(depth == 1);
    CHECK((p.times == 1 ? messages_of(parts) == parts : messages_of(parts) < parts));
  }
}

TEST_CASE("many partials of a small block: a few times are faster than one, which brings all of them to a tile") {
  for (const std::size_t parts : {256u, 1024u}) CHECK(plan_reduction(mk2, element_type::f32, 16, parts).estimate < added_up(mk2, element_type::f32, 16, parts, parts));
}

TEST_CASE("of a large block no more than the sums of a part are moved beside the partials, and the times begin with a copy each") {
  for (const element_type type : {element_type::f16, element_type::f32}) {
    for (std::size_t parts = 16; parts <= 256; parts = parts * 2 + 1) {
      const std::size_t size = 16 * parts;
      const reduction_plan p = plan_reduction(mk2, type, size, parts);
      const cycles once = added_up(mk2, type, size, parts, parts);
      CHECK(p.estimate < once * 2 + copied(mk2, 0) * (p.times - 1) * 4);
    }
  }
}

}  // namespace reduction_plan_test
