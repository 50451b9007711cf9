// SPDX-License-Identifier: BSL-1.0
// A link or a port in time: one transfer after the other takes it. They need not be asked for in the order of time: an earlier one
// finds its gap.
#pragma once

#include <ipuflow/core/sorting.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace ipuflow::ipu {

template <class = void>
class basic_busy_spans {
 public:
  /// The first time from `from` on at which it is free for so long.
  [[nodiscard]] std::uint64_t free_for(std::uint64_t from, std::uint64_t length) const {
    for (const span& s : spans_) {  // in the order of time
      if (s.begin < from + length && s.end > from) from = s.end;
    }
    return from;
  }

  /// Takes it when it is free.
  void take(std::uint64_t from, std::uint64_t length) {
    if (from < spans_[0].begin) return;  // before all that are remembered
    spans_[0] = {from, from + length};
    algorithms::sort(spans_.begin(), spans_.end(), [](const span& a, const span& b) { return a.begin < b.begin; });
  }

  /// The end of a transfer that wants to begin then, and takes it as soon as it is free for so long.
  std::uint64_t end_of_transfer(std::uint64_t from, std::uint64_t length) {
    const std::uint64_t begin = free_for(from, length);
    take(begin, length);
    return begin + length;
  }

  /// Calls `visit(time)` for each time there is, in the order of time.
  template <class Visit>
  void each_time(Visit visit) {
    for (span& s : spans_) {
      visit(s.begin);
      visit(s.end);
    }
  }

 private:
  struct span {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  static constexpr std::size_t remembered = 16;

  std::array<span, remembered> spans_{};  // the last that were taken
};
using busy_spans = basic_busy_spans<>;

}  // namespace ipuflow::ipu
