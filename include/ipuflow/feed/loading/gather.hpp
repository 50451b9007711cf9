// SPDX-License-Identifier: BSL-1.0
// Samples of a map-style dataset put side by side in a slot: each is copied once, from where the dataset has it to
// where the device reads it, or computed there by a transform.
#pragma once

#include <ipuflow/feed/adaptors/slice.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/loading/slot.hpp>
#include <ipuflow/feed/sample_error.hpp>

#include <atomic>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

namespace ipuflow::feed {

template <class Batch>
struct slot_for;
template <class... Field>
struct slot_for<sample_batch<Field...>> {
  using type = slot<Field...>;
  using pool = slot_pool<Field...>;
  static constexpr typename type::widths widths{field_layout<Field>::width...};
  static constexpr bool widths_known = ((field_layout<Field>::width != std::dynamic_extent) && ...);
};

template <map_style Dataset>
class gatherer {
 public:
  using batch_type = sample_batch_t<sample_t<Dataset>>;
  using slot_type = typename slot_for<batch_type>::type;

  explicit gatherer(Dataset dataset) : dataset_{std::move(dataset)} {}

  const Dataset& dataset() const { return dataset_; }

  /// Makes room in a slot. Samples whose size is not part of their type are all as large as sample `like`.
  void make_room(slot_type& s, std::size_t samples, std::size_t like) {
    if (!widths_) widths_ = find_widths(like);
    s.prepare(samples, *widths_);
  }

  /// Fills these places of a slot with the samples `index_of(place)`, or records why that cannot be done.
  template <class IndexOf>
  void fill(slot_type& s, interval places, IndexOf index_of, const std::atomic<bool>& abandoned) const {
    std::size_t at = places.first;
    try {
      for (; at < places.first + places.count; ++at) {
        if (abandoned.load(std::memory_order_relaxed)) return;  // no partner: what is in the slot will not be looked at
        s.store(at, sample_at(dataset_, index_of(at), s.epoch));
      }
    } catch (...) {
      s.fail(at, sample_failed(origin_of(dataset_, index_of(at), s.epoch)));
    }
  }

 private:
  typename slot_type::widths find_widths(std::size_t like) const {
    if constexpr (slot_for<batch_type>::widths_known) {
      return slot_for<batch_type>::widths;
    } else {
      try {
        return slot_type::widths_of(sample_at(dataset_, like, 0));
      } catch (...) {
        std::rethrow_exception(sample_failed(origin_of(dataset_, like, 0)));
      }
    }
  }

  Dataset dataset_;
  std::optional<typename slot_type::widths> widths_;
};

}  // namespace ipuflow::feed
