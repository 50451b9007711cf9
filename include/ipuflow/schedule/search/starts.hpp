// SPDX-License-Identifier: BSL-1.0
// Orders that need no search: micro-batches in groups, each pass for all of a group before the next pass. Alone, one by one, they hold
// the least that any order holds; in groups all messages of a time go the same way, so that they pass through channels without room.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/search/evaluation.hpp>
#include <ipuflow/schedule/search/instance.hpp>

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

}  // namespace ipuflow::schedule::impl
