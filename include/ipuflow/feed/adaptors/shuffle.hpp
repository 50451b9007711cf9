// SPDX-License-Identifier: BSL-1.0
// `| shuffle(seed)`: a map-style dataset in an order that depends on the seed and on the epoch only, at no cost in
// memory. A range is shuffled in a window, `| shuffle(seed, window)`: every sample is drawn from the next `window`
// ones.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/iterators.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/feed/adaptors/adaptor.hpp>
#include <ipuflow/feed/adaptors/permutation.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/dataset_fault.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::feed {

template <map_style Dataset>
class shuffled : public dataset_view {
 public:
  constexpr shuffled(Dataset base, std::uint64_t seed) : base_{std::move(base)}, seed_{seed} {}

  [[nodiscard]] constexpr std::size_t size() const { return base_.size(); }
  constexpr decltype(auto) operator[](std::size_t index) const { return sample(index, 0); }
  constexpr decltype(auto) sample(std::size_t index, std::size_t epoch) const {
    return feed::sample_at(base_, position(index, epoch), epoch);
  }
  [[nodiscard]] constexpr std::size_t origin(std::size_t index, std::size_t epoch) const {
    return feed::origin_of(base_, position(index, epoch), epoch);
  }

 private:
  [[nodiscard]] constexpr std::size_t position(std::size_t index, std::size_t epoch) const {
    return permutation{base_.size(), impl::epoch_key(seed_, epoch)}[index];
  }

  Dataset base_;
  std::uint64_t seed_;
};

namespace impl {

/// A range drawn from a window; each pass has an order of its own. One pass at a time.
template <class View>
class window_shuffled : public dataset_view {
 public:
  using value_type = std::ranges::range_value_t<View>;
  class iterator;

  window_shuffled() = default;
  window_shuffled(View base, std::uint64_t seed, std::size_t window)
      : state_{ipuflow::share<state>(std::move(base), seed, window)} {}

  iterator begin() const { return iterator{*state_}; }
  range_end end() const { return {}; }

 private:
  struct kept {  // a std::vector<bool> has no elements to refer to
    value_type sample;
  };
  struct state {
    View base;
    std::uint64_t seed;
    std::size_t window;
    std::size_t passes = 0;
    std::vector<kept> waiting{};

    state(View b, std::uint64_t s, std::size_t w) : base{std::move(b)}, seed{s}, window{w} {}
  };

  shared<state> state_;
};

template <class View>
class window_shuffled<View>::iterator {
 public:
  using iterator_concept = std::input_iterator_tag;
  using iterator_category = std::input_iterator_tag;
  using value_type = window_shuffled::value_type;
  using difference_type = std::ptrdiff_t;
  using pointer = const value_type*;
  using reference = const value_type&;

  iterator() = default;
  explicit iterator(state& s) : from_{&s}, next_{std::ranges::begin(s.base)}, random_{impl::epoch_key(s.seed, s.passes++)} {
    s.waiting.clear();
    draw();
  }

  reference operator*() const { return from_->waiting[drawn_].sample; }
  iterator& operator++() {
    algorithms::swap(from_->waiting[drawn_], from_->waiting.back());
    from_->waiting.pop_back();
    draw();
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const iterator& at, range_end) { return at.from_->waiting.empty(); }

 private:
  void draw() {
    auto& waiting = from_->waiting;
    for (; waiting.size() < from_->window && next_ != std::ranges::end(from_->base); ++next_) waiting.push_back({*next_});
    random_ = mixed_bits(random_);
    drawn_ = waiting.empty() ? 0 : static_cast<std::size_t>(random_ % waiting.size());
  }

  state* from_ = nullptr;
  std::ranges::iterator_t<View> next_{};
  std::uint64_t random_ = 0;
  std::size_t drawn_ = 0;
};

}  // namespace impl

/// All samples in an order of their own in every epoch. Only a dataset with an index can be shuffled as a whole.
[[nodiscard]] constexpr auto shuffle(std::uint64_t seed) {
  return adaptor{[=]<class Dataset>(Dataset d) {
    if constexpr (map_style<Dataset>) {
      return shuffled{std::move(d), seed};
    } else {
      return refused<dataset_wrong::no_index, Dataset>{};
    }
  }};
}

/// The samples of a range, each drawn from the next `window` ones.
[[nodiscard]] constexpr auto shuffle(std::uint64_t seed, std::size_t window) {
  if (window == 0) throw_if(dataset_fault{dataset_wrong::no_window, window, 1});
  return adaptor{[=]<class Range>(Range r) {
    if constexpr (iterable_style<Range>) {
      return impl::window_shuffled<Range>{std::move(r), seed, window};
    } else {
      return refused<dataset_wrong::window_of_index, Range>{};
    }
  }};
}

}  // namespace ipuflow::feed
