// SPDX-License-Identifier: BSL-1.0
// Embeddings on tiles against the host: tables in rows and columns over tiles, gradients of tokens that come often.
#include "../lowering_check.hpp"

#include <ipuflow/nn/lowerings/embedding_lowering.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace embedding_lowering_test {

using namespace ipuflow;
using namespace nn_test;

namespace {

/// A table of rows as tiles have it.
std::vector<float> stored(const ipu::matrix_order& order, const std::vector<float>& table) {
  std::vector<float> made(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) made[order.place(i)] = table[i];
  return made;
}

constexpr std::size_t positions = 4, vocabulary = 50, features = 6;

/// A table that is read by `Token`s, as E on tiles.
template <class E, class Token, class Sum>
void check_table(std::size_t samples, bool by_columns, double tolerance) {
  using layer = nn::embedding_t<vocabulary, features, E>;
  using host_in = nn::in<tensor<Token, positions>>;
  using host_out = nn::out<shape<positions, features>>;
  owned<Token, shape<positions>> tokens{samples};
  owned<float, shape<positions, features>> y{samples}, d_y{samples};
  d_y.randomise(2);
  hold<E>(d_y);
  std::vector<float> table, before, d_table;
  for (std::size_t i = 0; i < vocabulary * features; ++i) table.push_back(held<E>(static_cast<float>(noise(1, i))));
  before.assign(table.size(), 2);
  d_table = before;
  for (std::size_t s = 0; s < samples; ++s) {
    for (std::size_t p = 0; p < positions; ++p) tokens.set(s, p, static_cast<Token>(p == 0 ? 49 : (s * 7 + p * p) % vocabulary));
  }
  nn::impl::run_forward(layer{}, nn::forward_pass<float, host_in, host_out>{{tokens.read()}, {y.view()}, table.data()});
  nn::impl::run_backward_weights(layer{}, nn::weights_pass<float, host_in, host_out>{{tokens.read()}, {y.read()}, {d_y.read()}, d_table.data()});

  tile_bench t;
  t.l.samples = samples;
  t.l.numbers.by_columns = by_columns;
  t.l.numbers.weights = t.variable(ipu::element_type::f32, table.size());
  t.l.numbers.d_weights = t.variable(ipu::element_type_of<Sum>(), table.size());
  using given_token = typename nn::impl::tiled<tensor<Token, positions>>::element;
  const auto x = t.value<given_token, shape<positions>>();
  const auto on_y = t.value<E, shape<positions, features>>(), on_d_y = t.value<E, shape<positions, features>>();
  using in = nn::in<tensor<given_token, positions>>;
  using out = nn::out<tensor<E, positions, features>>;
  const ipu::step program = ipu::sequence(lower_forward(layer{}, nn::forward_lowering<in, out>{t.l, {x}, {on_y}}),
                                          lower_backward_weights(layer{}, nn::weights_lowering<in, out>{t.l, {x}, {on_y}, {on_d_y}}));
  const ipu::matrix_order order = weights_on_tiles(layer{}, nn::forward_lowering<in, out>{t.l, {x}, {on_y}}).order;
  run_on_tiles(t, program,
               {{x.variable, samples_of(tokens)},
                {on_d_y.variable, samples_of(d_y)},
                {t.l.numbers.weights, stored(order, table)},
                {t.l.numbers.d_weights, stored(order, before)}},
               [&](ipu::engine& runs) {
                 CHECK(farthest(read(runs, t.g, on_y), samples_of(y)) < tolerance);
                 CHECK(farthest(read(runs, t.g, t.l.numbers.d_weights), stored(order, d_table)) < tolerance);
               });
}

}  // namespace

TEST_CASE("tables on tiles are those of the host") {
  for (const std::size_t samples : {1u, 5u, 43u}) {
    for (const bool by_columns : {false, true}) {
      check_table<float, std::uint16_t, float>(samples, by_columns, 1e-5);
      check_table<half, std::uint16_t, float>(samples, by_columns, 5e-3);
      check_table<float, std::uint8_t, half>(samples, by_columns, 1e-2);
    }
  }
}

TEST_CASE("vectors of positions on tiles are those of the host") {
  check_lowering(nn::position_embedding, tensor<float, 5, 3>{});
  check_lowering(nn::position_embedding_up_to<9>, tensor<float, 5, 3>{});
}

