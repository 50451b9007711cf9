// SPDX-License-Identifier: BSL-1.0
// A plan made up by hand, of numbers that are easily divided.
#pragma once

#include <ipuflow/plan/predict/predicted_step.hpp>

namespace planned {

inline ipuflow::plan::prediction prediction() {
  using namespace ipuflow;
  plan::prediction p{.total = {1'000'000}, .clock = hertz{500e6}, .samples = 96, .busiest = 1, .tile_memory = bytes{625'000}, .code_region = bytes{300'000}};
  p.by_use[static_cast<std::size_t>(plan::time_use::compute)] = {700'000};
  p.by_use[static_cast<std::size_t>(plan::time_use::bubble)] = {300'000};
  p.busy = {{600'000}, {700'000}};
  p.from_host = {6'272, 8};
  p.to_host = {0, 16};
  p.memory = {{.tile = 3}, {.tile = 12}};
  p.memory[0].bytes[plan::memory_use::weights] = 100'000;
  p.memory[0].bytes[plan::memory_use::activations] = 300'000;
  p.memory[1].bytes[plan::memory_use::weights] = 110'000;
  return p;
}

inline ipuflow::plan::configuration choice() {
  using namespace ipuflow;
  return {.cuts = {3}, .schedule = "popart", .ipus = 2, .replicas = 3, .micro_batch = 8, .accumulation = 4,
          .precision = plan::numbers::f16_32, .bytes_in = true, .recompute = schedule::all_stages, .io_tiles = 16};
}

}  // namespace planned
