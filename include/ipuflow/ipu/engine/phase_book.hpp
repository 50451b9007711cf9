// SPDX-License-Identifier: BSL-1.0
// The phases of labelled steps. A step that runs again does the same, mostly: equal lists are kept once, so that the phases of a
// long run take the room of a short one's.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/memo.hpp>
#include <ipuflow/core/wrapping.hpp>
#include <ipuflow/ipu/program/phase.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::ipu::impl {

template <class = void>
class basic_phase_book {
 public:
  /// The number of a list; 0 is the empty one.
  std::size_t number_of(const light_vector<phase_run>& list) {
    if (list.empty()) return 0;
    light_vector<std::size_t>& alike = known_.try_emplace(hash_of(list)).first->second;
    for (const std::size_t n : alike) {
      if (lists_[n] == list) return n;
    }
    alike.push_back(lists_.size());
    lists_.push_back(list);
    return lists_.size() - 1;
  }

  light_vector<light_vector<phase_run>> take() { return std::move(lists_); }

 private:
  static std::uint64_t hash_of(const light_vector<phase_run>& list) {
    std::uint64_t hash = list.size();
    const auto mix = [&](std::uint64_t number) { hash = wrapping_product(hash ^ number, 0x9e3779b97f4a7c15u), hash ^= hash >> 29; };
    for (const phase_run& r : list) {
      mix(r.begin.value << 3 ^ static_cast<std::uint64_t>(r.what));
      mix(r.length.value << 8 ^ r.chip);
      mix(r.tile_busy.value ^ r.codelet);
    }
    return hash;
  }

  light_vector<light_vector<phase_run>> lists_{1};
  memo<std::uint64_t, light_vector<std::size_t>> known_;
};
using phase_book = basic_phase_book<>;

}  // namespace ipuflow::ipu::impl
