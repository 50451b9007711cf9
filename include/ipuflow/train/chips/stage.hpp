// SPDX-License-Identifier: BSL-1.0
// The stages of a pipeline of layers as a run on chips asks for them: each, or each branch of one whose branches
// have chips of their own, lowered with the update of its weights.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/nn/stage/tile_stage.hpp>
#include <ipuflow/schedule/timetable.hpp>
#include <ipuflow/train/chips/update.hpp>
#include <ipuflow/train/tensors.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::train::impl {

/// One branch of a stage on one chip: offsets of its numbers in the model, and positions of its outputs among those of the
/// stage.
struct chips_stage {
  std::size_t values_begin = 0;
  std::size_t state_begin = 0;
  light_vector<std::size_t> exits{};
  chips_update update{};
};

/// Advances the counter past micro-batches that other replicas process.
template <class = void>
[[nodiscard]] ipu::step skip_others(ipu::graph& g, ipu::variable_id counter, std::int32_t by) {
  return ipu::on_each_tile(g, "skip",
                           ipu::codelet(
                               ipu::name_from("skip"), ipu::elementwise_code, [by](ipu::inout<std::int32_t> number) { number[0] += by; },
                               [](const ipu::architecture&, ipu::lengths) { return ipu::vertex_cost{.bundles = 6}; }),  // a load, a sum, a store [D]
                           counter, {ipu::whole(counter)});
}

/// Numbers of branches before one of them.
template <class P, std::size_t Stage, std::size_t Branch>
[[nodiscard]] constexpr light_pair<std::size_t, std::size_t> numbers_before() {
  light_pair<std::size_t, std::size_t> sum{offsets_of<P>.values[Stage], offsets_of<P>.state[Stage]};
  [&]<std::size_t... Earlier>(std::index_sequence<Earlier...>) {
    ((sum.first += nn::planned<P, Stage, float, Earlier>.parameters,
      sum.second += nn::planned<P, Stage, float, Earlier>.state),
     ...);
  }(std::make_index_sequence < Branch == nn::every_branch ? 0 : Branch > {});
  return sum;
}

/// Lowers stages one by one, as they are asked for, and keeps what must be known of each.
template <class P, class Optimiser>
class chips_stages {
 public:
  /// `seats`: chips of each stage, for one half of the micro-batches. `skipped`: micro-batches of other replicas and
  /// halves between two runs of a stage. The update's own options are said here but for where it is.
  chips_stages(light_vector<std::size_t> seats, std::size_t skipped, ipu::element_type parameters,
               update_rule<Optimiser> rule, chips_update_options update, ipu::element_type accumulators = ipu::element_type::f32)
      : seats_{std::move(seats)},
        skipped_{static_cast<std::int32_t>(static_cast<std::uint32_t>(skipped))},
        parameters_{parameters},
        accumulators_{accumulators},
        rule_{std::move(rule)},
        update_{update} {}

  plan::lowered operator()(ipu::graph& g, std::size_t stage, plan::lowering_options o) {
    plan::lowered made;
    o.parameters = parameters_;
    o.scales_loss = update_.scale.automatic;
    o.shards = update_.parts();
    for_each_stage<P>([&]<std::size_t S>(std::integral_constant<std::size_t, S>) {
      if (S == stage) made = lower<S>(g, o);
    });
    return made;
  }

  [[nodiscard]] const light_vector<chips_stage>& all() const { return stages_; }
  /// The same before any stage was lowered, for another program.
  [[nodiscard]] chips_stages anew() const {
    chips_stages made = *this;
    made.stages_.clear();
    return made;
  }

 private:
  template <std::size_t S>
  static constexpr std::size_t branches = P::ipus_of(S).size();

  template <std::size_t S>
  plan::lowered lower(ipu::graph& g, const plan::lowering_options& o) {
    plan::lowered made;
    if (seats_[S] == 1) return lower<S, nn::every_branch>(g, o);
    [&]<std::size_t... B>(std::index_sequence<B...>) {
      ((B == o.branch ? void(made = lower<S, B>(g, o)) : void()), ...);
    }(std::make_index_sequence<branches<S>>{});
    return made;
  }

