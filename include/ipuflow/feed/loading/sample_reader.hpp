// SPDX-License-Identifier: BSL-1.0
// Samples of a map-style dataset put side by side in a slot: each is copied once, from where the dataset has it to
// where the device reads it, or computed there by a transform. Only this side of a loader knows the types of samples.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/feed/column.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/interval.hpp>
#include <ipuflow/feed/loading/slot.hpp>
#include <ipuflow/feed/sample_error.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::feed::impl {

/// The fields of a slot, with their types.
template <class Batch>
struct slot_fields;
template <class... Field>
struct slot_fields<sample_batch<Field...>> {
  static constexpr std::size_t count = sizeof...(Field);
  using widths = std::array<std::size_t, count>;

  static constexpr std::array<const element_kind*, count> kinds{&kind_of<typename field_layout<Field>::element_type>...};
  static constexpr widths widths_of_type{field_layout<Field>::width...};
  static constexpr bool widths_known = ((field_layout<Field>::width != std::dynamic_extent) && ...);

  /// The widths of the fields of a sample.
  template <class Sample>
  static widths widths_of(const Sample& sample) {
    widths found{};
    each(sample, [&]<std::size_t Index, class>(const auto& field) { found[Index] = width_of<Index>(field); });
    return found;
  }

  /// Puts a sample in its place; the room must have been made.
  template <class Sample>
  static void store(slot& into, std::size_t at, Sample&& sample) {
    each(std::forward<Sample>(sample), [&]<std::size_t Index, class Lies>(auto&& field) {
      using element_type = typename Lies::element_type;
      const std::size_t width = width_of<Index>(field);
      if constexpr (Lies::width == std::dynamic_extent) into.check_width(Index, width);
      auto* const place = static_cast<element_type*>(into[Index].data()) + at * width;
      if constexpr (Lies::is_tensor) {
        algorithms::copy_n(impl::elements_in<element_type>(field).data(), width, place);
      } else {
        *place = std::forward<decltype(field)>(field);
      }
    });
  }

  /// The contents of a slot, as columns.
  static std::tuple<column_view<Field>...> columns(const slot& s) {
    return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
      return std::tuple{column_view<Field>{static_cast<const typename field_layout<Field>::element_type*>(s[Index].data()),
                                           s.size, s[Index].width()}...};
    }(std::index_sequence_for<Field...>{});
  }

 private:
  template <std::size_t Index, class From>
  static constexpr std::size_t width_of(const From& from) {
    using lies = field_layout<std::tuple_element_t<Index, std::tuple<Field...>>>;
    if constexpr (lies::is_tensor) {
      return impl::elements_in<typename lies::element_type>(from).size();
    } else {
      return 1;
    }
  }

  template <class Sample, class Do>
  static void each(Sample&& sample, Do act) {
    if constexpr (count > 1 || is_tuple<std::remove_cvref_t<Sample>>) {
      [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        (act.template operator()<Index, field_layout<Field>>(std::get<Index>(std::forward<Sample>(sample))), ...);
      }(std::index_sequence_for<Field...>{});
    } else {
      (act.template operator()<0, field_layout<Field>>(std::forward<Sample>(sample)), ...);
    }
  }
};

/// A map-style dataset whose type is forgotten.
class sample_reader {
 public:
  sample_reader() = default;
  sample_reader(const sample_reader&) = delete;
  sample_reader& operator=(const sample_reader&) = delete;
  virtual ~sample_reader() = default;

  [[nodiscard]] virtual std::size_t size() const = 0;
  /// Makes room in a slot. Samples whose size is not part of their type are all as large as the first one that could be had;
  /// as long as there is none, why is recorded in the slot, which has no room.
  virtual void make_room(slot& s, std::size_t samples) = 0;
  /// Fills these places of a slot, or records why that cannot be done.
  virtual void fill(slot& s, interval places, const std::atomic<bool>& abandoned) const = 0;
};

template <map_style Dataset>
class dataset_reader final : public sample_reader {
 public:
  using batch_type = sample_batch_t<sample_t<Dataset>>;
  using fields = slot_fields<batch_type>;

  explicit dataset_reader(Dataset dataset) : dataset_{std::move(dataset)} {}

  [[nodiscard]] std::size_t size() const override { return dataset_.size(); }

  void make_room(slot& s, std::size_t samples) override {
    if constexpr (fields::widths_known) {
      s.prepare(samples, fields::widths_of_type);
    } else {
      if (!measured_ && !measure(s)) return;
      s.prepare(samples, widths_);
    }
  }

  void fill(slot& s, interval places, const std::atomic<bool>& abandoned) const override {
    std::size_t at = places.first;
    if (s.room() == 0) return;
    try {
      for (; at < places.first + places.count; ++at) {
        if (abandoned.load(std::memory_order_relaxed)) return;  // no partner: what is in the slot will not be looked at
        fields::store(s, at, feed::sample_at(dataset_, s.index_at(at), s.epoch));
      }
    } catch (...) {
      s.fail(at, failure_at(s.index_at(at), s.epoch));
    }
  }

 private:
  bool measure(slot& s) {
    try {
      widths_ = fields::widths_of(feed::sample_at(dataset_, s.index_at(0), s.epoch));
      measured_ = true;
    } catch (...) {
      s.fail(0, failure_at(s.index_at(0), s.epoch));
    }
    return measured_;
  }

  /// The exception that is being handled; or that of the dataset when it is asked where the sample comes from.
  std::exception_ptr failure_at(std::size_t index, std::size_t epoch) const {
    try {
      return sample_failed(feed::origin_of(dataset_, index, epoch));
    } catch (...) {
      return std::current_exception();
    }
  }

  Dataset dataset_;
  typename fields::widths widths_{};
  bool measured_ = false;
};

}  // namespace ipuflow::feed::impl
