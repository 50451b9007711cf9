// SPDX-License-Identifier: BSL-1.0
// Puts messages to overlapping sets of tiles into cycles, the most urgent first: those whose sender or a receiver has
// most to do. The chosen ones run until one of them ends or a tile that waits has no cycle left to lose. The shortest
// schedule of such messages is NP-hard to find (they colour the edges of a hypergraph); this one is mostly as short.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/ipu/exchange/word_matching.hpp>

#include <cstddef>

namespace ipuflow::ipu {

namespace impl {

template <class = void>
class basic_word_packing {
 public:
  explicit basic_word_packing(std::size_t tiles) : out_(tiles, 0), in_(tiles, 0), sends_(tiles), receives_(tiles) {}

  /// Words of a message to all of `to`, which must outlive the packing.
  void add(std::size_t from, light_span<const std::size_t> to, std::size_t words, std::size_t message,
           std::size_t first_receiver) {
    parcels_.push_back({from, to, words, message, first_receiver});
    out_[from] += words;
    for (const std::size_t t : to) in_[t] += words;
  }

  /// Hands out every word exactly once, and returns the number of cycles.
  template <class Emit>
  std::size_t pack(Emit&& emit) {
    // Among equally urgent ones those to many tiles first: they are the hardest to place.
    algorithms::sort(parcels_.begin(), parcels_.end(), [](const parcel& a, const parcel& b) {
      if (a.to.size() != b.to.size()) return a.to.size() > b.to.size();
      return a.message != b.message ? a.message < b.message : a.first_receiver < b.first_receiver;
    });
    std::size_t slot = 0;
    std::size_t end = 0;  // before which it cannot end, as far as is known
    while (!parcels_.empty()) {
      end = algorithms::max(end, slot + put_in_order());
      choose();
      const std::size_t words = until_the_next_choice(end - slot);
      bool ended = false;
      for (const std::size_t c : chosen_) {
        parcel& p = parcels_[c];
        emit(matched_run{p.message, p.handed, slot, words, p.first_receiver, p.to.size()});
        p.words -= words;
        p.handed += words;
        out_[p.from] -= words;
        for (const std::size_t t : p.to) in_[t] -= words;
        ended = ended || p.words == 0;
      }
      if (ended) erase_if(parcels_, [](const parcel& p) { return p.words == 0; });
      slot += words;
    }
    return slot;
  }

 private:
  struct parcel {
    std::size_t from;
    light_span<const std::size_t> to;
    std::size_t words;
    std::size_t message;
    std::size_t first_receiver;
    std::size_t handed = 0;
    std::size_t urgency = 0;
  };

  /// By falling urgency, each the most that its sender or a receiver has to do; returns the largest.
  std::size_t put_in_order() {
    std::size_t largest = 0;
    for (parcel& p : parcels_) {
      p.urgency = out_[p.from];
      for (const std::size_t t : p.to) p.urgency = algorithms::max(p.urgency, in_[t]);
      largest = algorithms::max(largest, p.urgency);
    }
    begins_.assign(largest + 2, 0);
    for (const parcel& p : parcels_) ++begins_[largest - p.urgency + 1];
    for (std::size_t u = 0; u < largest; ++u) begins_[u + 1] += begins_[u];
    order_.resize(parcels_.size());
    for (std::size_t c = 0; c < parcels_.size(); ++c) order_[begins_[largest - parcels_[c].urgency]++] = c;
    return largest;
  }

  /// As many as do not meet, in their order.
  void choose() {
    chosen_.clear();
    algorithms::fill(sends_.begin(), sends_.end(), false);
    algorithms::fill(receives_.begin(), receives_.end(), false);
    for (const std::size_t c : order_) {
      const parcel& p = parcels_[c];
      if (sends_[p.from] || algorithms::any_of(p.to.begin(), p.to.end(), [&](std::size_t t) { return receives_[t]; }))
        continue;
      sends_[p.from] = true;
      for (const std::size_t t : p.to) receives_[t] = true;
      chosen_.push_back(c);
    }
  }

  std::size_t until_the_next_choice(std::size_t left) const {
    std::size_t words = left;
    for (const std::size_t c : chosen_) words = algorithms::min(words, parcels_[c].words);
    for (std::size_t t = 0; t < out_.size(); ++t) {
      if (!sends_[t] && out_[t] > 0) words = algorithms::min(words, algorithms::max<std::size_t>(1, left - out_[t]));
      if (!receives_[t] && in_[t] > 0) words = algorithms::min(words, algorithms::max<std::size_t>(1, left - in_[t]));
    }
    return words;
  }

  light_vector<parcel> parcels_;
  light_vector<std::size_t> out_, in_;  // words that each tile has yet to send and to receive
  light_vector<bool> sends_, receives_;
  light_vector<std::size_t> begins_, order_, chosen_;
};
using word_packing = basic_word_packing<>;

}  // namespace impl

}  // namespace ipuflow::ipu
