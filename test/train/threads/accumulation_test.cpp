// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/threads/accumulation.hpp>

#include <ipuflow/core/half.hpp>
#include <ipuflow/core/light_span.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace accumulation_test {

using namespace ipuflow;
using train::reduction;

namespace {

template <class Accumulator>
std::vector<Accumulator> reduced(reduction how, const std::vector<std::vector<float>>& gradients) {
  std::vector<Accumulator> total(gradients[0].size());
  for (std::size_t n = 0; n < gradients.size(); ++n) {
    train::impl::accumulate(train::impl::scales_of(how, n, gradients.size()), light_span{total},
                      light_span<const float>{gradients[n]});
  }
  return total;
}

const std::vector<std::vector<float>> gradients{{1, -8}, {2, 4}, {6, 16}, {-1, 4}};

}  // namespace

TEST_CASE("a sum, a mean, and a mean that is one after every micro-batch") {
  CHECK(reduced<float>(reduction::sum, gradients) == std::vector<float>{8, 16});
  CHECK(reduced<float>(reduction::mean, gradients) == std::vector<float>{2, 4});
  CHECK(reduced<float>(reduction::running_mean, gradients)[0] == doctest::Approx(2));
  CHECK(reduced<double>(reduction::running_mean, gradients)[1] == doctest::Approx(4));
}

TEST_CASE("a running mean fits into halves where the sum of the gradients does not") {
  const std::vector<std::vector<float>> large(4, std::vector<float>{40000});
  CHECK(static_cast<float>(reduced<half>(reduction::sum, large)[0]) > 65504.0f);
  CHECK(static_cast<float>(reduced<half>(reduction::running_mean, large)[0]) == doctest::Approx(40000).epsilon(1e-3));
}

}  // namespace accumulation_test
