// SPDX-License-Identifier: BSL-1.0
// The weight update of a stage on tiles: gradients are added up over replicas, every tile updates what it holds of each
// tensor. The optimiser's state stands beside the parameters, or in streaming memory and is brought for the update; it
// may be sharded, each replica updating its part of every tensor. Then it gets the parts of the others, unless it never keeps those.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/ops/reduce.hpp>
#include <ipuflow/ipu/ops/replica_parts.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>
#include <ipuflow/plan/lowered.hpp>
#include <ipuflow/train/chips/gradient_norm.hpp>
#include <ipuflow/train/chips/tile_scale.hpp>
#include <ipuflow/train/chips/tile_update.hpp>
#include <ipuflow/train/chips/update_options.hpp>
#include <ipuflow/train/chips/update_portions.hpp>
#include <ipuflow/train/tensors.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace ipuflow::train::impl {

/// Makes the update of one stage.
template <class Optimiser>
class update_lowering {
 public:
  update_lowering(ipu::graph& g, const chips_update_options& o, update_rule<Optimiser> rule)
      : g_{g}, o_{o}, rule_{std::move(rule)} {}

  chips_update operator()(const plan::lowered& stage) {
    if (stage.parameters.empty() && stage.state.empty() && !stage.loss_scale) return {};
    made_.counts = true;
    made_.updates = g_.add_variable(ipu::name_from("updates"), ipu::element_type::i32, 1, ipu::on_tile(1, o_.where.first_tile));
    if (!o_.scale.automatic) count();
    light_vector<std::size_t> parameters;  // of each tensor
    for (std::size_t i = 0; i < stage.parameters.size(); ++i) {
      made_.gradients.push_back({});
      if (stage.parameters[i].copy_of) continue;
      tensors_.push_back(reduced(stage.parameters[i], i, made_.gradients.back()));
      parameters.push_back(i);
    }
    for (std::size_t i = 0; i < tensors_.size(); ++i) prepare(tensors_[i], made_.gradients[parameters[i]]);
    look_at_all(stage);
    if (o_.scale.automatic) take_back_states(g_, stage.state, number_, made_.clear, made_.program);
    for (std::size_t first = 0; first < tensors_.size();) {
      const std::size_t end = o_.offloads ? end_of_portion(g_, tensors_, first) : tensors_.size();
      for (std::size_t i = first; i < end; ++i) fetch(tensors_[i]);
      if constexpr (updates_in_halves<Optimiser>)
        update_in_halves(first, end);
      else
        update(first, end);
      for (std::size_t i = first; i < end; ++i) give_back(tensors_[i]);
      first = end;
    }
    average(stage.state);
    return finished();
  }

 private:
  using tensor = updated_tensor;
  template <class... Step>
  void run(Step... steps) {
    (made_.program.then(std::move(steps)), ...);
  }

  /// One more update; its number goes to all tiles.
  void count() {
    run(ipu::on_each_tile(g_, "count updates",
                          ipu::codelet(
                              ipu::name_from("count updates"), ipu::elementwise_code,
                              [](ipu::inout<std::int32_t> number) { ++number[0]; },
                              [](const ipu::architecture&, ipu::lengths) { return ipu::vertex_cost{.bundles = 6}; }),  // a load, a sum, a store [D]
                          made_.updates, {ipu::whole(made_.updates)}));
    spread_number(made_.updates);
  }
  void spread_number(ipu::variable_id number) {
    const ipu::arranged all = on_all_tiles(g_, number, "updates", o_.where);
    number_ = all.variable;
    run(all.bring);
  }

  /// The tensor that is updated, its gradient added up.
  tensor reduced(const plan::trained_tensor& t, std::size_t index, gradient_left& left) {
    tensor made{t.value, t.gradient, t.value, true, o_.first + t.first, group_of(o_.first + t.first)};
    if (o_.shards && o_.parts().cuts(g_[t.value].elements())) {
      shard(made, t, index);
      left.sums = o_.shard_gradients ? gradient_sums_on::each_its_part : gradient_sums_on::each_its_own;
    } else if (o_.replicas > 1) {
      run(ipu::all_reduce(t.gradient));
    }
    left.is_raw = made.gradient.index != t.gradient.index;
    return made;
  }

  /// Brings what the update needs beside the gradient, once all gradients are added up: their collectives stand side by side.
  void prepare(tensor& t, gradient_left& left) {
    const ipu::variable_id added_up = t.gradient;
    if (o_.looks_at_all() && g_[added_up].type() != ipu::element_type::f32) {  // what is taken out of halves would be lost
      const ipu::variable_id wide = g_.add_temporary(ipu::name_from("gradient"), ipu::element_type::f32, g_[added_up].elements(), g_[added_up].map());
      run(ipu::cast(g_, added_up, wide));
      t.gradient = wide;
      left.is_raw = true;
    }
    state_layout_of<rule_of<Optimiser>>::with_parts([&](auto... part) { (add_state(t, part), ...); });
  }

