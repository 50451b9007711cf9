// SPDX-License-Identifier: BSL-1.0
// One copy of the code of layers that are alike, as the vendor's compiler outlines them: their pass is a function between variables of
// its own, and each layer copies what it has there and back. A copy within tiles takes few cycles, and the exchange code, the states of
// vertices and the control code of a deep network are those of its different layers.
#pragma once

#include <ipuflow/core/memo.hpp>
#include <ipuflow/core/mixed_bits.hpp>
#include <ipuflow/ipu/program/liveness.hpp>
#include <ipuflow/nn/lowerings/lowering_calls.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ipuflow::nn::impl {

/// The passes of a step, as far as they may be shared.
enum class shared_pass : unsigned char { forward, again, to_inputs, to_weights };

/// The values and numbers of a step's pass, of which some may not be there.
struct pass_operands {
  std::vector<on_tiles>* values[4]{};  ///< in, out, d_out, d_in
  layer_numbers numbers{};

  static constexpr ipu::variable_id layer_numbers::*of_numbers[] = {&layer_numbers::weights, &layer_numbers::biases, &layer_numbers::d_weights,
                                                                    &layer_numbers::d_biases, &layer_numbers::state};
};

template <class = void>
class basic_shared_passes {
 public:
  explicit basic_shared_passes(ipu::graph& g) : g_{g} {}

  /// The pass of a step, by `lower(numbers)` between the values that `with` refers to: its own, or the variables of the function.
  /// `alike`: a number for layers that do the same with values that stand the same; `facts`: which of its numbers the layer has.
  template <class Lower>
  [[nodiscard]] ipu::step pass(std::uint64_t alike, shared_pass kind, const layer_facts& facts, pass_operands with, Lower lower) {
    std::vector<shared_function>& known = known_[ipuflow::mixed_bits(alike ^ static_cast<std::uint64_t>(kind))];
    std::vector<ipu::variable_id> mine = operands_of(facts, with);
    auto found = std::find_if(known.begin(), known.end(), [&](const shared_function& f) { return fits(f, mine); });
    if (found == known.end()) {
      known.push_back(made(mine, facts, with, lower));
      found = known.end() - 1;
    }
    ipu::copy there, back;
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (found->is_read[i]) there.pieces.push_back(ipu::whole_piece(g_, mine[i], found->operands[i]));
      if (found->is_written[i]) back.pieces.push_back(ipu::whole_piece(g_, found->operands[i], mine[i]));
    }
    ipu::step steps;
    if (!there.pieces.empty()) steps.then(std::move(there));
    steps.then(ipu::call(found->code));
    if (!back.pieces.empty()) steps.then(std::move(back));
    return steps;
  }

 private:
  struct shared_function {
    std::vector<ipu::variable_id> operands{};
    std::vector<bool> is_read{}, is_written{};
    ipu::function_id code{};
  };

  /// Those that are there, each once.
  static std::vector<ipu::variable_id> operands_of(const layer_facts& facts, const pass_operands& with) {
    std::vector<ipu::variable_id> made;
    each(facts, with, [&](ipu::variable_id& v) {
      const bool is_new = std::none_of(made.begin(), made.end(), [&](ipu::variable_id known) { return known.index == v.index; });
      if (is_new) made.push_back(v);
    });
    return made;
  }
  template <class Visit>
  static void each(const layer_facts& facts, pass_operands with, Visit visit) {
    each(facts, with, with.numbers, visit);
  }
  template <class Visit>
  static void each(const layer_facts& facts, const pass_operands& with, layer_numbers& numbers, Visit visit) {
    for (std::vector<on_tiles>* const list : with.values) {
      if (list == nullptr) continue;
      for (on_tiles& v : *list) {
        if (v.wanted()) visit(v.variable);
      }
    }
    const bool has[] = {facts.parameters > facts.biases, facts.biases > 0, facts.parameters > facts.biases, facts.biases > 0, facts.state > 0};
    for (std::size_t i = 0; i < std::size(has); ++i) {
      if (has[i]) visit(numbers.*pass_operands::of_numbers[i]);
    }
  }

  bool fits(const shared_function& f, const std::vector<ipu::variable_id>& mine) const {
    return std::equal(f.operands.begin(), f.operands.end(), mine.begin(), mine.end(), [&](ipu::variable_id a, ipu::variable_id b) {
      return g_[a].type() == g_[b].type() && g_[a].elements() == g_[b].elements() && g_[a].map() == g_[b].map();
    });
  }

  template <class Lower>
  shared_function made(const std::vector<ipu::variable_id>& mine, const layer_facts& facts, pass_operands with, Lower& lower) {
    shared_function f;
    for (const ipu::variable_id v : mine) {
      const ipu::variable like = g_[v];
      f.operands.push_back(g_.add_temporary(like.name(), like.type(), like.elements(), like.map()));
    }
    each(facts, with, with.numbers, [&](ipu::variable_id& v) {
      const auto same = [&](ipu::variable_id known) { return known.index == v.index; };
      v = f.operands[static_cast<std::size_t>(std::find_if(mine.begin(), mine.end(), same) - mine.begin())];
    });
    ipu::step body = lower(with.numbers);
    std::vector<pass_use> uses(g_.variables().size());
    note(body, uses);
    for (const ipu::variable_id v : f.operands) {
      const pass_use& u = uses[v.index];
      f.is_read.push_back(u.read || (u.written > 0 && u.written < g_[v].elements()));  // what is not written stays
      f.is_written.push_back(u.written > 0);
    }
    f.code = g_.add_function(std::move(body));
    return f;
  }

  struct pass_use {
    bool read = false;
    std::size_t written = 0;
  };
  void note(const ipu::step& s, std::vector<pass_use>& uses) const {
    ipu::for_each_use(g_, s, [&](std::size_t variable, bool read, std::size_t written) {
      uses[variable].read = uses[variable].read || read;
      uses[variable].written += written;
    });
  }

  ipu::graph& g_;
  memo<std::uint64_t, std::vector<shared_function>> known_;
};
using shared_passes = basic_shared_passes<>;

}  // namespace ipuflow::nn::impl
