// SPDX-License-Identifier: BSL-1.0
// A variable of a program, and where its elements are: for each element its tile, and its place in what that tile holds
// of the variable. A tile holds its intervals one after the other, so what is whole on a tile is one span there. The
// slots of a ring are one variable of several copies: the same map again and again.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/ipu/program/codelet.hpp>
#include <ipuflow/ipu/program/mapping.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::ipu {

namespace impl {

/// Elements that lie in one piece on one tile.
struct placed_run {
  std::size_t tile = 0;
  std::size_t local = 0;   // place of the first in what the tile holds of the variable
  std::size_t length = 0;  // to the end of its interval, or as many as were asked for

  friend constexpr bool operator==(const placed_run&, const placed_run&) = default;
};

}  // namespace impl

template <class = void>
class basic_variable {
 public:
  basic_variable(name_text name, element_type type, std::size_t elements, mapping map, bool always_live,
           std::size_t copies = 1)
      : name_{name}, type_{type}, one_{elements}, copies_{copies}, map_{std::move(map)}, always_live_{always_live} {
    if (map_.empty()) return;
    const auto before = [](const mapped_interval& a, const mapped_interval& b) { return a.tile < b.tile; };
    const auto first = algorithms::min_element(map_.begin(), map_.end(), before);
    const auto last = algorithms::max_element(map_.begin(), map_.end(), before);
    light_vector<std::size_t> held(last->tile - first->tile + 1, 0);
    local_.reserve(map_.size());
    for (const mapped_interval& i : map_) {
      std::size_t& here = held[i.tile - first->tile];
      local_.push_back(here);
      here += i.end - i.begin;
    }
    for (std::size_t t = 0; t < held.size(); ++t) {
      if (held[t] > 0) held_[first->tile + t] = held[t] * copies;
    }
  }

  [[nodiscard]] const name_text& name() const { return name_; }
  [[nodiscard]] element_type type() const { return type_; }
  [[nodiscard]] std::size_t elements() const { return one_ * copies_; }
  [[nodiscard]] std::size_t copies() const { return copies_; }
  [[nodiscard]] bytes size() const { return {elements() * size_of(type_)}; }
  /// Of one copy.
  [[nodiscard]] const ipu::mapping& map() const { return map_; }
  [[nodiscard]] bool always_live() const { return always_live_; }
  void keep_while_used() { always_live_ = false; }

  /// Elements that a tile holds, of all copies.
  [[nodiscard]] std::size_t held(std::size_t tile) const {
    if (held_.empty() || tile < held_.begin()->first) return 0;
    const std::size_t guess = tile - held_.begin()->first;  // right if it is on every tile from the first on
    if (guess < held_.size() && held_.begin()[guess].first == tile) return held_.begin()[guess].second;
    const auto found = held_.find(tile);
    return found == held_.end() ? 0 : found->second;
  }
  [[nodiscard]] const flat_map<std::size_t, std::size_t>& tiles() const { return held_; }

  /// The run that begins at `element`, at most `length` long.
  [[nodiscard]] impl::placed_run at(std::size_t element, std::size_t length) const {
    std::size_t interval = map_.size();
    return at(element, length, interval);
  }
  /// The same, looked for first in `interval` and the one behind it, and where it is: runs mostly come one after the other.
  [[nodiscard]] impl::placed_run at(std::size_t element, std::size_t length, std::size_t& interval) const {
    const std::size_t copy = copies_ == 1 ? 0 : element / one_;
    const std::size_t place = element - copy * one_;
    if (interval < map_.size() && place >= map_[interval].end) ++interval;
    if (interval >= map_.size() || place < map_[interval].begin || place >= map_[interval].end) interval = interval_of(place);
    const mapped_interval& i = map_[interval];
    const std::size_t before = copy == 0 ? 0 : copy * (held(i.tile) / copies_);
    return {i.tile, before + local_[interval] + (place - i.begin), algorithms::min(length, i.end - place)};
  }

 private:
  /// Intervals are mostly of one size, so the guess is nearly right; if it is not, the search is by halves.
  std::size_t interval_of(std::size_t element) const {
    std::size_t number = algorithms::min(element * map_.size() / one_, map_.size() - 1);
    for (std::size_t tries = 0; tries < 4; ++tries) {
      if (element < map_[number].begin)
        --number;
      else if (element >= map_[number].end)
        ++number;
      else
        return number;
    }
    const auto after = algorithms::upper_bound(map_.begin(), map_.end(), element,
                                               [](std::size_t e, const mapped_interval& i) { return e < i.begin; });
    return static_cast<std::size_t>(after - map_.begin()) - 1;
  }

  name_text name_;
  element_type type_;
  std::size_t one_;  // elements of a copy
  std::size_t copies_;
  ipu::mapping map_;
  bool always_live_;
  light_vector<std::size_t> local_;
  flat_map<std::size_t, std::size_t> held_;
};
using variable = basic_variable<>;

}  // namespace ipuflow::ipu
