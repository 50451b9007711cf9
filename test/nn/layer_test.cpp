// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/layer.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <tuple>
#include <type_traits>

namespace layer_test {

using namespace ipuflow;

namespace {

struct complete_t {};
template <class Type>
constexpr Type output_of(complete_t, Type) {
  return {};
}
template <class Type>
constexpr nn::layer_facts facts(complete_t, Type) {
  return {};
}
static_assert(nn::layer<complete_t, tensor<float, 2>>);
static_assert(!nn::layer<complete_t, tensor<float, 2>, int>, "of two values it says nothing");

struct no_facts_t : complete_t {};
inline nn::layer_facts facts(no_facts_t, tensor<float, 2>) { return {}; }
static_assert(!nn::layer<no_facts_t, tensor<float, 2>>, "facts are known at compile time");

struct wrong_facts_t : complete_t {};
constexpr int facts(wrong_facts_t, tensor<float, 2>) { return 1; }
static_assert(!nn::layer<wrong_facts_t, tensor<float, 2>>);

/// A classifier's last layer: one real input and a label, predictions and a loss.
using in = nn::in<shape<3>, std::uint8_t>;
using out = nn::out<shape<3>, shape<>, tensor<int, 2>>;
using backward = nn::inputs_pass<double, in, out>;
template <class... View>
using list = nn::views<View...>;
static_assert(std::is_same_v<decltype(backward::in),
                             list<nn::batch<const double, shape<3>>, nn::batch<const std::uint8_t, shape<>>>>);
static_assert(std::is_same_v<decltype(backward::d_out),
                             list<nn::batch<const double, shape<3>>, nn::batch<const double, shape<>>>>);
static_assert(std::is_same_v<decltype(backward::d_in), list<nn::batch<double, shape<3>>>>);
static_assert(std::is_same_v<decltype(nn::forward_pass<double, in, out>::out),
                             list<nn::batch<double, shape<3>>, nn::batch<double, shape<>>, nn::batch<int, shape<2>>>>);
static_assert(std::is_same_v<decltype(nn::weights_pass<double, in, out>::d_parameters), double*>);

}  // namespace

TEST_CASE("A pass is a value of views; nothing is wanted of a gradient without memory") {
  nn::lanes<double> memory[3]{};
  backward pass{.d_in = {nn::batch<double, shape<3>>{memory, 1, 1}}};
  const auto [d_x] = pass.d_in;
  CHECK(d_x.wanted());
  CHECK(d_x.size() == 3);
  d_x[1] = nn::lanes<double>::all(7);
  CHECK(memory[1][0] == 7);
  CHECK_FALSE(get<0>(pass.d_out).wanted());
}

}  // namespace layer_test
