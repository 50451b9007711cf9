// SPDX-License-Identifier: BSL-1.0
// Orders that need no search: micro-batches in groups, each pass for all of a group before the next pass. Alone, one by one, they hold
// the least that any order holds; in groups all messages of a time go the same way, so that they pass through channels without room.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/search/evaluation.hpp>
#include <ipuflow/schedule/search/gap_filling.hpp>
#include <ipuflow/schedule/search/instance.hpp>
#include <ipuflow/schedule/search/vee_filling.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// The orders of groups of `each` micro-batches; what is made again or handed to no other stage stands beside the backward that it belongs to.
constexpr search_orders in_groups(const search_instance& of, std::size_t each) {
  search_orders made;
  made.first = dynamic_array<std::size_t>(of.ipus + 1);
  made.lanes = dynamic_array<std::size_t>(of.operations());
  dynamic_array<std::size_t> at(of.ipus);
  for (std::size_t ipu = 0; ipu < of.ipus; ++ipu) {
    at[ipu] = made.first[ipu];
    made.first[ipu + 1] = at[ipu] + of.of_ipu[ipu].size() * of.micro_batches;
  }
  dynamic_array<std::size_t> together;  // a pass that other stages read, and those beside it
  for (std::size_t m = 0; m < of.micro_batches; m += each) {
    const std::size_t count = of.micro_batches - m < each ? of.micro_batches - m : each;
    const auto put = [&] {
      for (std::size_t i = 0; i < count; ++i) {
        for (const std::size_t l : together) made.lanes[at[of.lanes[l].ipu]++] = l;
      }
      together = {};
    };
    std::size_t read = nowhere;  // the last pass of them that other stages read
    in_turn(of, [&](std::size_t l) {
      const bool follows = of.lanes[l].kind == pass::backward_weights;
      if (read != nowhere && !follows) put(), read = nowhere;
      together.push_back(l);
      if (of.lanes[l].kind != pass::recompute && !follows) read = l;
    });
    put();
  }
  return made;
}

/// True if no IPU holds more than its limit at any instant.
constexpr bool within_limits(const search_instance& of, const search_orders& orders) {
  for (std::size_t ipu = 0; ipu < of.ipus; ++ipu) {
    amount held = 0;
    for (std::size_t i = orders.first[ipu]; i < orders.first[ipu + 1]; ++i) {
      const search_lane& lane = of.lanes[orders.lanes[i]];
      if (held + lane.during > of.limit[ipu]) return false;
      held += lane.memory;
    }
  }
  return true;
}

/// An instance with split backwards, and one stage on each IPU or two there and back, as a line whose gaps are filled.
class line_of_instance {
 public:
  constexpr explicit line_of_instance(const search_instance& of) : stages{of.lanes.size() / 3}, micro_batches{of.micro_batches}, of_{&of} {
    lanes_ = dynamic_array<std::size_t>(3 * stages);
    for (std::size_t l = 0; l < of.lanes.size(); ++l) lanes_[3 * of.lanes[l].stage + which_of(of.lanes[l])] = l;
  }

  std::size_t stages = 0;
  std::size_t micro_batches = 0;

  /// True if an instance has one stage on each IPU.
  static constexpr bool fits(const search_instance& of) { return of.lanes.size() == 3 * of.ipus && !of.chunked() && is_plain(of); }
  /// True if it has two on each, there and back.
  static constexpr bool fits_vee(const search_instance& of) {
    if (of.lanes.size() != 6 * of.ipus || !is_plain(of)) return false;
    for (const search_lane& lane : of.lanes) {
      if (lane.ipu != (lane.stage < of.ipus ? lane.stage : 2 * of.ipus - 1 - lane.stage)) return false;
    }
    return true;
  }

