// SPDX-License-Identifier: BSL-1.0
// Runs of timetables on chips, on the numbers of chips_stages.hpp, and what has to come of them.
#pragma once

#include <ipuflow/schedule/generators/catalogue.hpp>

#include "chips_stages.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace chips_runs {

using namespace ipuflow;
using namespace chips_stages;

/// What y = v * w * x of all stages makes of an input.
inline float result(std::size_t stages, float x) {
  for (std::size_t s = 0; s < stages; ++s) x *= weight(s) * factor(s);
  return x;
}

/// The gradient of the weights of a stage over some micro-batches, for a loss of y * y / 2.
inline float gradient(std::size_t stages, std::size_t stage, std::size_t micro_batches, bool of_weight) {
  float sum = 0;
  for (std::size_t m = 0; m < micro_batches; ++m) {
    float x = chips_stages::input(m);
    for (std::size_t s = 0; s < stage; ++s) x *= weight(s) * factor(s);
    float dy = result(stages, chips_stages::input(m));
    for (std::size_t s = stages - 1; s > stage; --s) dy *= weight(s) * factor(s);
    sum += of_weight ? dy * factor(stage) * x : dy * weight(stage) * x;
  }
  return sum;
}

template <class T>
run::chips_program simulated(const T& t, run::chips_options options = {}) {
  options.checked = true;
  return run::on_chips(t, ipu::pod(few_tiles(), t.where.ipus * options.replicas), products(t.where.stages), options);
}

/// Runs a timetable on numbers; results and gradients must be right, and the profile that of counting.
template <class T>
void check_run(const T& t, run::chips_options options = {}) {
  options.outputs = feed::output_mode::all;
  const std::size_t stages = t.where.stages;
  const std::size_t count = t.where.micro_batches;
  const run::chips_program p = simulated(t, options);
  ipu::engine e = p.engine();
  for (std::size_t r = 0; r < options.replicas; ++r) prepare(p, e, count, options.runs, r);
  const run::chips_profile ran = p.run(e);
  CHECK(ran.chips == p.cost().chips);
  for (std::size_t r = 0; r < options.replicas; ++r) {
    const std::size_t flows = p.outputs().size();  // each brings its part of the micro-batches, run after run
    for (std::size_t flow = 0; flow < flows; ++flow) {
      const std::vector<float> came = e.drain<float>(p.outputs()[flow].stream, r);
      const std::size_t here = count / flows;
      REQUIRE(came.size() == options.runs * here * width);
      bool right = true;
      for (std::size_t i = 0; i < options.runs * here; ++i)
        right = right && came[i * width + 3] == result(stages, chips_stages::input(flow * here + i % here));
      CHECK(right);
    }
    for (const run::chips_parameter& one : p.parameters()) {
      if (t.run_for == mode::inference) break;
      CAPTURE(one.stage);
      float added_up = one.gradient_home ? 0 : e.read<float>(one.tensor.gradient, r)[5];
      for (const run::chips_parameter& half : p.parameters()) {  // which leave streaming memory for tiles to be added up
        if (half.gradient_home && half.stage == one.stage && half.tensor.first == one.tensor.first)
          added_up += e.read<float>(*half.gradient_home, r)[5];
      }
      CHECK(added_up == gradient(stages, one.stage, count, one.tensor.first == 0));
    }
  }
}

/// Calls `use` with every kind of timetable for so many IPUs.
template <class Use>
void each_timetable(std::size_t ipus, std::size_t micro_batches, Use use) {
  for (const std::string_view name : schedule::schedule_names) {
    const schedule::setup asked{ipus, 0, micro_batches, name == "inference" ? mode::inference : mode::training};
    schedule::with_schedule(name, asked, [&](const auto& t) {
      CAPTURE(std::string{name});
      if (!t.refused) use(t);
    });
  }
  const schedule::setup asked{ipus, 0, micro_batches};
  const auto again = [&](const auto& t) {
    if (!t.refused) use(t);
  };
  again(schedule::grouped(asked, {.recompute = schedule::recomputation::automatic}));
  again(schedule::grouped(asked, {.recompute = schedule::recomputation::and_backpropagate}));
  again(schedule::interleaved(asked, schedule::recomputation::automatic));
  again(schedule::sequential(asked, schedule::recomputation::automatic));
}

}  // namespace chips_runs
