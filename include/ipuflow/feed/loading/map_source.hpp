// SPDX-License-Identifier: BSL-1.0
// The source of steps of a map-style dataset: positions in an order that depends on the seed and the epoch, or the
// indices that a sampler chooses. Any worker may fill any part of a step, so the order cannot depend on the workers.
#pragma once

#include <ipuflow/feed/adaptors/permutation.hpp>
#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/loader_options.hpp>
#include <ipuflow/feed/loading/gather.hpp>
#include <ipuflow/feed/loading/partition.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace ipuflow::feed {

template <map_style Dataset>
class map_source {
 public:
  using batch_type = typename gatherer<Dataset>::batch_type;
  using slot_type = typename gatherer<Dataset>::slot_type;
  static constexpr bool any_worker = true;

  map_source(Dataset dataset, std::size_t step, const loader_options& o)
      : gatherer_{std::move(dataset)}, seed_{o.shuffle} {
    const std::size_t samples = gatherer_.dataset().size();
    if (samples == 0) throw_if(dataset_fault{dataset_wrong::empty, samples, 1});
    plan_ = partition_of(samples, step, o);
    if (plan_.steps == 0) throw_if(batching_fault{batching_wrong::no_whole_step, step * o.processes, samples});
  }

  /// True if an epoch may be begun before the one before it was taken.
  [[nodiscard]] bool repeatable() const { return true; }
  [[nodiscard]] std::size_t steps() const { return plan_.steps; }
  [[nodiscard]] std::size_t dropped() const { return plan_.dropped; }

  /// All samples of this process where the dataset has them, if they can be handed out as they are.
  [[nodiscard]] std::optional<batch_type> in_place() const {
    if constexpr (contiguous_samples<Dataset>) {
      if (!seed_) return whole(gatherer_.dataset()).part(plan_.mine.first, plan_.mine.count);
    }
    return std::nullopt;
  }

  /// The positions of a step, counted from the first of this process.
  interval places(std::size_t step) const {
    const interval at = plan_.at(step);
    return {at.first - plan_.mine.first, at.count};
  }

  /// Decides what goes into a slot; false if the epoch has no such step.
  bool open(slot_type& s, std::size_t step) {
    if (step >= plan_.steps) return false;
    const interval at = plan_.at(step);
    s.first = at.first;
    s.size = at.count;
    gatherer_.make_room(s, std::min(plan_.step, plan_.mine.count), index_of(at.first, s.epoch));
    return true;
  }

  void fill(slot_type& s, interval part, const std::atomic<bool>& abandoned) {
    gatherer_.fill(s, part, [&](std::size_t at) { return index_of(s.first + at, s.epoch); }, abandoned);
  }

  void close(const slot_type&) {}

 private:
  std::size_t index_of(std::size_t position, std::size_t epoch) const {
    if (!seed_) return position;
    return permutation{gatherer_.dataset().size(), epoch_key(*seed_, epoch)}[position];
  }

  gatherer<Dataset> gatherer_;
  std::optional<std::uint64_t> seed_;
  partition plan_;
};

}  // namespace ipuflow::feed
