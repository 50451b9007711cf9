// SPDX-License-Identifier: BSL-1.0
#include "layer_check.hpp"

#include <ipuflow/nn/kernels/kernel_calls.hpp>

namespace kernel_calls_test {

using namespace nn_test;

TEST_CASE("Losses are seeded in lanes that hold a sample, all else is zero") {
  owned<float, shape<>> loss{nn::lane_count + 1};
  loss.fill(9);
  nn::fill(loss.view(), 0.25f);
  CHECK(loss.get(nn::lane_count, 0) == 0.25f);
  CHECK(loss.get(nn::lane_count + 1, 0) == 0);
  owned<float, shape<2>> other{1};
  other.fill(9);
  nn::fill(other.view(), 0.25f);
  CHECK(other.get(0, 1) == 0);
}

TEST_CASE("What a half cannot hold is rounded away, and sums are added") {
  owned<float, shape<2>> a{1}, b{1};
  a.fill(1.0001f);
  b.fill(2);
  nn::impl::round_if<false>(a.view());
  CHECK(a.get(0, 0) == 1.0001f);
  nn::impl::round_if<true>(a.view());
  CHECK(a.get(0, 0) == 1);
  nn::impl::add_if<false>(a.view(), b.view());
  nn::impl::add_if<true>(a.view(), b.view());
  CHECK(b.get(0, 1) == 3);
}

}  // namespace kernel_calls_test
