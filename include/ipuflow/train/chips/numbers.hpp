// SPDX-License-Identifier: BSL-1.0
// A model's numbers on the chips of a run and back: parameters where they live, parts of them that replicas keep, the
// running state of layers, the optimiser's beginning.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/maybe.hpp>
#include <ipuflow/run/on_chips.hpp>
#include <ipuflow/train/chips/host.hpp>
#include <ipuflow/train/chips/stage.hpp>
#include <ipuflow/train/loss_scale.hpp>
#include <ipuflow/train/model.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace ipuflow::train::impl {

template <class = void>
class basic_chips_numbers {
 public:
  basic_chips_numbers(const run::chips_program& program, const light_vector<chips_stage>& stages)
      : program_{program}, stages_{stages} {}

  /// Before each step.
  void write(ipu::engine& e, const model<float>& m, std::size_t replica) const {
    for (const run::chips_parameter& p : program_.parameters()) write(e, p, values_of(m, p), replica);
    for (std::size_t part = 0; part < stages_.size(); ++part) {
      for (const plan::kept_state& s : program_.part(part).state)
        write_numbers(e, program_.graph(), s.value, state_of(m, part, s), replica);
      for (const parameter_shard& s : stages_[part].update.shards) {
        const plan::trained_tensor& t = program_.part(part).parameters[s.parameter];
        const light_vector<float> all = into_order(t.order, {m.values.data() + stages_[part].values_begin + t.first, elements(t.value)});
        write_numbers(e, program_.graph(), s.value, part_of(all, elements(s.value), replica), replica);
      }
    }
  }

  /// The state of a replica's optimiser between steps.
  struct optimiser_memory {
    light_vector<std::int32_t> updates{};
    light_vector<light_vector<std::byte>> state{};  // as it is kept: whole numbers may be larger than a float counts
    maybe<loss_scaler> scale{};  // if it follows overflows, and has
  };
  static loss_scaler scale(const optimiser_memory& of, const loss_scale& how) { return of.scale ? *of.scale : loss_scaler{how}; }

  [[nodiscard]] optimiser_memory remember(ipu::engine& e, std::size_t replica, const loss_scale& how) const {
    optimiser_memory made;
    const auto keep = [&](auto where, ipu::element_type type) {
      ipu::with_element(type, [&](auto element) {
        const auto read = e.read<decltype(element)>(where, replica);
        made.state.emplace_back(read.size() * sizeof element);
        std::memcpy(made.state.back().data(), read.data(), made.state.back().size());
      });
    };
    each_update([&](const chips_update& u) {
      made.updates.push_back(e.read<std::int32_t>(u.updates, replica)[0]);
      if (u.scale) {
        const light_vector<std::int32_t> counts = e.read<std::int32_t>(u.scale->counts, replica);
        made.scale = loss_scaler{how, e.read<float>(u.scale->factor, replica)[0], static_cast<std::size_t>(counts[0]),
                                 static_cast<std::size_t>(counts[1])};
      }
      for (const ipu::variable_id v : u.state) keep(v, program_.graph()[v].type());
      for (const ipu::remote_id r : u.homes) keep(r, program_.graph().remotes()[r.index].type);
    });
    return made;
  }

  /// Before the first step on an engine: with nothing remembered there was no update yet.
  void recall(ipu::engine& e, const optimiser_memory& from, std::size_t replica, const loss_scale& how) const {
    const loss_scaler now = scale(from, how);
    std::size_t update = 0;
    std::size_t tensor = 0;
    const auto give = [&](auto where, ipu::element_type type, std::size_t elements) {
      ipu::with_element(type, [&](auto element) {
        light_vector<decltype(element)> given(elements, decltype(element){});
        if (!from.state.empty()) std::memcpy(given.data(), from.state[tensor].data(), from.state[tensor].size());
        e.write(where, given, replica);
      });
      ++tensor;
    };
    each_update([&](const chips_update& u) {
      e.write(u.updates, light_vector{from.updates.empty() ? std::int32_t{0} : from.updates[update++]}, replica);
      if (u.scale) {
        e.write(u.scale->factor, light_vector{now.factor()}, replica);
        e.write(u.scale->counts, light_vector{static_cast<std::int32_t>(now.good()), static_cast<std::int32_t>(now.skipped())}, replica);
      }
      for (const ipu::variable_id v : u.state) give(v, program_.graph()[v].type(), elements(v));
      for (const ipu::remote_id r : u.homes) give(r, program_.graph().remotes()[r.index].type, program_.graph().remotes()[r.index].elements);
    });
  }

