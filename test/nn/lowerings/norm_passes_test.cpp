// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/layers/norm.hpp>
#include <ipuflow/nn/lowerings/batch_norm_lowering.hpp>
#include <ipuflow/nn/lowerings/sample_norm_lowering.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace norm_passes_test {

using namespace nn_test;

namespace {

struct outcome {
  std::vector<float> y, d_x, d_scales, d_shifts, state;
  std::uint64_t vertices = 0;
};

/// All passes of a norm of values that lie like `map` on the tiles from the third on.
template <class Layer, class E, std::size_t... Extent>
outcome run_norm(Layer layer, tensor<E, Extent...>, std::size_t samples, std::size_t scales, bool has_state, ipu::mapping map, bool has_notes = false) {
  using value = tensor<E, Extent...>;
  tile_bench t;
  t.l.samples = samples;
  for (ipu::mapped_interval& i : map) i.tile += 2;
  const std::size_t elements = samples * shape<Extent...>::elements;
  const auto number = [&] { return t.variable(ipu::element_type::f32, scales); };
  t.l.numbers = {number(), number(), number(), number(), has_state ? t.variable(ipu::element_type::f32, 2 * scales) : ipu::variable_id{}};
  const auto like = [&] { return nn::on_tiles{t.g.add_variable(ipu::name_from("v"), ipu::element_type_of<E>(), elements, map)}; };
  const nn::on_tiles x = like(), y = like(), d_y = like(), d_x = like();
  using in = nn::in<value>;
  using out = nn::out<value>;
  if (has_notes) {
    const std::size_t rows = notes_on_tiles(layer, static_cast<const nn::forward_lowering<in, out>*>(nullptr), samples);
    t.l.numbers.notes = t.variable(ipu::element_type::f32, 2 * rows), t.l.numbers.has_notes = true;
  }
  const ipu::step program = ipu::sequence(lower_forward(layer, nn::forward_lowering<in, out>{t.l, {x}, {y}}),
                                          lower_backward_inputs(layer, nn::inputs_lowering<in, out>{t.l, {x}, {y}, {d_y}, {d_x}}),
                                          lower_backward_weights(layer, nn::weights_lowering<in, out>{t.l, {x}, {y}, {d_y}}));
  std::mt19937 random{11};
  const auto numbers = [&](std::size_t n, float middle) {
    std::vector<float> made(n);
    for (float& v : made) v = held<E>(middle + static_cast<float>(random() % 1000) / 500 - 1);
    return made;
  };
  std::vector<given> inputs{{x.variable, numbers(elements, 3)}, {d_y.variable, numbers(elements, 0)}, {t.l.numbers.weights, numbers(scales, 1)},
                            {t.l.numbers.biases, numbers(scales, 0)}, {t.l.numbers.d_weights, std::vector<float>(scales, 1)},
                            {t.l.numbers.d_biases, std::vector<float>(scales, 2)}};
  if (has_state) inputs.push_back({t.l.numbers.state, numbers(2 * scales, 2)});
  outcome made;
  run_on_tiles(t, program, inputs, [&](ipu::engine& e) {
    made = {read(e, t.g, y.variable), read(e, t.g, d_x.variable), read(e, t.g, t.l.numbers.d_weights), read(e, t.g, t.l.numbers.d_biases),
            has_state ? read(e, t.g, t.l.numbers.state) : std::vector<float>{}};
  });
  const ipu::chip_profile chip = ipu::cost(ipu::pod(few_tiles(), 1), t.g, program).chips.front();
  made.vertices = chip.vertices;
  return made;
}

ipu::mapping scattered(std::size_t elements, std::size_t tiles) {
  std::mt19937 random{3};
  ipu::mapping made;
  for (std::size_t at = 0; at < elements;) {
    const std::size_t end = std::min(elements, at + 1 + random() % 13);
    made.push_back({at, end, random() % tiles});
    at = end;
  }
  return made;
}

void same(const outcome& a, const outcome& b, double tolerance) {
  CHECK(farthest(a.y, b.y) < tolerance);
  CHECK(farthest(a.d_x, b.d_x) < tolerance);
  CHECK(farthest(a.d_scales, b.d_scales) < tolerance);
  CHECK(farthest(a.d_shifts, b.d_shifts) < tolerance);
  CHECK(farthest(a.state, b.state) < tolerance);
}

template <class Layer, class E, std::size_t... Extent>
void check_mappings(Layer layer, tensor<E, Extent...> like, std::size_t samples, std::size_t scales, bool has_state, std::size_t width) {
  const std::size_t elements = samples * shape<Extent...>::elements;
  const double tolerance = sizeof(E) == 2 ? 4e-3 : 1e-5;
  const outcome wanted = run_norm(layer, like, samples, scales, has_state, ipu::on_tile(elements, 0));
  same(run_norm(layer, like, samples, scales, has_state, ipu::linear(elements, 38, 0, 2)), wanted, tolerance);
  same(run_norm(layer, like, samples, scales, has_state, ipu::grid(elements / width, width, 4, 3)), wanted, tolerance);
  same(run_norm(layer, like, samples, scales, has_state, scattered(elements, 38)), wanted, tolerance);
  for (const ipu::mapping& map : {ipu::on_tile(elements, 0), ipu::linear(elements, 38, 0, 2), scattered(elements, 38)}) {
    const outcome noted = run_norm(layer, like, samples, scales, has_state, map, true);
    same(noted, wanted, tolerance);
    CHECK(noted.vertices < run_norm(layer, like, samples, scales, has_state, map).vertices);
  }
}

}  // namespace

