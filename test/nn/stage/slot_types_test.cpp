// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/graph/describe.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/layers/loss.hpp>
#include <ipuflow/nn/stage/slot_types.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>

namespace slot_types_test {

using namespace ipuflow;

namespace {

template <class T>
using seen = nn::computed<T, double>;
static_assert(seen<tensor<half, 3>>::real && seen<tensor<half, 3>>::rounds && !seen<tensor<float, 3>>::rounds);
static_assert(std::is_same_v<seen<tensor<float, 3>>::element, double>);
static_assert(std::is_same_v<seen<tensor<float, 3>>::value, shape<3>> && std::is_same_v<seen<half>::value, double>);
static_assert(std::is_same_v<seen<tensor<std::uint8_t, 3>>::value, tensor<std::uint8_t, 3>>);
static_assert(!seen<float>::real && std::is_same_v<seen<int>::element, int>);

constexpr auto p = single_stage(input<float, 3>, per_sample<"label", std::uint8_t>,
                                block<"A">(nn::linear<4>, use<"label">(nn::cross_entropy)));
using types = nn::impl::step_types<nn::impl::steps_of_stage<std::remove_const_t<decltype(p)>, 0>>;
static_assert(std::is_same_v<types::layer_type<1>, nn::cross_entropy_t>);
static_assert(std::is_same_v<types::reads<1>, nn::walk::list<tensor<float, 4>, std::uint8_t>>);
static_assert(std::is_same_v<types::makes<1>, nn::walk::list<tensor<float, 4>, tensor<float>>>);

/// A layer of two inputs with a parameter for each number of the second one.
struct scaled_t {};
template <element E, std::size_t N, std::size_t M>
constexpr tensor<E, N> output_of(scaled_t, tensor<E, N>, tensor<E, M>) { return {}; }
template <element E, std::size_t N, std::size_t M>
constexpr nn::layer_facts facts(scaled_t, tensor<E, N>, tensor<E, M>) { return {.parameters = M}; }
template <element E, std::size_t N, std::size_t M, class T>
constexpr void initialise_layer(scaled_t, tensor<E, N>, tensor<E, M>, std::uint64_t, T* values, T*) {
  for (std::size_t i = 0; i < M; ++i) values[i] = static_cast<T>(i + 1);
}

}  // namespace

TEST_CASE("Layers with parameters are initialised, whatever type they are computed in; others are left alone") {
  CHECK(nn::impl::initialised<nn::linear_t<4>, types::reads<0>, double>);
  CHECK_FALSE(nn::impl::initialised<nn::cross_entropy_t, types::reads<1>, float>);
  double values[16]{}, state[1]{7};
  for (const nn::initialiser<double> layer : types::initialisers<double>) {
    if (layer != nullptr) layer(1, values, state);
  }
  CHECK(values[15] != 0);
  CHECK(state[0] == 7);
}

/// A check that no layer passes.
struct refusals {
  template <class Layer, class Reads, class Makes>
  static constexpr nn::impl::layer_check of{
      [](const nn::impl::step_plan&, bool trains) { return nn::nn_fault{nn::nn_wrong::never_initialised, Reads::size, trains ? 1u : 0u}; },
      type_name<Layer>};
};

TEST_CASE("A check of each step is made from the types of its layer and values, in order") {
  constexpr const auto& checks = types::checks<refusals>;
  CHECK(checks[0].fault({}, true) == nn::nn_fault{nn::nn_wrong::never_initialised, 1, 1});
  CHECK(checks[1].fault({}, false) == nn::nn_fault{nn::nn_wrong::never_initialised, 2, 0});
  CHECK((checks[0].type() == type_name<nn::linear_t<4>>() && checks[1].type() == type_name<nn::cross_entropy_t>()));
  CHECK((checks[2].fault == nullptr && checks[2].type == nullptr));
}

TEST_CASE("A layer of several inputs is initialised by the types of all, or by the first one alone") {
  using both = nn::walk::list<tensor<float, 4>, tensor<float, 2>>;
  CHECK(nn::impl::initialised<scaled_t, both, float>);
  CHECK_FALSE(nn::impl::initialised<scaled_t, nn::walk::list<tensor<float, 4>>, float>);
  float values[3]{};
  nn::impl::initialiser_of<float, scaled_t>(both{})(1, values, nullptr);
  CHECK((values[0] == 1 && values[1] == 2 && values[2] == 0));
  CHECK(nn::impl::initialised<nn::linear_t<4>, both, float>);
}

}  // namespace slot_types_test
