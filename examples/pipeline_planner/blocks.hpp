// SPDX-License-Identifier: BSL-1.0
// The blocks of a network by name: "layer3[8]", as the vendor's scripts write it, and "layer3.8" are the same one. A name that there
// is none of is refused with those that come nearest.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/nn/stage/network_on_tiles.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pipeline_planner {

using namespace ipuflow;

/// A name with its numbers behind points.
inline std::string with_points(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c != ']') text += c == '[' ? '.' : c;
  }
  return text;
}

/// Characters that are to be changed, put in or left out to make one text of another (Levenshtein).
inline std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t before = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = before + (a[i - 1] == b[j - 1] ? 0 : 1);
      before = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, changed}));
    }
  }
  return row.back();
}

/// The block of that name.
inline std::size_t block_of(const nn::network_on_tiles& network, std::string_view asked) {
  const std::string name = with_points(asked);
  std::vector<std::pair<std::size_t, std::size_t>> near;  // distances of blocks
  for (std::size_t b = 0; b < network.blocks(); ++b) {
    const std::string other = with_points(network.name_of(b));
    if (other == name) return b;
    near.emplace_back(distance(name.substr(0, 60), other), b);
  }
  std::sort(near.begin(), near.end());
  std::string names;
  for (std::size_t i = 0; i < near.size() && i < 3; ++i) names.append(i == 0 ? "" : ", ").append(network.name_of(near[i].second));
  std::string shown{asked.substr(0, 40)};
  for (char& c : shown) c = c < ' ' || c > '~' ? '?' : c;
  throw error{filled("ipuflow: no block is named '{name}'; near are {near}", {{"name", shown}, {"near", names}})};
}

/// The blocks of each stage: "conv1 to layer3.7".
inline std::vector<std::string> stage_names(const nn::network_on_tiles& network, std::span<const std::size_t> cuts) {
  std::vector<std::string> names;
  for (std::size_t s = 0; s <= cuts.size(); ++s) {
    const std::size_t first = s == 0 ? 0 : cuts[s - 1], last = (s < cuts.size() ? cuts[s] : network.blocks()) - 1;
    std::string name{network.name_of(first)};
    if (last > first) name.append(" to ").append(network.name_of(last));
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace pipeline_planner
