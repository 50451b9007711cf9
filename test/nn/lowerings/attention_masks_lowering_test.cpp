// SPDX-License-Identifier: BSL-1.0
// Masks on tiles are those of the host.
#include "../lowering_check.hpp"

#include <ipuflow/nn/lowerings/attention_masks_lowering.hpp>

#include <cstddef>
#include <cstdint>

namespace attention_masks_lowering_test {

using namespace ipuflow;
using namespace nn_test;

TEST_CASE("a causal mask on tiles is that of the host") { check_lowering(nn::causal_mask, tensor<float, 5, 15>{}); }

TEST_CASE("By hand: two rows of 2 x 2 scores where they stand, on a tile") {
  // A worker has one number at most: the 29 bundles of the start of an addition and three of its loop.
  CHECK(count_forward(nn::causal_mask, tensor<float, 2, 2>{}, 1) == counted{.compute = 11 + 6 * (29 + 3), .exchange = 0, .vertices = 1});
}

TEST_CASE("segments are those of the host") {
  constexpr std::size_t positions = 7, scores = 14, samples = 3;
  owned<float, shape<positions, scores>> x{samples}, y{samples}, d_y{samples}, d_x{samples};
  owned<std::uint8_t, shape<positions>> segments{samples};
  x.randomise(1);
  d_y.randomise(2);
  for (std::size_t s = 0; s < samples; ++s)
    for (std::size_t p = 0; p < positions; ++p) segments.set(s, p, static_cast<std::uint8_t>(p / (2 + s)));
  using host_in = nn::in<shape<positions, scores>, tensor<std::uint8_t, positions>>;
  using host_out = nn::out<shape<positions, scores>>;
  nn::impl::run_forward(nn::segment_mask, nn::forward_pass<float, host_in, host_out>{{x.read(), segments.read()}, {y.view()}});
  nn::impl::run_backward_inputs(
      nn::segment_mask, nn::inputs_pass<float, host_in, host_out>{{x.read(), segments.read()}, {y.read()}, {d_y.read()}, {d_x.view()}});

  tile_bench t;
  t.l.samples = samples;
  const auto on_x = t.value<float, shape<positions, scores>>(), on_d_x = t.value<float, shape<positions, scores>>();
  const auto on_y = t.value<float, shape<positions, scores>>(), on_d_y = t.value<float, shape<positions, scores>>();
  const auto on_segments = t.value<std::uint8_t, shape<positions>>();
  using in = nn::in<tensor<float, positions, scores>, tensor<std::uint8_t, positions>>;
  using out = nn::out<tensor<float, positions, scores>>;
  const ipu::step program = ipu::sequence(
      lower_forward(nn::segment_mask, nn::forward_lowering<in, out>{t.l, {on_x, on_segments}, {on_y}}),
      lower_backward_inputs(nn::segment_mask, nn::inputs_lowering<in, out>{t.l, {on_x, on_segments}, {on_y}, {on_d_y}, {on_d_x}}));
  run_on_tiles(t, program,
               {{on_x.variable, samples_of(x)}, {on_d_y.variable, samples_of(d_y)}, {on_segments.variable, samples_of(segments)}},
               [&](ipu::engine& runs) {
                 CHECK(read(runs, t.g, on_y) == samples_of(y));
                 CHECK(read(runs, t.g, on_d_x) == samples_of(d_x));
               });
}

}  // namespace attention_masks_lowering_test