TEST_CASE("A norm is the same wherever its values stand: in order, in blocks, scattered") {
  check_mappings(nn::layer_norm, tensor<float, 12, 24>{}, 3, 24, false, 24);
  check_mappings(nn::layer_norm, tensor<half, 12, 24>{}, 3, 24, false, 24);
  check_mappings(nn::group_norm<2>, tensor<float, 6, 3, 5>{}, 4, 6, false, 15);
  check_mappings(nn::batch_norm, tensor<float, 6, 3, 5>{}, 4, 6, true, 15);
  check_mappings(nn::batch_norm, tensor<half, 6, 3, 5>{}, 4, 6, true, 15);
}

TEST_CASE("A norm of a few long rows works on all tiles that hold a part of them") {
  // Two rows of 1,520 numbers on 38 tiles: moments, difference, product, scale, shift are vertices on each; so are three more backward,
  // with moments found twice more.
  const outcome all = run_norm(nn::group_norm<1>, tensor<float, 4, 19, 20>{}, 2, 4, false, ipu::linear(2 * 1520, 38));
  CHECK(all.vertices >= (5 + 3 + 2) * 38);
}

TEST_CASE("Group norm of a tutorial's network: 48 rows of 13,924 numbers take less than 10,000 cycles forward, not 114,691") {
  ipu::graph g{ipu::mk2};
  nn::lowering l{g, {}};
  l.samples = 16;
  using value = tensor<float, 12, 59, 59>;
  const auto variable = [&](std::size_t n) { return g.add_variable(ipu::name_from("v"), ipu::element_type::f32, n, nn::spread(g, ipu::element_type::f32, n, l.where)); };
  l.numbers = {variable(12), variable(12), variable(12), variable(12), {}};
  const nn::on_tiles x{variable(16 * 12 * 59 * 59)}, y{variable(16 * 12 * 59 * 59)};
  const ipu::step program = lower_forward(nn::group_norm<3>, nn::forward_lowering<nn::in<value>, nn::out<value>>{l, {x}, {y}});
  CHECK(ipu::cost(ipu::pod(ipu::mk2, 1), g, program).total < cycles{10'000});
}

TEST_CASE("Numbers far from zero keep their variance: the mean is taken off first, in float") {
  tile_bench t;
  t.l.samples = 2;
  const auto number = [&] { return t.variable(ipu::element_type::f32, 400); };
  t.l.numbers = {number(), number(), number(), number(), {}};
  const auto x = t.value<float, shape<400>>(), y = t.value<float, shape<400>>();
  const ipu::step program = lower_forward(nn::layer_norm, nn::forward_lowering<nn::in<tensor<float, 400>>, nn::out<tensor<float, 400>>>{t.l, {x}, {y}});
  std::vector<float> values;
  for (std::size_t i = 0; i < 800; ++i) values.push_back(8192 + (i % 2 == 0 ? 1.0f : -1.0f));
  run_on_tiles(t, program, {{x.variable, values}, {t.l.numbers.weights, std::vector<float>(400, 1)}, {t.l.numbers.biases, std::vector<float>(400, 0)}},
               [&](ipu::engine& e) {
                 for (const float v : read(e, t.g, y.variable)) CHECK(std::fabs(v) == doctest::Approx(1).epsilon(1e-3));
               });
}

}  // namespace norm_passes_test
