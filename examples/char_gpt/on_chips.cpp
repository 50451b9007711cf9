// SPDX-License-Identifier: BSL-1.0
// A few updates on threads and on simulated chips, beside each other.
#include <ipuflow/chips.hpp>
#include <ipuflow/feed/load.hpp>
#include <ipuflow/train.hpp>

#include <cstdio>

#include "parts.hpp"

namespace gpt {

void compare_on_chips(const text_windows& text, const settings& s) {
  const train::adamw rule{.rate = s.rate};
  train::session host{network, timetable, rule, in_micro_batches};
  train::session chips{network, timetable, rule, in_micro_batches, on::chips{.system = ipu::pod(ipu::mk2, 4)}};
  auto steps = feed::load(text, host.samples_per_step(), {.shuffle = s.seed});
  for (std::size_t left = s.chips; left > 0;) {  // pass after pass
    for (auto&& step : steps) {
      const double wanted = train::mean_of(host(step).back());
      std::printf("on threads %.4f, on chips %.4f\n", wanted, train::mean_of(chips(step).back()));
      if (--left == 0) break;
    }
  }
  std::printf("an update takes %zu cycles on four chips\n", static_cast<std::size_t>(chips.cost().chips.total.value));
}

}  // namespace gpt