TEST_CASE("vectors of kinds on tiles are added, and gradients go through") {
  using layer = nn::add_embedding_t<2>;
  using x_type = tensor<float, 3, 4>;
  constexpr std::size_t samples = 5;
  owned<float, shape<3, 4>> x{samples}, d_y{samples};
  x.randomise(1);
  d_y.randomise(2);
  std::vector<float> kinds, table, y, d_table(8);
  for (std::size_t i = 0; i < 8; ++i) table.push_back(static_cast<float>(noise(3, i)));
  for (std::size_t s = 0; s < samples; ++s) {
    for (std::size_t e = 0; e < 12; ++e) {
      const std::size_t kind = (s + e / 4) % 2;
      if (e % 4 == 0) kinds.push_back(static_cast<float>(kind));
      y.push_back(x.get(s, e) + table[kind * 4 + e % 4]);
      d_table[kind * 4 + e % 4] += d_y.get(s, e);
    }
  }
  tile_bench t;
  t.l.samples = samples;
  t.l.numbers.weights = t.variable(ipu::element_type::f32, 8);
  t.l.numbers.d_weights = t.variable(ipu::element_type::f32, 8);
  const auto on_x = t.value<float, shape<3, 4>>(), on_d_x = t.value<float, shape<3, 4>>(), on_y = t.value<float, shape<3, 4>>(),
             on_d_y = t.value<float, shape<3, 4>>();
  const auto on_kinds = t.value<std::uint8_t, shape<3>>();
  using in = nn::in<x_type, tensor<std::uint8_t, 3>>;
  using out = nn::out<x_type>;
  const ipu::step program =
      ipu::sequence(lower_forward(layer{}, nn::forward_lowering<in, out>{t.l, {on_x, on_kinds}, {on_y}}),
                    lower_backward_inputs(layer{}, nn::inputs_lowering<in, out>{t.l, {on_x, on_kinds}, {on_y}, {on_d_y}, {on_d_x}}),
                    lower_backward_weights(layer{}, nn::weights_lowering<in, out>{t.l, {on_x, on_kinds}, {on_y}, {on_d_y}}));
  const ipu::matrix_order order = weights_on_tiles(layer{}, nn::forward_lowering<in, out>{t.l, {on_x, on_kinds}, {on_y}}).order;
  run_on_tiles(t, program,
               {{on_x.variable, samples_of(x)},
                {on_d_y.variable, samples_of(d_y)},
                {on_kinds.variable, kinds},
                {t.l.numbers.weights, stored(order, table)},
                {t.l.numbers.d_weights, std::vector<float>(8)}},
               [&](ipu::engine& runs) {
                 CHECK(farthest(read(runs, t.g, on_y), y) < 1e-5);
                 CHECK(farthest(read(runs, t.g, on_d_x), samples_of(d_y)) == 0);
                 CHECK(farthest(read(runs, t.g, t.l.numbers.d_weights), stored(order, d_table)) < 1e-5);
               });
}

TEST_CASE("a token beyond the vocabulary is named with its place") {
  using layer = nn::embedding_t<vocabulary, features, float>;
  tile_bench t;
  t.l.samples = 2;
  t.l.numbers.weights = t.variable(ipu::element_type::f32, vocabulary * features);
  const auto x = t.value<std::int32_t, shape<positions>>();
  const auto y = t.value<float, shape<positions, features>>();
  const ipu::step program = lower_forward(
      layer{}, nn::forward_lowering<nn::in<tensor<std::int32_t, positions>>, nn::out<tensor<float, positions, features>>>{t.l, {x}, {y}});
  ipu::engine runs(ipu::pod(few_tiles(), 1), t.g, program);
  write(runs, t.g, x, {1, 2, 3, 4, 5, 6, 50, 7});
  std::string said;
  try {
    runs.run();
  } catch (const error& e) {
    said = e.what();
  }
  CHECK(said == "ipuflow: position 2 of sample 1 of a micro-batch has token 50 but the vocabulary has 50; tokens count from 0");
  ipu::engine below(ipu::pod(few_tiles(), 1), t.g, program);
  write(below, t.g, x, {1, 2, 3, -4, 5, 6, 50, 7});
  CHECK_THROWS_WITH(below.run(), "ipuflow: position 3 of sample 0 of a micro-batch has token -4; tokens count from 0");
  using value = tensor<float, positions, features>;
  using adding = nn::forward_lowering<nn::in<value, tensor<std::int32_t, positions>>, nn::out<value>>;
  const ipu::step adds = lower_forward(nn::add_embedding<vocabulary>, adding{t.l, {y, x}, {y}});
  ipu::engine kinds(ipu::pod(few_tiles(), 1), t.g, adds);
  write(kinds, t.g, x, {1, 2, 3, -4, 5, 6, 50, 7});
  CHECK_THROWS_WITH(kinds.run(), "ipuflow: position 3 of sample 0 of a micro-batch is of kind -4; kinds count from 0");
}

}  // namespace embedding_lowering_test
