// SPDX-License-Identifier: BSL-1.0
// An upper bound of the memory that a training takes on the fullest tile of each chip, as a constant expression: a static_assert proves
// that a network fits. Where the bound is too large, the network may still fit; train::planner counts it.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/ipu/program/memory_proportions.hpp>
#include <ipuflow/nn/bounds/image_bounds.hpp>
#include <ipuflow/nn/bounds/layer_bounds.hpp>
#include <ipuflow/nn/bounds/sequence_bounds.hpp>
#include <ipuflow/nn/bounds/stage_bound.hpp>
#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/forms/stage_set.hpp>
#include <ipuflow/train/bounds/bound_fault.hpp>
#include <ipuflow/train/bounds/program_length.hpp>
#include <ipuflow/train/optimisers/groups.hpp>
#include <ipuflow/train/optimisers/state.hpp>
#include <ipuflow/train/precision.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ipuflow::train {

/// The sizes and the chip of a training whose memory is bounded.
struct bound_options {
  std::size_t micro_batch = 1;      ///< samples
  ipu::architecture chip = ipu::mk2;  ///< every chip
  ipu::memory_proportions memory_proportion = 0.6;  ///< of a tile's memory, for what an operation needs besides its operands: one, or one for each chip
  bool half_partials = false;       ///< products of halves are summed in halves
  schedule::stage_set recompute{};  ///< stages that keep what entered, and make the rest again within backward
  double headroom = 0.05;           ///< part of each tile's memory that is to stay free
};

/// The most that each tile of a chip takes, by use; no tile takes the most of all.
struct chip_bound {
  std::size_t chip = 0;
  std::array<std::uint64_t, plan::memory_uses> by_use{};

  constexpr std::uint64_t& operator[](plan::memory_use u) { return by_use[static_cast<std::size_t>(u)]; }
  constexpr std::uint64_t operator[](plan::memory_use u) const { return by_use[static_cast<std::size_t>(u)]; }
  [[nodiscard]] constexpr std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t b : by_use) sum += b;
    return sum;
  }
  [[nodiscard]] constexpr std::uint64_t code() const {
    using plan::memory_use;
    return (*this)[memory_use::vertex_code] + (*this)[memory_use::exchange_code] + (*this)[memory_use::control_code];
  }
  friend constexpr bool operator==(const chip_bound&, const chip_bound&) = default;
};

namespace impl {

/// The stages of a chip put together.
template <class = void>
class basic_chip_sum {
 public:
  constexpr basic_chip_sum(const bound_options& o, std::size_t bytes_of_state) : chip_{o.chip}, bytes_of_state_{bytes_of_state} {}

  /// `depth`: micro-batches that wait between its passes; `ends`: whether values come from, and go to, another stage.
  constexpr void add(const nn::stage_bound& s, std::size_t depth, bool recomputes, bool first, bool last) {
    using plan::memory_use;
    made_[memory_use::weights] += s.weights;
    made_[memory_use::gradients] += s.gradients;
    made_[memory_use::optimiser_state] += s.parameters * bytes_of_state_;
    const std::uint64_t waits = recomputes ? s.entering + s.stored : s.kept;
    made_[memory_use::stash] += waits * depth;
    const std::uint64_t ahead = s.entering;  // a place beside what enters
    most_alive_ = algorithms::max(most_alive_, algorithms::max(s.forward, s.backward) + ahead + s.leaving);
    if (depth > 0) waiting_ += waits;
    exchange_ += s.exchange_code + 2 * exchange_of_end + (recomputes ? s.exchange_forward : 0);
    state_ += s.vertex_state + s.tensors * 2 * nn::state_of_vertex;
    steps_ += s.steps + 6 * s.tensors + steps_of_stage + (first ? 0u : 2u) + (last ? 0u : 2u);
    for (const nn::code_bound& c : s.code) add_code(c);
  }

  /// `program`: steps of the timetable's program.
  constexpr chip_bound take(std::size_t program) {
    using plan::memory_use;
    for (const nn::code_bound& c : {nn::code_bound{"fill", 256}, {"update", 256}, {"scaled add", 256}}) add_code(c);
    for (const nn::code_bound& c : code_) made_[memory_use::vertex_code] += c.bytes;
    made_[memory_use::vertex_code] += 512;  // of what stands between layers [capped]
    made_[memory_use::buffers] = 64;
    made_[memory_use::activations] = most_alive_;
    made_[memory_use::vertex_state] = state_;
    made_[memory_use::exchange_code] = exchange_;
    made_[memory_use::control_code] = 12 * steps_ + code_of_program_step * program;
    made_[memory_use::stack] = 128 * (chip_.workers + 1);
    made_[memory_use::gaps] = waiting_ + most_alive_ / 8 + 64;
    return made_;
  }

 private:
  constexpr void add_code(const nn::code_bound& more) {
    for (const nn::code_bound& known : code_) {
      if (known.name == more.name) return;
    }
    code_.push_back(more);
  }

  static constexpr std::uint64_t exchange_of_end = 100;  // of a copy to or from another chip, or the host [capped]
  static constexpr std::uint64_t steps_of_stage = 36;   // that carry values, count and repeat [capped]

