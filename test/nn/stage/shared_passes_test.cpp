// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/stage/shared_passes.hpp>

#include <ipuflow/chips.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include "tile_runner.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace shared_passes_test {

using namespace nn_test;
using ipu::memory_category;
using nn::impl::pass_operands;
using nn::impl::shared_pass;

namespace {

template <std::size_t Layers>
constexpr auto norms_and_products = single_stage(input<float, 5, 24>, per_sample<"y", tensor<float, 5, 24>>,
    block<"first">(nn::linear<24>), repeat<Layers>(block<"layer">(nn::linear<24>, nn::layer_norm, nn::relu)),
    block<"last">(nn::linear<24>, use<"y">(nn::mean_squared_error)));

template <std::size_t Layers>
constexpr auto images = single_stage(input<float, 2, 8, 8>, per_sample<"label", std::uint8_t>,
    block<"first">(nn::conv2d<6, 3, 1, 1>), repeat<Layers>(block<"layer">(keep<"x">, nn::conv2d<6, 3, 1, 1>, nn::batch_norm, nn::relu, use<"x">(nn::add))),
    block<"last">(nn::flatten, nn::linear<5>, use<"label">(nn::cross_entropy)));

template <std::size_t Layers>
constexpr auto sequences = single_stage(input<float, 6, 16>, per_sample<"y", tensor<float, 6, 16>>,
    repeat<Layers>(block<"layer">(keep<"x">, nn::layer_norm, nn::linear<48>, nn::attention<2>, nn::linear<16>, nn::dropout<0.1>, use<"x">(nn::add))),
    block<"last">(use<"y">(nn::mean_squared_error)));

/// Checkpoints before each layer: what is within one has the variables of the first.
template <std::size_t Layers>
constexpr auto segments = single_stage(input<float, 6, 16>, per_sample<"y", tensor<float, 6, 16>>,
    repeat<Layers>(block<"layer">(nn::checkpoint, keep<"x">, nn::layer_norm, nn::linear<48>, nn::attention<2>, nn::linear<16>, use<"x">(nn::add))),
    block<"last">(nn::checkpoint, nn::linear<16>, use<"y">(nn::mean_squared_error)));

/// Layers that are alike are the host's, and to the bit those that have code of their own.
template <class P>
void check_shared(const P& network, tile_order order) {
  check_pipeline(network, 3, order, 1e-4);
  tile_order alone = order;
  alone.shares = false;
  const outcome together = on_tiles_of_chips<P>(3, 2, order), apart = on_tiles_of_chips<P>(3, 2, alone);
  CHECK(together.outputs == apart.outputs);
  CHECK(together.gradients == apart.gradients);
  CHECK(together.state == apart.state);
}

template <class P>
ipu::memory_report memory_of(const P&, bool shares, bool recomputes = false) {
  tile_run<P> t{4, 1, {.waits = recomputes, .recomputes = recomputes, .shares = shares}};
  return ipu::cost(ipu::pod(few_tiles(), P::stage_count), t.g, t.program(), {.allow_out_of_memory = true}).memory;
}

/// The code of six layers beside that of three.
template <class Three, class Six>
void check_code(const Three& three, const Six& six) {
  for (const bool recomputes : {false, true}) {
    const ipu::memory_report few = memory_of(three, true, recomputes), many = memory_of(six, true, recomputes);
    CHECK(many.total(memory_category::exchange_code) == few.total(memory_category::exchange_code));
    CHECK(many.total(memory_category::vertex_code) == few.total(memory_category::vertex_code));
    const ipu::memory_report few_apart = memory_of(three, false, recomputes), many_apart = memory_of(six, false, recomputes);
    const auto more = [](const ipu::memory_report& a, const ipu::memory_report& b, memory_category c) { return a.total(c) - b.total(c); };
    CHECK(more(many_apart, few_apart, memory_category::exchange_code) > 0);
    for (const memory_category c : {memory_category::vertex_state, memory_category::control_code})
      CHECK(2 * more(many, few, c) < more(many_apart, few_apart, c));
  }
}

/// A graph with variables of 64 floats, half of them on other tiles, and a count of what was lowered.
struct bench {
  ipu::graph g{few_tiles()};
  plan::lowering_options options{};
  plan::lowered stage{};
  nn::impl::stage_variables slots{g, options, {}, {}, stage};
  nn::impl::shared_passes shared{g, slots};
  std::size_t lowered = 0;

