// SPDX-License-Identifier: BSL-1.0
// A whole pipeline of layers on tiles, a chip a stage, for a few micro-batches: all forward and then all backward, what
// must be kept in variables of its own. The simplest timetable that needs everything that a lowered stage offers.
// Beside it the host's runner on the same numbers.
#pragma once

#include "lowering_check.hpp"
#include "stage_runner.hpp"

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/nn/stage/tile_stage.hpp>

#include <cstddef>
#include <type_traits>
#include <span>
#include <utility>

namespace nn_test {

/// How a test runs a pipeline: one micro-batch after the other, or all of one pass before the next.
struct tile_order {
  bool waits = false;  // all forward, then all backward
  bool recomputes = false;
  bool splits = false;  // backward_inputs of all, then backward_weights of all
  bool shares = true;  // code among layers that are alike
  bool within = false;  // recomputation, segment by segment in the backward pass, which is run whole
  double memory_proportion = 0.6;
};

/// Numbers of the model as tiles store them.
inline ipuflow::light_vector<float> in_order(const ipuflow::ipu::matrix_order& order, const ipuflow::light_vector<float>& numbers) {
  ipuflow::light_vector<float> made(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) made[order.place(i)] = numbers[i];
  return made;
}

/// Entering values, sample after sample, the same for host and tiles.
template <class View>
ipuflow::light_vector<float> made_up_values(std::size_t samples, std::size_t stream) {
  using element = typename View::lane_type::value_type;
  ipuflow::light_vector<float> values(samples * View::elements);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = noise(stream, i);
    values[i] = std::is_integral_v<element> ? static_cast<float>(static_cast<int>(1 + value * value * 3))
                                            : static_cast<float>(value);
  }
  return values;
}

/// What came of it: what left the last stage, and the gradients of all parameters, stage after stage.
struct outcome {
  ipuflow::light_vector<ipuflow::light_vector<float>> outputs;
  ipuflow::light_vector<float> gradients;
  ipuflow::light_vector<float> state;
};

template <class P>
outcome on_host(std::size_t samples, std::size_t micro_batches) {
  pipeline_run<P, float> run{samples};
  run.context.updates_state = true;
  outcome made;
  for (std::size_t m = 0; m < micro_batches; ++m) {
    run.context.micro_batch = 8 + m;
    run.context.updates_state = true;
    auto& first = run.template stage<0>();
    const auto load = [&](auto view, std::size_t i) {
      const ipuflow::light_vector<float> values = made_up_values<decltype(view)>(samples, 100 * m + i);
      for (std::size_t s = 0; s < samples; ++s) {
        for (std::size_t e = 0; e < view.elements; ++e) {
          using element = typename decltype(view)::lane_type::value_type;
          const nn::lane_place at = view.place_of(s, e);
          view[at.vector].set(at.lane, static_cast<element>(values[s * view.elements + e]));
        }
      }
    };
    using first_program = nn::stage_program<P, 0, float>;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (load(first.program.template input<I>(first.memory), I), ...);
    }(std::make_index_sequence<first_program::plan.entering>{});
    run.forward();
    auto& end = run.template stage<pipeline_run<P, float>::last>();
    const auto store = [&](auto view) {
      made.outputs.emplace_back();
      for (std::size_t s = 0; s < samples; ++s) {
        for (std::size_t e = 0; e < view.elements; ++e)
          made.outputs.back().push_back(static_cast<float>(view[view.place_of(s, e).vector][view.place_of(s, e).lane]));
      }
    };
    using last_program = nn::stage_program<P, P::stage_count - 1, float>;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (store(end.program.template output<I>(end.memory)), ...);
    }(std::make_index_sequence<last_program::plan.leaving.size()>{});
    run.context.updates_state = false;
    run.backward(false);
  }
  std::apply(
      [&](auto&... stage) {
        (made.gradients.insert(made.gradients.end(), stage.d_values.begin(), stage.d_values.end()), ...);
        (made.state.insert(made.state.end(), stage.state.begin(), stage.state.end()), ...);
      },
      run.stages);
  return made;
}

/// Copies between two lists of variables, element by element; nothing where either has none.
inline ipu::step copies(const ipu::graph& g, const ipuflow::light_vector<ipuflow::maybe<ipu::variable_id>>& from,
                        const ipuflow::light_vector<ipuflow::maybe<ipu::variable_id>>& to) {
  ipu::step made;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] && to[i]) made.then(ipu::copy_all(g, *from[i], *to[i]));
  }
  return made;
}

template <class P>
struct tile_run {
  ipu::graph g{few_tiles(), P::stage_count};
  ipuflow::light_vector<plan::lowered> stages;
  std::size_t samples;
  std::size_t micro_batches;
  tile_order order;
  ipuflow::light_vector<ipu::stream_id> in, out;
  ipuflow::light_vector<ipuflow::light_vector<ipuflow::light_vector<ipu::variable_id>>> kept, kept_slopes;  // [stage][value][micro-batch]

