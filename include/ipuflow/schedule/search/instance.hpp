// SPDX-License-Identifier: BSL-1.0
// An instance of the search: passes as lanes of equal operations, one for each micro-batch, with times, lags and memory. A
// schedule orders the lanes of each IPU; micro-batches go through a lane in order, since they are alike. Read backwards in
// time an instance is one again, `mirrored`: what is known of beginnings is known of ends.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/op.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// Times and bytes of a search: differences of them are needed.
using amount = std::ptrdiff_t;

inline constexpr amount endless = static_cast<amount>(static_cast<std::size_t>(-1) / 8);

/// A pass of a stage: its operations are one for each micro-batch.
struct search_lane {
  pass kind = pass::forward;
  std::size_t stage = 0;
  std::size_t ipu = 0;
  std::size_t chunk = 0;                     ///< of its IPU, in the order of stages
  amount time = 0;
  amount memory = 0;                         ///< what its end adds to what the IPU holds
  amount during = 0;                         ///< the most that it adds until then, its end included
  amount later = 0;                          ///< what the same micro-batch still adds in this chunk
  std::size_t before[2] = {nowhere, nowhere};  ///< lanes whose operation of the same micro-batch must be over,
  amount lag[2] = {0, 0};                    ///< for as long
  std::size_t after[2] = {nowhere, nowhere};
  std::size_t reader = nowhere;  ///< lane on another IPU that reads what it makes
  bool again = false;            ///< it frees what was made again
};

/// Lanes come in an order in which each is behind those that it waits for.
struct search_instance {
  std::size_t ipus = 0;
  std::size_t micro_batches = 0;
  dynamic_array<search_lane> lanes{};
  dynamic_array<dynamic_array<std::size_t>> of_ipu{};  ///< lanes of each IPU, ascending
  dynamic_array<dynamic_array<amount>> adds{};         ///< what a micro-batch adds in all of each chunk of an IPU
  dynamic_array<amount> limit{};                       ///< of what an IPU holds
  dynamic_array<amount> release{};                     ///< no operation of the IPU is earlier
  dynamic_array<amount> offset{};                      ///< the objective is the largest end of an IPU, less this
  std::size_t recomputed = 0;                          ///< lanes that make activations again
  std::size_t capacity = nowhere;                      ///< of the channel between two lanes, in messages

  [[nodiscard]] constexpr std::size_t operations() const { return lanes.size() * micro_batches; }
  /// The most that a micro-batch adds in a chunk.
  [[nodiscard]] constexpr amount largest() const {
    amount most = 0;
    for (const auto& ipu : adds) {
      for (const amount a : ipu) most = a > most ? a : most;
    }
    return most;
  }
  [[nodiscard]] constexpr amount most_room() const {
    amount most = 0;
    for (const amount l : limit) most = l > most ? l : most;
    return most;
  }
  /// True if an IPU has several chunks.
  [[nodiscard]] constexpr bool chunked() const {
    for (const auto& ipu : adds) {
      if (ipu.size() > 1) return true;
    }
    return false;
  }
};

/// Fills in all that follows from the lanes themselves.
constexpr void complete(search_instance& of) {
  of.of_ipu = dynamic_array<dynamic_array<std::size_t>>(of.ipus);
  of.adds = dynamic_array<dynamic_array<amount>>(of.ipus);
  for (std::size_t l = of.lanes.size(); l-- > 0;) {
    search_lane& lane = of.lanes[l];
    auto& adds = of.adds[lane.ipu];
    while (adds.size() <= lane.chunk) adds.push_back(0);
    lane.after[0] = lane.after[1] = lane.reader = nowhere;
  }
  for (std::size_t l = of.lanes.size(); l-- > 0;) {
    search_lane& lane = of.lanes[l];
    amount& adds = of.adds[lane.ipu][lane.chunk];
    lane.later = adds;
    adds += lane.memory;
    if (lane.during > adds) adds = lane.during;
    for (const std::size_t b : lane.before) {
      if (b == nowhere) continue;
      search_lane& from = of.lanes[b];
      from.after[from.after[0] == nowhere ? 0 : 1] = l;
      if (from.ipu != lane.ipu) from.reader = l;
    }
  }
  for (std::size_t l = 0; l < of.lanes.size(); ++l) of.of_ipu[of.lanes[l].ipu].push_back(l);
}

/// Calls `visit(lane)` for all lanes as one micro-batch alone goes through them: activations are made again directly before they are
/// used, gradients for weights follow at once.
template <class Visit>
constexpr void in_turn(const search_instance& of, Visit visit) {
  for (std::size_t l = 0; l < of.lanes.size(); ++l) {
    if (of.lanes[l].kind == pass::backward_weights || of.lanes[l].kind == pass::recompute) continue;
    for (const std::size_t b : of.lanes[l].before) {
      if (b != nowhere && of.lanes[b].kind == pass::recompute) visit(b);
    }
    visit(l);
    for (const std::size_t a : of.lanes[l].after) {
      if (a != nowhere && of.lanes[a].kind == pass::backward_weights) visit(a);
    }
  }
}

/// The same instance backwards in time: the last micro-batch is the first there, what a pass frees it needs. Its channels have room
/// for all.
constexpr search_instance mirrored(const search_instance& of) {
  search_instance back;
  back.ipus = of.ipus;
  back.micro_batches = of.micro_batches;
  back.recomputed = of.recomputed;
  back.limit = of.limit;
  back.lanes = dynamic_array<search_lane>(of.lanes.size());
  back.release = dynamic_array<amount>(of.ipus);
  amount latest = 0;
  for (const amount o : of.offset) latest = o > latest ? o : latest;
  for (std::size_t ipu = 0; ipu < of.ipus; ++ipu) back.release[ipu] = latest - of.offset[ipu];
  back.offset = dynamic_array<amount>(of.ipus, latest);
  const std::size_t last = of.lanes.size() - 1;
  for (std::size_t l = 0; l <= last; ++l) {
    const search_lane& lane = of.lanes[l];
    search_lane& to = back.lanes[last - l];
    to = {lane.kind, lane.stage, lane.ipu, lane.chunk, lane.time, -lane.memory, lane.during - lane.memory};
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t next = lane.after[i];
      if (next == nowhere) continue;
      to.before[i] = last - next;
      const search_lane& reader = of.lanes[next];
      to.lag[i] = reader.lag[reader.before[0] == l ? 0 : 1];
    }
  }
  complete(back);
  return back;
}

}  // namespace ipuflow::schedule::impl
