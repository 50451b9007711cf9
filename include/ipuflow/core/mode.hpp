// SPDX-License-Identifier: BSL-1.0
// The mode of a pipeline, given with it: `training(mnist)`, `inference(mnist)`.
// A pipeline without a mode is trained.
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

}  // namespace ipuflow
