// SPDX-License-Identifier: BSL-1.0
// The stages of one chip that recompute where it is too full without: those that take the least time again.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/schedule/forms/stage_set.hpp>

#include <cstddef>
#include <tuple>

namespace ipuflow::plan {

/// Of a chip's stages the ones that recompute beside `already` with the least time of forward passes with which the chip fits, and of
/// several the fewest; all of them if it does not fit anyway, or if it has more than ten and does not fit as it is.
template <class Fits>
[[nodiscard]] schedule::stage_set least_recomputed(light_span<const std::size_t> stages, light_span<const std::size_t> forward,
                                                   const schedule::stage_set& already, const Fits& fits) {
  constexpr std::size_t most_stages_looked_at = 10;
  light_vector<std::size_t> may;
  for (const std::size_t s : stages) {
    if (!already.has(s)) may.push_back(s);
  }
  struct choice {
    std::size_t time = 0, count = 0, of = 0;
    auto rank() const { return std::tie(time, count, of); }
  };
  light_vector<choice> choices(may.size() > most_stages_looked_at ? 1 : std::size_t{1} << may.size());
  for (std::size_t i = 1; i < choices.size(); ++i) {
    choices[i].of = i;
    for (std::size_t k = 0; k < may.size(); ++k) {
      if ((i >> k & 1) != 0) choices[i].time += forward[may[k]], ++choices[i].count;
    }
  }
  algorithms::sort(choices.begin(), choices.end(), [](const choice& a, const choice& b) { return a.rank() < b.rank(); });
  for (const choice& c : choices) {
    schedule::stage_set tried = already;
    for (std::size_t k = 0; k < may.size(); ++k) {
      if ((c.of >> k & 1) != 0) tried.add(may[k]);
    }
    if (fits(tried)) return tried;
  }
  schedule::stage_set all = already;
  for (const std::size_t s : may) all.add(s);
  return all;
}

}  // namespace ipuflow::plan
