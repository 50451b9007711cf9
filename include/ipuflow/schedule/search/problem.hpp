// SPDX-License-Identifier: BSL-1.0
// From stages on IPUs, their costs and memory to the instance that is searched, and what is wrong with them.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/costs.hpp>
#include <ipuflow/schedule/search/instance.hpp>
#include <ipuflow/schedule/search/search_fault.hpp>
#include <ipuflow/schedule/search/search_memory.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// The time that a search makes short.
enum class search_metric : unsigned char {
  span,     ///< of all IPUs the longest from when its first forward can begin at the earliest to the end of its last operation
  makespan  ///< to the end of all
};

namespace impl {

/// The most that times or bytes may come to altogether.
inline constexpr std::size_t most_searched = std::size_t{1} << 42;

template <whereabouts Where>
constexpr search_fault verify_sizes(const Where& where, const search_memory& memory) {
  if (where.ipus == 0 || where.stages == 0 || where.micro_batches == 0) {
    return {search_wrong::empty, where.stages, where.micro_batches};
  }
  for (std::size_t stage = 0; stage < where.stages; ++stage) {
    const std::size_t seat = where.first_seat(stage);
    const std::size_t seats = where.first_seat(stage + 1) - seat;
    if (seats != 1 || where.ipu_of(seat, 0) != where.ipu_of(seat, where.micro_batches - 1)) {
      return {search_wrong::two_ipus, seats, 1, stage};
    }
  }
  if (memory.stages.size() != 1 && memory.stages.size() != where.stages) {
    return {search_wrong::memory_records, memory.stages.size(), where.stages};
  }
  if (memory.limits.size() != 1 && memory.limits.size() != where.ipus) {
    return {search_wrong::limits, memory.limits.size(), where.ipus};
  }
  for (std::size_t stage = 0; stage < where.stages; ++stage) {
    const activation_bytes& of = memory.of(stage);
    std::size_t added = 0;
    std::size_t freed = 0;
    for (const std::ptrdiff_t bytes : {of.after_forward, of.after_inputs, of.after_weights}) {
      const std::size_t size = bytes < 0 ? std::size_t{0} - static_cast<std::size_t>(bytes) : static_cast<std::size_t>(bytes);
      if (size > most_searched) return {search_wrong::too_large, size, most_searched};
      (bytes < 0 ? freed : added) += size;
    }
    if (added != freed) return {search_wrong::kept_for_ever, added, freed, stage};
    if (added > most_searched / where.micro_batches / where.stages) return {search_wrong::too_large, added, most_searched};
  }
  return {};
}

/// The fault of times that cannot be added up.
template <whereabouts Where, pricing Costs>
constexpr search_fault verify_times(const Where& where, const Costs& costs) {
  const std::size_t most = most_searched / where.micro_batches / where.stages / 4;
  for (std::size_t stage = 0; stage < where.stages; ++stage) {
    const std::size_t times[] = {costs.of(pass::forward, stage), costs.of(pass::backward_inputs, stage),
                                 costs.of(pass::backward_weights, stage), message_time(costs, stage)};
    for (const std::size_t time : times) {
      if (time > most) return {search_wrong::too_large, time, most_searched};
    }
  }
  return {};
}

/// The lanes: forwards from the first stage to the last, backwards back to the first, gradients for weights.
template <whereabouts Where, pricing Costs>
constexpr search_instance instance_of(const Where& where, const Costs& costs, const search_memory& memory, bool split) {
  const std::size_t stages = where.stages;
  search_instance made;
  made.ipus = where.ipus;
  made.micro_batches = where.micro_batches;
  made.lanes = dynamic_array<search_lane>((split ? 3 : 2) * stages);
  made.limit = dynamic_array<amount>(where.ipus);
  made.release = dynamic_array<amount>(where.ipus);
  made.offset = dynamic_array<amount>(where.ipus);
  for (std::size_t ipu = 0; ipu < where.ipus; ++ipu) {
    const std::size_t limit = memory.limit(ipu);
    made.limit[ipu] = static_cast<amount>(limit < most_searched ? limit : most_searched);
  }
  dynamic_array<std::size_t> chunks(where.ipus);
  for (std::size_t stage = 0; stage < stages; ++stage) {
    const std::size_t ipu = where.ipu_of(where.first_seat(stage), 0);
    const std::size_t chunk = chunks[ipu]++;
    const activation_bytes& bytes = memory.of(stage);
    const auto lane = [&](pass kind, amount adds) {
      return search_lane{kind, stage, ipu, chunk, static_cast<amount>(costs.of(kind, stage)), adds};
    };
    const auto link = [&](std::size_t from) {
      return where.ipu_of(where.first_seat(from), 0) == ipu ? 0 : static_cast<amount>(message_time(costs, from));
    };
    search_lane& forward = made.lanes[stage] = lane(pass::forward, bytes.after_forward);
    if (stage > 0) forward.before[0] = stage - 1, forward.lag[0] = link(stage - 1);
    search_lane& back = made.lanes[2 * stages - 1 - stage] =
        split ? lane(pass::backward_inputs, bytes.after_inputs) : lane(pass::backward, bytes.after_inputs + bytes.after_weights);
    back.before[0] = 2 * stages - 2 - stage;
    if (stage + 1 < stages) back.lag[0] = link(stage + 1);
    if (!split) continue;
    search_lane& weights = made.lanes[3 * stages - 1 - stage] = lane(pass::backward_weights, bytes.after_weights);
    weights.before[0] = 2 * stages - 1 - stage;
  }
  complete(made);
  return made;
}

/// The fault of an IPU that cannot hold one micro-batch alone.
constexpr search_fault verify_room(const search_instance& of) {
  for (std::size_t ipu = 0; ipu < of.ipus; ++ipu) {
    amount held = 0;
    amount most = 0;
    for (const std::size_t l : of.of_ipu[ipu]) {
      if (of.lanes[l].kind == pass::backward_weights) continue;
      held += of.lanes[l].memory;
      if (held > most) most = held;
      for (const std::size_t a : of.lanes[l].after) {
        if (a == nowhere || of.lanes[a].kind != pass::backward_weights) continue;
        held += of.lanes[a].memory;
        if (held > most) most = held;
      }
    }
    if (most > of.limit[ipu]) {
      return {search_wrong::no_room, static_cast<std::size_t>(most), static_cast<std::size_t>(of.limit[ipu]), ipu};
    }
  }
  return {};
}

}  // namespace impl

}  // namespace ipuflow::schedule