  static bool is_shard(const tensor& t) { return t.whole.index != t.value.index; }

  std::size_t group_of(std::size_t first) const {
    for (const piece& p : o_.tensors) {
      if (p.begin == first) return p.group;
    }
    return 0;
  }

  /// Makes parts of what replicas have not shared out before; of a tensor that stays whole, beside it.
  void shard(tensor& t, const plan::trained_tensor& of, std::size_t index) {
    const std::size_t each = ipu::part_size(g_[of.value].elements(), o_.replicas);
    const bool is_summed = o_.shard_gradients;
    t.is_given_back = !of.part;
    if (of.part) {
      t.value = *of.part;
    } else {
      const ipu::element_type type = g_[of.value].type();
      ipu::name_text name = g_[of.value].name();
      name += " part";
      t.value = g_.add_variable(name, type, each, is_summed ? g_[of.gradient].map() : nn::spread(g_, type, each, o_.where));
      made_.shards.push_back({index, t.value});
    }
    if (is_summed) return;
    t.gradient = g_.add_temporary(ipu::name_from("gradient part"), g_[of.gradient].type(), each, g_[t.value].map());
    run(ipu::add_up_parts(g_, of.gradient, t.gradient, o_.replicas));
  }

  /// On each tile `Count` runs, each as long as the tile's part of the tensor.
  template <class Number, std::size_t Count>
  void add_state(tensor& t, state_part<Number, Count>) {
    light_vector<ipu::tile_block> blocks;
    for (const ipu::mapped_interval& i : g_[t.value].map()) blocks.push_back({i.tile, (i.end - i.begin) * Count});
    const std::size_t elements = g_[t.value].elements() * Count;
    const auto type = ipu::element_type_of<Number>();
    ipu::name_text name = g_[t.value].name();
    name += " state";
    if (!o_.offloads) {
      t.state.push_back(g_.add_variable(name, type, elements, ipu::mapping_of(blocks)));
      made_.state.push_back(t.state.back());
      return;
    }
    t.state.push_back(g_.add_temporary(name, type, elements, ipu::mapping_of(blocks)));
    t.homes.push_back(g_.add_remote(name.view(), elements, type));
    made_.homes.push_back(t.homes.back());
  }

  void fetch(const tensor& t) {
    for (std::size_t i = 0; i < t.homes.size(); ++i) run(ipu::load(t.homes[i], t.state[i]));
  }

