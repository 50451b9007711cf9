// SPDX-License-Identifier: BSL-1.0
// A step source gives a loader its steps. This is the seam between what depends on the types of a dataset and what does
// not: it is crossed once for each part of a step, never for a sample.
#pragma once

#include <ipuflow/feed/interval.hpp>
#include <ipuflow/feed/loading/slot.hpp>

#include <atomic>
#include <cstddef>

namespace ipuflow::feed::impl {

class step_source {
 public:
  /// With an index any worker may fill any part of a step; otherwise a share is read by one worker, in order.
  explicit step_source(bool has_index) : has_index_{has_index} {}
  step_source(const step_source&) = delete;
  step_source& operator=(const step_source&) = delete;
  virtual ~step_source() = default;

  [[nodiscard]] bool has_index() const { return has_index_; }
  /// True if an epoch may be begun before the one before it was taken.
  [[nodiscard]] virtual bool repeatable() const = 0;
  /// Steps of an epoch. Throws if that is not known.
  [[nodiscard]] virtual std::size_t steps() const = 0;
  /// Samples with an index that an epoch leaves out.
  [[nodiscard]] virtual std::size_t dropped() const { return 0; }

  /// Pass `epoch` begins behind its first `samples` samples, later ones are whole; false if the source does not know its samples.
  virtual bool begin_at(std::size_t, std::size_t) { return false; }
  /// Samples of a pass with an index, from its beginning, that all processes have taken when each has taken that number of steps.
  [[nodiscard]] virtual std::size_t taken(std::size_t, std::size_t) const { return 0; }

  /// Decides what goes into a slot; false if the epoch has no such step. The loader's thread.
  virtual bool open(slot& s, std::size_t step) = 0;
  /// Fills a part of a slot, or records there why that cannot be done. A worker.
  virtual void fill(slot& s, interval part, const std::atomic<bool>& abandoned) = 0;
  /// Learns from a slot that has been filled. The loader's thread.
  virtual void close(const slot&) {}

 private:
  bool has_index_;
};

}  // namespace ipuflow::feed::impl
