// SPDX-License-Identifier: BSL-1.0
// The labels of a program that is being made: their numbers, and which micro-batches each works on, as they come.
#pragma once

#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/run/chips/profile.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::run::impl {

/// Labels by number, and the micro-batches of each as they come.
template <class = void>
class basic_label_book {
 public:
  std::size_t of(const chips_label& l) {
    const auto [found, added] = known_.try_emplace(l, labels.size());
    if (added) {
      labels.push_back(l);
      order.emplace_back();
    }
    return found->second;
  }
  void note(const chips_label& l, std::size_t micro_batch) {
    order[of(l)].push_back(static_cast<std::uint32_t>(micro_batch));
  }
  /// Forgets orders that are 0, 1, 2, ... to the last micro-batch.
  void finish(std::size_t micro_batches) {
    for (auto& list : order) {
      bool counted = list.size() == micro_batches;
      for (std::size_t i = 0; i < list.size() && counted; ++i) counted = list[i] == i;
      if (counted) list.clear();
      list.shrink_to_fit();
    }
  }

  light_vector<chips_label> labels{};
  light_vector<light_vector<std::uint32_t>> order{};

 private:
  ipuflow::flat_map<chips_label, std::size_t> known_;
};
using label_book = basic_label_book<>;

}  // namespace ipuflow::run::impl
