// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/model.hpp>

#include "small_network.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace model_test {

using namespace ipuflow;

TEST_CASE("the same seed gives the same model, however the pipeline is grouped; another seed another one") {
  constexpr auto halves = regroup(test::small_network, stage<"a", "b">().ipu<0>(), stage<"c", "d">().ipu<1>());
  const auto m = train::initial_model(test::small_network, 3);
  CHECK(m == train::initial_model(halves, 3));
  CHECK(m != train::initial_model(test::small_network, 4));
  const auto exact = train::initial_model<double>(test::small_network, 3);
  CHECK(std::equal(m.values.begin(), m.values.end(), exact.values.begin()));
}

TEST_CASE("weights are within PyTorch's bounds, norms begin as the identity") {
  const auto m = train::initial_model(test::small_network, 3);
  for (std::size_t i = 0; i < 30; ++i) CHECK(std::abs(m.values[i]) <= 1.0f / 3);
  for (std::size_t i = 30; i < 33; ++i) CHECK(m.values[i] == 1);
  for (std::size_t i = 33; i < 36; ++i) CHECK(m.values[i] == 0);
  CHECK(m.state == std::vector<float>{0, 0, 0, 1, 1, 1});
}

TEST_CASE("a model of other layers is refused") {
  using network = std::remove_cvref_t<decltype(test::small_network)>;
  train::model<> m = train::initial_model(test::small_network, 3);
  CHECK_FALSE(train::impl::verify_model(m, train::impl::layout_of<network>));
  m.state.pop_back();
  CHECK(sentence(train::impl::verify_model(m, train::impl::layout_of<network>)).view() ==
        "ipuflow: a model has 5 numbers of state but the pipeline has 6; share models between sessions of the same "
        "layers");
  m.values.push_back(0);
  CHECK(
      sentence(train::impl::verify_model(m, train::impl::layout_of<network>)).view() ==
      "ipuflow: a model has 511 parameters but the pipeline has 510; share models between sessions of the same layers");
}

}  // namespace model_test
