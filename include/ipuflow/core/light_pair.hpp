// SPDX-License-Identifier: BSL-1.0
// Two values: a std::pair without what makes that dear to compile. An aggregate, so structured bindings take it apart.
#pragma once

namespace ipuflow {

template <class First, class Second>
struct light_pair {
  First first{};
  Second second{};

  friend constexpr bool operator==(const light_pair& a, const light_pair& b) { return a.first == b.first && a.second == b.second; }
  /// By the first, then by the second.
  friend constexpr bool operator<(const light_pair& a, const light_pair& b) {
    return a.first < b.first || (!(b.first < a.first) && a.second < b.second);
  }
};

template <class First, class Second>
light_pair(First, Second) -> light_pair<First, Second>;

}  // namespace ipuflow
