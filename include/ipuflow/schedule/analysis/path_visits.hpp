// SPDX-License-Identifier: BSL-1.0
// The visits of a critical path, traced backwards, to what was left out of a run: there all choices are those of one cycle, so once the path is
// at a place of the cycle where it has been before, it goes round like this to the first of them.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

/// The last of those that are left out, from `begin` to `end` of a list, that begins at or before a place; `nullptr` if none does.
template <class LeftOut, class Place>
[[nodiscard]] constexpr const LeftOut* left_out_before(const dynamic_array<LeftOut>& all, std::size_t begin, std::size_t end, Place place) {
  std::size_t low = begin;
  for (std::size_t high = end; low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    if (all[middle].at <= place) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low == begin ? nullptr : &all[low - 1];
}

/// A place where a path has been.
struct path_visit {
  const void* left_out = nullptr;  ///< in which of those,
  std::size_t phase = 0;           ///< and where in its cycle,
  std::size_t of = 0;              ///< at which operation of that
  std::size_t at = 0;
  std::size_t ops = 0;             ///< operations of the path before it
  std::size_t finish = 0;
};

/// The place that is known again when the path comes to it. Another one is kept after ever more operations, so that a body of any length is found.
class path_visits {
 public:
  /// True if the path has been at this place of the cycle: then `before` is that visit.
  constexpr bool again(const path_visit& now, path_visit& before) {
    const bool same = seen_.left_out == now.left_out;
    if (same && seen_.phase == now.phase && seen_.of == now.of) {
      before = seen_;
      seen_ = {};
      patience_ = 1;
      return true;
    }
    if (!same || now.ops - seen_.ops >= patience_) {
      patience_ = same ? 2 * patience_ : 1;
      seen_ = now;
    }
    return false;
  }

 private:
  path_visit seen_{};
  std::size_t patience_ = 1;
};

}  // namespace ipuflow::schedule::impl
