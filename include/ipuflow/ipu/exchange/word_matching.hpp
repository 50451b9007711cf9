// SPDX-License-Identifier: BSL-1.0
// Colours the edges of a bipartite multigraph with as few colours as its largest degree, colours being cycles and edges
// words: messages are edges with as many parallel copies as they have words, and copies get runs of cycles.
// See exchange_schedule.hpp for the method.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu {

namespace impl {

struct matched_run {
  std::size_t message = 0;
  std::size_t first_word = 0;
  std::size_t slot = 0;
  std::size_t words = 0;
  std::size_t first_receiver = 0;
  std::size_t receiver_count = 0;
};

template <class = void>
class basic_word_matching {
 public:
  basic_word_matching(std::size_t senders, std::size_t receivers) : left_of_(senders, none), right_of_(receivers, none) {}

  /// Words [first_word, first_word + words) of a message, for some of its receivers.
  void add(std::size_t from, std::size_t to, std::size_t words, std::size_t message, std::size_t first_receiver,
           std::size_t receiver_count, std::size_t first_word = 0) {
    const std::size_t u = node(left_of_, from, left_words_);
    const std::size_t v = node(right_of_, to, right_words_);
    left_words_[u] += words;
    right_words_[v] += words;
    if (edges_.size() < left_words_.size()) edges_.resize(left_words_.size());
    edges_[u].push_back({v, words, first_word, none, message, first_receiver, receiver_count});
  }

  /// Hands out every word exactly once and returns the number of cycles: the largest degree.
  template <class Emit>
  std::size_t colour(Emit&& emit) {
    const std::size_t length = make_regular();
    matched_left_.assign(edges_.size(), none);
    matched_right_.assign(edges_.size(), none);
    exit_.assign(edges_.size(), none);
    widest_.assign(edges_.size(), 1);
    for (std::size_t u = 0; u < edges_.size(); ++u) {
      for (const edge& e : edges_[u]) widest_[u] = algorithms::max(widest_[u], e.words);
    }
    for (std::size_t done = 0; done < length;) {
      for (std::size_t u = 0; u < edges_.size(); ++u) {
        if (matched_left_[u] == none) augment(u, length - done, done, emit);
      }
      std::size_t words = length - done;
      for (std::size_t u = 0; u < edges_.size(); ++u) words = algorithms::min(words, edges_[u][matched_left_[u]].words);
      for (std::size_t u = 0; u < edges_.size(); ++u) take(u, words, done, emit);
      done += words;
    }
    return length;
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  struct edge {
    std::size_t to;
    std::size_t words;   // left to hand out
    std::size_t handed;  // out already
    std::size_t open;    // slot at which its present run began
    std::size_t message;
    std::size_t first_receiver;
    std::size_t receiver_count;
  };

  static std::size_t node(light_vector<std::size_t>& of, std::size_t tile, light_vector<std::size_t>& degrees) {
    if (of[tile] == none) {
      of[tile] = degrees.size();
      degrees.push_back(0);
    }
    return of[tile];
  }

  /// Equal sides and equal degrees: idle edges fill every node up.
  std::size_t make_regular() {
    const std::size_t nodes = algorithms::max(left_words_.size(), right_words_.size());
    left_words_.resize(nodes, 0);
    right_words_.resize(nodes, 0);
    edges_.resize(nodes);
    std::size_t degree = 0;
    for (std::size_t n = 0; n < nodes; ++n) degree = algorithms::max(degree, left_words_[n], right_words_[n]);
    for (std::size_t u = 0, v = 0; u < nodes && v < nodes;) {
      const std::size_t idle = algorithms::min(degree - left_words_[u], degree - right_words_[v]);
      if (idle > 0) edges_[u].push_back({v, idle, 0, none, none, 0, 0});
      left_words_[u] += idle;
      right_words_[v] += idle;
      if (left_words_[u] == degree)
        ++u;
      else
        ++v;
    }
    return degree;
  }

  /// Walks at random from an unmatched sender until a free receiver is met; the last exits from each sender are a
  /// simple alternating path.
  template <class Emit>
  void augment(std::size_t start, std::size_t degree, std::size_t slot, Emit& emit) {
    for (std::size_t u = start;;) {
      exit_[u] = pick(u, degree);
      const std::size_t owner = matched_right_[edges_[u][exit_[u]].to];
      if (owner == none) break;
      u = owner;
    }
    for (std::size_t u = start;;) {
      const std::size_t to = edges_[u][exit_[u]].to;
      const std::size_t owner = matched_right_[to];
      const std::size_t before = matched_left_[u];
      if (before != none && edges_[u][before].open != none) close(edges_[u][before], slot, emit);
      matched_left_[u] = exit_[u];
      matched_right_[to] = u;
      if (owner == none) return;
      u = owner;
    }
  }

  /// An edge of `u` other than its matched one, with probability in proportion to its words.
  std::size_t pick(std::size_t u, std::size_t degree) {
    const auto& edges = edges_[u];
    const std::size_t matched = matched_left_[u];
    if (edges.size() > 24) {
      for (std::size_t tries = 0; tries < 8; ++tries) {  // many edges are mostly equally wide ones
        const std::size_t e = random_below(edges.size());
        if (e != matched && random_below(widest_[u]) < edges[e].words) return e;
      }
    }
    std::size_t left = random_below(matched == none ? degree : degree - edges[matched].words);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (e == matched) continue;
      if (left < edges[e].words) return e;
      left -= edges[e].words;
    }
    return edges.size() - 1 == matched ? edges.size() - 2 : edges.size() - 1;
  }

  template <class Emit>
  void take(std::size_t u, std::size_t words, std::size_t slot, Emit& emit) {
    const std::size_t e = matched_left_[u];
    edge& taken = edges_[u][e];
    if (taken.open == none) taken.open = slot;
    taken.words -= words;
    if (taken.words != 0) return;  // it stays matched, and its run goes on
    close(taken, slot + words, emit);
    matched_right_[taken.to] = none;
    matched_left_[u] = none;
    taken = edges_[u].back();
    edges_[u].pop_back();
  }

  template <class Emit>
  static void close(edge& e, std::size_t end, Emit& emit) {
    if (e.message != none)
      emit(matched_run{e.message, e.handed, e.open, end - e.open, e.first_receiver, e.receiver_count});
    e.handed += end - e.open;
    e.open = none;
  }

  /// xorshift: deterministic, so that equal patterns give equal schedules.
  std::size_t random_below(std::size_t limit) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return ((state_ >> 32) * limit) >> 32;
  }

  light_vector<std::size_t> left_of_;
  light_vector<std::size_t> right_of_;
  light_vector<std::size_t> left_words_;
  light_vector<std::size_t> right_words_;
  light_vector<light_vector<edge>> edges_;
  light_vector<std::size_t> matched_left_;
  light_vector<std::size_t> matched_right_;
  light_vector<std::size_t> exit_;
  light_vector<std::size_t> widest_;
  std::uint64_t state_ = 0x9e3779b97f4a7c15u;
};
using word_matching = basic_word_matching<>;

}  // namespace impl

}  // namespace ipuflow::ipu