  /// Reads the numbers that the first replica has learned, or each a part of; running state is the mean over all chips that keep it.
  void read(ipu::engine& e, model<float>& m) const {
    for (const run::chips_parameter& p : program_.parameters()) {
      const std::span<const float> where = values_of(m, p);
      const std::span<float> to{m.values.data() + (where.data() - m.values.data()), where.size()};
      const std::size_t each = elements(p.tensor.kept());
      light_vector<float> mine(each);
      for (std::size_t r = 0; r * each < to.size(); ++r) {
        if (p.away)
          read_numbers(e, program_.graph(), p.home, mine, r);
        else
          read_numbers(e, program_.graph(), p.tensor.kept(), mine, r);
        algorithms::copy_n(mine.begin(), algorithms::min(each, to.size() - r * each), to.begin() + static_cast<std::ptrdiff_t>(r * each));
      }
      out_of_order(p.tensor.order, to);
    }
    light_vector<float> sum(m.state.size(), 0);
    light_vector<float> copies(m.state.size(), 0);
    for (std::size_t part = 0; part < stages_.size(); ++part) {
      for (const plan::kept_state& s : program_.part(part).state) {
        light_vector<float> here(elements(s.value));
        read_numbers(e, program_.graph(), s.value, here);
        const std::size_t begin = stages_[part].state_begin + s.first;
        for (std::size_t i = 0; i < here.size(); ++i) sum[begin + i] += here[i], ++copies[begin + i];
      }
    }
    for (std::size_t i = 0; i < sum.size(); ++i) m.state[i] = sum[i] / copies[i];
  }

 private:
  std::size_t elements(ipu::variable_id v) const { return program_.graph()[v].elements(); }

  std::span<const float> values_of(const model<float>& m, const run::chips_parameter& p) const {
    return {m.values.data() + stages_[part_of(p)].values_begin + p.tensor.first, elements(p.tensor.value)};
  }
  std::span<const float> state_of(const model<float>& m, std::size_t part, const plan::kept_state& s) const {
    return {m.state.data() + stages_[part].state_begin + s.first, elements(s.value)};
  }
  std::size_t part_of(const run::chips_parameter& p) const {
    std::size_t found = 0;
    for (std::size_t part = 0; part < stages_.size(); ++part) {
      for (const plan::trained_tensor& t : program_.part(part).parameters) {
        if (t.value.index == p.tensor.value.index) found = part;
      }
    }
    return found;
  }

  /// The part of a tensor that a replica keeps if all keep `each` numbers; zeros behind the last one.
  static light_vector<float> part_of(std::span<const float> tensor, std::size_t each, std::size_t replica) {
    light_vector<float> mine(each);
    for (std::size_t i = 0; i < each && replica * each + i < tensor.size(); ++i) mine[i] = tensor[replica * each + i];
    return mine;
  }

  void write(ipu::engine& e, const run::chips_parameter& p, std::span<const float> values, std::size_t replica) const {
    light_vector<float> mine = into_order(p.tensor.order, values);
    if (p.tensor.part) mine = part_of(mine, elements(*p.tensor.part), replica);
    if (p.away)
      write_numbers(e, program_.graph(), p.home, mine, replica);
    else
      write_numbers(e, program_.graph(), p.tensor.kept(), mine, replica);
  }

  template <class Visit>
  void each_update(Visit visit) const {
    for (std::size_t part = 0; part < stages_.size(); ++part) {
      if (stages_[part].update.counts) visit(stages_[part].update);
    }
  }

  const run::chips_program& program_;
  const light_vector<chips_stage>& stages_;
};
using chips_numbers = basic_chips_numbers<>;

}  // namespace ipuflow::train::impl
