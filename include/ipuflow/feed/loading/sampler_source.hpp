// SPDX-License-Identifier: BSL-1.0
// The source of steps of a loader with a sampler. A sampler is a range of batches of indices, of any sizes; a step is
// a given number of these batches, one after the other. It is begun anew in every epoch.
#pragma once

#include <ipuflow/feed/adaptors/range_view.hpp>
#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/loader_options.hpp>
#include <ipuflow/feed/loading/gather.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <optional>
#include <ranges>
#include <utility>

namespace ipuflow::feed {

/// A range of ranges of indices.
template <class Sampler>
concept batch_sampler =
    std::ranges::input_range<Sampler> &&
    std::convertible_to<std::ranges::range_value_t<std::ranges::range_reference_t<Sampler>>, std::size_t>;

template <map_style Dataset, batch_sampler Sampler>
class sampler_source {
 public:
  using batch_type = typename gatherer<Dataset>::batch_type;
  using slot_type = typename gatherer<Dataset>::slot_type;
  static constexpr bool any_worker = true;

  sampler_source(Dataset dataset, Sampler sampler, std::size_t step, const loader_options& o)
      : gatherer_{std::move(dataset)}, sampler_{std::move(sampler)}, step_{step}, last_{o.last} {
    using enum loader_wrong;
    if (gatherer_.dataset().size() == 0)
      throw_if(dataset_fault{dataset_wrong::empty, 0, 1});
    if (o.shuffle) throw_if(loader_fault{sampler_shuffled});
    if (o.processes > 1) throw_if(loader_fault{sampler_divided, o.processes, 1});
  }

  /// A sampler that can be read only once must not be begun before it is asked for.
  [[nodiscard]] bool repeatable() const { return std::ranges::forward_range<Sampler>; }

  [[nodiscard]] std::size_t steps() const {
    if constexpr (std::ranges::sized_range<const Sampler>) {
      return steps_per_epoch(std::ranges::size(sampler_), step_, last_);
    } else {
      throw_if(loader_fault{loader_wrong::size_unknown});
      return 0;
    }
  }
  /// The number of samples dropped in the last epoch that was read to its end.
  [[nodiscard]] std::size_t dropped() const { return dropped_; }

  bool open(slot_type& s, std::size_t step) {
    if (step == 0) next_.emplace(std::ranges::begin(sampler_));
    s.indices.clear();
    std::size_t batches = 0;
    for (; batches < step_ && *next_ != std::ranges::end(sampler_); ++*next_, ++batches) {
      for (const auto index : **next_) s.indices.push_back(checked(static_cast<std::size_t>(index)));
    }
    if (batches < step_ && last_ == tail::dropped) {
      dropped_ = s.indices.size();
      s.indices.clear();
    }
    s.size = s.indices.size();
    if (batches == 0 || s.size == 0) return false;
    gatherer_.make_room(s, s.size, s.indices.front());
    return true;
  }

  void fill(slot_type& s, interval part, const std::atomic<bool>& abandoned) {
    gatherer_.fill(s, part, [&](std::size_t at) { return s.indices[at]; }, abandoned);
  }

  void close(const slot_type&) {}

 private:
  std::size_t checked(std::size_t index) const {
    const std::size_t samples = gatherer_.dataset().size();
    if (index >= samples) throw_if(loader_fault{loader_wrong::index_too_large, index, samples});
    return index;
  }

  gatherer<Dataset> gatherer_;
  Sampler sampler_;
  std::optional<std::ranges::iterator_t<Sampler>> next_;
  std::size_t step_;
  std::size_t dropped_ = 0;
  tail last_;
};

}  // namespace ipuflow::feed
