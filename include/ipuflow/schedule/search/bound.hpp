// SPDX-License-Identifier: BSL-1.0
// Lower limits of what any schedule of an instance takes, from the earliest times of both directions: of a path through one
// operation, and of the work of an IPU that neither begins early nor ends late (the one-machine bound of job shops, Carlier 1982).
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/search/heads.hpp>
#include <ipuflow/schedule/search/instance.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// The argument that gives a lower bound.
enum class limited_by : unsigned char {
  path,  ///< what must be over before an operation, the operation, and what must follow it, memory considered
  work   ///< the work of an IPU behind what must be over before it begins
};

namespace impl {

/// A lower bound of the objective, and the argument.
struct search_bound {
  amount least = 0;
  limited_by kind = limited_by::work;
};

/// A lower limit of the objective from heads of both directions: of each operation on its own, and of the work of an IPU that
/// neither begins early nor ends late.
constexpr search_bound bound_of(const search_instance& of, const search_heads& heads, const search_heads& tails, amount latest) {
  const std::size_t count = of.micro_batches;
  const std::size_t last = of.operations() - 1;
  search_bound bound;
  for (std::size_t id = 0; id <= last; ++id) {
    const amount through = heads.start[id] + of.lanes[id / count].time + tails.start[last - id] - latest;
    if (through > bound.least) bound = {through, limited_by::path};
  }
  for (std::size_t ipu = 0; ipu < of.ipus; ++ipu) {
    const auto& mine = of.of_ipu[ipu];
    // All operations by their heads, the latest first: the work of those with tails of at least each of them.
    dynamic_array<std::size_t> ids;
    ids.reserve(mine.size() * count);
    dynamic_array<std::size_t> n(mine.size(), count);
    for (std::size_t i = 0; i < mine.size() * count; ++i) {
      std::size_t next = nowhere;
      for (std::size_t k = 0; k < mine.size(); ++k) {
        if (n[k] == 0) continue;
        if (next == nowhere || heads.start[mine[k] * count + n[k] - 1] > heads.start[mine[next] * count + n[next] - 1]) next = k;
      }
      ids.push_back(mine[next] * count + --n[next]);
    }
    for (std::size_t i = 0; i < ids.size(); i += 1 + ids.size() / 4096) {  // of very many some: the bound holds for each
      const amount tail = tails.start[last - ids[i]];
      amount sum = 0;
      for (const std::size_t id : ids) {
        if (tails.start[last - id] < tail) continue;
        sum += of.lanes[id / count].time;
        const amount least = heads.start[id] + sum + tail - latest;
        if (least > bound.least) bound = {least, limited_by::work};
      }
    }
  }
  return bound;
}

}  // namespace impl

}  // namespace ipuflow::schedule