  template <std::size_t S, std::size_t Branch>
  plan::lowered lower(ipu::graph& g, plan::lowering_options o) {
    constexpr auto begin = numbers_before<P, S, Branch>();
    o.accumulators = accumulators_of(begin.first, nn::planned<P, S, float, Branch>.parameters);
    plan::lowered made = nn::tile_stage<P, S, Branch>{g, o}.take();
    for (plan::trained_tensor& t : made.parameters) note_copies(t, begin.first + t.first);
    chips_stage noted{begin.first, begin.second, {}, {}};
    for (const std::size_t exit : nn::exit_positions<P, S, Branch>) noted.exits.push_back(exit);
    if constexpr (S > 0) arrange_entries<S>(made);
    if (o.training) {
      for (const ipu::variable_id counter : made.counters) made.clear.then(skip_others(g, counter, skipped_));
      chips_update_options update = update_;
      update.where = o.where;
      update.offloads = o.optimiser_off_chip;
      update.first = noted.values_begin;
      update.seats = 0;
      for (const std::size_t s : seats_) update.seats += s;
      noted.update = update_lowering<Optimiser>{g, update, rule_}(made);
      made.before_update = std::move(noted.update.before);
      made.clear.then(noted.update.clear);
      made.told = noted.update.told;
      made.update = std::move(noted.update.program);
    }
    stages_.push_back(std::move(noted));
    return made;
  }

  /// Says which other tensor this one is a copy of, or that it has copies: both by where they begin in the model.
  static void note_copies(plan::trained_tensor& t, std::size_t first) {
    layout_of<P>.each_tie([&](std::size_t table, std::size_t copy, std::size_t) {
      if (table == first) t.number = table;
      if (copy == first) t.copy_of = table;
    });
  }

  /// Of the tensors of `count` parameters from `first` on.
  light_vector<ipu::element_type> accumulators_of(std::size_t first, std::size_t count) const {
    light_vector<ipu::element_type> made;
    for (const piece& t : update_.tensors) {
      if (t.begin < first || t.begin >= first + count) continue;
      if (t.accumulators == accumulator_type::f64) throw_if(accumulator_fault{.kind = accumulator_wrong::on_tiles});
      const bool halves = t.accumulators == accumulator_type::f16;
      made.push_back(t.accumulators == accumulator_type::of_precision ? accumulators_ : halves ? ipu::element_type::f16 : ipu::element_type::f32);
    }
    return made;
  }

  /// The values that branches hand on come branch by branch, flowing and named values of one before those of the next;
  /// arguments of the run are not among them.
  template <std::size_t S>
  void arrange_entries(plan::lowered& made) const {
    if (seats_[S - 1] == 1) return;
    const auto entry = made.entry;
    const auto gradients = made.entry_gradients;
    std::size_t at = 0;
    const auto take = [&](const auto& positions) {
      for (const std::size_t p : positions) {
        const auto& arguments = nn::arguments_entering<P, S>;
        if (arguments[p] != nn::no_argument) continue;
        const auto before = static_cast<std::size_t>(
            algorithms::count_if(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(p), [](std::size_t a) { return a == nn::no_argument; }));
        made.entry[at] = entry[before];
        made.entry_gradients[at++] = gradients[before];
      }
    };
    [&]<std::size_t... B>(std::index_sequence<B...>) {
      (take(nn::exit_positions<P, S - 1, B>), ...);
    }(std::make_index_sequence<branches<S - 1>>{});
  }

  light_vector<std::size_t> seats_;
  std::int32_t skipped_;
  ipu::element_type parameters_;
  ipu::element_type accumulators_;  // of tensors whose group has no type of its own
  update_rule<Optimiser> rule_;
  chips_update_options update_;
  light_vector<chips_stage> stages_;
};

}  // namespace ipuflow::train::impl
