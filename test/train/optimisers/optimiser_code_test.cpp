// SPDX-License-Identifier: BSL-1.0
// That updates by way of this seam are right is tested in updater_test.cpp; here, what an optimiser says of itself.
#include <ipuflow/train/optimisers/optimiser_code.hpp>

#include <ipuflow/train/optimisers/lamb.hpp>
#include <ipuflow/train/optimisers/sgd.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>

namespace optimiser_code_test {

using namespace ipuflow;

struct by_elements : train::sgd {
  static constexpr bool whole_tensors = false;
};
struct with_sums : train::sgd {  // over a tensor, whatever it says besides
  using sums_type = std::array<double, 1>;
};

TEST_CASE("An optimiser outside of its type says how much state it keeps and updates the same numbers") {
  const train::sgd rule{.rate = 0.5f};
  const auto code = train::impl::optimiser_code_of<float>(rule);
  CHECK(code.state_bytes == sizeof(float));
  CHECK_FALSE(code.whole_tensors);
  CHECK(train::impl::optimiser_code_of<float>(train::lamb{}).whole_tensors);
  CHECK_FALSE(train::impl::optimiser_code_of<float>(by_elements{}).whole_tensors);
  CHECK(train::impl::optimiser_code_of<float>(with_sums{}).whole_tensors);
  std::array<float, 2> values{1, 2};
  const std::array<float, 2> gradients{2, -2};
  alignas(float) std::array<std::byte, 2 * sizeof(float)> state{};
  code.update(code.optimiser, 0, values, gradients, {state.data(), 2, 0}, 1);
  CHECK(values == std::array<float, 2>{0, 3});
}

}  // namespace optimiser_code_test
