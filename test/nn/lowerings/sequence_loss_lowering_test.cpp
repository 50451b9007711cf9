// SPDX-License-Identifier: BSL-1.0
// What layers and losses make of sequences on tiles is what they make of them on the host.
#include "../lowering_check.hpp"

#include <ipuflow/nn/lowerings/copy_lowering.hpp>
#include <ipuflow/nn/lowerings/dropout_lowering.hpp>
#include <ipuflow/nn/lowerings/linear_lowering.hpp>
#include <ipuflow/nn/lowerings/sample_norm_lowering.hpp>
#include <ipuflow/nn/lowerings/sequence_loss_lowering.hpp>
#include <ipuflow/nn/lowerings/softmax_lowering.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sequence_loss_lowering_test {

using namespace ipuflow;
using namespace nn_test;

TEST_CASE("each position is a sample to layers that look at one vector at a time") {
  check_lowering(nn::linear<6>, tensor<float, 3, 7>{});
  check_lowering(nn::layer_norm, tensor<float, 3, 7>{});
  check_lowering(nn::softmax, tensor<float, 3, 7>{});
  check_lowering(nn::dropout<0.25>, tensor<float, 3, 7>{});
  check_lowering(nn::flatten, tensor<float, 3, 7>{});
}

namespace {

template <class E, class Label>
void check_loss(std::size_t samples, double tolerance) {
  constexpr std::size_t positions = 3, classes = 5;
  using host_in = nn::in<shape<positions, classes>, tensor<Label, positions>>;
  using host_out = nn::out<shape<positions, classes>, shape<>>;
  owned<float, shape<positions, classes>> x{samples}, d_x{samples};
  owned<Label, shape<positions>> labels{samples};
  owned<float, shape<>> loss{samples}, d_loss{samples};
  x.randomise(1);
  hold<E>(x);
  d_loss.randomise(2);
  for (std::size_t s = 0; s < samples; ++s) {
    for (std::size_t p = 0; p < positions; ++p) labels.set(s, p, static_cast<Label>((s + p) % classes));
  }
  nn::impl::run_forward(nn::cross_entropy, nn::forward_pass<float, host_in, host_out>{{x.read(), labels.read()}, {x.view(), loss.view()}});
  nn::impl::run_backward_inputs(nn::cross_entropy, nn::inputs_pass<float, host_in, host_out>{
                                                       {x.read(), labels.read()}, {x.read(), loss.read()}, {x.read(), d_loss.read()}, {d_x.view()}});
  tile_bench t;
  t.l.samples = samples;
  using on_label = typename nn::impl::tiled<tensor<Label, positions>>::element;
  const auto on_x = t.value<E, shape<positions, classes>>(), on_d_x = t.value<E, shape<positions, classes>>();
  const auto on_labels = t.value<on_label, shape<positions>>();
  const auto on_loss = t.value<float, shape<>>(), on_d_loss = t.value<float, shape<>>();
  using in = nn::in<tensor<E, positions, classes>, tensor<on_label, positions>>;
  using out = nn::out<tensor<E, positions, classes>, tensor<float>>;
  const ipu::step program = ipu::sequence(
      lower_forward(nn::cross_entropy, nn::forward_lowering<in, out>{t.l, {on_x, on_labels}, {on_x, on_loss}}),
      lower_backward_inputs(nn::cross_entropy,
                            nn::inputs_lowering<in, out>{t.l, {on_x, on_labels}, {on_x, on_loss}, {on_x, on_d_loss}, {on_d_x}}));
  run_on_tiles(t, program,
               {{on_x.variable, samples_of(x)}, {on_labels.variable, samples_of(labels)}, {on_d_loss.variable, samples_of(d_loss)}},
               [&](ipu::engine& runs) {
                 CHECK(farthest(read(runs, t.g, on_loss), samples_of(loss)) < tolerance);
                 CHECK(farthest(read(runs, t.g, on_d_x), samples_of(d_x)) < tolerance);
               });
}

}  // namespace

TEST_CASE("the cross-entropy of sequences") {
  for (const std::size_t samples : {1u, 5u, 43u}) {
    check_loss<float, std::uint16_t>(samples, 1e-5);
    check_loss<float, std::uint8_t>(samples, 1e-5);
    check_loss<half, std::int32_t>(samples, 5e-3);
  }
}

}  // namespace sequence_loss_lowering_test
