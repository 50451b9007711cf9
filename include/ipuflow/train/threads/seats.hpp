// SPDX-License-Identifier: BSL-1.0
// The branches of all stages of a pipeline, numbered one after the other: what an IPU runs. A stage without concurrent
// branches is one seat. Parameters follow the order of the blocks, so those of a seat lie behind those of the seats
// before it.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/nn/stage/stage_program.hpp>
#include <ipuflow/train/tensors.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow::train::impl {

/// The seats of a pipeline, one for each branch of each stage.
template <class P>
struct seat_list {
  std::size_t stage[P::block_count]{};
  std::size_t branch[P::block_count]{};
  std::size_t first[P::stage_count + 1]{};  ///< seat of each stage

  [[nodiscard]] constexpr std::size_t count() const { return first[P::stage_count]; }
  [[nodiscard]] constexpr std::size_t branches(std::size_t of_stage) const { return first[of_stage + 1] - first[of_stage]; }
};

template <class P>
inline constexpr seat_list<P> seats_of = [] {
  seat_list<P> all;
  for (std::size_t s = 0; s < P::stage_count; ++s) {
    const std::size_t branches = P::placement.branches(s);
    for (std::size_t b = 0; b < branches; ++b) {
      all.stage[all.first[s] + b] = s;
      all.branch[all.first[s] + b] = b;
    }
    all.first[s + 1] = all.first[s] + branches;
  }
  return all;
}();

template <class P, std::size_t Seat>
inline constexpr std::size_t branch_of =
    seats_of<P>.branches(seats_of<P>.stage[Seat]) == 1 ? nn::every_branch : seats_of<P>.branch[Seat];

template <class P, std::size_t Seat, class Compute = float>
using seat_program = nn::stage_program<P, seats_of<P>.stage[Seat], Compute, branch_of<P, Seat>>;

/// Calls `visit(std::integral_constant<std::size_t, seat>)` for every seat.
template <class P, class Visit>
constexpr void for_each_seat(Visit visit) {
  [&]<std::size_t... Seat>(std::index_sequence<Seat...>) {
    (visit(std::integral_constant<std::size_t, Seat>{}), ...);
  }(std::make_index_sequence<seats_of<P>.count()>{});
}

/// The first thing that keeps a pipeline of layers from running on the host, computed with `T`.
template <class P, class T>
constexpr nn::nn_fault verify_network(bool trains) {
  nn::nn_fault found;
  for_each_seat<P>([&]<std::size_t Seat>(std::integral_constant<std::size_t, Seat>) {
    if (!found) found = nn::verify_stage<P, seats_of<P>.stage[Seat], T, branch_of<P, Seat>>(trains);
  });
  return found;
}

template <class P>
inline constexpr part_offsets<seats_of<P>.count()> seat_offsets_of = [] {
  part_offsets<seats_of<P>.count()> all;
  for_each_seat<P>([&]<std::size_t Seat>(std::integral_constant<std::size_t, Seat>) {
    all.template add<seat_program<P, Seat>>(Seat);
  });
  return all;
}();

/// The same outside of the pipeline's type. Of each seat its stage and branch and where its parameters and state begin;
/// of each stage, and behind the last, its first seat.
struct seat_table {
  light_span<const std::size_t> stage{};
  light_span<const std::size_t> branch{};
  light_span<const std::size_t> first{};
  light_span<const std::size_t> values{};
  light_span<const std::size_t> state{};

  constexpr std::size_t count() const { return stage.size(); }
  constexpr std::size_t stages() const { return first.size() - 1; }
  constexpr std::size_t branches(std::size_t of_stage) const { return first[of_stage + 1] - first[of_stage]; }
  constexpr std::size_t all_values() const { return values[count()]; }
  constexpr std::size_t all_state() const { return state[count()]; }
};

template <class P>
inline constexpr seat_table seat_table_of = [] {
  constexpr std::size_t count = seats_of<P>.count();
  return seat_table{{seats_of<P>.stage, count},
                    {seats_of<P>.branch, count},
                    {seats_of<P>.first, P::stage_count + 1},
                    {seat_offsets_of<P>.values, count + 1},
                    {seat_offsets_of<P>.state, count + 1}};
}();

}  // namespace ipuflow::train::impl
