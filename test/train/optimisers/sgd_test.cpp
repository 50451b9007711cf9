// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/optimisers/sgd.hpp>

#include "optimiser_reference.hpp"

namespace sgd_test {

using namespace ipuflow;

TEST_CASE("SGD by PyTorch's definition") {
  for (const float momentum : {0.0f, 0.9f}) {
    for (const float decay : {0.0f, 0.1f}) {
      const train::sgd optimiser{.rate = 0.05f, .momentum = momentum, .weight_decay = decay};
      test::check_against(optimiser, [&](double& p, double g, double* kept, std::size_t) {
        kept[0] = double{momentum} * kept[0] + g + double{decay} * p;
        p -= double{0.05f} * kept[0];
      });
    }
  }
}

TEST_CASE("one update by hand") {
  CHECK(test::first_update(train::sgd{.rate = 0.5f}) == 0.75f);
  CHECK(test::first_update(train::sgd{.rate = 0.5f, .weight_decay = 0.5f}) == 0.5f);
}

TEST_CASE("parameters do not depend on each other") {
  CHECK(test::parts_do_not_matter(train::sgd{.rate = 0.1f, .momentum = 0.9f, .weight_decay = 0.01f}));
}

TEST_CASE("parameters of double keep changes that floats would lose") {
  CHECK(test::doubles_keep_small_changes(train::sgd{}));
}

}  // namespace sgd_test
