// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/lowerings/cast_lowering.hpp>

namespace cast_lowering_test {

using namespace nn_test;

/// A value through a cast on tiles, and a gradient back where there is one.
template <class From, class To>
void check_cast(std::size_t samples, const std::vector<float>& numbers) {
  tile_bench t;
  t.l.samples = samples;
  const auto x = t.template value<From, shape<60>>();
  const auto y = t.template value<To, shape<60>>();
  using in = nn::in<tensor<From, 60>>;
  using out = nn::out<tensor<To, 60>>;
  std::vector<float> given, wanted;
  for (std::size_t i = 0; i < samples * 60; ++i) {
    given.push_back(numbers[i % numbers.size()]);
    wanted.push_back(held<To>(given.back()));
  }
  const ipu::step program = lower_forward(nn::cast<To>, nn::forward_lowering<in, out>{t.l, {x}, {y}});
  run_on_tiles(t, program, {{x.variable, given}}, [&](ipu::engine& runs) { CHECK(read(runs, t.g, y.variable) == wanted); });
  if constexpr (real_element<From>) {
    const ipu::step back = lower_backward_inputs(nn::cast<To>, nn::inputs_lowering<in, out>{t.l, {x}, {y}, {y}, {x}});
    run_on_tiles(t, back, {{y.variable, wanted}}, [&](ipu::engine& runs) { CHECK(read(runs, t.g, x.variable) == wanted); });
  }
}

TEST_CASE("Casts on tiles give what a cast gives, from bytes, words, halves and floats") {
  for (const std::size_t samples : {1u, 5u, 43u}) {
    CAPTURE(samples);
    check_cast<std::uint8_t, float>(samples, {0, 1, 127, 128, 255});
    check_cast<std::uint8_t, half>(samples, {0, 1, 127, 128, 255});
    check_cast<std::int32_t, float>(samples, {0, -1, 70'000});
    check_cast<half, float>(samples, {0, -1, 0.5f});
    check_cast<float, half>(samples, {0, -1, 0.1f});
    check_cast<float, float>(samples, {0, -1, 0.1f});
  }
}

TEST_CASE("Bytes lie four to a word on tiles") {
  tile_bench t;
  t.l.samples = 8;
  const auto bytes_variable = t.value<std::uint8_t, shape<60>>(), floats = t.value<float, shape<60>>();
  CHECK(t.g[bytes_variable].size() * 4 == t.g[floats].size());
  static_assert(std::is_same_v<nn::impl::tiled<tensor<std::uint8_t, 3>>::element, std::uint8_t>);
  static_assert(std::is_same_v<nn::impl::tiled<std::uint8_t>::element, std::int32_t>);  // a label is a word
}

TEST_CASE("By hand: 192 words on 6 tiles") {
  // A worker has 6 of a tile's 32, each three bundles.
  CHECK(count_forward(nn::cast<float>, tensor<std::int32_t, 64>{}, 3) == counted{.compute = 12 + 6 * (18 + 19 + 3 * 6), .vertices = 6});
}

}  // namespace cast_lowering_test
