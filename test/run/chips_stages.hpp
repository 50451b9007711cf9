// SPDX-License-Identifier: BSL-1.0
// Stages made by hand for runs on chips: y = v * (w * x), element by element, with a loss of y * y / 2 at the end.
// Gradients are products of what different micro-batches made, so they come out right only if each meets its own.
#pragma once

#include <ipuflow/ipu/ops/elementwise.hpp>
#include <ipuflow/run/on_chips.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace chips_stages {

using namespace ipuflow;

inline constexpr std::size_t width = 32;  // elements of a value

inline ipu::architecture few_tiles() {
  ipu::architecture chip = ipu::mk2;
  chip.tiles = 16;
  return chip;
}

/// Fills `made` for a stage; `last` makes its own gradients.
inline plan::lowered product(ipu::graph& g, bool last, const plan::lowering_options& o) {
  const ipu::mapping map = ipu::linear(width, 8, o.where.first_tile);
  const auto kept = [&](const char* name) { return g.add_variable<float>(name, width, map); };
  const auto brief = [&](const char* name) { return g.add_temporary<float>(name, width, map); };
  const auto mul = [&](ipu::variable_id a, ipu::variable_id b, ipu::variable_id out) {
    return ipu::apply(g, ipu::binary::mul, a, b, out);
  };
  plan::lowered made;
  const ipu::variable_id x = brief("x"), h = brief("h"), y = brief("y"), dy = brief("dy");
  const ipu::variable_id dh = brief("dh"), dx = brief("dx"), more = brief("more");
  const ipu::variable_id w = kept("w"), v = kept("v"), dw = kept("dw"), dv = kept("dv");
  const ipu::variable_id x_read = o.values_wait ? brief("x again") : x;
  const ipu::variable_id h_read = o.values_wait || o.recomputes ? brief("h again") : h;
  const ipu::variable_id y_read = last && o.values_wait ? brief("y again") : y;
  const ipu::variable_id dy_read = o.slopes_wait ? brief("dy again") : dy;
  const ipu::variable_id dh_read = o.slopes_wait ? brief("dh again") : dh;
  made.entry = {x};
  made.exit = {y};
  made.exit_gradients = {dy};
  made.entry_gradients = {dx};
  made.values = {{x, x_read}};
  if (!o.recomputes) made.values.push_back({h, h_read});
  if (last) made.values.push_back({y, y_read});
  made.slopes = {{dy, dy_read}, {dh, dh_read}};
  made.parameters = {{w, dw, 0}, {v, dv, width}};
  made.forward = ipu::sequence(mul(x, w, h), mul(h, v, y));
  if (!o.training) return made;
  made.recompute = mul(x_read, w, h_read);
  made.backward_inputs = ipu::sequence(mul(dy, v, dh), mul(dh, w, dx));
  if (last) made.backward_inputs = ipu::sequence(ipu::copy_all(g, y_read, dy), made.backward_inputs);
  made.backward_weights = ipu::sequence(mul(dh_read, x_read, more), ipu::scaled_add(g, dw, 1, more),
                                        mul(dy_read, h_read, more), ipu::scaled_add(g, dv, 1, more));
  ipu::step remember;
  if (o.slopes_wait) remember = ipu::sequence(ipu::copy_all(g, dy, dy_read), ipu::copy_all(g, dh, dh_read));
  made.backward = ipu::sequence(made.backward_inputs, remember, made.backward_weights);
  made.clear = ipu::sequence(ipu::fill(g, dw, 0), ipu::fill(g, dv, 0));
  made.update = ipu::sequence(ipu::scaled_add(g, w, 0, dw));
  return made;
}

/// The last stage with a gradient of its own that the host gives: dy is what it says.
inline plan::lowered aimed(ipu::graph& g, const plan::lowering_options& o) {
  plan::lowered made = product(g, true, o);
  const ipu::variable_id target = g.add_temporary<float>("target", width, ipu::linear(width, 6, o.where.first_tile));
  const ipu::variable_id read = o.values_wait ? g.add_temporary<float>("target again", width, g[target].map()) : target;
  made.entry.push_back(target);
  made.entry_gradients.push_back({});
  made.values.push_back({target, read});
  // The first step of both was a copy of the value.
  for (ipu::step* s : {&made.backward, &made.backward_inputs})
    s->as<ipu::impl::sequence_of>().steps[0] = ipu::copy_all(g, read, *made.exit_gradients[0]);
  return made;
}