  const ipu::architecture& chip_;
  std::size_t bytes_of_state_;
  chip_bound made_{};
  std::uint64_t most_alive_ = 0, waiting_ = 0, exchange_ = 0, state_ = 0, steps_ = 0;
  bounded_vector<nn::code_bound, 96> code_{};
};
using chip_sum = basic_chip_sum<>;

/// True if a stage makes its values again. The last one does not where its backward passes follow their forward passes, unless checkpoints
/// cut it.
template <class P, class T>
constexpr bool recomputes(const T& timetable, std::size_t stage, std::size_t depth, const bound_options& o) {
  constexpr auto segments = []<std::size_t... S>(std::index_sequence<S...>) {
    return std::array<std::size_t, sizeof...(S)>{nn::planned<P, S, float>.segments...};
  }(std::make_index_sequence<P::stage_count>{});
  if (stage + 1 == timetable.where.stages && depth == 0 && segments[stage] == 1) return false;
  if constexpr (requires { timetable.recompute; }) return timetable.recompute != schedule::recomputation::none || o.recompute.has(stage);
  return o.recompute.has(stage);
}

template <class P, class Precision, class T, class Depths>
constexpr auto stage_bounds_of(const T& timetable, const Depths& depths, const bound_options& o) {
  const auto& where = timetable.where;
  const auto question = [&](std::size_t stage) {
    return nn::bound_question{.chip = o.chip,
                              .samples = o.micro_batch,
                              .parameters = ipu::element_type_of<typename Precision::parameter>(),
                              .accumulators = ipu::element_type_of<typename Precision::accumulator>(),
                              .memory_proportion = o.memory_proportion.of(where.ipu_of(where.first_seat(stage), 0)),
                              .half_partials = o.half_partials,
                              .recomputes = recomputes<P>(timetable, stage, depths[stage], o)};
  };
  return [&]<std::size_t... S>(std::index_sequence<S...>) {
    ipu::product_memo memo;
    return std::array<nn::stage_bound, sizeof...(S)>{nn::bound_of_stage<P, S>(question(S), memo)...};
  }(std::make_index_sequence<P::stage_count>{});
}

/// The bounds of all chips, which a fault may leave out.
template <std::size_t Chips>
struct all_bounds {
  std::array<chip_bound, Chips> chips{};
  bound_fault wrong{};
};

template <class Precision, class P, class T, class Optimiser>
constexpr auto bounds_of(const P&, const T& timetable, const Optimiser&, const bound_options& o) {
  all_bounds<P::stage_count> made;
  const auto& where = timetable.where;
  if (where.stages != P::stage_count) return made.wrong = {bound_wrong::stages, where.stages, P::stage_count, {}}, made;
  if (const auto figure = ipu::verify(o.chip)) return made.wrong = {.kind = bound_wrong::chip, .where = {.figure = figure}}, made;
  if (o.micro_batch == 0) return made.wrong = {bound_wrong::no_samples, 0, 1, {}}, made;
  if (const auto wrong = ipu::verify(o.memory_proportion, where.ipus)) return made.wrong = {bound_wrong::proportions, wrong.got, wrong.limit, {}}, made;
  const auto depths = schedule::fifo_depths(timetable);
  const auto stages = stage_bounds_of<P, Precision>(timetable, depths, o);
  const std::size_t program = program_length(timetable);
  for (std::size_t chip = 0, used = 0; chip < where.ipus; ++chip) {
    chip_sum sum(o, state_layout_of<rule_of<Optimiser>>::bytes);
    bool has_stages = false;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      const std::size_t last = where.micro_batches == 0 ? 0 : where.micro_batches - 1;
      const std::size_t seat = where.first_seat(s);
      const bool has_branches = where.first_seat(s + 1) - seat > 1;
      if (has_branches || where.ipu_of(seat, 0) != where.ipu_of(seat, last)) return made.wrong = {.kind = bound_wrong::crossed, .where = {.stage = s}}, made;
      if (where.ipu_of(seat, 0) != chip) continue;
      if (!stages[s].unknown.empty()) {
        made.wrong = {.kind = bound_wrong::layer_unknown, .where = {.chip = chip, .stage = s, .layer = stages[s].unknown}};
        return made;
      }
      sum.add(stages[s], depths[s], recomputes<P>(timetable, s, depths[s], o), s == 0, s + 1 == stages.size());
      has_stages = true;
    }
    if (!has_stages) continue;
    made.chips[used] = sum.take(program);
    made.chips[used++].chip = chip;
  }
  return made;
}

}  // namespace impl

/// The bound of each chip that has stages, of a training with these arguments, those of a session; what is behind the last one takes nothing.
template <class Precision = precision<>, class P, class T, class Optimiser>
[[nodiscard]] constexpr std::array<chip_bound, P::stage_count> memory_bounds(const P& network, const T& timetable, const Optimiser& optimiser,
                                                                            const bound_options& o = {}) {
  const auto made = impl::bounds_of<Precision>(network, timetable, optimiser, o);
  throw_if(made.wrong);
  return made.chips;
}

/// The first chip that is not proved to have enough memory.
template <class Precision = precision<>, class P, class T, class Optimiser>
[[nodiscard]] constexpr bound_fault verify_fits(const P& network, const T& timetable, const Optimiser& optimiser, const bound_options& o = {}) {
  using plan::memory_use;
  const auto made = impl::bounds_of<Precision>(network, timetable, optimiser, o);
  if (made.wrong) return made.wrong;
  const auto limit = proportion_of(o.chip.tile_memory, 1 - o.headroom).value;
  for (const chip_bound& b : made.chips) {
    const bool code = b.code() > o.chip.code_region.value;
    if (!code && b.total() <= limit) continue;
    bound_place where{.chip = b.chip};
    for (std::size_t u = 0; u < plan::memory_uses; ++u) {
      const auto use = static_cast<memory_use>(u);
      if (code && use != memory_use::vertex_code && use != memory_use::exchange_code && use != memory_use::control_code) continue;
      if (b[use] > where.largest_bytes) where.largest = use, where.largest_bytes = b[use];
    }
    if (code) return {bound_wrong::code_region, b.code(), o.chip.code_region.value, where};
    return {bound_wrong::not_proved, b.total(), limit, where};
  }
  return {};
}

}  // namespace ipuflow::train
