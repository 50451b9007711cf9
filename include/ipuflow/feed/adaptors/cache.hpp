// SPDX-License-Identifier: BSL-1.0
// `| cache(limit)`: keeps the samples that dear transforms made, up to a number of bytes, so that a second epoch does not
// make them again; those that find no room are made each time. Samples are those of epoch 0 in every epoch, kept or not:
// shuffle, and transform at random, behind a cache. Workers share it without a lock.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/owner.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/core/units.hpp>
#include <ipuflow/feed/adaptors/adaptor.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/images/image.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::feed {

namespace impl {

/// A container with memory of its own, such as a string.
template <class Field>
concept keeps_elements = !std::is_trivially_copyable_v<Field> && requires(const Field& field) {
  typename Field::value_type;
  field.size();
  field.begin();
};
/// The bytes of a container and of what it keeps.
template <class Elements>
constexpr std::size_t size_of_all(const Elements& kept);

/// The form of a field, or of a sample, that refers to nothing.
template <class Field>
struct owned_form {
  using type = Field;

  static Field make(const Field& from) { return from; }
  static constexpr std::size_t size_bytes(const Field& kept) {
    if constexpr (keeps_elements<Field>) {
      return impl::size_of_all(kept);
    } else {
      return bytes_of<Field>.value;
    }
  }
};

template <class Elements>
constexpr std::size_t size_of_all(const Elements& kept) {
  using element = typename Elements::value_type;
  std::size_t size = sizeof(kept);
  if constexpr (std::is_trivially_copyable_v<element>) {
    size += kept.size() * sizeof(element);
  } else {
    for (const element& e : kept) size += owned_form<element>::size_bytes(e);
  }
  return size;
}

template <class Element, std::size_t Width>
struct owned_form<std::span<Element, Width>> {
  using type = std::array<std::remove_const_t<Element>, Width>;

  static type make(std::span<Element, Width> from) {
    type made;
    algorithms::copy_n(from.data(), Width, made.data());
    return made;
  }
  static constexpr std::size_t size_bytes(const type& kept) { return sizeof(kept); }
};

template <class Element>
struct owned_form<std::vector<Element>> {
  using type = std::vector<Element>;

  static type make(type from) { return from; }
  static constexpr std::size_t size_bytes(const type& kept) { return impl::size_of_all(kept); }
};

template <class Element>
struct owned_form<std::span<Element, std::dynamic_extent>> : owned_form<std::vector<std::remove_const_t<Element>>> {
  static std::vector<std::remove_const_t<Element>> make(std::span<Element> from) { return {from.begin(), from.end()}; }
};

template <class Elements, class Extents>
struct owned_form<image<Elements, Extents>> {
  using of_elements = owned_form<Elements>;
  using type = image<typename of_elements::type, Extents>;

  static type make(const image<Elements, Extents>& from) { return {of_elements::make(from.elements()), from.extents()}; }
  static constexpr std::size_t size_bytes(const type& kept) {
    return sizeof(kept) - sizeof(kept.elements()) + of_elements::size_bytes(kept.elements());
  }
};

template <class... Field>
struct owned_form<std::tuple<Field...>> {
  using type = std::tuple<typename owned_form<std::remove_cvref_t<Field>>::type...>;

  static type make(const std::tuple<Field...>& from) {
    return std::apply(
        [](const auto&... field) { return type{owned_form<std::remove_cvref_t<decltype(field)>>::make(field)...}; }, from);
  }
  static constexpr std::size_t size_bytes(const type& kept) {
    return std::apply(
        [](const auto&... field) {
          return (std::size_t{0} + ... + owned_form<std::remove_cvref_t<decltype(field)>>::size_bytes(field));
        },
        kept);
  }
};

template <class First, class Second>
struct owned_form<std::pair<First, Second>> : owned_form<std::tuple<First, Second>> {};

/// The samples that are kept: a place for each, which is filled once.
template <class Sample>
class sample_store {
 public:
  sample_store(std::size_t size, std::uint64_t limit) : places_(size), limit_{limit} {}
  sample_store(const sample_store&) = delete;
  sample_store& operator=(const sample_store&) = delete;
  ~sample_store() {
    for (const auto& place : places_) delete place.load(std::memory_order_relaxed);  // no partner: no other thread is left
  }

  /// The sample at that place, if it is kept.
  [[nodiscard]] const Sample* find(std::size_t index) const {
    return places_[index].load(std::memory_order_acquire);  // partner: keep
  }

  /// Keeps a copy, unless there is no room or another worker has kept one.
  void keep(std::size_t index, const Sample& made) {
    struct room {
      std::atomic<std::uint64_t>& used;
      std::uint64_t size;
      ~room() { used -= size; }
    } taken{used_, owned_form<Sample>::size_bytes(made)};
    if ((used_ += taken.size) > limit_) return;
    auto copy = ipuflow::make_owner<const Sample>(made);  // which may throw
    const Sample* none = nullptr;
    if (!places_[index].compare_exchange_strong(none, copy.get())) return;
    (void)copy.release();
    taken.size = 0;
  }

  [[nodiscard]] std::uint64_t used() const { return used_; }

 private:
  std::vector<std::atomic<const Sample*>> places_;
  std::uint64_t limit_;
  std::atomic<std::uint64_t> used_{0};
};

template <map_style Dataset>
class cached : public dataset_view {
 public:
  using form = owned_form<sample_t<Dataset>>;
  using kept_type = typename form::type;

  cached(Dataset base, bytes limit)
      : base_{std::move(base)}, kept_{share<sample_store<kept_type>>(base_.size(), limit.value)} {}

  [[nodiscard]] std::size_t size() const { return base_.size(); }
  kept_type operator[](std::size_t index) const { return sample(index, 0); }
  kept_type sample(std::size_t index, std::size_t) const {
    if (const kept_type* const there = kept_->find(index)) return *there;
    kept_type made = form::make(feed::sample_at(base_, index, 0));
    kept_->keep(index, made);
    return made;
  }
  [[nodiscard]] std::size_t origin(std::size_t index, std::size_t) const { return feed::origin_of(base_, index, 0); }

  /// The bytes of the kept samples, without the pointer that there is for each sample of the dataset.
  [[nodiscard]] bytes used() const { return {kept_->used()}; }

 private:
  Dataset base_;
  shared<sample_store<kept_type>> kept_;
};

}  // namespace impl

/// The samples of epoch 0, kept when they are first asked for as long as they take no more than `limit` together.
[[nodiscard]] constexpr auto cache(bytes limit) {
  return adaptor{[=]<class Dataset>(Dataset d) {
    if constexpr (map_style<Dataset>) {
      return impl::cached{std::move(d), limit};
    } else {
      return refused<dataset_wrong::range_cached, Dataset>{};
    }
  }};
}

}  // namespace ipuflow::feed
