// SPDX-License-Identifier: BSL-1.0
// The messages of an exchange: words from one tile to one or many. Its lower bound is the number of words that the
// busiest tile sends or receives; messages to the same set of tiles can be layered so that none of them meet.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::ipu {

template <class = void>
class basic_exchange_pattern {
 public:
  struct message {
    std::size_t from = 0;
    std::size_t words = 0;
    std::size_t first_receiver = 0;
    std::size_t receiver_count = 0;
    std::size_t first_delivery = 0;  // of its words, counted at every receiver
  };

  explicit basic_exchange_pattern(std::size_t tiles) : tiles_{tiles} {}

  void add(std::size_t from, light_span<const std::size_t> to, std::size_t words) {
    message added{from, words, receivers_.size(), 0, word_total_};
    for (const std::size_t tile : to) {
      if (tile == from) continue;
      receivers_.push_back(tile);
      ++added.receiver_count;
    }
    if (added.receiver_count == 0 || words == 0) return;
    word_total_ += words * added.receiver_count;
    messages_.push_back(added);
  }
  void add(std::size_t from, std::size_t to, std::size_t words) { add(from, {&to, 1}, words); }

  [[nodiscard]] std::size_t tiles() const { return tiles_; }
  [[nodiscard]] std::size_t size() const { return messages_.size(); }
  const message& operator[](std::size_t m) const { return messages_[m]; }
  [[nodiscard]] light_span<const std::size_t> receivers(std::size_t m) const {
    return light_span<const std::size_t>{receivers_}.subspan(messages_[m].first_receiver, messages_[m].receiver_count);
  }
  [[nodiscard]] std::size_t receiver_total() const { return receivers_.size(); }
  [[nodiscard]] std::size_t word_total() const { return word_total_; }

 private:
  std::size_t tiles_;
  light_vector<message> messages_;
  light_vector<std::size_t> receivers_;
  std::size_t word_total_ = 0;
};
using exchange_pattern = basic_exchange_pattern<>;

namespace impl {

/// No schedule is shorter: the most words that one tile sends or receives.
template <class = void>
[[nodiscard]] inline std::size_t lower_bound(const exchange_pattern& pattern) {
  light_vector<std::size_t> sent(pattern.tiles(), 0);
  light_vector<std::size_t> received(pattern.tiles(), 0);
  for (std::size_t m = 0; m < pattern.size(); ++m) {
    sent[pattern[m].from] += pattern[m].words;
    for (const std::size_t to : pattern.receivers(m)) received[to] += pattern[m].words;
  }
  std::size_t most = 0;
  for (std::size_t t = 0; t < pattern.tiles(); ++t) most = algorithms::max(most, sent[t], received[t]);
  return most;
}

/// Multicasts whose sets of receivers are equal or disjoint: each set is one node, and the layer an ordinary bipartite
/// graph.
struct multicast_layer {
  std::size_t groups = 0;
  light_vector<light_pair<std::size_t, std::size_t>> messages;  // message, group
};

/// The chosen messages, sets of receivers with much to take first, each in the first layer where its set meets no
/// other.
template <class = void>
[[nodiscard]] inline light_vector<multicast_layer> layers_of(const exchange_pattern& pattern, const light_vector<bool>& chosen) {
  struct group {
    light_vector<std::size_t> to;
    light_vector<std::size_t> messages;
    std::size_t words = 0;
  };
  light_vector<light_pair<light_vector<std::size_t>, std::size_t>> sets;
  for (std::size_t m = 0; m < pattern.size(); ++m) {
    if (!chosen[m]) continue;
    sets.emplace_back(light_vector<std::size_t>(pattern.receivers(m).begin(), pattern.receivers(m).end()), m);
    algorithms::sort(sets.back().first.begin(), sets.back().first.end());
  }
  algorithms::sort(sets.begin(), sets.end());
  light_vector<group> groups;
  for (auto& [to, m] : sets) {
    if (groups.empty() || groups.back().to != to) groups.push_back({to, {}, 0});
    groups.back().messages.push_back(m);
    groups.back().words += pattern[m].words;
  }
  algorithms::sort(groups.begin(), groups.end(), [](const group& a, const group& b) {
    return a.words != b.words ? a.words > b.words : a.messages < b.messages;
  });
  light_vector<multicast_layer> layers;
  light_vector<light_vector<bool>> taken;  // tiles of each layer
  for (const group& g : groups) {
    std::size_t layer = 0;
    const auto meets = [&](std::size_t tile) { return taken[layer][tile]; };
    while (layer < layers.size() && algorithms::any_of(g.to.begin(), g.to.end(), meets)) ++layer;
    if (layer == layers.size()) {
      layers.emplace_back();
      taken.emplace_back(pattern.tiles(), false);
    }
    for (const std::size_t tile : g.to) taken[layer][tile] = true;
    for (const std::size_t m : g.messages) layers[layer].messages.emplace_back(m, layers[layer].groups);
    ++layers[layer].groups;
  }
  return layers;
}

}  // namespace impl

}  // namespace ipuflow::ipu
