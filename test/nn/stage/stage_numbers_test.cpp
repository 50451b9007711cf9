// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/stage/stage_numbers.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <utility>

namespace stage_numbers_test {

using namespace ipuflow;

namespace {

/// A layer of ten weights, three biases and two numbers of state, behind one of as many.
plan::lowered made(ipu::graph& g, const plan::lowering_options& o, nn::layer_numbers* first = nullptr) {
  plan::lowered to;
  nn::impl::stage_numbers numbers{g, o, to};
  const nn::layer_facts facts{.parameters = 13, .biases = 3, .state = 2};
  const nn::layer_numbers n = numbers.make({.facts = facts}, ipu::name_from("a"));
  (void)numbers.make({.facts = facts, .parameters_begin = 13, .state_begin = 2}, ipu::name_from("b"));
  if (first != nullptr) *first = n;
  return to;
}

}  // namespace

TEST_CASE("Tensors come in the order of the model, with their gradients where they are") {
  ipu::graph g{ipu::mk2};
  nn::layer_numbers n;
  const plan::lowered all = made(g, {}, &n);
  REQUIRE(all.parameters.size() == 4);
  constexpr std::size_t first[] = {0, 10, 13, 23};
  constexpr std::size_t size[] = {10, 3, 10, 3};
  for (std::size_t i = 0; i < 4; ++i) {
    const plan::trained_tensor& t = all.parameters[i];
    CHECK(t.first == first[i]);
    CHECK(!t.part);
    CHECK(t.kept().index == t.value.index);
    for (const ipu::variable_id v : {t.value, t.gradient}) CHECK(g[v].elements() == size[i]);
    CHECK(g[t.gradient].map() == g[t.value].map());
    CHECK(g[t.gradient].type() == ipu::element_type::f32);
  }
  CHECK((n.weights.index == all.parameters[0].value.index && n.d_biases.index == all.parameters[1].gradient.index));
  CHECK((all.state.size() == 2 && all.state[1].first == 2));
  CHECK(g[n.weights].name().view() == "a weights");
  CHECK(made(g, {.training = false}).parameters[0].gradient.index == 0);
}

TEST_CASE("Each tensor has accumulators of its own type") {
  using enum ipu::element_type;
  ipu::graph g{ipu::mk2};
  const plan::lowered all = made(g, {.parameters = f16, .accumulators = {f32, f16, f16}});
  constexpr ipu::element_type wanted[] = {f32, f16, f16, f32};
  for (std::size_t i = 0; i < 4; ++i) CHECK(g[all.parameters[i].gradient].type() == wanted[i]);
  for (const plan::trained_tensor& t : all.parameters) CHECK(g[t.value].type() == f16);
}

TEST_CASE("Parts are as long as they must be; only what is large enough has them") {
  ipu::graph g{ipu::mk2};
  const plan::lowered all = made(g, {.shards = {.replicas = 4, .weights = true, .gradients = true}});
  const plan::trained_tensor& cut = all.parameters[0];
  REQUIRE(cut.part);
  CHECK(g[*cut.part].elements() == 3);
  CHECK(g[*cut.part].always_live());
  CHECK(g[cut.value].elements() == 10);
  CHECK(!g[cut.value].always_live());
  CHECK(g[cut.gradient].elements() == 3);
  CHECK(g[cut.gradient].map() == g[*cut.part].map());
  CHECK(!all.parameters[1].part);  // three biases on four replicas
  CHECK(g[all.parameters[1].gradient].elements() == 3);
  const plan::lowered apart = made(g, {.shards = {.replicas = 2, .gradients = true, .at_least = 10}});
  CHECK(!apart.parameters[0].part);
  CHECK(g[apart.parameters[0].gradient].elements() == 5);
  CHECK(g[apart.parameters[1].gradient].elements() == 3);
}

TEST_CASE("A pass is preceded by gathering the tensors that it reads, in functions that it calls, too") {
  ipu::graph g{ipu::mk2};
  plan::lowered to;
  const plan::lowering_options o{.shards = {.replicas = 2, .weights = true}};
  nn::impl::stage_numbers numbers{g, o, to};
  const nn::layer_numbers n = numbers.make({.facts = {.parameters = 16, .biases = 4}}, ipu::name_from("a"));
  const ipu::variable_id out = g.add_variable<float>("out", 12, ipu::linear(12, 1));
  const ipu::step reads = ipu::call(g.add_function(ipu::sequence(ipu::copy_all(g, n.weights, out))));
  const ipu::step made = numbers.with_wholes(reads);
  const auto& steps = made.as<ipu::impl::sequence_of>().steps;
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].as<ipu::all_gather>().whole.index == n.weights.index);
  CHECK(steps[1].is<ipu::call>());
}

}  // namespace stage_numbers_test