  ipu::variable_id variable(std::size_t first_tile = 0) {
    return g.add_variable(ipu::name_from("v"), ipu::element_type::f32, 64, ipu::linear(64, 8, first_tile, 2));
  }
  /// A pass from `in` to `out`: which of its copies there are, there and back.
  std::pair<std::size_t, std::size_t> pass(ipuflow::light_vector<nn::on_tiles> in, ipuflow::light_vector<nn::on_tiles> out, std::size_t like = 0,
                                           shared_pass kind = shared_pass::forward, std::size_t written = 64) {
    ipuflow::light_vector<nn::on_tiles> none;
    const ipu::step made = shared.pass(like, kind, {.lists = {&in, &out, &none, &none}}, [&](const nn::layer_numbers&) {
      ++lowered;
      return ipu::copy({{.from = {in[0].variable}, .to = {out[0].variable}, .length = written}});
    });
    std::pair<std::size_t, std::size_t> pieces{};
    bool called = false;
    for (const ipu::step& s : *ipu::impl::steps_in(made)) {
      called = called || s.is<ipu::call>();
      if (const auto* const c = s.get_if<ipu::copy>()) (called ? pieces.second : pieces.first) += c->pieces.size();
    }
    return pieces;
  }
};

}  // namespace

TEST_CASE("layers that are alike compute what they compute alone: products, norms") {
  check_shared(norms_and_products<4>, {});
  check_shared(norms_and_products<4>, {.waits = true, .recomputes = true});
  check_shared(norms_and_products<4>, {.waits = true, .splits = true});
}

TEST_CASE("layers that are alike compute what they compute alone: convolutions, each with its running state") {
  check_shared(images<3>, {});
  check_shared(images<3>, {.waits = true, .recomputes = true});
}

TEST_CASE("layers that are alike compute what they compute alone: attention, and layers that are random, each in its way") {
  check_shared(sequences<4>, {});
  check_shared(sequences<4>, {.waits = true, .recomputes = true, .splits = true});
}

TEST_CASE("segments that are alike compute what they compute alone, between variables that are common to them") {
  check_shared(segments<4>, {.recomputes = true, .within = true});
  check_shared(segments<4>, {.waits = true, .recomputes = true, .within = true});
  tile_run<std::remove_const_t<decltype(segments<4>)>> t{4, 1, {.recomputes = true, .within = true}};
  std::size_t layers_with_a_norm_of_their_own = 0;
  for (const ipu::variable& v : t.g.variables()) layers_with_a_norm_of_their_own += v.name().view().ends_with("layer_norm") ? 1u : 0u;
  CHECK(layers_with_a_norm_of_their_own <= 2);  // one for all, in the forward pass and made again
}

TEST_CASE("a deep stage has the exchange code of a shallow one, and each layer more is copies and calls") {
  check_code(norms_and_products<3>, norms_and_products<6>);
  check_code(images<3>, images<6>);
}

TEST_CASE("a pass is laid out once for steps whose values stand alike") {
  bench b;
  b.pass({{b.variable()}}, {{b.variable()}});
  b.pass({{b.variable()}}, {{b.variable()}});
  CHECK(b.lowered == 1);
  CHECK(b.g.functions().size() == 1);
}

TEST_CASE("a step that differs in a map, an order, what is there, what is one, a pass or its kind has code of its own") {
  bench b;
  b.pass({{b.variable()}}, {{b.variable()}});
  std::size_t expected = 1;
  const auto is_new = [&](ipuflow::light_vector<nn::on_tiles> in, ipuflow::light_vector<nn::on_tiles> out, std::size_t like = 0, shared_pass kind = shared_pass::forward) {
    b.pass(std::move(in), std::move(out), like, kind);
    CHECK(b.lowered == ++expected);
  };
  is_new({{b.variable(8)}}, {{b.variable()}});
  is_new({{b.variable(), true, ipu::in_panels(2, 32, 1)}}, {{b.variable()}});
  is_new({{b.variable()}, {b.variable()}}, {{b.variable()}});
  is_new({{b.variable()}, {{}, false}}, {{b.variable()}});
  const ipu::variable_id same = b.variable();
  is_new({{same}}, {{same}});
  is_new({{same}, {same}}, {{b.variable()}});
  is_new({{b.variable()}}, {{b.variable()}}, 1);
  is_new({{b.variable()}}, {{b.variable()}}, 0, shared_pass::to_inputs);
  b.pass({{same}, {same}}, {{b.variable()}});
  CHECK(b.lowered == expected);
}

TEST_CASE("only what a pass reads goes there, and only what it writes comes back") {
  bench b;
  using copies = std::pair<std::size_t, std::size_t>;
  CHECK(b.pass({{b.variable()}}, {{b.variable()}}) == copies{1, 1});
  CHECK(b.pass({{b.variable()}, {b.variable()}}, {{b.variable()}}) == copies{1, 1});
  CHECK(b.pass({{b.variable()}}, {{b.variable()}}, 2, shared_pass::forward, 32) == copies{1, 1});  // what it makes has no contents before
  CHECK(b.pass({{b.variable()}}, {{b.variable()}}, 0, shared_pass::to_weights, 32) == copies{2, 1});  // other things keep what is not written
  const ipu::variable_id both = b.variable();
  CHECK(b.pass({{b.variable()}, {both}}, {{both}}, 1, shared_pass::forward, 32) == copies{2, 1});
}

}  // namespace shared_passes_test
