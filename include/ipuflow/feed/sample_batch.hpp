// SPDX-License-Identifier: BSL-1.0
// Samples that travel together: one column for each field. A batch is a view that can be copied: of a slot, which goes
// back to its loader with the last copy, or of memory that the dataset owns. It is itself a dataset, and its columns
// are `auto& [images, labels] = batch`.
#pragma once

#include <ipuflow/feed/column.hpp>
#include <ipuflow/feed/index_iterator.hpp>
#include <ipuflow/feed/lease.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::feed {

template <class... Field>
class sample_batch : public std::tuple<column_view<Field>...> {
 public:
  using columns_type = std::tuple<column_view<Field>...>;
  using iterator = impl::index_iterator<sample_batch>;

  sample_batch() = default;
  /// A view of `size` samples that keeps the memory they are in, if that is leased.
  sample_batch(std::size_t size, const columns_type& columns, impl::lease held = {})
      : columns_type{columns}, size_{size}, held_{std::move(held)} {}

  /// The number of samples.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const columns_type& columns() const { return *this; }

  /// A sample: its only field, or a tuple of references to its fields.
  decltype(auto) operator[](std::size_t sample) const {
    return std::apply(
        [sample](const auto&... column) -> decltype(auto) {
          if constexpr (sizeof...(Field) == 1) {
            return (column[sample], ...);
          } else {
            return std::tuple<typename column_view<Field>::reference...>(column[sample]...);
          }
        },
        columns());
  }
  iterator begin() const { return iterator{*this, 0}; }
  iterator end() const { return iterator{*this, size_}; }

  /// The samples from `first` on; keeps what this batch keeps.
  [[nodiscard]] sample_batch part(std::size_t first, std::size_t count) const {
    return {count,
            std::apply([&](const auto&... column) { return columns_type{column.part(first, count)...}; }, columns()),
            held_};
  }

  /// The bytes of all columns.
  [[nodiscard]] bytes size_bytes() const {
    return std::apply([](const auto&... column) { return (bytes{0} + ... + column.size_bytes()); }, columns());
  }

 private:
  std::size_t size_ = 0;
  impl::lease held_;
};

namespace impl {

template <class Sample>
struct batch_of {
  using type = sample_batch<field_t<Sample>>;
};
template <class... Part>
struct batch_of<std::tuple<Part...>> {
  using type = sample_batch<field_t<Part>...>;
};
template <class First, class Second>
struct batch_of<std::pair<First, Second>> {
  using type = sample_batch<field_t<First>, field_t<Second>>;
};

}  // namespace impl

/// The batch that samples of this type travel in: a tuple or pair has a column for each of its fields.
template <class Sample>
using sample_batch_t = typename impl::batch_of<std::remove_cvref_t<Sample>>::type;

}  // namespace ipuflow::feed

template <class... Field>
struct std::tuple_size<ipuflow::feed::sample_batch<Field...>> : std::integral_constant<std::size_t, sizeof...(Field)> {
};
template <std::size_t Index, class... Field>
struct std::tuple_element<Index, ipuflow::feed::sample_batch<Field...>> {
  using type = const std::tuple_element_t<Index, typename ipuflow::feed::sample_batch<Field...>::columns_type>;
};
