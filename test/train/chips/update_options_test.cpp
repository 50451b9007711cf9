// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/chips/update_options.hpp>

#include <doctest/doctest.h>

namespace update_options_test {

using namespace ipuflow;

TEST_CASE("Layers and updates cut the same tensors into parts") {
  const plan::sharding parts =
      train::impl::chips_update_options{.replicas = 4, .shard_at_least = 10, .shard_weights = true}.parts();
  CHECK(parts.weights);
  CHECK(!parts.gradients);
  CHECK(parts.cuts(10));
  CHECK(!parts.cuts(9));
  CHECK(!plan::sharding{.replicas = 4}.cuts(3));  // some parts would be empty
  CHECK(!plan::sharding{.replicas = 1}.cuts(100));
}

}  // namespace update_options_test
