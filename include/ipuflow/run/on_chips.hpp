// SPDX-License-Identifier: BSL-1.0
// A timetable run on a system of simulated chips: `lower(graph, stage, options)` makes a stage's programs, and what
// comes of it is one program for all chips that can be counted or, functionally, run.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/iterators.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/maybe.hpp>
#include <ipuflow/core/owner.hpp>
#include <ipuflow/ipu/engine/engine.hpp>
#include <ipuflow/ipu/machine/shortest_order.hpp>
#include <ipuflow/run/chips/build.hpp>
#include <ipuflow/run/chips/chips_fault.hpp>
#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <utility>

namespace ipuflow::run {

/// A trained tensor of a run: the host writes it at `variable`, or at `home` if that is where it lives. Its gradient, too,
/// may be in streaming memory.
struct chips_parameter {
  std::size_t stage = 0;
  std::size_t chip = 0;
  plan::trained_tensor tensor{};
  bool away = false;
  ipu::remote_id home{};
  maybe<ipu::remote_id> gradient_home{};
};

/// A program on chips made from a timetable.
template <class = void>
class basic_chips_program {
 public:
  basic_chips_program(const schedule::table& t, const ipu::chip_system& system, owner<ipu::graph> g,
                      light_vector<plan::lowered> lowered, const impl::chips_plan& plan, const chips_options& options);

  /// The cycles and bytes of a run, counted.
  [[nodiscard]] chips_profile cost() const;
  /// The first tile that has too little memory for it.
  [[nodiscard]] ipu::memory_fault verify_memory() const;

  /// The engine that runs it: write parameters, feed the entry streams, then `run`. This program must outlive it.
  [[nodiscard]] ipu::engine engine() const& { return ipu::engine(system_, *graph_, *program_, run_options()); }
  ipu::engine engine() const&& = delete;  // ipuflow: an engine runs a program that outlives it; give the program a name
  chips_profile run(ipu::engine& runs) const;

  /// The options that it was made with; each kind of tensor has its memory.
  [[nodiscard]] const chips_options& options() const { return options_; }
  [[nodiscard]] const ipu::graph& graph() const { return *graph_; }
  [[nodiscard]] const ipu::step& program() const { return *program_; }
  [[nodiscard]] const impl::chips_shape& shape() const { return profile_.shape; }
  /// The system that it runs on, its chips in the order that was chosen.
  [[nodiscard]] const ipu::chip_system& system() const { return system_; }

  /// A stage on a chip.
  struct place {
    std::size_t stage = 0;
    std::size_t chip = 0;
  };
  [[nodiscard]] const light_vector<place>& places() const { return places_; }
  /// The part that each place was lowered to; its passes have become functions of the graph.
  [[nodiscard]] const plan::lowered& part(std::size_t number) const { return parts_[number].with; }
  /// The rings of a place, with depths in the order of `stage_waits`: of what entered, of what forward passes leave, of gradients that
  /// came back, and of what backward passes for inputs leave.
  [[nodiscard]] std::array<light_vector<ipu::ring_id>, 4> rings(std::size_t number) const {
    const impl::chips_part& p = parts_[number];
    return {p.arriving.rings, p.values.rings, p.returning.rings, p.slopes.rings};
  }

  /// The kinds of `stage_move`s of a place, by channel, and last what the host sent, that have anything to move.
  [[nodiscard]] std::array<bool, impl::part_channels + 1> moves(std::size_t number) const {
    const impl::chips_part& p = parts_[number];
    return {!p.slopes.what.empty(), !p.values.what.empty(), !p.arriving.what.empty(), !p.returning.what.empty(), !p.staged.empty()};
  }

  /// Streams that the host feeds a micro-batch each time, in the order of a place's entries.
  [[nodiscard]] const light_vector<host_end>& inputs() const { return fed_; }
  /// Streams that bring what leaves the last stage.
  [[nodiscard]] const light_vector<host_end>& outputs() const { return outputs_; }
  /// Streams that the host feeds once, before the first run.
  [[nodiscard]] const light_vector<chips_argument>& arguments() const { return arguments_; }
  [[nodiscard]] const light_vector<chips_parameter>& parameters() const { return parameters_; }

 private:
  ipu::run_options run_options() const {
    return {.replicas = options_.replicas,
            .allow_out_of_memory = options_.allow_out_of_memory,
            .checked = options_.checked,
            .kept = options_.sync == waits_for::neighbours ? ipu::clocks::one_a_chip : ipu::clocks::one,
            .io_tiles = options_.io_tiles,
            .host_goes_on = options_.asynchronous_loading && options_.prefetch > 0};
  }
  chips_profile with(ipu::profile&& chips) const {
    chips_profile made = profile_;
    made.chips = std::move(chips);
    wait_for_call(made.chips);
    return made;
  }
  /// All chips wait until the host has begun the step.
  void wait_for_call(ipu::profile& chips) const {
    const cycles call = cycles_in(options_.call_time, system_.chip.clock);
    chips.total += call;
    for (ipu::chip_profile& chip : chips.chips) chip[ipu::phase::host] += call;
    for (ipu::activity& a : chips.activities) a.begin += call;
  }

