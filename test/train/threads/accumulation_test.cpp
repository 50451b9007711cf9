// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/threads/accumulation.hpp>

#include <ipuflow/core/half.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace accumulation_test {

using namespace ipuflow;
using train::reduction;

static_assert(train::reduction_named("SUM") == reduction::sum);
static_assert(train::reduction_named("Mean") == reduction::mean);
static_assert(train::reduction_named("running_mean") == reduction::running_mean);
static_assert(train::impl::scales_of(reduction::sum, 3, 8) == train::impl::reduction_scales{1, 1});
static_assert(train::impl::scales_of(reduction::mean, 3, 8) == train::impl::reduction_scales{1, 0.125f});
static_assert(train::impl::scales_of(reduction::running_mean, 3, 8) == train::impl::reduction_scales{0.75f, 0.25f});
static_assert(train::impl::scales_of(reduction::running_mean, 0, 8) == train::impl::reduction_scales{0, 1});

namespace {

template <class Accumulator>
std::vector<Accumulator> reduced(reduction how, const std::vector<std::vector<float>>& gradients) {
  std::vector<Accumulator> total(gradients[0].size());
  for (std::size_t n = 0; n < gradients.size(); ++n) {
    train::impl::accumulate(train::impl::scales_of(how, n, gradients.size()), std::span{total},
                      std::span<const float>{gradients[n]});
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

TEST_CASE("a name that is none") {
  CHECK_THROWS_WITH((void)train::reduction_named("average"),
                    "ipuflow: 'average' is no way to reduce gradients; say sum, mean or running_mean");
}

}  // namespace accumulation_test