/// Adds up what the branches of the stage before made.
inline plan::lowered adder(ipu::graph& g, std::size_t branches, const plan::lowering_options& o) {
  const ipu::mapping map = ipu::linear(width, 4, o.where.first_tile);
  const auto brief = [&](const char* name) { return g.add_temporary<float>(name, width, map); };
  plan::lowered made;
  const ipu::variable_id y = brief("y"), dy = brief("dy");
  made.exit = {y};
  made.exit_gradients = {dy};
  made.forward = ipu::fill(g, y, 0);
  made.forward = ipu::sequence(made.forward);
  for (std::size_t b = 0; b < branches; ++b) {
    made.entry.push_back(brief("x"));
    made.entry_gradients.push_back(dy);
    made.forward.then(ipu::scaled_add(g, y, 1, made.entry.back()));
  }
  return made;
}

/// The stages of a fork: a product, two branches with one each, and their sum y with a loss of y * y / 2.
inline plan::lowered forked(ipu::graph& g, std::size_t stage, const plan::lowering_options& o) {
  if (stage != 2) return product(g, false, o);
  plan::lowered made = adder(g, 2, o);
  made.backward_inputs = ipu::copy_all(g, made.exit[0], *made.exit_gradients[0]);
  made.backward = made.backward_inputs;
  made.values = {{made.exit[0], made.exit[0]}};
  return made;
}

/// A stage of which only the time matters: six cycles a bundle, behind a sync of its own, on its first eight tiles.
inline plan::lowered spender(ipu::graph& g, std::size_t forward, std::size_t backward, const plan::lowering_options& o) {
  const ipu::mapping map = ipu::linear(width, 8, o.where.first_tile);
  const auto brief = [&](const char* name) { return g.add_temporary<float>(name, width, map); };
  const auto spend = [&](std::size_t bundles, ipu::variable_id from, ipu::variable_id to) {
    const ipu::codelet code(
        ipu::name_from("spend"), bytes{64}, [](std::span<const float> x, std::span<float> y) { y[0] = x[0]; },
        [bundles](const ipu::architecture&, ipu::lengths) { return ipu::vertex_cost{.bundles = bundles}; });
    return ipu::on_each_tile(g, "spend", code, to, {ipu::whole(from), ipu::whole(to)});
  };
  plan::lowered made;
  const ipu::variable_id x = brief("x"), y = brief("y"), dx = brief("dx"), dy = brief("dy");
  const ipu::variable_id x_read = o.values_wait ? brief("x again") : x;
  made.entry = {x};
  made.exit = {y};
  made.entry_gradients = {dx};
  made.exit_gradients = {dy};
  made.values = {{x, x_read}};
  made.forward = spend(forward, x, y);
  made.backward = spend(backward, x_read, dx);
  made.backward_inputs = spend(backward, x_read, dx);
  made.backward_weights = spend(backward, x_read, dx);
  return made;
}

/// How `on_chips` lowers a pipeline of so many of them.
inline auto products(std::size_t stages) {
  return [stages](ipu::graph& g, std::size_t stage, const plan::lowering_options& o) {
    return product(g, stage + 1 == stages, o);
  };
}

inline std::vector<float> all(float value) { return std::vector<float>(width, value); }
inline float weight(std::size_t stage) { return stage % 3 == 0 ? 2.0f : 1.0f; }
inline float factor(std::size_t stage) { return stage % 4 == 1 ? 2.0f : 1.0f; }
inline float input(std::size_t micro_batch) { return static_cast<float>(micro_batch % 5 + 1); }

/// Writes parameters, feeds inputs: of each place those micro-batches that it has.
inline void prepare(const run::chips_program& p, ipu::engine& e, std::size_t micro_batches, std::size_t runs = 1,
                    std::size_t replica = 0) {
  for (const run::chips_parameter& one : p.parameters()) {
    const float value = one.tensor.first == 0 ? weight(one.stage) : factor(one.stage);
    if (one.away)
      e.write(one.home, all(value), replica);
    else
      e.write(one.tensor.value, all(value), replica);
  }
  const std::size_t flows = p.inputs().size();
  for (std::size_t r = 0; r < runs; ++r) {
    for (std::size_t m = 0; m < micro_batches; ++m) {
      const std::size_t flow = flows * m / micro_batches;
      e.feed(p.inputs()[flow].stream, std::span<const float>{all(input(m))}, replica);
    }
  }
}

}  // namespace chips_stages
