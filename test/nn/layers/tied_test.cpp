// SPDX-License-Identifier: BSL-1.0
// A tied layer is the layer that it is made of, and says whose weights it has.
#include "layer_check.hpp"

#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/layers/tied.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace tied_test {

using namespace nn_test;

namespace {

constexpr auto tied = nn::tied<"embed[0]">(nn::linear<7>);
constexpr auto unbiased = nn::tied<"embed[0]">(without_biases(nn::linear<7>));
using of_sequence = tensor<float, 3, 5>;

static_assert(std::is_same_v<decltype(output_of(tied, of_sequence{})), tensor<float, 3, 7>>);
static_assert(facts(tied, of_sequence{}).tied_to == "embed[0]");
static_assert(facts(nn::linear<7>, of_sequence{}).tied_to.empty());
static_assert(facts(tied, of_sequence{}).parameters == 7 * 5 + 7 && facts(unbiased, of_sequence{}).parameters == 7 * 5);
static_assert(facts(tied, of_sequence{}).weight_extents == facts(nn::linear<7>, of_sequence{}).weight_extents);
static_assert(!nn::layer<std::remove_const_t<decltype(tied)>, tensor<float, 2, 3, 4>>);

}  // namespace

TEST_CASE("gradients, with biases of its own and without") {
  check_layer(tied, tensor<float, 5>{});
  check_layer(tied, of_sequence{});
  check_layer(unbiased, tensor<float, 5>{});
  check_layer(unbiased, of_sequence{});
}

TEST_CASE("alone it begins as the layer does") {
  std::vector<float> mine(42), alone(42);
  initialise_layer(tied, of_sequence{}, std::uint64_t{9}, mine.data(), static_cast<float*>(nullptr));
  initialise_layer(nn::linear<7>, of_sequence{}, std::uint64_t{9}, alone.data(), static_cast<float*>(nullptr));
  CHECK(mine == alone);
}

}  // namespace tied_test
