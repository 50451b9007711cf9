// SPDX-License-Identifier: BSL-1.0
// One copy of the code of layers that are alike, as the vendor's compiler outlines them: their pass is a function between variables of
// its own, and each layer copies what it has there and back. A copy within tiles takes few cycles, and the exchange code, the states of
// vertices and the control code of a deep network are those of its different layers.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/program/liveness.hpp>
#include <ipuflow/nn/lowerings/lowering_calls.hpp>
#include <ipuflow/nn/stage/stage_variables.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::nn::impl {

inline constexpr std::size_t not_shared = static_cast<std::size_t>(-1);

/// Finds the steps of a stage that do the same between values that stand the same.
template <class = void>
class basic_alike_steps {
 public:
  basic_alike_steps(const ipu::graph& g, const stage_on_tiles& stage, const stage_panels& layout, const stage_variables& slots,
                    const light_vector<layer_numbers>& numbers)
      : g_{g}, stage_{stage}, layout_{layout}, slots_{slots}, numbers_{numbers} {}

  /// Of each step the first one that is like it; `not_shared` for those that are one of a kind, that differ with the micro-batch, and
  /// those that do so little that copies would cost more than their code.
  [[nodiscard]] light_vector<std::size_t> all() const {
    const std::size_t count = stage_.plan.steps.size();
    light_vector<std::size_t> made(count, not_shared);
    for (std::size_t i = 0; i < count; ++i) {
      if (made[i] != not_shared || !is_worth_it(i)) continue;
      for (std::size_t j = i + 1; j < count; ++j) {
        if (made[j] == not_shared && are_alike(i, j)) made[i] = made[j] = i;
      }
    }
    return made;
  }

  /// The layout that a product is given what stands row by row in: that of one like it, which has it in panels; plain if none has.
  [[nodiscard]] slot_layout in_panels(const light_vector<std::size_t>& alike, std::size_t i) const {
    if (alike[i] == not_shared || !reads_rows(i, step(i).in[0])) return {};
    for (std::size_t j = 0; j < alike.size(); ++j) {
      if (alike[j] == alike[i] && !reads_rows(j, step(j).in[0])) return {layout_[step(j).in[0]].order, g_[slots_[step(j).in[0]].value].map()};
    }
    return {};
  }

 private:
  const step_plan& step(std::size_t i) const { return stage_.plan.steps[i]; }
  /// True for the input of a product with a cut for panels that is not in panels.
  bool reads_rows(std::size_t i, std::size_t slot) const {
    return stage_.code[i]->panels.how == panel_use::way::multiplies && numbers_[i].cut.fits() && layout_[slot].order.is_plain();
  }

  /// The vendor's compiler values products, convolutions and norms so much higher than other operations: these have trained numbers, or
  /// do more with each value than to read or write it once.
  bool is_worth_it(std::size_t i) const {
    std::size_t values = 0;
    for (const std::size_t slot : step(i).in) values += stage_.plan.slots[slot].elements;
    for (const std::size_t slot : step(i).out) values += stage_.plan.slots[slot].elements;
    return !stage_.code[i]->counts && (step(i).facts.parameters > 0 || step(i).facts.forward_work > values);
  }

  bool are_alike(std::size_t i, std::size_t j) const {
    const step_plan &a = step(i), &b = step(j);
    const auto ins_alike = [&](std::size_t x, std::size_t y) { return slots_alike(i, x, j, y, false); };
    const auto outs_alike = [&](std::size_t x, std::size_t y) { return slots_alike(i, x, j, y, true); };
    return stage_.code[i] == stage_.code[j] && a.facts.parameters == b.facts.parameters && a.facts.biases == b.facts.biases &&
           a.facts.state == b.facts.state && a.computes_inputs == b.computes_inputs &&
           algorithms::equal(a.to.begin(), a.to.end(), b.to.begin(), b.to.end()) &&
           algorithms::equal(a.in.begin(), a.in.end(), b.in.begin(), b.in.end(), ins_alike) &&
           algorithms::equal(a.out.begin(), a.out.end(), b.out.begin(), b.out.end(), outs_alike) && numbers_alike(a.facts, numbers_[i], numbers_[j]);
  }
  bool slots_alike(std::size_t i, std::size_t a, std::size_t j, std::size_t b, bool as_output) const {
    const slot_variables &x = slots_[a], &y = slots_[b];
    if (x.has_gradient != y.has_gradient || g_[x.value].type() != g_[y.value].type() || g_[x.value].elements() != g_[y.value].elements()) return false;
    if (!as_output && reads_rows(i, a) != reads_rows(j, b)) return true;  // put in panels for it, as `in_panels` says
    const slot_layout first = seen(i, a, as_output), second = seen(j, b, as_output);
    return first.order == second.order && first.map == second.map;
  }
  /// A slot as a step sees it: in panels, where `panel_bridge` brings it there.
  slot_layout seen(std::size_t i, std::size_t slot, bool as_output) const {
    slot_layout stands{layout_[slot].order, g_[slots_[slot].value].map()};
    const panel_use& use = stage_.code[i]->panels;
    if (use.how != panel_use::way::takes || !stands.order.is_plain() || !stage_.plan.slots[slot].real) return stands;
    for (const slot_list* const list : {&step(i).in, &step(i).out}) {
      for (const std::size_t other : *list) {
        const ipu::matrix_order& like = layout_[other].order;
        if (like.is_plain() || !stage_.plan.slots[other].real) continue;
        const ipu::matrix_order order = ipu::in_panels(like.rows.count, as_output ? use.outputs : use.inputs, like.rows.parts);
        const ipu::variable& there = g_[slots_[other].value];
        return {order, there.elements() == g_[slots_[slot].value].elements() ? there.map() : layout_.evenly(order)};
      }
    }
    return stands;
  }
  bool numbers_alike(const layer_facts& facts, const layer_numbers& a, const layer_numbers& b) const {
    return a.by_columns == b.by_columns && a.cut == b.cut && (facts.parameters == facts.biases || stands_like(g_, a.weights, b.weights));
  }

