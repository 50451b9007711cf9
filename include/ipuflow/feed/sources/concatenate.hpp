// SPDX-License-Identifier: BSL-1.0
// Several datasets one after the other: `concatenate(a, b)` has the samples of `a` and then those of `b`. With ranges
// among them it is a range, and each is begun when those before it have ended.
#pragma once

#include <ipuflow/core/iterators.hpp>
#include <ipuflow/core/units.hpp>
#include <ipuflow/feed/adaptors/ruled_range.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/held_range.hpp>
#include <ipuflow/feed/sources/shares.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::feed {

namespace impl {

/// The type that several datasets hand out: that of each if it is the same, otherwise a value.
template <class First, class... Other>
struct one_of_all {
  using type = std::conditional_t<(std::is_same_v<First, Other> && ...), First, std::remove_cvref_t<First>>;
};

template <map_style... Dataset>
class concatenated : public dataset_view {
 public:
  using result = typename one_of_all<raw_sample_t<Dataset>...>::type;

  explicit constexpr concatenated(Dataset... bases) : bases_{std::move(bases)...} {
    ipuflow::samples end{};  // checked
    std::size_t position = 0;
    const auto add = [&](std::size_t size) { ends_[position++] = (end += ipuflow::samples{size}).value; };
    std::apply([&](const auto&... base) { (add(base.size()), ...); }, bases_);
  }

  [[nodiscard]] constexpr std::size_t size() const { return ends_.back(); }
  constexpr result operator[](std::size_t index) const { return sample(index, 0); }
  constexpr result sample(std::size_t index, std::size_t epoch) const { return of<0>(index, epoch); }

 private:
  template <std::size_t Position>
  constexpr result of(std::size_t index, std::size_t epoch) const {
    if constexpr (Position + 1 < sizeof...(Dataset)) {
      if (index >= ends_[Position]) return of<Position + 1>(index, epoch);
    }
    return feed::sample_at(std::get<Position>(bases_), Position == 0 ? index : index - ends_[Position - (Position > 0)], epoch);
  }

  std::tuple<Dataset...> bases_;
  std::array<std::size_t, sizeof...(Dataset)> ends_{};
};

/// The samples of a range and then those of another, whose iterator is the state; none before it is begun.
template <class Second>
struct with_behind {
  Second second;
  using state = std::optional<std::ranges::iterator_t<const Second>>;

  template <class At, class End>
  state begin(At& at, const End& end) const {
    if (at == end) return std::ranges::begin(second);
    return {};
  }
  template <class Base, class At, class End>
  void next(const Base&, At& at, const End& end, state& behind) const {
    if (behind) {
      ++*behind;
    } else if (++at == end) {
      behind.emplace(std::ranges::begin(second));
    }
  }
  template <class At, class End>
  bool over(const At&, const End&, const state& behind) const {
    return behind && *behind == std::ranges::end(second);
  }
  template <class At, class End>
  auto read(const At& at, const End&, const state& behind) const ->
      typename one_of_all<std::iter_reference_t<At>, std::ranges::range_reference_t<const Second>>::type {
    if (behind) return **behind;
    return *at;
  }
};
template <class Second>
inline constexpr bool rule_begins_again<with_behind<Second>> = std::ranges::forward_range<const Second>;

template <class Dataset>
auto held_as_range(Dataset&& d) {
  return impl::held_range(impl::as_range(std::forward<Dataset>(d)));
}

template <class Range>
auto chain(Range only) {
  return only;
}
template <class First, class... Other>
auto chain(First first, Other... other) {
  auto rest = impl::chain(std::move(other)...);
  return ruled_range{std::move(first), with_behind<decltype(rest)>{std::move(rest)}};
}

}  // namespace impl

/// The samples of the datasets, one after the other; they are of one type.
template <class First, class... Other>
  requires(sizeof...(Other) > 0 && (map_style<std::remove_cvref_t<First>> || iterable_style<std::remove_cvref_t<First>>) &&
           ((map_style<std::remove_cvref_t<Other>> || iterable_style<std::remove_cvref_t<Other>>) && ...))
constexpr auto concatenate(First&& first, Other&&... other) {
  using sample = std::remove_cvref_t<impl::raw_sample_t<std::remove_cvref_t<First>>>;
  if constexpr (!(std::is_same_v<sample, std::remove_cvref_t<impl::raw_sample_t<std::remove_cvref_t<Other>>>> && ...)) {
    constexpr dataset_fault differ{dataset_wrong::samples_differ, 1 + sizeof...(Other)};  // dependent: said when it is so
    [[maybe_unused]] auto none = true ? problem_of<differ>() : nothing_wrong{};
  } else if constexpr (map_style<std::remove_cvref_t<First>> && (map_style<std::remove_cvref_t<Other>> && ...)) {
    return impl::concatenated{feed::all(std::forward<First>(first)), feed::all(std::forward<Other>(other))...};
  } else {
    return impl::chain(impl::held_as_range(std::forward<First>(first)), impl::held_as_range(std::forward<Other>(other))...);
  }
}

}  // namespace ipuflow::feed
