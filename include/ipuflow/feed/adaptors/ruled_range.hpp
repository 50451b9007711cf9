// SPDX-License-Identifier: BSL-1.0
// The range that an adaptor makes of another one. A rule says where a pass over it begins, how it goes on, when it is
// over and what is read; between these it keeps a state. The passes of a range that can be begun again can be as well.
#pragma once

#include <ipuflow/core/iterators.hpp>
#include <ipuflow/feed/dataset.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow::feed::impl {

/// The rule that changes nothing, and what others have of it. The state is how much is left of what a rule counts.
struct same_samples {
  template <class At, class End>
  constexpr std::size_t begin(At&, const End&) const {
    return 1;
  }
  template <class Base, class At, class End>
  constexpr void next(const Base&, At& at, const End&, std::size_t&) const {
    ++at;
  }
  template <class At, class End>
  constexpr bool over(const At& at, const End& end, std::size_t left) const {
    return left == 0 || at == end;
  }
  template <class At, class End>
  constexpr decltype(auto) read(const At& at, const End&, std::size_t) const {
    return *at;
  }
};

/// Goes on by up to `count` samples.
template <class At, class End>
constexpr void skip(At& at, const End& end, std::size_t count) {
  for (; count > 0 && at != end; --count) ++at;
}

/// False of a rule whose state cannot be begun again.
template <class Rule>
inline constexpr bool rule_begins_again = true;

template <class Base, class Rule>
class ruled_range : public dataset_view {
 public:
  class iterator;

  ruled_range(Base base, Rule rule) : base_{std::move(base)}, rule_{std::move(rule)} {}
  iterator begin() const { return iterator{*this}; }
  range_end end() const { return {}; }

 private:
  Base base_;
  Rule rule_;
};

template <class Base, class Rule>
class ruled_range<Base, Rule>::iterator {
  using at_type = std::ranges::iterator_t<const Base>;
  using end_type = std::ranges::sentinel_t<const Base>;
  using state = decltype(std::declval<const Rule&>().begin(std::declval<at_type&>(), std::declval<const end_type&>()));
  static constexpr bool again = std::ranges::forward_range<const Base> && rule_begins_again<Rule>;

 public:
  using iterator_concept = std::conditional_t<again, std::forward_iterator_tag, std::input_iterator_tag>;
  using reference = decltype(std::declval<const Rule&>().read(
      std::declval<const at_type&>(), std::declval<const end_type&>(), std::declval<const state&>()));
  using value_type = std::remove_cvref_t<reference>;
  using difference_type = std::ptrdiff_t;

  iterator()
    requires again
  = default;
  explicit iterator(const ruled_range& from)
      : from_{&from},
        at_{std::ranges::begin(from.base_)},
        end_{std::ranges::end(from.base_)},
        state_{from.rule_.begin(at_, end_)} {}

  reference operator*() const { return from_->rule_.read(at_, end_, state_); }
  iterator& operator++() {
    from_->rule_.next(from_->base_, at_, end_, state_);
    return *this;
  }
  void operator++(int) { ++*this; }
  iterator operator++(int)
    requires again
  {
    iterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const iterator& i, range_end) {
    return i.over();
  }
  friend bool operator==(const iterator& a, const iterator& b)
    requires again
  {
    return a.at_ == b.at_ && a.state_ == b.state_;
  }

 private:
  bool over() const { return from_->rule_.over(at_, end_, state_); }

  const ruled_range* from_ = nullptr;
  at_type at_{};
  end_type end_{};
  state state_{};
};

}  // namespace ipuflow::feed::impl
