// SPDX-License-Identifier: BSL-1.0
// The law that every lowering keeps, stated once: on tiles a pass gives what the host's kernel gives on the same
// numbers, within rounding, whatever the number of samples; checked access by access, and the counted cycles are those
// of the run.
#pragma once

#include "layer_check.hpp"

#include <ipuflow/ipu/engine/engine.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace nn_test {

/// A part of mk2, so that tests are quick and values are cut in odd places.
inline ipu::architecture few_tiles() {
  ipu::architecture chip = ipu::mk2;
  chip.tiles = 40;
  return chip;
}

inline double farthest(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) return INFINITY;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double scale = std::fmax(1.0, std::fabs(static_cast<double>(b[i])));
    if (std::isnan(a[i]) != std::isnan(b[i])) return INFINITY;  // fmax would pass over it
    most = std::fmax(most, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])) / scale);
  }
  return most;
}

/// What a tile of element E holds for a number.
template <class E>
float held(float x) {
  return static_cast<float>(static_cast<E>(x));
}

template <class E, class T, class Shape>
void hold(owned<T, Shape>& of) {
  for (std::size_t s = 0; s < of.samples; ++s) {
    for (std::size_t e = 0; e < Shape::elements; ++e) of.set(s, e, held<E>(of.get(s, e)));
  }
}

/// Variables that a test fills and reads as floats, on the tiles from the third on.
struct tile_bench {
  ipu::graph g{few_tiles()};
  nn::lowering l{g, {.first_tile = 2}};

  ipu::variable_id variable(ipu::element_type type, std::size_t elements) {
    return g.add_variable(ipu::name_from("v"), type, elements, nn::spread(g, type, elements, l.where));
  }
  template <class E, class Shape>
  nn::on_tiles value() {
    return {variable(ipu::element_type_of<E>(), l.samples * Shape::elements)};
  }
};

inline void write(ipu::engine& e, const ipu::graph& g, ipu::variable_id id, const std::vector<float>& values) {
  ipu::with_element(g[id].type(), [&](auto element) {
    std::vector<decltype(element)> given;
    for (const float x : values) given.push_back(static_cast<decltype(element)>(x));
    e.write(id, given);
  });
}

inline std::vector<float> read(ipu::engine& e, const ipu::graph& g, ipu::variable_id id) {
  return ipu::with_element(g[id].type(), [&](auto element) {
    std::vector<float> made;
    for (const auto x : e.read<decltype(element)>(id)) made.push_back(static_cast<float>(x));
    return made;
  });
}

struct given {
  ipu::variable_id variable;
  std::vector<float> values;
};

/// Runs a program once, checked, as it is counted; `look(engine)` then reads.
template <class Look>
void run_on_tiles(const tile_bench& t, const ipu::step& program, const std::vector<given>& inputs, Look look) {
  const ipu::chip_system all = ipu::pod(few_tiles(), 1);
  ipu::engine runs(all, t.g, program, {.checked = true});
  for (const given& i : inputs) write(runs, t.g, i.variable, i.values);
  const ipu::profile seen = runs.run();
  CHECK(seen == ipu::cost(all, t.g, program));
  look(runs);
}

template <class T, class Shape>
std::vector<float> samples_of(const owned<T, Shape>& of) {
  std::vector<float> made;
  for (std::size_t s = 0; s < of.samples; ++s) {
    for (std::size_t e = 0; e < Shape::elements; ++e) made.push_back(static_cast<float>(of.get(s, e)));
  }
  return made;
}

/// A program on one chip, as it is counted: cycles of all compute sets and of all exchanges, and vertices, of which each compute
/// set of a layer has one a tile.
struct counted {
  std::uint64_t compute = 0;
  std::uint64_t exchange = 0;
  std::uint64_t vertices = 0;

  friend bool operator==(const counted&, const counted&) = default;
  friend std::ostream& operator<<(std::ostream& out, const counted& c) {
    return out << "compute " << c.compute << ", exchange " << c.exchange << ", vertices " << c.vertices;
  }
};
/// Within a tile: a call, and a bundle a worker for up to 48 bytes.
inline constexpr std::uint64_t local_copy = 288 + 6;
/// Of an exchange, before its longest tile's words: half of mk2's synchronisation.
inline constexpr std::uint64_t latency = 75;

inline counted count(const tile_bench& t, const ipu::step& program) {
  const ipu::chip_profile seen = ipu::cost(ipu::pod(few_tiles(), 1), t.g, program).chips.front();
  return {seen[ipu::phase::compute].value, seen[ipu::phase::exchange].value, seen.vertices};
}

/// The forward pass of a layer with one input, for cases that are worked out by hand.
template <class Layer, element E, std::size_t... Extent>
counted count_forward(Layer layer, tensor<E, Extent...>, std::size_t samples) {
  tile_bench t;
  t.l.samples = samples;
  t.l.micro_batch = t.variable(ipu::element_type::i32, 1);
  using to = typename nn::impl::tiled<decltype(output_of(layer, tensor<E, Extent...>{}))>::type;
  using made = decltype([]<element M, std::size_t... Out>(tensor<M, Out...>) { return std::pair<M, shape<Out...>>{}; }(to{}));
  constexpr nn::layer_facts known = facts(layer, tensor<E, Extent...>{});
  if (known.parameters > known.biases) t.l.numbers.weights = t.variable(ipu::element_type::f32, known.parameters - known.biases);
  if (known.biases > 0) t.l.numbers.biases = t.variable(ipu::element_type::f32, known.biases);
  if (known.state > 0) t.l.numbers.state = t.variable(ipu::element_type::f32, known.state);
  const auto x = t.value<E, shape<Extent...>>();
  const auto y = t.value<typename made::first_type, typename made::second_type>();
  return count(t, lower_forward(layer, nn::forward_lowering<nn::in<tensor<E, Extent...>>, nn::out<to>>{t.l, {x}, {y}}));
}