  /// One vertex on each tile of these tensors from `first` on, in one compute set. `code(parameter, gradient, rule)`.
  template <class Code>
  void on_all(std::string_view name, std::size_t first, const light_vector<light_vector<ipu::operand>>& operands, Code code) {
    const ipu::compute_set_id set = g_.add_compute_set(name);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const tensor& t = tensors_[first + i];
      light_vector<ipu::tile_vertex<std::size_t>> vertices;
      for (const ipu::mapped_interval& at : g_[t.value].map()) vertices.push_back({at.tile, t.first + at.begin});
      ipu::codelet made = ipu::with_real(g_[t.value].type(), [&](auto parameter) {
        return ipu::with_real(g_[t.gradient].type(), [&](auto gradient) { return code(parameter, gradient, rule_for(t)); });
      });
      ipu::add_on_tiles(g_, set, std::move(made), std::move(vertices), operands[i]);
    }
    run(ipu::execute(set));
  }

  /// Gradients of all stages are looked at together: if one has overflown there is no update; if they are too long, all are
  /// shortened.
  void look_at_all(const plan::lowered& stage) {
    light_vector<ipu::variable_id> gradients;
    light_vector<bool> in_shards;
    for (const tensor& t : tensors_) gradients.push_back(t.gradient), in_shards.push_back(is_shard(t));
    if (!o_.looks_at_all()) return;
    const gradient_limit limit{o_.max_norm, rule_.loss_factor, o_.seats, in_shards, o_.where};
    const auto tell = [&](std::string_view what, const ipu::codelet& code) {
      made_.told.push_back(measure_gradients(g_, what, gradients, code, limit, made_.program));
    };
    if (o_.scale.automatic) {
      made_.scale = add_tile_scale(g_, stage.loss_scale, o_.where);
      if (!gradients.empty()) unscale_gradients(g_, gradients, *made_.scale, o_.where, made_.program);
      tell("overflows", overflow_codelet());
    }
    if (o_.limits_gradients()) tell("squares", squares_codelet(rule_.loss_factor, o_.max_norm));
    made_.before = algorithms::exchange(made_.program, {});
    if (o_.limits_gradients() && !gradients.empty())
      made_.shortened_by = shorten_gradients(g_, gradients, limit, made_.told.back().read, made_.program);
    if (o_.scale.automatic) decide();
  }

  /// All stages decide alike, each on its first tile.
  void decide() {
    const ipu::variable_id number =
        g_.add_temporary(ipu::name_from("number of the update"), ipu::element_type::i32, 1, ipu::on_tile(1, o_.where.first_tile));
    run(ipu::on_each_tile(g_, "decide", decide_codelet(o_.scale), number,
                          {ipu::whole(made_.told.front().read), ipu::whole(made_.scale->factor), ipu::whole(made_.scale->counts),
                           ipu::whole(made_.updates), ipu::whole(number), ipu::whole(made_.scale->used)}));
    spread_number(number);
  }

  update_rule<Optimiser> rule_for(const tensor& t) const {
    update_rule<Optimiser> made = rule_;
    made.group = t.group;
    return made;
  }

  static void add_state_of(const tensor& t, light_vector<ipu::operand>& operands) {
    for (const ipu::variable_id part : t.state) operands.push_back(ipu::whole(part));
  }

  void update(std::size_t first, std::size_t end) {
    light_vector<light_vector<ipu::operand>> operands;
    for (std::size_t i = first; i < end; ++i) {
      const tensor& t = tensors_[i];
      operands.push_back({ipu::whole(t.value), ipu::whole(t.gradient), ipu::whole(number_)});
      add_state_of(t, operands.back());
    }
    on_all("update", first, operands, [](auto parameter, auto gradient, const auto& rule) {
      return update_codelet<decltype(parameter), decltype(gradient)>(rule);
    });
  }

  /// Sums of the parts of each tensor are added up over its tiles and, if it is sharded, over replicas.
  void update_in_halves(std::size_t first, std::size_t end) {
    constexpr std::size_t width = std::tuple_size_v<typename rule_of<Optimiser>::sums_type>;
    light_vector<light_vector<ipu::operand>> first_half, second_half;
    light_vector<ipu::variable_id> parts;
    for (std::size_t i = first; i < end; ++i) {
      const tensor& t = tensors_[i];
      light_vector<ipu::tile_block> blocks;
      for (const ipu::mapped_interval& at : g_[t.value].map()) blocks.push_back({at.tile, width});
      parts.push_back(g_.add_temporary(ipu::name_from("sums of parts"), ipu::element_type::f32, width * blocks.size(), ipu::mapping_of(blocks)));
      first_half.push_back({ipu::whole(t.value), ipu::whole(t.gradient), ipu::whole(number_), ipu::whole(parts.back())});
      add_state_of(t, first_half.back());
    }
    on_all("prepare update", first, first_half,
           [](auto parameter, auto gradient, const auto& rule) { return prepare_codelet<decltype(parameter), decltype(gradient)>(rule); });
    for (std::size_t i = first; i < end; ++i) {
      const tensor& t = tensors_[i];
      const ipu::variable_id part = parts[i - first];
      const ipu::mapping map = g_[t.value].map();  // variables move when one is added
      const ipu::variable_id sums = g_.add_temporary(ipu::name_from("sums"), ipu::element_type::f32, width, ipu::on_tile(width, map.front().tile));
      run(ipu::reduce(g_, ipu::reduce_operation::sum, {1, map.size(), width}, part, sums, o_.where));
      if (is_shard(t)) run(ipu::all_reduce(sums));
      const ipu::arranged all =
          ipu::arrange(g_, sums, "sums", g_[part].map(), {{.length = width, .copies = map.size(), .copy_step = width}});
      run(all.bring);
      second_half.push_back({ipu::whole(t.value), ipu::whole(number_), ipu::whole(all.variable)});
      if constexpr (finishes_with_gradients<Optimiser>) second_half.back().push_back(ipu::whole(t.gradient));
      add_state_of(t, second_half.back());
    }
    on_all("finish update", first, second_half, [](auto parameter, auto gradient, const auto& rule) { return finish_codelet<decltype(parameter), decltype(gradient)>(rule); });
  }

  void give_back(const tensor& t) {
    for (std::size_t i = 0; i < t.homes.size(); ++i) run(ipu::store(t.state[i], t.homes[i]));
    if (is_shard(t) && t.is_given_back) run(ipu::gather_parts(g_, t.value, t.whole, o_.replicas));
  }

  /// Running state of layers is the mean over replicas.
  void average(const light_vector<plan::kept_state>& states) {
    if (o_.replicas == 1) return;
    const float share = 1 / static_cast<float>(o_.replicas);
    for (const plan::kept_state& s : states) run(ipu::all_reduce(s.value));
    for (const plan::kept_state& s : states)
      run(ipu::on_each_tile(g_, "mean", times_codelet(share), s.value, {ipu::whole(s.value)}));
  }

  chips_update finished() {
    if (o_.merges) {
      ipu::merge_collectives(g_, made_.before);
      ipu::merge_collectives(g_, made_.program);
    }
    return std::move(made_);
  }

  ipu::graph& g_;
  chips_update_options o_;
  update_rule<Optimiser> rule_;
  chips_update made_{};
  light_vector<tensor> tensors_;
  ipu::variable_id number_{};
};

}  // namespace ipuflow::train::impl
