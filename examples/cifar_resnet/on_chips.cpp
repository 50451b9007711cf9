// SPDX-License-Identifier: BSL-1.0
// The same updates on threads and on simulated chips.
#include "settings.hpp"

#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <cmath>
#include <cstdio>
#include <tuple>

#include "network.hpp"
#include "pictures.hpp"

double farthest_on_chips(const settings& s) {
  const pictures drawn_or_read{s.files, s.drawn, 1};
  auto steps = feed::load(augmented(drawn_or_read), s.batch * micro_batches_an_update, {.shuffle = 4});
  const train::options options = options_of(s);
  const train::adamw rule = rule_of(s, steps.size());
  // begin: chips
  constexpr auto timetable = schedule::one_f_one_b(four_stages, micro_batches<micro_batches_an_update>);
  train::session host{four_stages, timetable, rule, options};
  train::session tiles{four_stages, timetable, rule, options, on::chips{.system = ipu::pod(ipu::mk2, four_stages.stage_count)}};
  double farthest = 0;
  for (auto&& step : steps) {
    const double on_host = train::mean_of(std::get<1>(host(step))), on_tiles = train::mean_of(std::get<1>(tiles(step)));
    std::printf("loss on threads %.3f, on chips %.3f\n", on_host, on_tiles);
    farthest = std::fmax(farthest, std::abs(on_host - on_tiles) / on_host);
  }
  // end: chips
  return farthest;
}
