// SPDX-License-Identifier: BSL-1.0
#include <validation/profile.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>

namespace profile_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace validation;

TEST_CASE("parameters are counted right; state of vertices and variables of a profile are met") {
  std::size_t counts = 0, met = 0;
  for (const validation_row& r : profile_rows()) {
    CHECK(r.measured > 0);
    CHECK(r.predicted > 0);
    const auto within = [&](double limit) {
      CHECK_MESSAGE(std::abs(r.error()) <= limit, std::string(r.what), " ", r.measured, " ", r.predicted);
      ++met;
    };
    if (r.id == "C") {
      CHECK(r.predicted == r.measured);
      ++counts;
    } else if (r.what == "BERT-L encoder layer: vertex state" || r.what == "BERT-L, 24 layers: vertex state") {
      within(0.05);
    } else if (r.what == "  variables" || r.what == "  variables, with the embedding") {
      within(0.10);
    }
  }
  CHECK(counts == 9);
  CHECK(met == 4);
}

TEST_CASE("a ResNet counts its parameters from its blocks") {
  constexpr std::array<std::size_t, 4> none{0, 0, 0, 0};
  CHECK(resnet_parameters(std::span{none}.first(0), 10) == 64 * (3 * 49 + 2) + 65 * 10);
}

}  // namespace profile_test
