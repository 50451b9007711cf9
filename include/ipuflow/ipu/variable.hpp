// SPDX-License-Identifier: BSL-1.0
// A variable of a program, and where its elements are: for each element its tile, and its place in what that tile holds
// of the variable. A tile holds its intervals one after the other, so what is whole on a tile is one span there.
#pragma once

#include <ipuflow/ipu/codelet.hpp>
#include <ipuflow/ipu/mapping.hpp>

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ipuflow::ipu {

/// Elements that lie in one piece on one tile.
struct placed_run {
  std::size_t tile = 0;
  std::size_t local = 0;   // place of the first in what the tile holds of the variable
  std::size_t length = 0;  // to the end of its interval, or as many as were asked for

  friend constexpr bool operator==(const placed_run&, const placed_run&) = default;
};

class variable {
 public:
  variable(name_text name, element_type type, std::size_t elements, mapping map, bool always_live)
      : name_{name}, type_{type}, elements_{elements}, map_{std::move(map)}, always_live_{always_live} {
    local_.reserve(map_.size());
    for (const mapped_interval& i : map_) {
      std::size_t& held = held_[i.tile];
      local_.push_back(held);
      held += i.end - i.begin;
    }
  }

  const name_text& name() const { return name_; }
  element_type type() const { return type_; }
  std::size_t elements() const { return elements_; }
  bytes size() const { return {elements_ * size_of(type_)}; }
  const ipu::mapping& map() const { return map_; }
  bool always_live() const { return always_live_; }

  /// Elements that a tile holds.
  std::size_t held(std::size_t tile) const {
    const auto found = held_.find(tile);
    return found == held_.end() ? 0 : found->second;
  }
  const std::unordered_map<std::size_t, std::size_t>& tiles() const { return held_; }

  /// The run that begins at `element`, at most `length` long.
  placed_run at(std::size_t element, std::size_t length) const {
    const std::size_t number = interval_of(element);
    const mapped_interval& i = map_[number];
    return {i.tile, local_[number] + (element - i.begin), std::min(length, i.end - element)};
  }

 private:
  /// Intervals are mostly of one size, so the guess is nearly right; if it is not, the search is by halves.
  std::size_t interval_of(std::size_t element) const {
    std::size_t number = std::min(element * map_.size() / elements_, map_.size() - 1);
    for (std::size_t tries = 0; tries < 4; ++tries) {
      if (element < map_[number].begin)
        --number;
      else if (element >= map_[number].end)
        ++number;
      else
        return number;
    }
    const auto after = std::upper_bound(map_.begin(), map_.end(), element,
                                        [](std::size_t e, const mapped_interval& i) { return e < i.begin; });
    return static_cast<std::size_t>(after - map_.begin()) - 1;
  }

  name_text name_;
  element_type type_;
  std::size_t elements_;
  ipu::mapping map_;
  bool always_live_;
  std::vector<std::size_t> local_;
  std::unordered_map<std::size_t, std::size_t> held_;
};

}  // namespace ipuflow::ipu
