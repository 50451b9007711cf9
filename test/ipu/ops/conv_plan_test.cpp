// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/conv_plan.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace conv_plan_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("rows touch each other both ways: by brute force") {
  for (std::size_t rows = 3; rows < 12; ++rows) {
    for (std::size_t kernel = 1; kernel <= 3; ++kernel) {
      for (std::size_t stride = 1; stride <= 3; ++stride) {
        for (std::size_t padding = 0; padding < kernel; ++padding) {
          const conv_shape s{1, 1, rows, rows, 1, kernel, kernel, stride, padding, 1, amp_precision::half_half};
          for (std::size_t begin = 0; begin < s.out_rows(); ++begin) {
            for (std::size_t end = begin; end <= s.out_rows(); ++end) {
              const auto [first, last] = s.input_rows(begin, end);
              for (std::size_t y = begin; y < end; ++y) {
                for (std::size_t k = 0; k < kernel; ++k) {
                  const std::size_t at = y * stride + k;
                  if (at >= padding && at - padding < rows) CHECK((first <= at - padding && at - padding < last));
                }
              }
            }
          }
          for (std::size_t begin = 0; begin < rows; ++begin) {
            const auto [first, last] = s.output_rows(begin, begin + 1);
            for (std::size_t y = 0; y < s.out_rows(); ++y) {
              const bool touches = y * stride <= begin + padding && begin + padding < y * stride + kernel;
              if (touches) CHECK((first <= y && y < last));
            }
            CHECK(last <= s.out_rows());
          }
        }
      }
    }
  }
}

TEST_CASE("a plan uses no more tiles than there are and fits") {
  const conv_shape s{16, 32, 14, 14, 64, 3, 3, 1, 1, 1, amp_precision::half_half};
  for (const std::size_t tiles : {std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{1472}}) {
    const conv_plan p = plan_convolution(mk2, s, s.batch, s.out_rows(), s.out_channels, tiles, 383'000_B);
    CHECK(p.batch_parts * p.row_parts * p.channel_parts * p.summed_parts <= tiles);
    if (tiles > 7) CHECK(p.temporary <= 383'000_B);
  }
  CHECK(s.turned().in_channels == 64);
  CHECK(s.out_rows() == 14);
}

TEST_CASE("groups share tiles only where there are more of them: then a tile has whole groups") {
  for (const std::size_t groups : {1u, 8u, 32u, 64u}) {
    const conv_shape s{4, 64, 9, 9, 128, 3, 3, 1, 1, groups, amp_precision::half_half};
    const conv_plan p = plan_convolution(mk2, s, s.batch, s.out_rows(), s.out_channels / groups, 20, 383'000_B);
    CHECK(p.group_parts == std::min<std::size_t>(groups, 20));
    CHECK(p.batch_parts * p.row_parts * p.channel_parts * p.summed_parts * p.group_parts <= 20);
    if (groups > 20) CHECK(p.batch_parts * p.row_parts * p.channel_parts * p.summed_parts == 1);
  }
}

TEST_CASE("where results are few and channels many, the sum over channels is cut") {
  const conv_shape s{1, 512, 7, 7, 32, 3, 3, 1, 1, 1, amp_precision::half_half};
  const conv_plan p = plan_convolution(mk2, s, s.batch, s.out_rows(), s.out_channels, 1472, 383'000_B);
  CHECK(p.summed_parts > 1);
  conv_plan whole = p;
  whole.summed_parts = 1;
  CHECK(p.estimate < estimated(mk2, s, s.batch, s.out_rows(), s.out_channels, whole).estimate);
  CHECK(plan_convolution(mk2, s, s.batch, s.out_rows(), s.out_channels, 1472, 1_B).temporary > 1_B);
}

TEST_CASE("weights: no more tiles than there are, what fits, and more tiles are not slower") {
  const conv_shape s{16, 32, 28, 28, 64, 3, 3, 1, 1, 1, amp_precision::half_half};
  cycles before{std::numeric_limits<std::uint64_t>::max()};
  for (const std::size_t tiles : {std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{1472}}) {
    const weight_gradient_plan p = plan_weight_gradient(mk2, s, tiles, 383'000_B);
    CHECK(p.out_parts * p.in_parts * p.partials() <= tiles);
    if (tiles > 7) CHECK(p.temporary <= 383'000_B);
    CHECK(p.estimate <= before);
    before = p.estimate;
  }
  const weight_gradient_plan tight = plan_weight_gradient(mk2, s, 1472, 1_B);
  CHECK(tight.temporary <= plan_weight_gradient(mk2, s, 1472, 383'000_B).temporary);
  const conv_shape grouped{16, 32, 14, 14, 32, 3, 3, 1, 1, 32, amp_precision::half_half};
  CHECK(plan_weight_gradient(mk2, grouped, 1472, 383'000_B).in_parts == 1);
}

TEST_CASE("rows seen, and taps of a phase of the stride: by brute force") {
  for (std::size_t kernel = 1; kernel <= 5; ++kernel) {
    for (std::size_t stride = 1; stride <= 3; ++stride) {
      const conv_shape s{1, 1, 40, 40, 1, kernel, kernel, stride, 0, 1, amp_precision::half_half};
      std::size_t most = 0;  // taps in one direction that meet one place of the input
      for (std::size_t at = 10; at < 20; ++at) {
        std::size_t met = 0;
        for (std::size_t y = 0; y < s.out_rows(); ++y) met += y * stride <= at && at < y * stride + kernel ? 1u : 0u;
        most = std::max(most, met);
      }
      CHECK(s.taps() >= most * most);
      for (std::size_t count = 1; count < 5; ++count) {
        const auto [first, last] = s.input_rows(3, 3 + count);
        CHECK(s.rows_seen(count) == last - first);
      }
    }
  }
}

}  // namespace conv_plan_test
