// SPDX-License-Identifier: BSL-1.0
// An iterable dataset in shares, one file each for example, which can be read at the same time. The number of shares
// belongs to the dataset and not to the loader: steps come from the shares in turn, so that the order does not depend
// on the number of workers.
#pragma once

#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/loader_options.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace ipuflow::feed {

namespace impl {

/// The samples of a range or of a map-style dataset.
template <class Dataset>
auto as_range(Dataset&& d) {
  if constexpr (map_style<std::remove_cvref_t<Dataset>>) {
    return feed::samples_of(std::forward<Dataset>(d));
  } else {
    return std::forward<Dataset>(d);
  }
}

template <class Make>
class share_set {
 public:
  using range_type = decltype(impl::as_range(std::declval<const Make&>()(std::size_t{}, std::size_t{})));

  share_set(std::size_t count, Make make, std::optional<std::size_t> samples, bool repeatable = true)
      : count_{count}, make_{std::move(make)}, samples_{samples}, repeatable_{repeatable} {
    if (count == 0) throw_if(loader_fault{loader_wrong::no_shares, count, 1});
  }

  std::size_t count() const { return count_; }
  /// Share `index`, from its beginning.
  range_type share(std::size_t index) const { return impl::as_range(make_(index, count_)); }
  /// The number of samples that all shares have together, if it is known.
  std::optional<std::size_t> samples() const { return samples_; }
  /// True if a share may be begun as often as one likes.
  [[nodiscard]] bool repeatable() const { return repeatable_; }

 private:
  std::size_t count_;
  Make make_;
  std::optional<std::size_t> samples_;
  bool repeatable_;
};

}  // namespace impl

/// `count` shares; `make(share, count)` begins one, and is called for every epoch by the worker that reads it.
template <class Make>
  requires std::invocable<const Make&, std::size_t, std::size_t>
impl::share_set<Make> shares(std::size_t count, Make make, std::optional<std::size_t> samples = {}) {
  return {count, std::move(make), samples};
}

}  // namespace ipuflow::feed