  tile_run(std::size_t samples_, std::size_t micro_batches_, tile_order order_)
      : samples{samples_}, micro_batches{micro_batches_}, order{order_} {
    [&]<std::size_t... S>(std::index_sequence<S...>) { (add<S>(), ...); }(std::make_index_sequence<P::stage_count>{});
    for (std::size_t i = 0; i < stages.front().entry.size(); ++i) in.push_back(g.add_stream({ipu::name_from("in")}));
    for (std::size_t i = 0; i < stages.back().exit.size(); ++i) out.push_back(g.add_stream({ipu::name_from("out")}));
  }

  template <std::size_t S>
  void add() {
    const plan::lowering_options o{.where = {.memory_proportion = order.memory_proportion, .first_tile = S * few_tiles().tiles + 1},
                                  .samples = samples,
                                  .recomputes = order.recomputes,
                                  .by_segment = order.within,
                                  .halves_run = !order.within,
                                  .values_wait = order.waits,
                                  .slopes_wait = order.splits,
                                  .seed = 3,
                                  .share_code = order.shares};
    stages.push_back(nn::tile_stage<P, S>{g, o}.take());
    kept.push_back(rooms(stages.back().values));
    kept_slopes.push_back(rooms(stages.back().slopes));
  }
  ipuflow::light_vector<ipuflow::light_vector<ipu::variable_id>> rooms(const ipuflow::light_vector<plan::carried>& values) {
    ipuflow::light_vector<ipuflow::light_vector<ipu::variable_id>> made(values.size());
    for (std::size_t v = 0; v < values.size(); ++v) {
      for (std::size_t m = 0; m < micro_batches; ++m) {
        const ipu::variable& like = g[values[v].made];
        made[v].push_back(g.add_variable(ipu::name_from("room"), like.type(), like.elements(), like.map()));
      }
    }
    return made;
  }
  void carry(ipu::step& to, const ipuflow::light_vector<plan::carried>& values,
             const ipuflow::light_vector<ipuflow::light_vector<ipu::variable_id>>& rooms, std::size_t m, bool bring) {
    for (std::size_t v = 0; v < values.size(); ++v) {
      to.then(bring ? ipu::copy_all(g, rooms[v][m], values[v].read)
                              : ipu::copy_all(g, values[v].made, rooms[v][m]));
    }
  }

  static ipuflow::light_vector<ipuflow::maybe<ipu::variable_id>> all(const ipuflow::light_vector<ipu::variable_id>& ids) {
    return {ids.begin(), ids.end()};
  }

  void forward(ipu::step& to, std::size_t m) {
    for (std::size_t i = 0; i < in.size(); ++i) to.then(ipu::stream_in(in[i], stages[0].entry[i]));
    for (std::size_t s = 0; s < stages.size(); ++s) {
      if (s > 0) to.then(copies(g, all(stages[s - 1].exit), all(stages[s].entry)));
      to.then(stages[s].forward);
      if (order.waits) carry(to, stages[s].values, kept[s], m, false);
    }
    for (std::size_t i = 0; i < out.size(); ++i) to.then(ipu::stream_out(stages.back().exit[i], out[i]));
  }
  void backward(ipu::step& to, std::size_t m) {
    for (std::size_t s = stages.size(); s-- > 0;) {
      if (s + 1 < stages.size()) to.then(copies(g, stages[s + 1].entry_gradients, stages[s].exit_gradients));
      if (order.waits) carry(to, stages[s].values, kept[s], m, true);
      if (order.recomputes) to.then(stages[s].recompute);
      to.then(order.splits ? stages[s].backward_inputs : stages[s].backward);
      if (order.splits) carry(to, stages[s].slopes, kept_slopes[s], m, false);
    }
  }
  void weights(ipu::step& to, std::size_t m) {
    for (std::size_t s = 0; s < stages.size(); ++s) {
      carry(to, stages[s].values, kept[s], m, true);
      if (order.recomputes) to.then(stages[s].recompute);
      carry(to, stages[s].slopes, kept_slopes[s], m, true);
      to.then(stages[s].backward_weights);
    }
  }
  ipu::step program() {
    ipu::step made;
    for (const plan::lowered& s : stages) made.then(s.clear);
    for (std::size_t m = 0; m < micro_batches; ++m) {
      forward(made, m);
      if (!order.waits) backward(made, m);
    }
    for (std::size_t m = 0; order.waits && m < micro_batches; ++m) backward(made, m);
    for (std::size_t m = 0; order.splits && m < micro_batches; ++m) weights(made, m);
    return made;
  }
};