/// A layer of one input and one output in a pass of each kind; E is what tiles hold of the values, Sum what gradients of trained
/// numbers are added up in.
template <class E, class Sum, class Layer, class In>
void check_lowering(std::size_t samples, double tolerance, nn::context context = {.seed = 5, .micro_batch = 3}) {
  CAPTURE(samples);
  using bench_type = bench<float, Layer, In>;
  bench_type host{samples};
  host.context = context;
  hold<E>(host.x);
  hold<E>(host.d_y);
  for (float& v : host.values) v = held<E>(v);
  for (std::size_t i = 0; i < host.state.size(); ++i) host.state[i] += 0.25f;

  tile_bench t;
  t.l.samples = samples;
  t.l.training = context.training;
  t.l.updates_state = context.updates_state;
  t.l.seed = context.seed;
  t.l.micro_batch = t.variable(ipu::element_type::i32, 1);
  constexpr nn::layer_facts known = bench_type::known;
  nn::layer_numbers& n = t.l.numbers;
  constexpr std::size_t weights = known.parameters - known.biases;
  const auto make = [&](ipu::variable_id& trained, ipu::variable_id& gradient, std::size_t count) {
    if (count == 0) return;
    trained = t.variable(ipu::element_type::f32, count);
    gradient = t.variable(ipu::element_type_of<Sum>(), count);
  };
  make(n.weights, n.d_weights, weights);
  make(n.biases, n.d_biases, known.biases);
  if (known.state > 0) n.state = t.variable(ipu::element_type::f32, known.state);
  const auto x = t.template value<E, typename bench_type::in_shape>();
  const auto d_x = t.template value<E, typename bench_type::in_shape>();
  const auto y = t.template value<E, typename bench_type::out_shape>();
  const auto d_y = t.template value<E, typename bench_type::out_shape>();
  using in = nn::in<In>;
  using out = nn::out<decltype(output_of(Layer{}, In{}))>;
  ipu::step program =
      ipu::sequence(lower_forward(Layer{}, nn::forward_lowering<in, out>{t.l, {x}, {y}}),
                    lower_backward_inputs(Layer{}, nn::inputs_lowering<in, out>{t.l, {x}, {y}, {d_y}, {d_x}}));
  if constexpr (known.parameters > 0) {
    program.then(lower_backward_weights(Layer{}, nn::weights_lowering<in, out>{t.l, {x}, {y}, {d_y}}));
  }

  std::vector<given> inputs{{x.variable, samples_of(host.x)},
                            {d_y.variable, samples_of(host.d_y)},
                            {t.l.micro_batch, {static_cast<float>(context.micro_batch)}}};
  const std::vector<float> before(known.parameters, 2.0f);  // gradients are added to what is there
  const auto give_pair = [&](const std::vector<float>& from, ipu::variable_id first, ipu::variable_id second) {
    const auto middle = from.begin() + static_cast<std::ptrdiff_t>(weights);
    if (weights > 0) inputs.push_back({first, {from.begin(), middle}});
    if (known.biases > 0) inputs.push_back({second, {middle, from.end()}});
  };
  give_pair(host.values, n.weights, n.biases);
  give_pair(before, n.d_weights, n.d_biases);
  if (known.state > 0) inputs.push_back({n.state, host.state});

  host.d_values = before;
  host.forward_with(host.state);
  host.backward();
  run_on_tiles(t, program, inputs, [&](ipu::engine& runs) {
    CHECK(farthest(read(runs, t.g, y.variable), samples_of(host.y)) < tolerance);
    CHECK(farthest(read(runs, t.g, d_x.variable), samples_of(host.d_x)) < tolerance);
    std::vector<float> d_values;
    if (weights > 0) d_values = read(runs, t.g, n.d_weights);
    if (known.biases > 0) {
      const std::vector<float> d_biases = read(runs, t.g, n.d_biases);
      d_values.insert(d_values.end(), d_biases.begin(), d_biases.end());
    }
    CHECK(farthest(d_values, host.d_values) < tolerance);
    if (known.state > 0) CHECK(farthest(read(runs, t.g, n.state), host.state) < tolerance);
  });
}

/// The whole law: a sample, some, and more than there are tiles; floats, and halves to about eleven bits, of values or of sums.
template <class Layer, element Given, std::size_t... Extent>
void check_lowering(Layer, tensor<Given, Extent...>, nn::context context = {.seed = 5, .micro_batch = 3}) {
  for (const std::size_t samples : {1u, 5u, 43u}) {
    check_lowering<float, float, Layer, tensor<float, Extent...>>(samples, 1e-5, context);
    check_lowering<half, float, Layer, tensor<half, Extent...>>(samples, 5e-3, context);
    check_lowering<float, half, Layer, tensor<float, Extent...>>(samples, 5e-3, context);
  }
}

}  // namespace nn_test
