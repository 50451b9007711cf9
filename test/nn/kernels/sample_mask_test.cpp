// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/kernels/sample_mask.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace sample_mask_test {

using namespace ipuflow;

TEST_CASE("A mask is one where there is a sample, and zero behind the last") {
  for (std::size_t samples = 0; samples <= nn::lane_count; ++samples) {
    const nn::lanes<float> mask = nn::impl::sample_mask<float>(samples);
    const nn::lanes<half> halves = nn::impl::sample_mask<half>(samples);
    for (std::size_t l = 0; l < nn::lane_count; ++l) {
      CHECK(mask[l] == (l < samples ? 1.0f : 0.0f));
      CHECK(static_cast<float>(halves[l]) == mask[l]);
    }
  }
}

}  // namespace sample_mask_test
