// SPDX-License-Identifier: BSL-1.0
// Embeddings: rows of a table by token, by kind, by position, and gradients that come back to each row as often as it was read.
#include "layer_check.hpp"

#include <ipuflow/nn/layers/embedding.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace embedding_test {

using namespace ipuflow;
using namespace nn_test;

namespace {

template <class Layer, class... In>
concept embeds = requires { output_of(Layer{}, In{}...); };
static_assert(embeds<nn::embedding_t<7, 5, float>, tensor<std::uint16_t, 4>> && !embeds<nn::embedding_t<7, 5, float>, tensor<float, 4>> &&
              !embeds<nn::add_embedding_t<2>, tensor<float, 4, 5>, tensor<std::uint8_t, 3>> &&
              !embeds<nn::position_embedding_t<0>, tensor<float, 20>> && !embeds<nn::position_embedding_t<3>, tensor<float, 4, 5>>);

/// The entry of a position of a sample, some more often than others.
std::size_t entry(std::size_t sample, std::size_t position, std::size_t entries) { return (sample * sample + 3 * position) % entries; }

template <class T, std::size_t Features>
void check_lookup(std::size_t samples) {
  constexpr std::size_t vocabulary = 7, positions = 5;
  using layer = nn::embedding_t<vocabulary, Features, float>;
  using in = nn::in<tensor<std::uint16_t, positions>>;
  using out = nn::out<shape<positions, Features>>;
  owned<std::uint16_t, shape<positions>> tokens{samples};
  owned<T, shape<positions, Features>> y{samples}, d_y{samples};
  d_y.randomise(2);
  std::vector<T> table(vocabulary * Features), d_table(table.size()), wanted(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = nn::number<T>(noise(1, i));
  for (std::size_t s = 0; s < samples; ++s) {
    for (std::size_t p = 0; p < positions; ++p) tokens.set(s, p, static_cast<std::uint16_t>(entry(s, p, vocabulary)));
  }
  nn::impl::run_forward(layer{}, nn::forward_pass<T, in, out>{{tokens.read()}, {y.view()}, table.data()});
  for (std::size_t s = 0; s < samples; ++s) {
    for (std::size_t p = 0; p < positions; ++p) {
      for (std::size_t f = 0; f < Features; ++f) {
        const std::size_t at = entry(s, p, vocabulary) * Features + f;
        REQUIRE(y.get(s, p * Features + f) == table[at]);
        wanted[at] = static_cast<T>(wanted[at] + d_y.get(s, p * Features + f));
      }
    }
  }
  nn::impl::run_backward_weights(layer{}, nn::weights_pass<T, in, out>{{tokens.read()}, {y.read()}, {d_y.read()}, d_table.data(), table.data()});
  REQUIRE(d_table == wanted);
}

}  // namespace

TEST_CASE("each token gets its row, and each row the sum of its gradients") {
  check_lookup<float, 3>(1);
  check_lookup<float, 2 * nn::lane_count + 3>(nn::lane_count + 2);
  check_lookup<double, nn::lane_count>(3);
  check_lookup<half, nn::lane_count + 1>(3);
}

TEST_CASE("a token beyond the vocabulary is named with its place") {
  owned<std::uint16_t, shape<3>> tokens{2};
  tokens.set(1, 2, 7);
  owned<float, shape<3, 4>> y{2};
  const std::vector<float> table(7 * 4);
  try {
    nn::impl::run_forward(nn::embedding<7, 4>, nn::forward_pass<float, nn::in<tensor<std::uint16_t, 3>>, nn::out<shape<3, 4>>>{
                                                   {tokens.read()}, {y.view()}, table.data()});
    FAIL("taken");
  } catch (const rejected<nn::nn_fault>& e) {
    CHECK(std::string{e.what()} ==
          "ipuflow: position 2 of sample 1 of a micro-batch has token 7 but the vocabulary has 7; tokens count from 0");
  }
  owned<std::int16_t, shape<3>> below{2};
  below.set(1, 0, -5);
  using pass = nn::forward_pass<float, nn::in<tensor<std::int16_t, 3>>, nn::out<shape<3, 4>>>;
  CHECK_THROWS_WITH(nn::impl::run_forward(nn::embedding<7, 4>, pass{{below.read()}, {y.view()}, table.data()}),
                    "ipuflow: position 0 of sample 1 of a micro-batch has token -5; tokens count from 0");
}

TEST_CASE("a vector for each position") {
  check_layer(nn::position_embedding, tensor<float, 5, 3>{});
  check_layer(nn::position_embedding_up_to<7>, tensor<float, 5, 3>{});
  CHECK(facts(nn::position_embedding_up_to<7>, tensor<float, 5, 3>{}).parameters == 7 * 3);
  check_layer(nn::position_embedding, tensor<float, nn::lane_count, nn::lane_count>{}, 41);
}

TEST_CASE("a vector for each kind, added") {
  using layer = nn::add_embedding_t<2>;
  using in = nn::in<shape<3, 4>, tensor<std::uint8_t, 3>>;
  using out = nn::out<shape<3, 4>>;
  constexpr std::size_t samples = nn::lane_count + 3;
  owned<double, shape<3, 4>> x{samples}, y{samples}, d_y{samples}, d_x{samples};
  owned<std::uint8_t, shape<3>> kinds{samples};
  x.randomise(1);
  d_y.randomise(2);
  std::vector<double> table(8), d_table(8), wanted(8);
  for (std::size_t i = 0; i < 8; ++i) table[i] = noise(3, i);
  for (std::size_t s = 0; s < samples; ++s) {
    for (std::size_t p = 0; p < 3; ++p) kinds.set(s, p, static_cast<std::uint8_t>(entry(s, p, 2)));
  }
  nn::impl::run_forward(layer{}, nn::forward_pass<double, in, out>{{x.read(), kinds.read()}, {y.view()}, table.data()});
  nn::impl::run_backward_inputs(layer{}, nn::inputs_pass<double, in, out>{{x.read(), kinds.read()}, {y.read()}, {d_y.read()}, {d_x.view()}});
  nn::impl::run_backward_weights(layer{}, nn::weights_pass<double, in, out>{{x.read(), kinds.read()}, {y.read()}, {d_y.read()}, d_table.data()});
  for (std::size_t s = 0; s < samples; ++s) {
    for (std::size_t e = 0; e < 12; ++e) {
      const std::size_t at = entry(s, e / 4, 2) * 4 + e % 4;
      CHECK(y.get(s, e) == x.get(s, e) + table[at]);
      CHECK(d_x.get(s, e) == d_y.get(s, e));
      wanted[at] += d_y.get(s, e);
    }
  }
  for (std::size_t i = 0; i < 8; ++i) CHECK(d_table[i] == doctest::Approx(wanted[i]));
  kinds.set(1, 2, 2);
  const nn::forward_pass<double, in, out> beyond{{x.read(), kinds.read()}, {y.view()}, table.data()};
  CHECK_THROWS_WITH(nn::impl::run_forward(layer{}, beyond),
                    "ipuflow: position 2 of sample 1 of a micro-batch is of kind 2 but the layer has 2 kinds; kinds count from 0");
  CHECK(message(nn::impl::no_row(-3, 2, true, 1, 4)).view() ==
        "ipuflow: position 1 of sample 4 of a micro-batch is of kind -3; kinds count from 0");
}

TEST_CASE("tables begin normal, with a deviation of 0.02") {
  std::vector<float> table(5000);
  initialise_layer(nn::embedding<1000, 5>, tensor<std::uint16_t, 4>{}, 1, table.data(), static_cast<float*>(nullptr));
  double mean = 0, square = 0;
  for (const float x : table) mean += static_cast<double>(x) / 5000;
  for (const float x : table) square += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean) / 5000;
  CHECK(mean == doctest::Approx(0).scale(1).epsilon(0.001));
  CHECK(square == doctest::Approx(0.0004).epsilon(0.05));
}

}  // namespace embedding_test
