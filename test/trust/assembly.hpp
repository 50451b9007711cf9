// SPDX-License-Identifier: BSL-1.0
// What sessions are given of a network that was chosen while the program runs: the plan of each stage, made by the library's own
// functions from the slots and steps that a pipeline of these layers would have, and the tables of kernels and lowerings.
#pragma once

#include "networks.hpp"

#include <ipuflow/nn/stage/stage_cut.hpp>
#include <ipuflow/schedule/forms/any_timetable.hpp>
#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/train/model.hpp>
#include <ipuflow/train/threads/memory_block.hpp>
#include <ipuflow/train/threads/network_code.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace trust {

using namespace ipuflow;

/// Values of a network by number: 0 enters, 1 is the label, 2 + i is what layer i hands on.
inline constexpr std::size_t label_value = 1;
inline std::size_t made_by(std::size_t layer) { return 2 + layer; }
inline const word& word_of(const chosen_word& c) { return words()[c.word]; }
inline std::size_t first_read(const recipe& r, std::size_t layer) {
  if (r.fork && layer == r.fork.second) layer = r.fork.first;
  if (r.fork && layer == r.fork.join) layer = r.fork.second;
  return layer == 0 ? 0 : made_by(layer - 1);
}
inline std::size_t second_read(const chosen_word& c) { return word_of(c).in[1] == kind::label ? label_value : c.from == 0 ? 0 : made_by(c.from - 1); }
inline kind kind_at(const recipe& r, std::size_t value) {
  return value == 0 ? r.entry : value == label_value ? kind::label : word_of(r.layers[value - 2]).out[0];
}

template <class T>
nn::step_kernels<T> kernels_of(const word& w, bool halves) {
  if constexpr (sizeof(T) == sizeof(double)) {
    return halves ? w.exact_halves : w.doubles;
  } else {
    return halves ? w.halves : w.floats;
  }
}

template <class T>
struct stage_of_words {
  nn::impl::listed_plan plan{};
  ipuflow::light_vector<const word*> steps{};
  ipuflow::light_vector<kind> kinds{};  // of slots
  ipuflow::light_vector<nn::step_kernels<T>> kernels{};
  ipuflow::light_vector<std::size_t> leaves_at{};
  ipuflow::light_vector<const nn::impl::lowering_code*> codes{};
  ipuflow::light_vector<ipu::element_type> types{};
  ipuflow::light_vector<std::size_t> arguments{};

  nn::stage_code<T> code() const { return {nn::impl::view_of(plan), kernels, leaves_at}; }

  std::size_t add_slot(kind k) {
    const std::size_t made = plan.slots.size();
    plan.slots.push_back(slot_for<T>(k));
    plan.slots.back().root = plan.slots.back().gradient_root = made;
    kinds.push_back(k);
    return made;
  }
  /// Returns the slot of the first value that it makes.
  std::size_t add_step(const word& w, const ipuflow::light_vector<std::size_t>& in, std::size_t block, std::size_t op) {
    nn::impl::step_plan step{.facts = w.facts, .block = block, .op = op, .whole_block = block, .whole_op = op};
    for (const std::size_t i : in) step.in.push_back(i);
    for (std::size_t i = 0; i < w.outputs; ++i) step.out.push_back(add_slot(w.out[i]));
    if (w.facts.same_memory) plan.slots[step.out[0]].root = plan.slots[in[0]].root;
    plan.steps.push_back(step);
    steps.push_back(&w);
    return step.out[0];
  }
  /// What cannot be written where it leaves is copied.
  void let_go(std::size_t slot, bool travels_back, std::size_t position) {
    const std::size_t root = plan.slots[slot].root;
    bool in_place = root >= plan.entering;
    for (const std::size_t gone : plan.leaving) in_place = in_place && plan.slots[gone].root != root;
    if (!in_place) slot = add_step(copy_of(kinds[slot]), {slot}, static_cast<std::size_t>(-1), 0);
    plan.slots[slot].travels_back = travels_back;
    leaves_at.push_back(position);
    plan.leaving.push_back(slot);
  }
  void finish(bool halves) {
    plan_forward(plan);
    plan_backward(plan);
    plan_memory(plan);
    plan_segments(plan);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const word& w = *steps[i];
      nn::step_kernels<T> k = kernels_of<T>(w, halves);
      if (w.facts.same_memory && w.facts.same_gradient) k.forward = nullptr;
      if (!plan.steps[i].computes_inputs) k.backward_inputs = nullptr;
      kernels.push_back(k);
      codes.push_back(halves ? w.halves_on_tiles : w.on_tiles);
    }
    for (const kind k : kinds) {
      types.push_back(type_on_tiles(k, halves));
      arguments.push_back(nn::no_argument);
    }
  }
};

/// How many values flow into a layer: of a layer that joins branches, what each of them makes.
inline std::size_t flows_into(const recipe& r, std::size_t layer) { return r.fork && layer == r.fork.join ? 2 : 1; }

