// SPDX-License-Identifier: BSL-1.0
// A time that grows from one cycle of rounds to the next, and the maximum of two: which one it takes, and for how many cycles it takes that.
#pragma once

#include <cstddef>

namespace ipuflow::schedule::impl {

/// A time, and by how much it grows from one cycle to the next.
struct growing_time {
  std::size_t at = 0;
  std::size_t growth = 0;

  friend constexpr bool operator==(const growing_time&, const growing_time&) = default;
};

/// Takes the later of two times, and of equal ones that which grows faster; the other one must not overtake it: `lasts` becomes the number of
/// cycles, at most, in which it does not. True if the other time was taken. Where it is kept which one is, that must be the same in all
/// cycles: of equal ones the first.
template <bool Kept>
constexpr bool take_later(growing_time& now, growing_time other, std::size_t& lasts) {
  const bool equal = other.at == now.at;
  const bool later = other.at > now.at || (equal && other.growth > now.growth);
  if (later) {
    const growing_time before = now;
    now = other;
    other = before;
    if (Kept && equal) lasts = 0;
  }
  if (other.growth > now.growth) {
    const std::size_t ahead = now.at - other.at - (Kept && later && !equal ? 1 : 0);
    const std::size_t cycles = ahead / (other.growth - now.growth);
    if (cycles < lasts) lasts = cycles;
  }
  return later && !(Kept && equal);
}

}  // namespace ipuflow::schedule::impl
