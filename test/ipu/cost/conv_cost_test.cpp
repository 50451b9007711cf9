// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/cost/conv_cost.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace conv_cost_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

std::size_t time_of(const conv_work& work, conv_method method) { return alone(conv_cost(mk2, work, method), mk2).value; }

}  // namespace

TEST_CASE("a convolution of one tap is a matmul; more taps cost in proportion") {
  const conv_work one{.rows = 6, .width = 10, .in = 32, .out = 32};
  CHECK(conv_cost(mk2, one) == matmul_cost(mk2, {60, 32, 32}));
  conv_work many = one;
  many.kernel_rows = many.kernel_columns = 3;
  const auto nine = alone(conv_cost(mk2, many), mk2).value;
  many.kernel_rows = 6;
  const auto eighteen = alone(conv_cost(mk2, many), mk2).value;
  CHECK(eighteen > nine);
  CHECK(static_cast<double>(eighteen) == doctest::Approx(2.0 * static_cast<double>(nine)).epsilon(0.1));
  CHECK(nine >= 9 * 60 * 32 * 32 / macs_per_cycle(mk2, amp_precision::half_half));
}

TEST_CASE("the best method is one that can do the work, and none that can takes less") {
  for (const amp_precision type : {amp_precision::half_half, amp_precision::half_float, amp_precision::float_float}) {
    for (const std::size_t channels : {1u, 2u, 3u, 4u, 16u, 64u}) {
      for (const std::size_t kernel : {1u, 3u, 5u}) {
        for (const std::size_t dilation : {1u, 2u}) {
          const conv_work work{12, 14, channels, channels, 8, kernel, kernel, type, 1, dilation, 12};
          const auto [best, time] = best_method(mk2, work);
          CHECK(can(best, work));
          for (unsigned m = 0; m <= static_cast<unsigned>(conv_method::channel_by_channel); ++m) {
            const auto method = static_cast<conv_method>(m);
            if (!can(method, work)) continue;
            CHECK(time_of(work, method) >= time.value);
            CHECK(conv_cost(mk2, work, method).flops > 0);
          }
        }
      }
    }
  }
}

TEST_CASE("what is dilated has a product in one of dilation squared positions") {
  const conv_work small{6, 10, 32, 32, 1, 3, 3};
  conv_work large = small;
  large.rows *= 2;
  large.width *= 2;
  large.dilation = 2;
  const auto a = time_of(small, conv_method::array), b = time_of(large, conv_method::array);
  CHECK(a < b);          // there are more outputs to begin with
  CHECK(b < a + a / 2);
  CHECK(conv_cost(mk2, small).flops == conv_cost(mk2, large).flops);
}

TEST_CASE("taps as channels fill the array that few channels leave empty") {
  const conv_work stem{4, 112, 3, 64, 1, 7, 7, amp_precision::half_half, 2, 1, 13};
  CHECK(2 * time_of(stem, best_method(mk2, stem).first) < time_of(stem, conv_method::array));
  const conv_work deep{4, 112, 64, 64, 1, 3, 3, amp_precision::half_half, 1, 1, 6};
  CHECK(best_method(mk2, deep).first == conv_method::array);
}

TEST_CASE("few positions with many channels are loaded, and weights stream") {
  const conv_work last{1, 7, 256, 256, 1, 1, 1};
  CHECK(best_method(mk2, last).first == conv_method::swapped);
  CHECK(2 * time_of(last, conv_method::swapped) < time_of(last, conv_method::array));
}

TEST_CASE("a row of the codelet for few channels, by hand from its published parts") {
  const conv_work work{.rows = 6, .width = 20, .in = 1, .out = 1, .groups = 4, .kernel_rows = 3, .kernel_columns = 3};
  // A worker has one row of 20 positions: 10 bundles, 1 more where it zeroes, 15 + 15 for the positions; 17 before.
  const std::size_t worker_zero = 17 + 10 + 1 + 30, worker = 17 + 10 + 30;
  const std::size_t load = 9 + 6 + 10 * 6 + 6 + 16;               // weights, put in order by the workers
  const std::size_t kernels = 3 * (load + 20) + 6 * 2 + 1;       // three rows of at most four taps
  CHECK(time_of(work, conv_method::few_channels) == 6 * (worker_zero + 2 * worker) + 38 + 28 + 1 + 15 + kernels);
  conv_work floats = work;
  floats.type = amp_precision::half_float;  // half of the array: the image is read twice
  CHECK(time_of(floats, conv_method::few_channels) > time_of(work, conv_method::few_channels) + 6 * 3 * 20);
}

TEST_CASE("channel by channel: each position has three bundles for eight channels and a tap, and 25 for a row of taps") {
  const conv_work work{.rows = 6, .width = 4, .in = 1, .out = 1, .groups = 8, .kernel_rows = 3, .kernel_columns = 3};
  const std::size_t inner = 13 + 4 * 3 * (25 + 6), zero = 4 + 2 * 24, added = 10 + 12 * 4;
  CHECK(time_of(work, conv_method::channel_by_channel) == 6 * (inner + zero + added) + 38 + 100 + 32 + 24);
  conv_work more = work;
  more.groups = 9;
  CHECK(conv_cost(mk2, more, conv_method::channel_by_channel).bundles == 2 * conv_cost(mk2, work, conv_method::channel_by_channel).bundles);
}

}  // namespace conv_cost_test