/// The values that leave in front of layer `at`, and enter behind it: what flows, then in their order those that are read by name.
inline ipuflow::light_vector<std::size_t> crossing(const recipe& r, std::size_t at) {
  ipuflow::light_vector<std::size_t> all{first_read(r, at)};
  if (flows_into(r, at) == 2) all.push_back(second_read(r.layers[at]));
  ipuflow::light_vector<std::size_t> named;
  for (std::size_t i = at; i < r.layers.size(); ++i) {
    if (word_of(r.layers[i]).inputs < 2 || flows_into(r, i) == 2) continue;
    const std::size_t v = second_read(r.layers[i]);
    if (v < made_by(at)) named.push_back(v);
  }
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  all.insert(all.end(), named.begin(), named.end());
  return all;
}

/// The layers of a stage, or of one of its branches.
struct stage_layers {
  std::size_t first = 0, last = 0;
  std::size_t stage_first = 0, stage_last = 0;
  std::size_t branch = 0;
};

template <class T>
stage_of_words<T> make_stage(const recipe& r, const stage_layers& part) {
  stage_of_words<T> made;
  constexpr auto nowhere = static_cast<std::size_t>(-1);
  ipuflow::light_vector<std::size_t> slot(2 + r.layers.size(), nowhere);
  const std::size_t first = part.stage_first;
  const ipuflow::light_vector<std::size_t> entering = first == 0 ? ipuflow::light_vector<std::size_t>{0, label_value} : crossing(r, first);
  for (std::size_t i = 0; i < entering.size(); ++i) {
    const std::size_t added = made.add_slot(kind_at(r, entering[i]));
    if (first == 0 || i >= flows_into(r, first)) slot[entering[i]] = added;
    made.plan.slots[added].has_gradient = made.plan.slots[added].travels_back = first > 0 && made.plan.slots[added].real;
  }
  made.plan.entering = entering.size();
  std::size_t flow = 0, loss = nowhere;
  for (std::size_t i = part.first; i < part.last; ++i) {
    const word& w = word_of(r.layers[i]);
    const std::size_t reads = first_read(r, i);
    ipuflow::light_vector<std::size_t> in{reads >= made_by(part.first) ? slot[reads] : 0};
    if (w.inputs > 1) in.push_back(i == first && flows_into(r, i) == 2 ? 1 : slot[second_read(r.layers[i])]);
    flow = made.add_step(w, in, 0, i);
    slot[made_by(i)] = flow;
    loss = w.outputs > 1 ? flow + 1 : nowhere;
  }
  if (part.last == r.layers.size()) {
    made.let_go(flow, true, 0);
    made.let_go(loss, true, 1);
  } else {
    const ipuflow::light_vector<std::size_t> leaving = crossing(r, part.stage_last);
    const std::size_t flows = flows_into(r, part.stage_last);
    for (std::size_t i = 0; i < leaving.size(); ++i) {
      const bool flowing = i < flows;
      if (flowing && flows == 2 && i != part.branch) continue;
      // What has entered a stage of branches is handed on by the first of them, and what a branch has made by that one.
      const bool made_here = leaving[i] >= made_by(part.first) && leaving[i] < made_by(part.last), entered = leaving[i] < made_by(part.stage_first);
      if (!flowing && !made_here && !(entered && part.branch == 0)) continue;
      made.let_go(flowing ? flow : slot[leaving[i]], kind_at(r, leaving[i]) != kind::label, i);
    }
  }
  made.finish(r.halves);
  return made;
}

/// The stages of a recipe, with each branch of one that has branches.
inline ipuflow::light_vector<stage_layers> parts_of(const recipe& r) {
  ipuflow::light_vector<stage_layers> all;
  for (std::size_t s = 0; s <= r.cuts.size(); ++s) {
    const std::size_t first = s == 0 ? 0 : r.cuts[s - 1], last = s < r.cuts.size() ? r.cuts[s] : r.layers.size();
    if (r.fork && first == r.fork.first && last == r.fork.join) {
      all.push_back({first, r.fork.second, first, last, 0});
      all.push_back({r.fork.second, last, first, last, 1});
    } else {
      all.push_back({first, last, first, last, 0});
    }
  }
  return all;
}

/// All stages of a recipe, and what a session on threads is given of them.
template <class T>
struct network_of_words {
  ipuflow::light_vector<stage_of_words<T>> stages{};
  ipuflow::light_vector<nn::stage_code<T>> codes{};
  ipuflow::light_vector<std::size_t> number{}, branch{}, first{}, values{0}, state{0};  // of seats: branches of stages
  ipuflow::light_vector<train::impl::output_code> outputs{};
  ipuflow::light_vector<train::impl::piece> tensors{};
  struct copied {
    std::size_t table = 0, copy = 0, count = 0;  // where both begin
  };
  ipuflow::light_vector<copied> copies{};
  bool half_parameters = false;

