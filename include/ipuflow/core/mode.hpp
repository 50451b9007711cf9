// SPDX-License-Identifier: BSL-1.0
// The mode of a pipeline and its number of micro-batches, given beside the pipeline: `training(mnist)`,
// `micro_batches<16>`. A pipeline without a mode is trained.
#pragma once

#include <cstddef>

namespace ipuflow {

/// The work of a pipeline: forward and backward passes with updates, or forward passes alone.
enum class mode : unsigned char { training, inference };

/// A description and what it is run for.
template <class Described>
struct with_mode {
  Described described{};
  mode run_for = mode::training;

  /// It has the stages of what it describes.
  static constexpr std::size_t stage_count = Described::stage_count;
  [[nodiscard]] constexpr std::size_t ipu_of(std::size_t stage) const { return described.ipu_of(stage); }
};

template <class Described>
[[nodiscard]] constexpr with_mode<Described> training(const Described& described) {
  return {described, mode::training};
}

template <class Described>
[[nodiscard]] constexpr with_mode<Described> inference(const Described& described) {
  return {described, mode::inference};
}

template <std::size_t Count>
struct micro_batches_t {
  static constexpr std::size_t count = Count;
};

/// The micro-batches of one run of a pipeline: between two weight updates in training.
template <std::size_t Count>
inline constexpr micro_batches_t<Count> micro_batches{};

}  // namespace ipuflow
