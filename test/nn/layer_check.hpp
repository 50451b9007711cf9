// SPDX-License-Identifier: BSL-1.0
// The laws that every layer keeps, stated once: gradients equal finite differences, padding changes nothing, and a
// batch gives what its samples give alone.
#pragma once

#include <ipuflow/nn/batch.hpp>
#include <ipuflow/nn/kernels/initialise.hpp>
#include <ipuflow/nn/kernels/kernel_calls.hpp>
#include <ipuflow/nn/simd/lane_math.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace nn_test {

using namespace ipuflow;

/// Numbers of a test, the same everywhere: uniform in (-1, 1).
inline double noise(std::uint64_t stream, std::uint64_t index) {
  return 2 * static_cast<double>(nn::random_unit(stream, index)) - 1;
}

/// A value of a micro-batch with its memory.
template <class T, class Shape>
struct owned {
  std::size_t samples;
  std::vector<nn::lanes<T>> lanes;

  explicit owned(std::size_t count) : samples{count}, lanes(nn::groups_for(count) * Shape::elements) { fill(T{}); }

  void fill(T value) {
    for (auto& vector : lanes) vector = nn::lanes<T>::all(value);
  }
  T get(std::size_t sample, std::size_t element) const {
    const nn::lane_place at = nn::batch<T, Shape>::place_of(sample, element);
    return lanes[at.vector][at.lane];
  }
  void set(std::size_t sample, std::size_t element, T value) {
    const nn::lane_place at = nn::batch<T, Shape>::place_of(sample, element);
    lanes[at.vector].set(at.lane, value);
  }
  nn::batch<T, Shape> view() { return {lanes.data(), nn::groups_for(samples), samples}; }
  nn::batch<const T, Shape> read() { return view().read(); }

  /// Random samples; padding stays zero.
  void randomise(std::uint64_t stream) {
    for (std::size_t s = 0; s < samples; ++s) {
      for (std::size_t e = 0; e < Shape::elements; ++e)
        set(s, e, nn::number<T>(noise(stream, s * Shape::elements + e)));
    }
  }
};

/// A layer of one input and one output, its numbers and its gradients.
template <class T, class Layer, class In>
struct bench {
  using in_shape = typename In::shape_type;
  using out_shape = typename decltype(output_of(Layer{}, In{}))::shape_type;
  using in = nn::in<in_shape>;
  using out = nn::out<out_shape>;
  static constexpr nn::layer_facts known = facts(Layer{}, In{});

  owned<T, in_shape> x, d_x;
  owned<T, out_shape> y, d_y;
  std::vector<T> values, d_values, state;
  nn::context context{.seed = 5, .micro_batch = 3};

  explicit bench(std::size_t samples)
      : x{samples},
        d_x{samples},
        y{samples},
        d_y{samples},
        values(known.parameters),
        d_values(known.parameters),
        state(known.state) {
    x.randomise(1);
    d_y.randomise(2);
    if constexpr (requires { initialise_layer(Layer{}, In{}, 1, values.data(), state.data()); }) {
      initialise_layer(Layer{}, In{}, 1, values.data(), state.data());
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = nn::number<T>(static_cast<double>(values[i]) + noise(3, i) / 4);
    }
  }

  void forward() {
    std::vector<T> throw_away = state;  // what is kept from batch to batch must not depend on how often a test asks
    forward_with(throw_away);
  }
  void forward_with(std::vector<T>& kept) {
    nn::impl::run_forward(Layer{}, nn::forward_pass<T, in, out>{{x.read()}, {y.view()}, values.data(), kept.data(), context});
  }
  void backward() {
    nn::impl::run_backward_inputs(Layer{}, nn::inputs_pass<T, in, out>{{x.read()}, {y.read()}, {d_y.read()}, {d_x.view()},
                                                             values.data(), state.data(), context});
    if constexpr (known.parameters > 0) {
      nn::impl::run_backward_weights(Layer{}, nn::weights_pass<T, in, out>{{x.read()}, {y.read()}, {d_y.read()}, d_values.data(),
                                                                 values.data(), state.data(), context});
    }
  }
  /// The number whose gradient `backward` computes.
  double objective() {
    forward();
    double sum = 0;
    for (std::size_t s = 0; s < x.samples; ++s) {
      for (std::size_t e = 0; e < out_shape::elements; ++e) sum += y.get(s, e) * d_y.get(s, e);
    }
    return sum;
  }
};

/// Every `stride`-th gradient of a layer against the difference of the objective at two points.
template <class Layer, class In>
void check_gradients(std::size_t samples, std::size_t stride = 1, double tolerance = 1e-6) {
  bench<double, Layer, In> test{samples};
  test.forward();
  test.backward();
  constexpr double step = 1e-5;
  const auto slope_along = [&](auto&& change) {
    change(step);
    const double above = test.objective();
    change(-2 * step);
    const double below = test.objective();
    change(step);
    return (above - below) / (2 * step);
  };
  for (std::size_t i = 0; i < samples * In::elements; i += stride) {
    const std::size_t sample = i / In::elements, element = i % In::elements;
    const double slope = slope_along([&](double by) { test.x.set(sample, element, test.x.get(sample, element) + by); });
    CHECK(test.d_x.get(sample, element) == doctest::Approx(slope).epsilon(tolerance).scale(1));
  }
  for (std::size_t i = 0; i < test.values.size(); i += stride) {
    const double slope = slope_along([&](double by) { test.values[i] += by; });
    CHECK(test.d_values[i] == doctest::Approx(slope).epsilon(tolerance).scale(1));
  }
}

/// What lies in the padding of the inputs does not reach samples or gradients, and weight gradients are added.
template <class T, class Layer, class In>
void check_padding(std::size_t samples) {
  bench<T, Layer, In> clean{samples}, dirty{samples};
  for (std::size_t s = samples; s < nn::groups_for(samples) * nn::lane_count; ++s) {
    for (std::size_t e = 0; e < In::elements; ++e) dirty.x.set(s, e, nn::number<T>(noise(9, s + e)));
  }
  for (auto* one : {&clean, &dirty}) {
    one->forward();
    one->backward();
  }
  for (std::size_t s = 0; s < samples; ++s) {
    for (std::size_t e = 0; e < clean.y.view().elements; ++e) REQUIRE(clean.y.get(s, e) == dirty.y.get(s, e));
    for (std::size_t e = 0; e < In::elements; ++e) REQUIRE(clean.d_x.get(s, e) == dirty.d_x.get(s, e));
  }
  REQUIRE(clean.d_values == dirty.d_values);
  const std::vector<T> once = clean.d_values;
  clean.backward();
  for (std::size_t i = 0; i < once.size(); ++i) {
    REQUIRE(static_cast<double>(clean.d_values[i]) == doctest::Approx(2 * static_cast<double>(once[i])).epsilon(1e-4));
  }
}

/// The whole law for a layer type and the sizes that matter: a sample, a group but one, and a little more than a group.
template <class Layer, class In>
void check_layer(Layer, In, std::size_t stride = 1, double tolerance = 1e-6) {
  check_gradients<Layer, In>(1, stride, tolerance);
  check_gradients<Layer, In>(nn::lane_count + 1, stride * 7, tolerance);
  check_padding<double, Layer, In>(nn::lane_count - 1);
  check_padding<float, Layer, In>(nn::lane_count + 2);
}

}  // namespace nn_test