 public:
  static bool stands_like(const ipu::graph& g, ipu::variable_id a, ipu::variable_id b) {
    return a.index == b.index || (g[a].type() == g[b].type() && g[a].elements() == g[b].elements() && g[a].map() == g[b].map());
  }

 private:
  const ipu::graph& g_;
  const stage_on_tiles& stage_;
  const stage_panels& layout_;
  const stage_variables& slots_;
  const light_vector<layer_numbers>& numbers_;
};
using alike_steps = basic_alike_steps<>;

/// The passes of a step. Where values are made again the same pass runs that made them first, unless there is state that only that one updates.
enum class shared_pass : unsigned char { forward, again, to_inputs, to_weights };

/// The values and numbers of a step's pass. `lists`: those of `step_values`; of some of them a pass looks at none.
struct pass_operands {
  light_vector<on_tiles>* lists[4]{};
  bool looks_at[4]{true, true, true, true};
  layer_numbers numbers{};
  bool has_weights = false, has_biases = false, has_state = false, has_gradients = false;

  /// Calls `visit(value, number of its list)`.
  template <class Visit>
  void each_value(Visit visit) const {
    for (std::size_t l = 0; l < 4; ++l) {
      if (!looks_at[l]) continue;
      for (on_tiles& v : *lists[l]) visit(v, l);
    }
  }
  template <class Visit>
  void each_number(Visit visit) {
    if (has_weights) visit(numbers.weights);
    if (has_biases) visit(numbers.biases);
    if (has_weights && has_gradients) visit(numbers.d_weights);
    if (has_biases && has_gradients) visit(numbers.d_biases);
    if (has_state) visit(numbers.state);
    if (numbers.has_notes) visit(numbers.notes);
  }
};

/// The functions of a stage's passes that more than one step has.
template <class = void>
class basic_shared_passes {
 public:
  basic_shared_passes(ipu::graph& g, const stage_variables& slots) : g_{g}, slots_{slots} {}

  /// The pass of a step between its own values: copies, and a call of what `lower(numbers)` makes between the variables of a function,
  /// which is asked for with the lists of `own` referring to these if no step before had such a pass. `like`: the step that this one is like.
  template <class Lower>
  [[nodiscard]] ipu::step pass(std::size_t like, shared_pass kind, pass_operands own, Lower lower) {
    operand_list mine = listed(own);
    const auto is_this = [&](const shared_function& f) { return !f.is_own && f.like == like && f.kind == kind && fits(f.list, mine); };
    auto found = algorithms::find_if(known_.begin(), known_.end(), is_this);
    if (found == known_.end()) {
      known_.push_back(made(mine, own, kind, lower));
      found = known_.end() - 1;
      found->like = like;
    }
    ipu::copy there, back;
    for (std::size_t i = 0; i < mine.variables.size(); ++i) {
      const ipu::variable_id outside = mine.variables[i], inside = found->list.variables[i];
      if (inside.index == outside.index) continue;
      if (found->is_read[i]) there.pieces.push_back(ipu::whole_piece(g_, outside, inside));
      if (found->is_written[i]) back.pieces.push_back(ipu::whole_piece(g_, inside, outside));
    }
    ipu::step steps;
    if (!there.pieces.empty()) steps.then(std::move(there));
    steps.then(ipu::call(found->code));
    if (!back.pieces.empty()) steps.then(std::move(back));
    return steps;
  }

 private:
  /// An operand as a lowering sees it: the place of its variable in the list, if it is there at all, and its order.
  struct seen_operand {
    std::size_t variable = not_shared;
    ipu::matrix_order order{};

