// SPDX-License-Identifier: BSL-1.0
// Several datasets side by side: sample `i` of `zip(images, labels)` is a tuple of their samples `i`.
#pragma once

#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/dataset_fault.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::feed {

namespace impl {

template <map_style... Dataset>
class zipped : public dataset_view {
 public:
  explicit constexpr zipped(Dataset... bases) : bases_{std::move(bases)...} {
    std::size_t position = 0;
    std::apply([&](const auto&... base) { (check(position++, base.size()), ...); }, bases_);
  }

  [[nodiscard]] constexpr std::size_t size() const { return std::get<0>(bases_).size(); }
  constexpr auto operator[](std::size_t index) const { return sample(index, 0); }
  constexpr auto sample(std::size_t index, std::size_t epoch) const {
    return std::apply(
        [&](const auto&... base) {
          return std::tuple<decltype(feed::sample_at(base, index, epoch))...>(feed::sample_at(base, index, epoch)...);
        },
        bases_);
  }
  [[nodiscard]] constexpr auto columns() const
    requires((contiguous_samples<Dataset> && !is_tuple<sample_t<Dataset>>) && ...)  // a tuple of fields is no column
  {
    return std::apply([](const auto&... base) { return std::tuple_cat(feed::whole(base).columns()...); }, bases_);
  }

 private:
  constexpr void check(std::size_t position, std::size_t size_there) const {
    if (size_there != size()) throw_if(dataset_fault{dataset_wrong::sizes_differ, size_there, size(), position});
  }

  std::tuple<Dataset...> bases_;
};

}  // namespace impl

/// The datasets side by side; throws unless they have equally many samples.
template <class... Dataset>
  requires(sizeof...(Dataset) > 1 && (map_style<std::remove_cvref_t<Dataset>> && ...))
constexpr auto zip(Dataset&&... d) {
  return impl::zipped{feed::all(std::forward<Dataset>(d))...};
}

}  // namespace ipuflow::feed
