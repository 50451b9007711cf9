// SPDX-License-Identifier: BSL-1.0
// Memory of a search: what the passes of a stage add to what its IPU holds, the most that an IPU may hold at any instant, and what a
// stage may do to hold less: make its activations again, or send them away until its backward.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// Bytes that are added when a pass of one micro-batch is over, negative for those freed; together they are zero. A whole
/// backward adds what its two halves do.
struct activation_bytes {
  std::ptrdiff_t after_forward = 1;
  std::ptrdiff_t after_inputs = 0;
  std::ptrdiff_t after_weights = -1;

  friend constexpr bool operator==(const activation_bytes&, const activation_bytes&) = default;
};

/// The way of a stage's activations between its forward and its backward.
enum class stash_choice : unsigned char {
  kept,        ///< they stay
  recomputed,  ///< what entered the stage stays, and a pass of its own makes the rest again before the backward
  offloaded    ///< they are sent away at the end of the forward pass and fetched at the beginning of the backward pass
};

[[nodiscard]] constexpr const char* name_of(stash_choice how) {
  constexpr const char* names[] = {"kept", "recomputed", "offloaded"};
  return names[static_cast<std::size_t>(how)];
}

/// Recomputation of a stage.
struct recomputed_stage {
  std::size_t kept = 0;  ///< bytes that stay behind the forward; as many as the forward adds, or more: never recomputed
  std::size_t time = 0;  ///< of its pass; 0: what `pass::recompute` costs, or the forward where that is zero, too

  friend constexpr bool operator==(const recomputed_stage&, const recomputed_stage&) = default;
};

/// Offloading of a stage. Its IPU sends and fetches itself, and does nothing else meanwhile.
struct offloaded_stage {
  std::size_t kept = 0;        ///< bytes that stay behind the forward; as many as the forward adds, or more: never offloaded
  std::size_t send_time = 0;   ///< that the forward pass takes more
  std::size_t fetch_time = 0;  ///< that the backward pass takes more, that for inputs where it is split

  friend constexpr bool operator==(const offloaded_stage&, const offloaded_stage&) = default;
};

/// Records of stages and limits of IPUs: one of each for all, or one for each.
struct search_memory {
  dynamic_array<activation_bytes> stages{};
  dynamic_array<std::size_t> limits{};             ///< bytes
  dynamic_array<recomputed_stage> recomputable{};  ///< none: no stage is recomputed
  dynamic_array<offloaded_stage> offloadable{};    ///< none: no stage is offloaded

  constexpr search_memory() = default;
  constexpr search_memory(activation_bytes of_all, std::size_t limit) : stages{1, of_all}, limits{1, limit} {}

  [[nodiscard]] constexpr const activation_bytes& of(std::size_t stage) const { return stages[stages.size() == 1 ? 0 : stage]; }
  [[nodiscard]] constexpr std::size_t limit(std::size_t ipu) const { return limits[limits.size() == 1 ? 0 : ipu]; }

  /// True if a stage may be treated so: it is allowed, and saves bytes.
  [[nodiscard]] constexpr bool allows(stash_choice how, std::size_t stage) const {
    if (how == stash_choice::kept) return true;
    if ((how == stash_choice::recomputed ? recomputable.size() : offloadable.size()) == 0) return false;
    return of(stage).after_forward > 0 && kept(how, stage) < static_cast<std::size_t>(of(stage).after_forward);
  }
  /// The bytes that stay behind a forward pass of a stage that is treated so.
  [[nodiscard]] constexpr std::size_t kept(stash_choice how, std::size_t stage) const {
    if (how == stash_choice::recomputed) return recomputing(stage).kept;
    if (how == stash_choice::offloaded) return offloading(stage).kept;
    return static_cast<std::size_t>(of(stage).after_forward);
  }
  [[nodiscard]] constexpr const recomputed_stage& recomputing(std::size_t stage) const {
    return recomputable[recomputable.size() == 1 ? 0 : stage];
  }
  [[nodiscard]] constexpr const offloaded_stage& offloading(std::size_t stage) const {
    return offloadable[offloadable.size() == 1 ? 0 : stage];
  }
  /// True if a search has to decide anything.
  [[nodiscard]] constexpr bool decides() const { return recomputable.size() + offloadable.size() > 0; }
};

}  // namespace ipuflow::schedule
