// SPDX-License-Identifier: BSL-1.0
// Memory for one step: a column for each field, allocated when its size is known and then kept. Memory starts at a
// page, where devices want it; what is stored is copied or moved there once.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/units.hpp>
#include <ipuflow/feed/column.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::feed {

enum class slot_wrong : unsigned char { nothing, width_differs };
using slot_fault = fault<slot_wrong, std::size_t>;

/// `where` is the field.
constexpr message_text sentence(const slot_fault& f) {
  return words("ipuflow: field ", f.where, " of a sample has ", f.got, " elements but ", f.limit,
               " in the samples before it; make all samples of a dataset equally large");
}

/// Room for one field of some samples.
template <class Field>
class column {
 public:
  using element_type = typename field_layout<Field>::element_type;

  column() = default;
  column(const column&) = delete;
  column& operator=(const column&) = delete;
  ~column() { clear(); }

  bool fits(std::size_t samples, std::size_t width) const {
    return width_ == width && data_ != nullptr && (width == 0 || samples <= room_ / width);
  }

  /// Makes room; what was stored before is lost if there was too little.
  void prepare(std::size_t samples, std::size_t width) {
    if (fits(samples, width)) return;
    clear();
    const std::size_t count = elements(samples, width);
    data_ = allocated(count);
    room_ = count;
    width_ = width;
  }

  /// Makes room for more samples and keeps the first `kept` of those that were stored.
  void extend(std::size_t samples, std::size_t kept) {
    if (fits(samples, width_)) return;
    const std::size_t count = elements(samples, width_);
    element_type* const larger = allocated(count);
    std::move(data_, data_ + kept * width_, larger);
    clear();
    data_ = larger;
    room_ = count;
  }

  /// Copies or moves a field to where sample `at` has it; the room must have been made.
  template <class From>
  void store(std::size_t at, From&& from) {
    if constexpr (field_layout<Field>::is_tensor) {
      const std::span<const element_type> elements{from};
      std::copy_n(elements.data(), elements.size(), data_ + at * width_);
    } else {
      data_[at] = std::forward<From>(from);
    }
  }

  [[nodiscard]] std::size_t width() const { return width_; }

  /// Elements in a field as it comes from a dataset.
  template <class From>
  static constexpr std::size_t width_of(const From& from) {
    if constexpr (field_layout<Field>::is_tensor) {
      return std::span<const element_type>{from}.size();
    } else {
      return 1;
    }
  }

  column_view<Field> view(std::size_t samples) const { return {data_, samples, width_}; }

 private:
  static constexpr std::align_val_t alignment{4096};

  /// How many there are in so many samples, if their bytes can be counted; at least 1.
  static std::size_t elements(std::size_t samples, std::size_t width) {
    const bytes all = bytes{sizeof(element_type)} * samples * width;
    return std::max<std::size_t>(all / bytes{sizeof(element_type)}, 1);
  }

  static element_type* allocated(std::size_t count) {
    const bytes size = bytes{sizeof(element_type)} * count;
    auto* const data = static_cast<element_type*>(::operator new(size.value, alignment));
    try {
      std::uninitialized_default_construct_n(data, count);
    } catch (...) {
      ::operator delete(data, alignment);
      throw;
    }
    return data;
  }

  void clear() {
    if (data_ == nullptr) return;
    std::destroy_n(data_, room_);
    ::operator delete(data_, alignment);
    data_ = nullptr;
    room_ = 0;
  }

  element_type* data_ = nullptr;
  std::size_t room_ = 0;
  std::size_t width_ = 0;
};

/// A step on its way: what is in it, and what is still missing.
template <class... Field>
class slot {
 public:
  static constexpr std::size_t fields = sizeof...(Field);
  using widths = std::array<std::size_t, fields>;

  std::size_t epoch = 0;
  std::size_t size = 0;                 // samples
  std::size_t first = 0;                // place of the first one in its epoch
  std::size_t pass = 0;                 // of a range that is read in shares: which reading of it,
  std::size_t share = 0;                // which share,
  bool share_ended = false;             // and that there is no more of it
  std::vector<std::size_t> indices;     // of samples that a sampler chose
  std::atomic<std::size_t> missing{0};  // parts that are not filled yet
  std::atomic<std::size_t> holders{0};  // batches that look at it
  slot* next_free = nullptr;            // in the pool, while nobody has it

  /// Makes room for so many samples with fields of these widths.
  void prepare(std::size_t samples, const widths& width) {
    room_ = 0;
    std::size_t field = 0;
    std::apply([&](auto&... column) { (column.prepare(samples, width[field++]), ...); }, columns_);
    room_ = samples;
  }

  /// The same where samples come one after the other and nobody knows how many: room for `most` of them at the end,
  /// made as they come.
  void prepare_some(std::size_t most, const widths& width) { prepare(std::min(most, some), width); }
  void prepare_next(std::size_t at, std::size_t most) {
    if (at < room_) return;
    const std::size_t samples = at > most / 2 ? most : std::max<std::size_t>(2 * at, 1);
    std::apply([&](auto&... column) { (column.extend(samples, at), ...); }, columns_);
    room_ = samples;
  }

  /// Puts a sample in its place.
  template <class Sample>
  void store(std::size_t at, Sample&& sample) {
    each_field(std::forward<Sample>(sample), [&]<class From>(std::size_t index, auto& column, From&& field) {
      const std::size_t width = column.width_of(field);
      if (width != column.width()) throw_if(slot_fault{slot_wrong::width_differs, width, column.width(), index});
      column.store(at, std::forward<From>(field));
    });
  }

  /// The widths of the fields of a sample.
  template <class Sample>
  static widths widths_of(const Sample& sample) {
    widths found{};
    slot none;
    none.each_field(sample,
                    [&](std::size_t index, auto& column, const auto& field) { found[index] = column.width_of(field); });
    return found;
  }

  /// What is in it, as columns.
  std::tuple<column_view<Field>...> columns() const {
    return std::apply([this](const auto&... column) { return std::tuple{column.view(size)...}; }, columns_);
  }

  /// Records why the sample at this place cannot be had; of several the first one in order counts.
  void fail(std::size_t at, std::exception_ptr why) {
    const std::lock_guard lock{failing_};
    if (error_ != nullptr && error_at_ < at) return;
    error_ = std::move(why);
    error_at_ = at;
  }

  /// The exception that was recorded, if any; forgets it.
  std::exception_ptr take_error() { return std::exchange(error_, nullptr); }

 private:
  static constexpr std::size_t some = 4096;

  template <class Sample, class Do>
  void each_field(Sample&& sample, Do act) {
    if constexpr (fields > 1) {
      [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        (act(Index, std::get<Index>(columns_), std::get<Index>(std::forward<Sample>(sample))), ...);
      }(std::index_sequence_for<Field...>{});
    } else if constexpr (is_tuple<std::remove_cvref_t<Sample>>) {
      act(0, std::get<0>(columns_), std::get<0>(std::forward<Sample>(sample)));
    } else {
      act(0, std::get<0>(columns_), std::forward<Sample>(sample));
    }
  }

  std::tuple<column<Field>...> columns_;
  std::size_t room_ = 0;  // samples
  std::mutex failing_;    // taken only when something failed
  std::exception_ptr error_;
  std::size_t error_at_ = 0;
};

}  // namespace ipuflow::feed
