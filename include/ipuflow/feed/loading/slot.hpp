// SPDX-License-Identifier: BSL-1.0
// Memory for one step: a column for each field, allocated when its size is known and then kept. Memory starts at a
// page, where devices want it. A slot does not know the types of its fields, so that whatever moves slots about is the
// same code for all datasets; `slot_fields` (sample_reader.hpp) is the side that knows them.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/lifetimes.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/maybe.hpp>
#include <ipuflow/core/posix.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/core/units.hpp>
#include <ipuflow/feed/adaptors/permutation.hpp>
#include <ipuflow/feed/lease.hpp>
#include <ipuflow/feed/loading/missing_parts.hpp>

#include <cstddef>
#include <exception>
#include <new>
#include <utility>
#include <vector>

namespace ipuflow::feed {

enum class slot_wrong : unsigned char { nothing, width_differs };
using slot_fault = fault<slot_wrong, std::size_t>;

/// `where` is the field.
constexpr message_text sentence(const slot_fault& f) {
  return filled("ipuflow: field {where} of a sample has {got} element{s} but {limit} in the samples before it; make all samples of a dataset equally large",
                {{"got", f.got}, {"limit", f.limit}, {"where", f.where}});
}

namespace impl {

/// The operations on elements whose type is forgotten.
struct element_kind {
  std::size_t size;
  void (*construct)(void* at, std::size_t count);
  void (*destroy)(void* at, std::size_t count);
  void (*move)(void* from, std::size_t count, void* to);
};

template <class Element>
inline constexpr element_kind kind_of{
    sizeof(Element), [](void* at, std::size_t n) { lifetimes::begin(static_cast<Element*>(at), n); },
    [](void* at, std::size_t n) { lifetimes::end(static_cast<Element*>(at), n); },
    [](void* from, std::size_t n, void* to) {
      algorithms::move(static_cast<Element*>(from), static_cast<Element*>(from) + n, static_cast<Element*>(to));
    }};

/// Room for one field of some samples.
class column {
 public:
  explicit column(const element_kind* kind) : kind_{kind} {}
  column(const column&) = delete;
  column& operator=(const column&) = delete;
  ~column() { clear(); }

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t width() const { return width_; }

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
    column larger{kind_};
    larger.data_ = larger.allocated(count);
    larger.room_ = count;
    kind_->move(data_, kept * width_, larger.data_);  // which may throw
    algorithms::swap(data_, larger.data_);
    algorithms::swap(room_, larger.room_);
  }

  /// Moves `count` samples of another column, from `first` on, to place `at`.
  void take(const column& from, std::size_t first, std::size_t count, std::size_t at) {
    kind_->move(from.sample(first), count * width_, sample(at));
  }

 private:
  static constexpr std::align_val_t alignment{4096};

  bool fits(std::size_t samples, std::size_t width) const {
    return width_ == width && data_ != nullptr && (width == 0 || samples <= room_ / width);
  }

  void* sample(std::size_t at) const { return static_cast<std::byte*>(data_) + at * width_ * kind_->size; }

  /// Elements of that many samples, if their bytes can be counted; at least 1.
  std::size_t elements(std::size_t samples, std::size_t width) const {
    const bytes all = bytes{kind_->size} * samples * width;
    return algorithms::max<std::size_t>(all / bytes{kind_->size}, 1);
  }

  [[gnu::noinline]] void* allocated(std::size_t count) const {
    const bytes size = bytes{kind_->size} * count;
    void* const data = ::operator new(size.value, alignment);
    try {
      kind_->construct(data, count);
    } catch (...) {
      ::operator delete(data, alignment);
      throw;
    }
    return data;
  }

  [[gnu::noinline]] void clear() {
    if (data_ == nullptr) return;
    kind_->destroy(data_, room_);
    ::operator delete(data_, alignment);
    data_ = nullptr;
    room_ = 0;
  }

