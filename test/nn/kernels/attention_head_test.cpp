// SPDX-License-Identifier: BSL-1.0
// A head of attention alone: shares are chances, a query that sees one key gives that key's value, and rows of samples that begin
// within a vector are read and written as those that do not.
#include "../layer_check.hpp"

#include <ipuflow/nn/kernels/attention_head.hpp>

#include <cstddef>
#include <vector>

namespace attention_head_test {

using namespace ipuflow;
using namespace nn_test;

namespace {

constexpr std::size_t positions = nn::lane_count + 3, width = 5;
using causal = nn::impl::attention_head<float, positions, width, true>;
using matrix = std::vector<nn::lanes<float>>;

float& at(matrix& m, std::size_t position, std::size_t feature) {
  return reinterpret_cast<float*>(&m[position / nn::lane_count * width + feature])[position % nn::lane_count];
}
matrix made_up(std::size_t stream) {
  matrix m(causal::vectors);
  for (std::size_t p = 0; p < positions; ++p) {
    for (std::size_t f = 0; f < width; ++f) at(m, p, f) = static_cast<float>(noise(stream, p * width + f));
  }
  return m;
}

}  // namespace

TEST_CASE("the first query of a causal head sees the first key alone, each query of its own segment itself") {
  matrix q = made_up(1), k = made_up(2), v = made_up(3), out(causal::vectors), scores(causal::padded);
  for (std::size_t b = 0; b < causal::blocks; ++b) causal{}.forward(q.data(), k.data(), v.data(), b, scores.data(), out.data());
  for (std::size_t f = 0; f < width; ++f) CHECK(at(out, 0, f) == at(v, 0, f));
  std::vector<float> alone(causal::padded);
  for (std::size_t p = 0; p < positions; ++p) alone[p] = static_cast<float>(p);
  for (std::size_t b = 0; b < causal::blocks; ++b) causal{alone.data()}.forward(q.data(), k.data(), v.data(), b, scores.data(), out.data());
  for (std::size_t p = 0; p < positions; ++p) {
    for (std::size_t f = 0; f < width; ++f) CHECK(at(out, p, f) == at(v, p, f));
  }
}

TEST_CASE("where all values are equal, that is what comes out, and no gradient goes to queries and keys") {
  matrix q = made_up(1), k = made_up(2), v(causal::vectors), d_out = made_up(4), out(causal::vectors), scores(causal::padded), slopes(causal::padded);
  matrix d_q(causal::vectors), d_k(causal::vectors), d_v(causal::vectors);
  for (std::size_t p = 0; p < positions; ++p) {
    for (std::size_t f = 0; f < width; ++f) at(v, p, f) = 2;
  }
  for (std::size_t b = 0; b < causal::blocks; ++b) {
    causal{}.forward(q.data(), k.data(), v.data(), b, scores.data(), out.data());
    causal{}.backward(q.data(), k.data(), v.data(), d_out.data(), b, scores.data(), slopes.data(), d_q.data(), d_k.data(), d_v.data());
  }
  for (std::size_t f = 0; f < width; ++f) {
    float given = 0, back = 0;
    for (std::size_t p = 0; p < positions; ++p) {
      CHECK(at(out, p, f) == doctest::Approx(2));
      CHECK(at(d_q, p, f) == doctest::Approx(0).scale(1).epsilon(1e-5));
      CHECK(at(d_k, p, f) == doctest::Approx(0).scale(1).epsilon(1e-5));
      given += at(d_out, p, f);
      back += at(d_v, p, f);
    }
    CHECK(back == doctest::Approx(given).epsilon(1e-4));  // every query's gradient is shared out whole
  }
}

TEST_CASE("what is stored is what is loaded, wherever a sample begins") {
  constexpr std::size_t features = 7, samples = 3;
  owned<float, shape<positions, features>> from{samples}, to{samples};
  from.randomise(1);
  for (std::size_t s = 0; s < samples; ++s) {
    matrix some(causal::vectors);
    nn::impl::sample_rows<const float, positions, features>{from.read().data, s}.load<width>(1, 2, some.data());
    for (std::size_t p = 0; p < causal::padded; ++p) {
      for (std::size_t f = 0; f < width; ++f) REQUIRE(at(some, p, f) == (p < positions ? 2 * from.get(s, p * features + 1 + f) : 0));
    }
    nn::impl::sample_rows<float, positions, features>{to.view().data, s}.store<width>(1, 0.5f, some.data());
  }
  for (std::size_t s = 0; s < samples; ++s) {
    for (std::size_t p = 0; p < positions; ++p) {
      for (std::size_t f = 0; f < features; ++f) {
        REQUIRE(to.get(s, p * features + f) == (f >= 1 && f < 1 + width ? from.get(s, p * features + f) : 0));
      }
    }
  }
}

}  // namespace attention_head_test
