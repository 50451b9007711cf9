// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/lowered.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>

namespace lowered_test {

using namespace ipuflow::ipu;
using namespace ipuflow::plan;

TEST_CASE("a tensor is cut where each of several replicas gets a number, and so is every larger one") {
  for (std::size_t replicas = 1; replicas <= 5; ++replicas) {
    for (std::size_t at_least = 0; at_least <= 9; ++at_least) {
      const sharding shards{.replicas = replicas, .at_least = at_least};
      bool smaller_was_cut = false;
      for (std::size_t elements = 0; elements <= 12; ++elements) {
        const bool cut = shards.cuts(elements);
        if (cut) {
          CHECK(replicas > 1);
          CHECK(elements >= replicas);
          CHECK(elements >= at_least);
        }
        CHECK((cut || !smaller_was_cut));
        smaller_was_cut = cut;
      }
      CHECK(shards.cuts(std::max(replicas, at_least)) == (replicas > 1));
    }
  }
}

TEST_CASE("numbers stay in a replica's part where there is one, otherwise in the whole tensor") {
  const variable_id whole{3}, part{7};
  trained_tensor tensor{.value = whole};
  CHECK(tensor.kept().index == whole.index);
  tensor.part = part;
  CHECK(tensor.kept().index == part.index);
}

}  // namespace lowered_test
