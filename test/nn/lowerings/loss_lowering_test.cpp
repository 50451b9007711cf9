// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/layers/loss.hpp>
#include <ipuflow/nn/lowerings/sequence_loss_lowering.hpp>

#include "../ipu/said.hpp"

#include <limits>

namespace loss_lowering_test {

using namespace nn_test;

namespace {

template <class E, std::size_t Classes, class Layer = nn::cross_entropy_t>
void check_cross_entropy(std::size_t samples, double tolerance, Layer layer = {}) {
  owned<float, shape<Classes>> x{samples}, y{samples}, d_y{samples}, d_x{samples};
  owned<float, shape<>> loss{samples}, d_loss{samples};
  owned<std::uint8_t, shape<>> labels{samples};
  x.randomise(1);
  d_loss.randomise(2);
  std::vector<float> label_values;
  for (std::size_t s = 0; s < samples; ++s) {
    labels.set(s, 0, static_cast<std::uint8_t>(s * 5 % Classes));
    label_values.push_back(static_cast<float>(s * 5 % Classes));
    for (std::size_t e = 0; e < Classes && nn::impl::is_ignored(layer, s * 5 % Classes); ++e) x.set(s, e, std::numeric_limits<float>::quiet_NaN());
  }
  hold<E>(x);
  using host_in = nn::in<shape<Classes>, std::uint8_t>;
  using host_out = nn::out<shape<Classes>, shape<>>;
  forward(layer,
          nn::forward_pass<float, host_in, host_out>{{x.read(), labels.read()}, {y.view(), loss.view()}});
  backward_inputs(layer, nn::inputs_pass<float, host_in, host_out>{{x.read(), labels.read()},
                                                                               {y.read(), loss.read()},
                                                                               {d_y.read(), d_loss.read()},
                                                                               {d_x.view()}});

  tile_bench t;
  t.l.samples = samples;
  const auto vx = t.value<E, shape<Classes>>(), vd_x = t.value<E, shape<Classes>>();
  const auto vl = t.value<std::int32_t, shape<>>();
  const auto v_loss = t.value<float, shape<>>(), v_d_loss = t.value<float, shape<>>();
  const nn::on_tiles nobodys{{}, false};
  using in = nn::in<tensor<E, Classes>, std::int32_t>;
  using out = nn::out<tensor<E, Classes>, tensor<float>>;
  const ipu::step program = ipu::sequence(
      lower_forward(layer, nn::forward_lowering<in, out>{t.l, {vx, vl}, {vx, v_loss}}),
      lower_backward_inputs(layer,
                            nn::inputs_lowering<in, out>{t.l, {vx, vl}, {vx, v_loss}, {nobodys, v_d_loss}, {vd_x}}));
  run_on_tiles(t, program,
               {{vx.variable, samples_of(x)}, {vl.variable, label_values}, {v_d_loss.variable, samples_of(d_loss)}},
               [&](ipu::engine& e) {
                 CHECK(farthest(read(e, t.g, v_loss.variable), samples_of(loss)) < 1e-5);
                 CHECK(farthest(read(e, t.g, vd_x.variable), samples_of(d_x)) < tolerance);
               });
}

template <class E>
void check_squared_error(std::size_t samples, double tolerance, bool wants_x, bool wants_target) {
  using form = shape<3, 5>;
  owned<float, form> x{samples}, target{samples}, y{samples}, d_y{samples}, d_x{samples}, d_target{samples};
  owned<float, shape<>> loss{samples}, d_loss{samples};
  x.randomise(1);
  target.randomise(2);
  d_loss.randomise(3);
  hold<E>(x);
  hold<E>(target);
  const nn::mean_squared_error_t layer;
  using host_in = nn::in<form, form>;
  using host_out = nn::out<form, shape<>>;
  forward(layer, nn::forward_pass<float, host_in, host_out>{{x.read(), target.read()}, {y.view(), loss.view()}});
  backward_inputs(layer, nn::inputs_pass<float, host_in, host_out>{{x.read(), target.read()},
                                                                   {y.read(), loss.read()},
                                                                   {d_y.read(), d_loss.read()},
                                                                   {d_x.view(), d_target.view()}});

  tile_bench t;
  t.l.samples = samples;
  const auto vx = t.value<E, form>(), v_target = t.value<E, form>();
  auto vd_x = t.value<E, form>(), vd_target = t.value<E, form>();
  vd_x.is_wanted = wants_x;
  vd_target.is_wanted = wants_target;
  const auto v_loss = t.value<float, shape<>>(), v_d_loss = t.value<float, shape<>>();
  using in = nn::in<tensor<E, 3, 5>, tensor<E, 3, 5>>;
  using out = nn::out<tensor<E, 3, 5>, tensor<float>>;
  const ipu::step program = ipu::sequence(
      lower_forward(layer, nn::forward_lowering<in, out>{t.l, {vx, v_target}, {vx, v_loss}}),
      lower_backward_inputs(layer, nn::inputs_lowering<in, out>{
                                       t.l, {vx, v_target}, {vx, v_loss}, {vx, v_d_loss}, {vd_x, vd_target}}));
  run_on_tiles(
      t, program,
      {{vx.variable, samples_of(x)}, {v_target.variable, samples_of(target)}, {v_d_loss.variable, samples_of(d_loss)}},
      [&](ipu::engine& e) {
        CHECK(farthest(read(e, t.g, v_loss.variable), samples_of(loss)) < 1e-5);
        if (wants_x) CHECK(farthest(read(e, t.g, vd_x.variable), samples_of(d_x)) < tolerance);
        if (wants_target) CHECK(farthest(read(e, t.g, vd_target.variable), samples_of(d_target)) < tolerance);
      });
}

}  // namespace

TEST_CASE("Cross-entropy on tiles is the host's, forward and back") {
  for (const std::size_t samples : {1u, 6u, 43u}) {
    check_cross_entropy<float, 10>(samples, 1e-5);
    check_cross_entropy<half, 7>(samples, 1e-3);
    check_cross_entropy<float, 10>(samples, 1e-5, nn::cross_entropy_of<{.smoothing = 0.1}>);
    check_cross_entropy<half, 7>(samples, 1e-3, nn::cross_entropy_of<{.smoothing = 0.25, .ignored = 5}>);
    check_cross_entropy<float, 4>(samples, 1e-5, nn::cross_entropy_of<{.ignored = 2}>);
  }
}

TEST_CASE("The squared error on tiles is the host's, whichever gradients are wanted") {
  for (const std::size_t samples : {1u, 6u, 43u}) {
    check_squared_error<float>(samples, 1e-5, true, false);
    check_squared_error<float>(samples, 1e-5, true, true);
    check_squared_error<half>(samples, 1e-3, false, true);
  }
}

TEST_CASE("A label that is no class is told like the host tells it") {
  tile_bench t;
  t.l.samples = 3;
  const auto x = t.value<float, shape<4>>();
  const auto labels = t.value<std::int32_t, shape<>>();
  const auto loss = t.value<float, shape<>>();
  using in = nn::in<tensor<float, 4>, std::int32_t>;
  using out = nn::out<tensor<float, 4>, tensor<float>>;
  const ipu::step program =
      lower_forward(nn::cross_entropy, nn::forward_lowering<in, out>{t.l, {x, labels}, {x, loss}});
  CHECK(said_by([&] {
          run_on_tiles(t, program, {{x.variable, std::vector<float>(12)}, {labels.variable, {1, 3, 4}}},
                       [](ipu::engine&) {});
        }) == "ipuflow: sample 2 of a micro-batch has label 4 but the network has 4 classes; labels count from 0");
}

TEST_CASE("By hand: the losses of two rows, on a tile each") {
  // The second row goes to its tile, its label or target, too, and its loss comes back; those of the first are copied within its own.
  // Cross-entropy is a softmax, largest to product, and a logarithm of 17 + 12 bundles; the squared error has two passes.
  tile_bench t;
  t.l.samples = 2;
  const auto x = t.value<float, shape<9>>(), target = t.value<float, shape<9>>();
  const auto label = t.value<std::int32_t, shape<>>(), loss = t.value<float, shape<>>();
  using row = tensor<float, 9>;
  const nn::forward_lowering<nn::in<row, std::int32_t>, nn::out<row, tensor<float>>> labelled{t.l, {x, label}, {x, loss}};
  constexpr std::uint64_t entropy = 4 * 11 + 2 * 20 + 6 * (4 * 32 + 39 + 29);
  CHECK(count(t, lower_forward(nn::cross_entropy, labelled)) ==
        counted{.compute = entropy + 3 * local_copy, .exchange = latency + 9 + 2 * (latency + 1), .vertices = 2});
  const nn::forward_lowering<nn::in<row, row>, nn::out<row, tensor<float>>> beside{t.l, {x, target}, {x, loss}};
  CHECK(count(t, lower_forward(nn::mean_squared_error, beside)) ==
        counted{.compute = 11 + 6 * 2 * 32 + 3 * local_copy, .exchange = 2 * (latency + 9) + latency + 1, .vertices = 2});
}

}  // namespace loss_lowering_test