template <class P>
outcome on_tiles_of_chips(std::size_t samples, std::size_t micro_batches, tile_order order) {
  tile_run<P> t{samples, micro_batches, order};
  const ipu::step program = t.program();
  const ipu::chip_system all = ipu::pod(few_tiles(), P::stage_count);
  ipu::engine e(all, t.g, program, {.checked = true});
  outcome made;
  const auto part_of = [&](std::span<const float> of, std::size_t first, ipu::variable_id id) {
    const auto begin = of.begin() + static_cast<std::ptrdiff_t>(first);
    return ipuflow::light_vector<float>(begin, begin + static_cast<std::ptrdiff_t>(t.g[id].elements()));
  };
  [&]<std::size_t... S>(std::index_sequence<S...>) {
    const auto fill = [&](const plan::lowered& stage, auto& host) {
      for (const plan::trained_tensor& p : stage.parameters)
        write(e, t.g, p.value, in_order(p.order, part_of(host.values, p.first, p.value)));
      for (const plan::kept_state& k : stage.state) write(e, t.g, k.value, part_of(host.state, k.first, k.value));
      for (const ipu::variable_id c : stage.counters) write(e, t.g, c, {8});
    };
    pipeline_run<P, float> host{samples};
    (fill(t.stages[S], host.template stage<S>()), ...);
  }(std::make_index_sequence<P::stage_count>{});
  const auto feed = [&](auto view, std::size_t i, std::size_t m) {
    const ipuflow::light_vector<float> values = made_up_values<decltype(view)>(samples, 100 * m + i);
    const auto as = [&](auto element) {
      ipuflow::light_vector<decltype(element)> given;
      for (const float x : values) given.push_back(static_cast<decltype(element)>(x));
      e.feed(t.in[i], std::span<const decltype(element)>{given});
    };
    const ipu::element_type type = t.g[t.stages[0].entry[i]].type();
    if (type == ipu::element_type::f16) return as(half{});
    type == ipu::element_type::i32 ? as(std::int32_t{}) : as(float{});
  };
  using first_program = nn::stage_program<P, 0, float>;
  for (std::size_t m = 0; m < micro_batches; ++m) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (feed(decltype(std::declval<first_program>().template input<I>({})){}, I, m), ...);
    }(std::make_index_sequence<first_program::plan.entering>{});
  }
  CHECK(e.run() == ipu::cost(all, t.g, program));
  made.outputs.resize(micro_batches * t.out.size());
  for (std::size_t i = 0; i < t.out.size(); ++i) {
    ipuflow::light_vector<float> values;
    if (t.g[t.stages.back().exit[i]].type() == ipu::element_type::f16) {
      for (const half x : e.drain<half>(t.out[i])) values.push_back(float{x});
    } else {
      values = e.drain<float>(t.out[i]);
    }
    const std::size_t each = values.size() / micro_batches;
    for (std::size_t m = 0; m < micro_batches; ++m) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(m * each);
      made.outputs[m * t.out.size() + i].assign(begin, begin + static_cast<std::ptrdiff_t>(each));
    }
  }
  for (const plan::lowered& stage : t.stages) {
    for (const plan::trained_tensor& p : stage.parameters) {
      ipuflow::light_vector<float> gradient = read(e, t.g, p.gradient);
      const ipuflow::light_vector<float> stored = gradient;
      for (std::size_t i = 0; i < stored.size(); ++i) gradient[i] = stored[p.order.place(i)];
      made.gradients.insert(made.gradients.end(), gradient.begin(), gradient.end());
    }
    for (const plan::kept_state& k : stage.state) {
      const ipuflow::light_vector<float> state = read(e, t.g, k.value);
      made.state.insert(made.state.end(), state.begin(), state.end());
    }
  }
  return made;
}

/// A pipeline on tiles is the host's: outputs, gradients added up over micro-batches, running state.
template <class P>
void check_pipeline(const P&, std::size_t samples, tile_order order, double tolerance = 1e-5) {
  CAPTURE(order.waits);
  CAPTURE(order.recomputes);
  CAPTURE(order.splits);
  constexpr std::size_t micro_batches = 3;
  const outcome host = on_host<P>(samples, micro_batches);
  const outcome tiles = on_tiles_of_chips<P>(samples, micro_batches, order);
  REQUIRE(tiles.outputs.size() == host.outputs.size());
  for (std::size_t i = 0; i < host.outputs.size(); ++i) CHECK(farthest(tiles.outputs[i], host.outputs[i]) < tolerance);
  CHECK(farthest(tiles.gradients, host.gradients) < tolerance);
  CHECK(farthest(tiles.state, host.state) < tolerance);
}

}  // namespace nn_test