  explicit network_of_words(const recipe& r) : half_parameters{r.half_parameters} {
    ipuflow::light_vector<std::size_t> begin(r.layers.size());  // of the weights of each layer
    for (const stage_layers& part : parts_of(r)) {
      if (part.branch == 0) first.push_back(number.size());
      const std::size_t s = first.size() - 1;
      stages.push_back(make_stage<T>(r, part));
      const auto& plan = stages.back().plan;
      for (const nn::impl::step_plan& step : plan.steps) {
        const std::size_t weights = step.facts.parameters - step.facts.biases;
        if (weights > 0) {
          begin[step.op] = values.back() + step.parameters_begin;
          if (const std::size_t table = r.layers[step.op].shares; table != chosen_word::alone) copies.push_back({begin[table], begin[step.op], weights});
        }
        const auto add = [&](std::size_t at, std::size_t count) {
          if (count > 0) tensors.push_back({.stage = s, .begin = values.back() + at, .of_stage = values.back() - values[first.back()] + at, .count = count});
        };
        add(step.parameters_begin, weights);
        add(step.parameters_begin + weights, step.facts.biases);
      }
      number.push_back(s), branch.push_back(part.branch);
      values.push_back(values.back() + plan.parameters), state.push_back(state.back() + plan.state);
    }
    first.push_back(number.size());
    for (train::impl::piece& t : tensors) {
      for (const copied& c : copies)
        if (c.copy == t.begin) t.copy_of = c.table;
    }
    for (const auto& s : stages) codes.push_back(s.code());
    outputs = {{4, 4, false, ends_for<T>(kind::four, r.halves).store}, {1, 1, true, ends_for<T>(kind::loss, r.halves).store}};
  }
  network_of_words(const network_of_words&) = delete;

  train::impl::network_code<T> code() const { return {{number, branch, first, values, state}, codes, outputs}; }

  /// First parameters, with some noise, so that none begins as zero.
  template <class Number>
  train::model<Number> first_model(std::uint64_t seed) const {
    ipuflow::light_vector<double> numbers(values.back()), kept(state.back());
    for (std::size_t s = 0; s < stages.size(); ++s) {
      for (std::size_t i = 0; i < stages[s].steps.size(); ++i) {
        const nn::impl::step_plan& step = stages[s].plan.steps[i];
        const auto begin = stages[s].steps[i]->begin;
        if (begin == nullptr) continue;
        begin(nn::impl::seed_of(seed, step), numbers.data() + values[s] + step.parameters_begin, kept.data() + state[s] + step.state_begin);
      }
    }
    train::model<Number> m;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      m.values.push_back(static_cast<Number>(static_cast<float>(numbers[i] + 0.2 * static_cast<double>(nn::random_unit(seed + 1, i)) - 0.1)));
    for (const copied& c : copies) std::copy_n(m.values.begin() + static_cast<std::ptrdiff_t>(c.table), c.count, m.values.begin() + static_cast<std::ptrdiff_t>(c.copy));
    for (Number& x : m.values)
      if (half_parameters) x = static_cast<Number>(static_cast<float>(half{static_cast<float>(x)}));
    for (const double x : kept) m.state.push_back(static_cast<Number>(x));
    return m;
  }
};

/// Samples of a step: numbers between -1 and 1, or tokens, and labels.
struct made_samples {
  std::size_t width = 0;
  ipuflow::light_vector<float> numbers{};
  ipuflow::light_vector<std::uint8_t> tokens{};
  ipuflow::light_vector<std::uint8_t> labels{};

  made_samples(const recipe& r, std::size_t count, std::uint64_t seed) : width{slot_for<float>(r.entry).elements} {
    if (r.entry == kind::tokens) {
      for (std::size_t i = 0; i < count * width; ++i) tokens.push_back(static_cast<std::uint8_t>(nn::random_bits(seed, i) % vocabulary));
    } else {
      for (std::size_t i = 0; i < count * width; ++i) numbers.push_back(2 * static_cast<float>(nn::random_unit(seed, i)) - 1);
    }
    for (std::size_t i = 0; i < count; ++i) labels.push_back(static_cast<std::uint8_t>(nn::random_bits(seed + 1, i) % 4));
  }
  [[nodiscard]] const void* entering() const { return tokens.empty() ? static_cast<const void*>(numbers.data()) : tokens.data(); }
};

/// The memory of a stage for one micro-batch.
struct areas {
  ipuflow::light_vector<train::impl::memory_block> blocks{};
  nn::stage_memory memory{};

  explicit areas(const nn::area_sizes& sizes) {
    for (std::size_t a = 0; a < nn::impl::area_count; ++a) {
      blocks.emplace_back(sizes.value_bytes[a]);
      memory.values[a] = blocks.back().data();
      blocks.emplace_back(sizes.gradient_bytes[a]);
      memory.gradients[a] = blocks.back().data();
    }
  }
};

/// A timetable with the second branch of a recipe's fork beside the first one, on an IPU of its own.
schedule::table forked(const schedule::table& t, const recipe& r);
/// The timetable of a recipe; it may be refused.
schedule::table timetable_of(const recipe& r);

}  // namespace trust