  ipu::chip_system system_;
  owner<ipu::graph> graph_;
  owner<const ipu::step> program_;
  chips_options options_;
  chips_profile profile_;  // without the chips' part
  light_vector<impl::chips_part> parts_;
  light_vector<place> places_;
  light_vector<host_end> fed_;
  light_vector<host_end> outputs_;
  light_vector<chips_argument> arguments_;
  light_vector<chips_parameter> parameters_;
};
using chips_program = basic_chips_program<>;

template <class Unused>
chips_profile basic_chips_program<Unused>::cost() const {
  return with(ipu::cost(system_, *graph_, *program_, run_options()));
}

template <class Unused>
ipu::memory_fault basic_chips_program<Unused>::verify_memory() const {
  return ipu::verify(*graph_, *program_);
}

template <class Unused>
chips_profile basic_chips_program<Unused>::run(ipu::engine& runs) const {
  return with(runs.run());
}

template <class Unused>
basic_chips_program<Unused>::basic_chips_program(const schedule::table& t, const ipu::chip_system& system,
                                                 owner<ipu::graph> g, light_vector<plan::lowered> lowered,
                                                 const impl::chips_plan& plan, const chips_options& options)
    : system_{system}, graph_{std::move(g)}, options_{options} {
  impl::chips_builder builder(plan, *graph_, std::move(lowered), options);
  program_ = make_owner<const ipu::step>(builder.build());
  profile_.labels = std::move(builder.labels().labels);
  profile_.order = std::move(builder.labels().order);
  profile_.shape = builder.shape();
  profile_.runs = options.runs;
  profile_.micro_batches = t.where.micro_batches;
  outputs_ = builder.outputs();
  arguments_ = builder.arguments();
  parts_ = std::move(builder.parts());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    places_.push_back({plan.parts()[i].stage, plan.parts()[i].chip});
    fed_.insert(fed_.end(), parts_[i].fed.begin(), parts_[i].fed.end());
    for (std::size_t k = 0; k < parts_[i].with.parameters.size(); ++k) {
      const bool away = !parts_[i].homes.empty();
      parameters_.push_back({places_[i].stage, places_[i].chip, parts_[i].with.parameters[k], away,
                             away ? parts_[i].homes[k] : ipu::remote_id{}, {}});
      if (!parts_[i].sums.empty()) parameters_.back().gradient_home = parts_[i].sums[k].home;
    }
  }
}

namespace impl {

/// True if chips of a timetable can do without steps: not where one operation follows the other on all of them.
template <class = void>
[[nodiscard]] inline bool free_of_steps(const schedule::table& t) {
  return t.where.ipus > 1 && t.goes != schedule::pace::in_turn;
}

}  // namespace impl

/// The first thing that keeps a timetable from being run like that.
template <class = void>
inline chips_fault verify(const schedule::table& t, const ipu::architecture& chip, const chips_options& o) {
  if (o.runs == 0 || o.samples == 0 || o.replicas == 0) return {chips_wrong::no_run, 0, 1};
  if (o.synthetic && (o.host_time.value > 0 || !o.host_times.empty())) return {.kind = chips_wrong::idle_host};
  if (o.host_time.value > 0 && !o.host_times.empty()) return {chips_wrong::two_times, o.host_times.size()};
  constexpr std::size_t farthest = std::size_t{1} << 20;  // each is remembered until it is taken
  if (o.prefetch > farthest) return {chips_wrong::far_ahead, o.prefetch, farthest};
  if (chip.tiles == 0) return {chips_wrong::no_tiles, 0, t.where.ipus * o.replicas};
  const kept_in kinds[] = {o.activations, o.weights, o.optimiser_state, o.accumulators};
  const bool leaves = algorithms::count(std::begin(kinds), std::end(kinds), kept_in::tiles) < std::ssize(kinds);
  if (t.live != schedule::liveness::always_live && !leaves) return {chips_wrong::nothing_leaves, std::size(kinds)};
  const bool free = o.sync == waits_for::neighbours;
  if (o.io_tiles == 0) return free && impl::free_of_steps(t) ? chips_fault{chips_wrong::no_io_tiles, t.where.ipus} : chips_fault{};
  if (o.io_tiles >= chip.tiles) return {chips_wrong::io_tiles_all, o.io_tiles, chip.tiles};
  return {};
}

