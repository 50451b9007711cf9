// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/conv_plan.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace conv_plan_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("a plan uses no more tiles than there are and fits") {
  const conv_shape s{16, 32, 14, 14, 64, 3, 3, 1, 1, 1, amp_precision::half_half};
  for (const std::size_t tiles : {std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{1472}}) {
    const conv_plan p = plan_convolution(mk2, s, s.batch, s.out_rows(), s.out_channels, tiles, 383'000_B);
    CHECK(p.parts() <= tiles);
    if (tiles > 7) CHECK(p.temporary <= 383'000_B);
  }
}

TEST_CASE("a tile has a part of one group or several whole ones") {
  for (const std::size_t groups : {1u, 8u, 32u, 64u}) {
    const conv_shape s{4, 64, 9, 9, 128, 3, 3, 1, 1, groups, amp_precision::half_half};
    const conv_plan p = plan_convolution(mk2, s, s.batch, s.out_rows(), s.out_channels / groups, 20, 383'000_B);
    CHECK(p.group_parts <= std::min<std::size_t>(groups, 20));
    CHECK(p.parts() <= 20);
    if (p.group_parts < groups) CHECK(p.channel_parts * p.summed_parts == 1);
  }
}

TEST_CASE("where results are few and channels many, the sum over channels is cut") {
  const conv_shape s{1, 512, 7, 7, 32, 3, 3, 1, 1, 1, amp_precision::half_half};
  const conv_plan p = plan_convolution(mk2, s, s.batch, s.out_rows(), s.out_channels, 1472, 383'000_B);
  CHECK(p.summed_parts > 1);
  conv_plan whole = p;
  whole.summed_parts = 1;
  CHECK(p.estimate < estimated(mk2, s, s.batch, s.out_rows(), s.out_channels, whole, 383'000_B).estimate);
  CHECK(plan_convolution(mk2, s, s.batch, s.out_rows(), s.out_channels, 1472, 1_B).temporary > 1_B);
}

TEST_CASE("every part has a tile of its own, and parts of channels read the same beside each other") {
  const conv_plan p{3, 2, 4, 5, 2, conv_method::array, {}, {}, 0};
  std::vector<std::size_t> seen;
  for (std::size_t places = 0; places < 6; ++places) {
    for (std::size_t summed = 0; summed < 5; ++summed) {
      for (std::size_t channels = 0; channels < 8; ++channels) seen.push_back(p.tile_of(places, channels, summed));
    }
  }
  for (std::size_t i = 0; i < seen.size(); ++i) CHECK(seen[i] == i);
  CHECK(seen.size() == p.parts());
  CHECK(p.sharing(mk2) == 2);
  CHECK(conv_plan{3, 2, 5, 5, 2, conv_method::array, {}, {}, 0}.sharing(mk2) == 1);
}

TEST_CASE("a stride is neither paid forwards nor backwards: the same products take about the same cycles") {
  const conv_shape wide{16, 128, 28, 28, 128, 3, 3, 1, 1, 1, amp_precision::half_half};
  conv_shape strided = wide;
  strided.rows = strided.columns = 56;
  strided.stride = 2;
  const auto time = [&](const conv_shape& s) {
    return static_cast<double>(plan_convolution(mk2, s, s.batch, s.turned_round ? s.rows : s.out_rows(), s.out_channels, 1472, 383'000_B).estimate.value);
  };
  CHECK(time(strided) < 1.3 * time(wide));
  CHECK(time(strided.turned()) < 1.5 * time(wide.turned()));
}

TEST_CASE("one tap with a stride reads a quarter, and goes back as a quarter: little more than without the stride") {
  const conv_shape wide{16, 256, 28, 28, 512, 1, 1, 1, 0, 1, amp_precision::half_half};
  conv_shape strided = wide;
  strided.rows = strided.columns = 56;
  strided.stride = 2;
  const auto time = [&](const conv_shape& s) {
    return static_cast<double>(plan_convolution(mk2, s, s.batch, s.turned_round ? s.rows : s.out_rows(), s.out_channels, 1472, 383'000_B).estimate.value);
  };
  CHECK(time(strided) > time(wide));
  CHECK(time(strided) < 1.2 * time(wide));
  CHECK(time(strided.turned()) > time(wide.turned()));
  CHECK(time(strided.turned()) < 1.3 * time(wide.turned()));
}

TEST_CASE("a stem of three channels takes less than half of what it takes a tap at a time") {
  const conv_shape s{18, 3, 224, 224, 64, 7, 7, 2, 3, 1, amp_precision::half_half};
  const conv_plan p = plan_convolution(mk2, s, s.batch, s.out_rows(), s.out_channels, 1472, 102'000_B);
  CHECK(p.method != conv_method::array);
  const conv_work work = work_of(s, divided_up(18, p.batch_parts), divided_up(112, p.row_parts), 3, divided_up(64, p.channel_parts), 1);
  CHECK(2 * alone(conv_cost(mk2, work, p.method), mk2) < alone(conv_cost(mk2, work), mk2));
}

TEST_CASE("of plans that are about as fast, the one with the fewest pieces; none that does not fit") {
  plan_choice<conv_plan> choice{1000_B};
  const auto offer = [&](std::uint64_t time, std::uint64_t room, std::size_t pieces) {
    conv_plan p;
    p.estimate = {time};
    p.temporary = {room};
    p.pieces = pieces;
    choice.offer(p);
  };
  CHECK(choice.best().temporary > 1000_B);
  offer(2000, 10, 1);
  CHECK(choice.best().pieces == 1);
  offer(1000, 10, 50);
  offer(1060, 10, 20);
  offer(1050, 10, 20);
  offer(1070, 10, 5);
  offer(900, 1001, 1);
  CHECK(choice.fastest().value == 1000);
  CHECK(choice.best().estimate.value == 1050);
}

}  // namespace conv_plan_test