    friend bool operator==(const seen_operand&, const seen_operand&) = default;
  };
  struct operand_list {
    light_vector<seen_operand> seen{};
    light_vector<ipu::variable_id> variables{};  // each once
  };
  struct shared_function {
    std::size_t like = not_shared;
    shared_pass kind = shared_pass::forward;
    operand_list list{};
    light_vector<bool> is_read{}, is_written{};
    bool is_own = false;  // it looks at values that it was not to look at: those of one step
    ipu::function_id code{};
  };

  static std::size_t place_of(operand_list& list, ipu::variable_id v) {
    const auto found = algorithms::find_if(list.variables.begin(), list.variables.end(), [&](ipu::variable_id known) { return known.index == v.index; });
    if (found != list.variables.end()) return static_cast<std::size_t>(found - list.variables.begin());
    list.variables.push_back(v);
    return list.variables.size() - 1;
  }
  static operand_list listed(pass_operands& own) {
    operand_list made;
    own.each_value([&](const on_tiles& v, std::size_t) {
      made.seen.push_back(v.wanted() ? seen_operand{place_of(made, v.variable), v.order} : seen_operand{});
    });
    own.each_number([&](ipu::variable_id v) { made.seen.push_back({place_of(made, v), {}}); });
    return made;
  }

  /// True if a variable of a function stands for one of a step. One that is common to steps is itself in both, and has no copies.
  bool replaces(ipu::variable_id inside, ipu::variable_id own) const {
    return slots_.is_common(inside) || slots_.is_common(own) ? inside.index == own.index : alike_steps::stands_like(g_, inside, own);
  }
  bool fits(const operand_list& known, const operand_list& mine) const {
    return known.seen == mine.seen && algorithms::equal(known.variables.begin(), known.variables.end(), mine.variables.begin(), mine.variables.end(),
                                                        [&](ipu::variable_id a, ipu::variable_id b) { return replaces(a, b); });
  }

  template <class Lower>
  shared_function made(const operand_list& mine, pass_operands& own, shared_pass kind, Lower& lower) {
    shared_function f{.kind = kind};
    f.list.seen = mine.seen;
    for (const ipu::variable_id v : mine.variables) {
      const ipu::variable like = g_[v];
      f.list.variables.push_back(slots_.is_common(v) ? v : g_.add_temporary(like.name(), like.type(), like.elements(), like.map()));
    }
    auto seen = f.list.seen.begin();
    own.each_value([&](on_tiles& v, std::size_t) {
      if (v.wanted()) v.variable = f.list.variables[seen->variable];
      ++seen;
    });
    own.each_number([&](ipu::variable_id& v) { v = f.list.variables[seen->variable], ++seen; });
    ipu::step body = lower(std::as_const(own.numbers));
    light_vector<pass_use> uses(g_.variables().size());
    ipu::for_each_use(g_, body, [&](std::size_t v, bool read, std::size_t written) {
      pass_use& use = uses[v];
      if (!use.met) use.read = read || written < g_.variables()[v].elements();  // what is not written at first stays as it was
      use.met = true, use.written = use.written || written > 0;
    });
    const light_vector<bool> is_result = results(f.list, own, kind);
    for (std::size_t i = 0; i < f.list.variables.size(); ++i) {
      const pass_use& use = uses[f.list.variables[i].index];
      f.is_read.push_back(use.read && !is_result[i]), f.is_written.push_back(use.written);
    }
    for (std::size_t l = 0; l < 4; ++l) {
      for (const on_tiles& v : *own.lists[l]) f.is_own = f.is_own || (!own.looks_at[l] && v.wanted() && uses[v.variable.index].met);
    }
    f.code = g_.add_function(std::move(body));
    return f;
  }

  /// Marks the variables that a pass makes, in parts if it likes: nothing is in them before, unless it reads them, too.
  static light_vector<bool> results(const operand_list& list, const pass_operands& own, shared_pass kind) {
    light_vector<std::size_t> of_list;  // each entry's
    own.each_value([&](const on_tiles&, std::size_t l) { of_list.push_back(l); });
    of_list.resize(list.seen.size(), 4);
    const bool forward = kind == shared_pass::forward || kind == shared_pass::again;
    const std::size_t written = forward ? 1 : kind == shared_pass::to_inputs ? 3 : 4;
    light_vector<bool> made(list.variables.size(), written < 4);
    for (std::size_t i = 0; i < list.seen.size(); ++i) {
      if (list.seen[i].variable != not_shared && of_list[i] != written) made[list.seen[i].variable] = false;
    }
    return made;
  }

  struct pass_use {
    bool met = false, read = false, written = false;
  };

  ipu::graph& g_;
  const stage_variables& slots_;
  light_vector<shared_function> known_{};
};
using shared_passes = basic_shared_passes<>;

}  // namespace ipuflow::nn::impl
