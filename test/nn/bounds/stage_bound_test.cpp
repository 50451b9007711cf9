// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/graph.hpp>
#include <ipuflow/nn/bounds/layer_bounds.hpp>
#include <ipuflow/nn/bounds/stage_bound.hpp>
#include <ipuflow/nn.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>

namespace stage_bound_test {

using namespace ipuflow;

constexpr auto network = pipeline(input<half, 64>, per_sample<"label", std::uint8_t>,
    stage(block<"A">(nn::linear<32>, nn::relu)).ipu<0>(),
    stage(block<"B">(nn::linear<10>, use<"label">(nn::cross_entropy))).ipu<1>());
using P = std::remove_cvref_t<decltype(network)>;

TEST_CASE("a stage has its tensors, what it keeps and what is at its ends") {
  constexpr nn::bound_question q{.samples = 64, .parameters = ipu::element_type::f16, .accumulators = ipu::element_type::f32};
  constexpr nn::stage_bound a = nn::bound_of_stage<P, 0>(q), b = nn::bound_of_stage<P, 1>(q);
  CHECK(a.unknown.empty());
  CHECK(a.tensors == 2);
  CHECK(a.weights == a.parameters * 2);
  CHECK(a.gradients == a.parameters * 4);
  CHECK(a.entering >= 128);      // 64 x 64 halves on 64 tiles, or where a product makes their gradient
  CHECK(b.entering >= 128 + 4);  // and labels
  CHECK(a.kept >= 128);
  CHECK(b.forward > 0);
  CHECK(b.backward >= b.kept);
}

TEST_CASE("twice the samples take no less") {
  std::uint64_t last = 0;
  for (const std::size_t samples : {1'000u, 10'000u, 100'000u}) {
    const nn::stage_bound a = nn::bound_of_stage<P, 0>({.samples = samples});
    CHECK(a.forward + a.backward > last);
    last = a.forward + a.backward;
  }
}

constexpr auto sequences = single_stage(input<half, 33, 128>, block<"A">(nn::linear<257>, nn::linear<128>, nn::linear<65>));

TEST_CASE("a stage that runs forward again cuts its products for that") {
  using S = std::remove_cvref_t<decltype(sequences)>;
  const nn::stage_bound once = nn::bound_of_stage<S, 0>({.samples = 33}), again = nn::bound_of_stage<S, 0>({.samples = 33, .recomputes = true});
  CHECK(once.largest != again.largest);
  const auto product = [](std::size_t in, std::size_t out, std::size_t to_inputs) {
    return ipu::bounded_product{{33 * 33, in, out, ipu::amp_precision::half_float}, {2, to_inputs, 1}};
  };
  const ipu::bounded_product all[]{product(128, 257, 0), product(257, 128, 1), product(128, 65, 1)};
  ipu::product_bound found[3]{};
  ipu::product_memo{}.bound({ipu::mk2, 33, nn::bound_question{}.memory()}, all, 3, found);
  for (const ipu::product_bound& p : found) CHECK(p.passes.temporary <= again.largest);
}

struct twice {};
template <class X>
constexpr X output_of(twice, X) {
  return {};
}
template <class X>
constexpr nn::layer_facts facts(twice, X) {
  return {};
}
template <class T, class X, class Y>
void forward(twice, nn::forward_pass<T, nn::in<X>, nn::out<Y>>) {}
template <class T, class X, class Y>
void backward_inputs(twice, nn::inputs_pass<T, nn::in<X>, nn::out<Y>>) {}

constexpr auto own = single_stage(input<half, 64>, block<"A">(nn::linear<32>, twice{}));

TEST_CASE("a layer without a bound is named") {
  const nn::stage_bound a = nn::bound_of_stage<std::remove_cvref_t<decltype(own)>, 0>({});
  CHECK(a.unknown.view().find("twice") != a.unknown.view().npos);
}

}  // namespace stage_bound_test