  const element_kind* kind_;
  void* data_ = nullptr;
  std::size_t room_ = 0;  // elements
  std::size_t width_ = 0;
};

/// A step on its way: what is in it, and what is still missing.
class slot final : public leased {
 public:
  std::size_t epoch = 0;
  std::size_t size = 0;                 // samples
  std::size_t first = 0;                // place of the first one in its epoch
  maybe<permutation> shuffled;  // of the places of its epoch
  std::vector<std::size_t> chosen;      // samples, by a sampler
  std::size_t pass = 0;                 // of a range that is read in shares: which reading of it,
  std::size_t share = 0;                // which share,
  bool share_ended = false;             // and that there is no more of it
  missing_parts missing;                // those that are not filled yet
  slot* next_free = nullptr;            // while it is in the pool
  slot* const made_before;              // by the pool
  shared_thing home;                    // the pool, while it is leased,
  void (*return_to)(void* pool, slot& used) noexcept = nullptr;  // and its way back

  explicit slot(light_span<const element_kind* const> fields, slot* before = nullptr)
      : made_before{before}, columns_(fields.begin(), fields.end()) {}

  void give_back() noexcept override {
    const shared_thing pool = std::move(home);  // this may be the last one to know of it
    return_to(pool.get(), *this);
  }

  [[nodiscard]] const column& operator[](std::size_t field) const { return columns_[field]; }

  /// The index of the sample that stands at a place, of a dataset with an index.
  [[nodiscard]] std::size_t index_at(std::size_t place) const {
    if (!chosen.empty()) return chosen[place];
    return shuffled ? (*shuffled)[first + place] : first + place;
  }

  /// Makes room for that many samples with fields of these widths.
  void prepare(std::size_t samples, light_span<const std::size_t> widths) {
    room_ = 0;
    for (std::size_t field = 0; field < columns_.size(); ++field) columns_[field].prepare(samples, widths[field]);
    room_ = samples;
  }

  /// The same where samples come one after the other and their number is unknown: room for `most` of them at the end,
  /// made as they come.
  void prepare_some(std::size_t most, light_span<const std::size_t> widths) { prepare(algorithms::min(most, some), widths); }
  void prepare_next(std::size_t at, std::size_t most) {
    if (at < room_) return;
    const std::size_t samples = at > most / 2 ? most : algorithms::max<std::size_t>(2 * at, 1);
    for (column& c : columns_) c.extend(samples, at);
    room_ = samples;
  }

  /// Samples that there is room for.
  [[nodiscard]] std::size_t room() const { return room_; }

  /// Throws if field `index` of a sample is not as wide as its column.
  void check_width(std::size_t index, std::size_t width) const {
    if (width != columns_[index].width())
      throw_if(slot_fault{slot_wrong::width_differs, width, columns_[index].width(), index});
  }

  /// Makes the same room as there is in another slot of this pool for each sample.
  void prepare_like(const slot& other, std::size_t most) {
    room_ = 0;
    const std::size_t samples = algorithms::min(most, some);
    for (std::size_t field = 0; field < columns_.size(); ++field) columns_[field].prepare(samples, other[field].width());
    room_ = samples;
  }

  /// Throws if the samples of another slot have other widths.
  void check_widths(const slot& other) const {
    for (std::size_t field = 0; field < columns_.size(); ++field) check_width(field, other[field].width());
  }

  /// Moves `count` samples of another slot, of the same widths, from `first_there` on, to place `at`.
  void take(const slot& from, std::size_t first_there, std::size_t count, std::size_t at) {
    for (std::size_t field = 0; field < columns_.size(); ++field) columns_[field].take(from[field], first_there, count, at);
  }

  /// Records why the sample at this place cannot be had; of several the first one in order counts.
  void fail(std::size_t at, std::exception_ptr why) {
    const posix::lock held{failing_};
    if (error_ != nullptr && error_at_ < at) return;
    error_ = std::move(why);
    error_at_ = at;
  }

  /// The exception that was recorded, if any; forgets it.
  std::exception_ptr take_error() { return algorithms::exchange(error_, nullptr); }

 private:
  static constexpr std::size_t some = 4096;

  std::vector<column> columns_;
  std::size_t room_ = 0;  // samples
  posix::mutex failing_;    // taken only when something failed
  std::exception_ptr error_;
  std::size_t error_at_ = 0;
};

}  // namespace impl

}  // namespace ipuflow::feed
