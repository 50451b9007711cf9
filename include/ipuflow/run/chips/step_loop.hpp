// SPDX-License-Identifier: BSL-1.0
// A sequence of steps as a program: the stretch that repeats most becomes a loop, and so again with what is before and
// behind it. Equal steps have equal numbers; nothing else is known of them.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::run {

/// Steps [begin, begin + body * repeats) of a sequence: `repeats` times the first `body` of them.
struct stretch {
  std::size_t begin = 0;
  std::size_t body = 0;
  std::size_t repeats = 1;

  [[nodiscard]] constexpr std::size_t size() const { return body * repeats; }
  [[nodiscard]] constexpr std::size_t end() const { return begin + size(); }
  /// Steps that need not stand in the program.
  [[nodiscard]] constexpr std::size_t saved() const { return body * (repeats - 1); }
  friend constexpr bool operator==(const stretch&, const stretch&) = default;
};

namespace impl {

/// The longest stretch with a body of that many steps.
template <class = void>
inline stretch longest_stretch(light_span<const std::uint32_t> steps, std::size_t body) {
  stretch best{0, body, 1};
  std::size_t equal = 0;  // steps up to here that are like those `body` before
  for (std::size_t i = body; i < steps.size(); ++i) {
    equal = steps[i] == steps[i - body] ? equal + 1 : 0;
    const std::size_t repeats = equal / body + 1;
    if (repeats > best.repeats) best = {i + 1 - equal - body, body, repeats};
  }
  return best;
}

/// The stretch that saves most; where two save the same, the one with the shorter body. A body of more than 4,096 steps
/// is not looked for, nor one whose stretch is a small part of a long sequence.
template <class = void>
[[nodiscard]] inline stretch best_stretch(light_span<const std::uint32_t> steps) {
  constexpr std::size_t probes = 8;
  constexpr std::size_t longest_body = 4096;
  stretch best{0, steps.size(), 1};
  for (std::size_t body = 1; body <= algorithms::min(steps.size() / 2, longest_body); ++body) {
    if (best.saved() >= steps.size() - body) break;  // no longer body saves more
    bool likely = steps.size() <= 256;
    for (std::size_t p = 0; p < probes && !likely; ++p) {
      const std::size_t at = p * steps.size() / probes;
      likely = at + body < steps.size() && steps[at] == steps[at + body];
    }
    if (!likely) continue;
    const stretch found = longest_stretch(steps, body);
    if (found.saved() > best.saved()) best = found;
  }
  return best;
}

}  // namespace impl

/// The sequence cut into stretches that save at least two steps, and single runs of steps between them.
template <class = void>
[[nodiscard]] inline light_vector<stretch> fold(light_span<const std::uint32_t> steps, std::size_t from = 0) {
  light_vector<stretch> made;
  if (steps.empty()) return made;
  const stretch best = impl::best_stretch(steps);
  if (best.saved() < 2) return {{from, steps.size(), 1}};
  made = fold(steps.first(best.begin), from);
  made.push_back({from + best.begin, best.body, best.repeats});
  const light_vector<stretch> rest = fold(steps.subspan(best.end()), from + best.end());
  made.insert(made.end(), rest.begin(), rest.end());
  return made;
}

}  // namespace ipuflow::run