namespace impl {

template <class Lower>
concept lowers_stages = requires(Lower& lower, ipu::graph& g, std::size_t stage, const plan::lowering_options& how) {
  { lower(g, stage, how) } -> std::convertible_to<plan::lowered>;
};

/// The fault of a run on chips that is not given a timetable and a function that lowers stages.
template <class T, class Lower>
constexpr chips_fault verify_chips_call() {
  if constexpr (!schedule::timetable<T>) {
    return {.kind = chips_wrong::no_timetable};
  } else if constexpr (!lowers_stages<Lower>) {
    return {.kind = chips_wrong::no_lowering};
  } else {
    return {};
  }
}

/// The options with which a stage is to be lowered.
template <class = void>
[[nodiscard]] inline plan::lowering_options lowering_of(const part_plan& p, const schedule::table& t,
                                                        const ipu::architecture& chip, const chips_options& o) {
  plan::lowering_options made;
  made.where.memory_proportion = o.memory_proportion.of(p.chip);
  made.where.half_partials = o.half_partials;
  made.where.first_tile = p.chip * chip.tiles + o.io_tiles;
  made.where.tiles = chip.tiles - o.io_tiles;
  made.branch = p.branch;
  made.samples = o.samples;
  made.training = t.run_for == mode::training;
  made.recomputes = p.recomputes;
  made.by_segment = p.within;
  made.halves_run = algorithms::any_of(p.events.begin(), p.events.end(), [](const part_event& e) {
    return e.what == part_work::backward_inputs || e.what == part_work::backward_weights;
  });
  made.values_wait = p.values.waits;
  made.slopes_wait = p.slopes.waits;
  made.loss_gradient = o.loss_gradient;
  made.seed = o.seed;
  made.share_code = o.share_code;
  made.optimiser_off_chip = o.optimiser_state == kept_in::streaming_memory;
  return made;
}

/// The system with its chips in the order that the timetable asks for: neighbours are chips that have stages which follow
/// each other, in the direction of the first micro-batch and in that of the last.
template <class = void>
[[nodiscard]] inline ipu::chip_system in_order_for(const schedule::table& t, ipu::chip_system system) {
  if (system.order != ipu::chip_order::automatic) return system;
  light_vector<ipu::chip_transfer> neighbours;
  for (std::size_t stage = 0; stage + 1 < t.where.stages; ++stage) {
    for (const std::size_t m : {std::size_t{0}, t.where.micro_batches - 1}) {
      const std::size_t next = t.where.first_seat(stage + 1);
      for (std::size_t from = t.where.first_seat(stage); from < next; ++from) {
        for (std::size_t to = next; to < t.where.first_seat(stage + 2); ++to)
          neighbours.push_back({t.where.ipu_of(from, m), t.where.ipu_of(to, m), {}});
      }
    }
  }
  system.order = ipu::shortest_order(system, neighbours, t.where.ipus);
  return system;
}

}  // namespace impl

/// The program of a timetable, whichever it is. `lower(ipu::graph&, stage, plan::lowering_options)` gives an
/// `plan::lowered`.
template <class T, class Lower>
[[nodiscard]] chips_program on_chips(const T& timetable, const ipu::chip_system& system, Lower lower,
                                     const chips_options& asked = {}) {
  constexpr chips_fault found = impl::verify_chips_call<T, Lower>();
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  throw_if(schedule::verify(timetable));
  const schedule::table t = schedule::tabulate(timetable);
  throw_if(verify(t, system.chip, asked));
  throw_if(schedule::verify_stages(asked.recompute, t.where.stages));
  throw_if(ipu::verify(asked.memory_proportion, t.where.ipus));
  throw_if(verify(feed::outputs{asked.outputs, asked.period},
                  {.device_iterations = t.where.micro_batches, .run_for = t.run_for}));
  chips_options used = asked;
  impl::choose_memories(used, t.live);
  if (!impl::free_of_steps(t)) used.sync = waits_for::all_chips;
  const impl::chips_plan plan(t, used.recompute, used.sync == waits_for::neighbours);
  auto g = make_owner<ipu::graph>(system.chip, t.where.ipus);
  light_vector<plan::lowered> parts;
  for (const impl::part_plan& p : plan.parts()) parts.push_back(lower(*g, p.stage, impl::lowering_of(p, t, system.chip, used)));
  return {t, impl::in_order_for(t, system), std::move(g), std::move(parts), plan, used};
}
template <class T, class Lower>
void on_chips(const T&, const ipu::architecture&, Lower, const chips_options& = {}) = delete;  // ipuflow: a timetable runs on a system of chips; give ipu::pod(chip, n)

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
extern template class basic_chips_program<>;
#endif

}  // namespace ipuflow::run