  [[nodiscard]] constexpr std::size_t lane(std::size_t stage, std::size_t which) const { return lanes_[3 * stage + which]; }
  constexpr std::size_t time(std::size_t stage, std::size_t which) const { return static_cast<std::size_t>(at(stage, which).time); }
  constexpr std::size_t message(std::size_t stage, std::size_t which) const {
    const search_lane& reader = at(which == 0 ? stage + 1 : stage - 1, which);
    return static_cast<std::size_t>(reader.lag[reader.before[0] == lane(stage, which) ? 0 : 1]);
  }
  constexpr amount adds(std::size_t stage, std::size_t which) const { return at(stage, which).memory; }
  constexpr amount limit(std::size_t stage) const { return of_->limit[at(stage, 0).ipu]; }

 private:
  static constexpr bool is_plain(const search_instance& of) {
    if (of.recomputed > 0 || of.capacity != nowhere) return false;
    for (const search_lane& lane : of.lanes) {
      if (lane.kind == pass::backward || lane.kind == pass::recompute || lane.during > (lane.memory > 0 ? lane.memory : 0)) return false;
    }
    return true;
  }
  static constexpr std::size_t which_of(const search_lane& lane) {
    return lane.kind == pass::forward ? 0 : lane.kind == pass::backward_inputs ? 1 : 2;
  }
  constexpr const search_lane& at(std::size_t stage, std::size_t which) const { return of_->lanes[lane(stage, which)]; }

  const search_instance* of_;
  dynamic_array<std::size_t> lanes_{};
};

/// The orders of all IPUs, of which `each(ipu, put)` puts the lanes of one; empty ones if these do not fit into the memory.
template <class Each>
constexpr search_orders orders_by_ipu(const search_instance& of, Each each) {
  search_orders made;
  made.first = dynamic_array<std::size_t>(of.ipus + 1);
  made.lanes.reserve(of.operations());
  for (std::size_t ipu = 0; ipu < of.ipus; ++ipu) {
    each(ipu, [&](std::size_t lane) { made.lanes.push_back(lane); });
    made.first[ipu + 1] = made.lanes.size();
  }
  return within_limits(of, made) ? made : search_orders{};
}

/// The orders that fill the gaps of a line in one of eight ways; empty ones if that is not possible within the memory.
constexpr search_orders gaps_filled(const search_instance& of, const line_of_instance& line, unsigned way) {
  gap_filling filling{line, filling_way(way)};
  if (!filling.run()) return {};
  return orders_by_ipu(of, [&](std::size_t ipu, auto put) {
    const std::size_t stage = of.lanes[of.of_ipu[ipu][0]].stage;
    for (const unsigned char which : filling.passes(stage)) put(line.lane(stage, which));
  });
}

/// The same for stages there and back, in one of four ways; `idle` is what each IPU was idle in such orders, and becomes what it is in these.
constexpr search_orders vee_filled(const search_instance& of, const line_of_instance& line, unsigned way, dynamic_array<std::size_t>& idle) {
  vee_filling filling{line, (way & 1) == 0, (way & 2) == 0, static_cast<dynamic_array<std::size_t>&&>(idle)};
  if (!filling.run()) return {};
  idle = filling.idle();
  return orders_by_ipu(of, [&](std::size_t ipu, auto put) {
    for (const std::size_t pass : filling.passes(ipu)) put(line.lane(pass / 3, pass % 3));
  });
}

/// Calls `visit(orders)` for each of the eight ways that fits, if the instance is such a line, until `over()`. There and back each of four
/// is tried again with what its IPUs were idle.
template <class Over, class Visit>
constexpr void for_each_filling(const search_instance& of, Over& over, Visit visit) {
  const bool vee = line_of_instance::fits_vee(of);
  if (!vee && !line_of_instance::fits(of)) return;
  const line_of_instance line{of};
  dynamic_array<std::size_t> idle;
  for (unsigned way = 0; way < 8 && !over(); ++way) {
    if (way % 2 == 0) idle = {};
    if (search_orders orders = vee ? vee_filled(of, line, way / 2, idle) : gaps_filled(of, line, way); !orders.lanes.empty()) {
      visit(static_cast<search_orders&&>(orders));
    }
  }
}

}  // namespace ipuflow::schedule::impl
