// SPDX-License-Identifier: BSL-1.0
// What is trained, how, and with what rate: the same on threads and on chips.
#pragma once

#include <ipuflow/train/optimisers/adam.hpp>
#include <ipuflow/train/options.hpp>

#include <cstddef>
#include <string>
#include <vector>

using namespace ipuflow;

/// What the command line says.
struct settings {
  std::vector<std::string> files{}, test_files{};
  std::size_t stages = 4, epochs = 1, batch = 8, drawn = 256, threads = 0, updates_before = 0;
  float rate = 4e-3f;
  bool chips = false;
  std::string model{}, checkpoints{}, profile{};
};

/// Micro-batches of an update.
inline constexpr std::size_t micro_batches_an_update = 4;

inline train::options options_of(const settings& s) {
  return {.micro_batch = s.batch, .outputs = feed::output_mode::all, .max_grad_norm = 5};
}

// begin: rate
/// A tenth of all updates to warm up, then half a cosine down to nothing. A model that was trained before goes on where it was.
inline train::adamw rule_of(const settings& s, std::size_t updates) {
  return {.rate = train::warm_up(s.rate, updates / 10 + 1).then_cosine(updates - updates / 10).after(s.updates_before)};
}
// end: rate

/// Makes the same updates on threads and on chips; returns the greatest difference of their losses, in parts of the loss.
double farthest_on_chips(const settings& s);
