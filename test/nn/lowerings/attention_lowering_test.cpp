// SPDX-License-Identifier: BSL-1.0
// Attention on tiles against the host, with as many heads as tiles and with more.
#include "../lowering_check.hpp"

#include <ipuflow/nn/lowerings/attention_lowering.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace attention_lowering_test {

using namespace ipuflow;
using namespace nn_test;

TEST_CASE("attention on tiles is that of the host") {
  for (const std::size_t samples : {1u, 3u, 25u}) {  // 50 pairs of a sample and a head on 38 tiles
    check_lowering<float, float, nn::attention_t<2, false>, tensor<float, 5, 12>>(samples, 1e-5);
    check_lowering<half, float, nn::attention_t<2, false>, tensor<half, 5, 12>>(samples, 5e-3);
    check_lowering<float, float, nn::attention_t<2, true>, tensor<float, 9, 18>>(samples, 1e-5);
  }
  check_lowering<half, float, nn::attention_t<1, true>, tensor<half, 17, 24>>(2, 5e-3);
}

TEST_CASE("heads with many tiles are cut by keys and features, too, and are those of the host") {
  check_lowering<float, float, nn::attention_t<1, false>, tensor<float, 48, 144>>(1, 1e-4);
  check_lowering<half, float, nn::attention_t<2, true>, tensor<half, 40, 192>>(1, 5e-3);
  check_lowering<half, float, nn::attention_t<1, false>, tensor<half, 33, 120>>(1, 5e-3);
}

TEST_CASE("the parts of attention are operations; of rows of scores that are cut by keys, too, so is putting them together") {
  tile_bench t;
  const nn::on_tiles x = t.value<half, shape<48, 144>>(), y = t.value<half, shape<48, 48>>();
  const ipu::step program = lower_forward(nn::attention_t<1, false>{}, nn::forward_lowering<nn::in<tensor<half, 48, 144>>, nn::out<tensor<half, 48, 48>>>{t.l, {x}, {y}});
  const ipu::memory_report m = ipu::cost(ipu::pod(few_tiles(), 1), t.g, program, {.allow_out_of_memory = true}).memory;
  const auto named = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find_if(m.operations.begin(), m.operations.end(), [&](const auto& o) { return o.name.view() == name; }) - m.operations.begin());
  };
  CHECK(m.operations.size() == 6);
  for (const char* name : {"scores", "rows", "hiding", "softmax", "mixing"}) CHECK(named(name) < m.operations.size());
  for (const auto c : {ipu::memory_category::vertex_code, ipu::memory_category::vertex_state, ipu::memory_category::exchange_code, ipu::memory_category::control_code})
    CHECK(m.of_operation(0, c) == m.total(c));
  CHECK(m.of_operation(named("rows"), ipu::memory_category::exchange_code) > 0);
  CHECK(m.of_operation(named("rows"), ipu::memory_category::vertex_state) == 0);
}

TEST_CASE("a single pair that is too small for more than a tile is that of the host, too") {
  check_lowering<float, float, nn::attention_t<1, false>, tensor<float, 1, 12>>(1, 1e-5);
}

TEST_CASE("segments are those of the host") {
  constexpr std::size_t positions = 7, samples = 3;
  using layer = nn::attention_t<2, true>;
  using x_type = tensor<float, positions, 12>;
  using y_type = tensor<float, positions, 4>;
  owned<float, shape<positions, 12>> x{samples}, d_x{samples};
  owned<float, shape<positions, 4>> y{samples}, d_y{samples};
  owned<std::uint8_t, shape<positions>> segments{samples};
  x.randomise(1);
  d_y.randomise(2);
  for (std::size_t s = 0; s < samples; ++s) {
    for (std::size_t p = 0; p < positions; ++p) segments.set(s, p, static_cast<std::uint8_t>(p / (2 + s)));
  }
  using host_in = nn::in<shape<positions, 12>, tensor<std::uint8_t, positions>>;
  using host_out = nn::out<shape<positions, 4>>;
  nn::impl::run_forward(layer{}, nn::forward_pass<float, host_in, host_out>{{x.read(), segments.read()}, {y.view()}});
  nn::impl::run_backward_inputs(
      layer{}, nn::inputs_pass<float, host_in, host_out>{{x.read(), segments.read()}, {y.read()}, {d_y.read()}, {d_x.view()}});

  tile_bench t;
  t.l.samples = samples;
  const auto on_x = t.value<float, shape<positions, 12>>(), on_d_x = t.value<float, shape<positions, 12>>();
  const auto on_y = t.value<float, shape<positions, 4>>(), on_d_y = t.value<float, shape<positions, 4>>();
  const auto on_segments = t.value<std::uint8_t, shape<positions>>();
  using in = nn::in<x_type, tensor<std::uint8_t, positions>>;
  using out = nn::out<y_type>;
  const ipu::step program = ipu::sequence(
      lower_forward(layer{}, nn::forward_lowering<in, out>{t.l, {on_x, on_segments}, {on_y}}),
      lower_backward_inputs(layer{}, nn::inputs_lowering<in, out>{t.l, {on_x, on_segments}, {on_y}, {on_d_y}, {on_d_x}}));
  run_on_tiles(t, program,
               {{on_x.variable, samples_of(x)}, {on_d_y.variable, samples_of(d_y)}, {on_segments.variable, samples_of(segments)}},
               [&](ipu::engine& runs) {
                 CHECK(farthest(read(runs, t.g, on_y), samples_of(y)) < 1e-5);
                 CHECK(farthest(read(runs, t.g, on_d_x), samples_of(d_x)) < 1e-5);
               });
}

}  // namespace attention_lowering_test
