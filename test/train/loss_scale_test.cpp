// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/loss_scale.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <limits>
#include <span>

namespace loss_scale_test {

using namespace ipuflow;

TEST_CASE("what is not finite is seen wherever it is") {
  std::array<float, 40> gradients{};
  gradients.fill(3e38f);
  CHECK_FALSE(train::impl::overflown(gradients));
  for (const float bad : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN()}) {
    for (std::size_t i = 0; i < gradients.size(); i += 13) {
      auto some = gradients;
      some[i] = bad;
      CHECK(train::impl::overflown(some));
    }
  }
  CHECK_FALSE(train::impl::overflown(std::span<const float>{}));
}

TEST_CASE("an automatic scale halves at an overflow and doubles when it has been patient") {
  train::loss_scaler scale{{.factor = 8, .automatic = true, .patience = 3}};
  CHECK_FALSE(scale.accept(true));
  CHECK(scale.factor() == 4);
  CHECK(scale.skipped() == 1);
  for (int i = 0; i < 2; ++i) CHECK(scale.accept(false));
  CHECK_FALSE(scale.accept(true));  // and patience begins anew
  CHECK(scale.factor() == 2);
  for (int i = 0; i < 3; ++i) CHECK(scale.accept(false));
  CHECK(scale.factor() == 4);
  for (int i = 0; i < 5; ++i) scale.accept(true);
  CHECK(scale.factor() == 1);
}

TEST_CASE("an overflow makes no scale larger, one that begins below 1 neither") {
  train::loss_scaler scale{{.factor = 0.25f, .automatic = true, .patience = 1}};
  CHECK_FALSE(scale.accept(true));
  CHECK(scale.factor() == 0.25f);
  CHECK(scale.accept(false));
  CHECK(scale.factor() == 0.5f);
}

TEST_CASE("a scale that goes on from one that was more patient doubles, too") {
  train::loss_scaler scale{{.factor = 8, .automatic = true, .patience = 3}, 8, 1500, 0};
  CHECK(scale.accept(false));
  CHECK(scale.factor() == 16);
  CHECK(scale.good() == 0);
}

TEST_CASE("a scale that is not automatic lets everything through") {
  train::loss_scaler scale{{.factor = 16}};
  CHECK(scale.accept(true));
  CHECK(scale.factor() == 16);
  CHECK(scale.skipped() == 0);
}

}  // namespace loss_scale_test
