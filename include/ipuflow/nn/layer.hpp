// SPDX-License-Identifier: BSL-1.0
// The contract of a layer: the functions that it is found by, and what its kernels are given. A layer is an empty type
// with `output_of(layer, types...)` and `facts(layer, types...)`; on the host it runs by its kernels,
//   forward(layer, forward_pass)   backward_inputs(layer, inputs_pass)   backward_weights(layer, weights_pass)
// of which the last one, and initialise_layer(layer, types..., seed, values, state), belong to layers with parameters; of
// several types it may have the first one alone.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/batch.hpp>
#include <ipuflow/nn/views.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ipuflow::nn {

/// The label that no sample has: none is ignored.
inline constexpr std::int64_t no_label = std::numeric_limits<std::int64_t>::min();

/// The needs and costs of a layer, for one sample; a layer states them with `constexpr layer_facts facts(layer, input
/// type...)`.
struct layer_facts {
  std::size_t parameters = 0;       // trained numbers
  std::size_t biases = 0;           // of these, the last ones: a tensor of their own (biases, shifts)
  std::size_t state = 0;            // numbers that forward updates while training
  std::size_t forward_work = 0;     // multiply-adds
  std::size_t input_work = 0;       // of backward_inputs
  std::size_t weight_work = 0;      // of backward_weights
  bool whole_batch = false;         // wants all groups in one call: looks at all samples, or reads weights once for all
  bool inputs_need_input = true;    // backward_inputs reads the inputs
  bool inputs_need_output = false;  // backward_inputs reads the outputs
  bool same_memory = false;         // output 0 is input 0 seen in another shape: nothing is computed for it
  bool same_gradient = false;       // and so is its gradient
  bool checkpoint = false;          // recomputation begins again here
  bounded_vector<std::size_t, 4> weight_extents{};  // slowest first, for files of weights; none: one axis
  std::int64_t ignored = no_label;  // of a loss, the label whose predictions it leaves out
  std::string_view tied_to{};       // the layer whose weights these are a copy of, as tied.hpp names it
};

namespace impl {

/// The facts of a layer that does the same to each of some positions, with the same parameters.
constexpr layer_facts of_positions(layer_facts one, std::size_t positions) {
  one.forward_work *= positions;
  one.input_work *= positions;
  one.weight_work *= positions;
  return one;
}

}  // namespace impl

/// An op that can be trained: it says what it makes of values of these types, and what that takes, at compile time.
template <class Layer, class... Type>
concept layer = requires(Type... type) {
  output_of(Layer{}, type...);
  { facts(Layer{}, type...) } -> std::same_as<layer_facts>;
  typename std::bool_constant<(facts(Layer{}, Type{}...), true)>;
};

/// The values that a pass reads and makes, as its kernel sees them: a `shape` is a tensor of real numbers, computed with
/// as `T`; whole numbers are what they were declared to be, a `tensor` of them or one number a sample.
template <class... Value>
struct in {};
template <class... Value>
struct out {};

namespace impl {

template <class T, class Value>
struct viewed {
  static constexpr bool real = false;
  using read = batch<const Value, shape<>>;
  using write = batch<Value, shape<>>;
};
template <class T, std::size_t... Extent>
struct viewed<T, shape<Extent...>> {
  static constexpr bool real = true;
  using read = batch<const T, shape<Extent...>>;
  using write = batch<T, shape<Extent...>>;
};
template <class T, class Whole, std::size_t... Extent>
struct viewed<T, tensor<Whole, Extent...>> {
  static constexpr bool real = false;
  using read = batch<const Whole, shape<Extent...>>;
  using write = batch<Whole, shape<Extent...>>;
};

/// The places of real values among others: only those have gradients.
template <bool... Real>
inline constexpr auto places_of_real = [] {
  bounded_vector<std::size_t, sizeof...(Real) + 1> places;
  std::size_t place = 0;
  ((Real ? places.push_back(place++) : void(++place)), ...);
  return places;
}();

template <bool... Real, std::size_t... I>
auto real_of(std::index_sequence<I...>) -> std::index_sequence<places_of_real<Real...>[I]...>;
template <bool... Real>
using real_places = decltype(real_of<Real...>(std::make_index_sequence<places_of_real<Real...>.size()>{}));

template <class Views, std::size_t... Place>
auto at_places(std::index_sequence<Place...>) -> views<std::tuple_element_t<Place, Views>...>;

template <class T, class... Value>
using read_views = views<typename viewed<T, Value>::read...>;
template <class T, class... Value>
using write_views = views<typename viewed<T, Value>::write...>;
template <class T, class... Value>
using read_gradients = decltype(at_places<read_views<T, Value...>>(real_places<viewed<T, Value>::real...>{}));
template <class T, class... Value>
using write_gradients = decltype(at_places<write_views<T, Value...>>(real_places<viewed<T, Value>::real...>{}));

}  // namespace impl

/// Makes `out` from `in`: `const auto [x] = pass.in;`. May change `state`, in training and if the context says so.
template <class T, class In, class Out>
struct forward_pass;
template <class T, class... In, class... Out>
struct forward_pass<T, in<In...>, out<Out...>> {
  impl::read_views<T, In...> in{};
  impl::write_views<T, Out...> out{};
  const T* parameters = nullptr;
  T* state = nullptr;
  nn::context context{};
};

/// Writes `d_in` from `d_out`: one gradient for each real value. Those of several inputs need not all be `wanted()`.
template <class T, class In, class Out>
struct inputs_pass;
template <class T, class... In, class... Out>
struct inputs_pass<T, in<In...>, out<Out...>> {
  impl::read_views<T, In...> in{};
  impl::read_views<T, Out...> out{};
  impl::read_gradients<T, Out...> d_out{};
  impl::write_gradients<T, In...> d_in{};
  const T* parameters = nullptr;
  const T* state = nullptr;
  nn::context context{};
};

/// Adds to `d_parameters`.
template <class T, class In, class Out>
struct weights_pass;
template <class T, class... In, class... Out>
struct weights_pass<T, in<In...>, out<Out...>> {
  impl::read_views<T, In...> in{};
  impl::read_views<T, Out...> out{};
  impl::read_gradients<T, Out...> d_out{};
  T* d_parameters = nullptr;
  const T* parameters = nullptr;
  const T* state = nullptr;
  nn::context context{};
};

}  // namespace ipuflow::nn
