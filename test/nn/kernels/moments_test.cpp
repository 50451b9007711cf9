// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/kernels/moments.hpp>

#include <doctest/doctest.h>

namespace moments_test {

using namespace ipuflow;

TEST_CASE("Normal numbers have mean 0 and variance 1, but for what keeps a variance from being 0; lanes as a float") {
  const nn::impl::moments<float> one{3, 4};
  CHECK(one.normal(3) == 0);
  CHECK(one.normal(5) == doctest::Approx(1).epsilon(1e-5));
  CHECK(nn::impl::moments<float>{3, 0}.inverse == doctest::Approx(1 / 0.0031622777));
  const nn::impl::moments<nn::lanes<float>> all{nn::lanes<float>::all(3), nn::lanes<float>::all(4)};
  CHECK(all.normal(nn::lanes<float>::all(5))[1] == one.normal(5));
}

TEST_CASE("A normalisation starts as the identity on normal numbers") {
  float values[4];
  nn::impl::initialise_norm(2, values);
  CHECK(values[0] == 1);
  CHECK(values[1] == 1);
  CHECK(values[2] == 0);
  CHECK(values[3] == 0);
}

}  // namespace moments_test
