// SPDX-License-Identifier: BSL-1.0
// Traffic between IPUs: messages and bytes over each pair, and the most values that wait at a receiver, which is the
// number of receive buffers that never make a sender wait.
#pragma once

#include <ipuflow/core/sorting.hpp>
#include <ipuflow/core/units.hpp>
#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/neighbours.hpp>
#include <ipuflow/schedule/analysis/timeline.hpp>

#include <cstddef>
#include <initializer_list>

namespace ipuflow::schedule {

/// A count for each pair of IPUs.
class pair_counts {
 public:
  constexpr explicit pair_counts(std::size_t ipus) : ipus_{ipus}, counts_{ipus * ipus} {}
  constexpr std::size_t operator()(std::size_t from, std::size_t to) const { return counts_[from * ipus_ + to]; }
  constexpr std::size_t& operator()(std::size_t from, std::size_t to) { return counts_[from * ipus_ + to]; }
  constexpr std::size_t total() const {
    std::size_t sum = 0;
    for (const std::size_t count : counts_) sum += count;
    return sum;
  }

 private:
  std::size_t ipus_;
  dynamic_array<std::size_t> counts_;
};

namespace impl {

/// Calls `visit(from, to, sending stage, onwards)` once for each message of a micro-batch.
template <whereabouts Where, class Visit>
constexpr void for_each_message(const Where& where, mode run_for, std::size_t micro_batch, Visit visit) {
  for (std::size_t stage = 0; stage < where.stages; ++stage) {
    const std::size_t next = sent_to(where, {pass::forward, stage, micro_batch});
    for_each_seat(where, stage, micro_batch, [&](std::size_t, std::size_t here) {
      for_each_ipu_but(here, where, next, micro_batch, [&](std::size_t there) {
        visit(here, there, stage, true);
        if (run_for == mode::training) visit(there, here, next, false);
      });
    });
  }
}

}  // namespace impl

/// The messages of a run. They depend on where stages are, not on their order.
template <timetable T>
[[nodiscard]] constexpr pair_counts messages(const T& t) {
  pair_counts found{t.where.ipus};
  const std::size_t half = t.where.micro_batches / 2;  // the two halves may have seats of their own
  const std::size_t halves[] = {half, t.where.micro_batches - half};
  for (std::size_t i = 0; i < 2; ++i) {
    if (halves[i] == 0) continue;
    impl::for_each_message(t.where, t.run_for, i == 0 ? 0 : t.where.micro_batches - 1,
                     [&](std::size_t from, std::size_t to, std::size_t, bool) { found(from, to) += halves[i]; });
  }
  return found;
}

/// The bytes of a run, where `output(stage)` is what the stage hands on for one micro-batch; its gradient is as large.
template <timetable T, class Output>
[[nodiscard]] constexpr pair_counts bytes_sent(const T& t, Output output) {
  pair_counts found{t.where.ipus};
  const std::size_t half = t.where.micro_batches / 2;
  const std::size_t halves[] = {half, t.where.micro_batches - half};
  for (std::size_t i = 0; i < 2; ++i) {
    if (halves[i] == 0) continue;
    impl::for_each_message(t.where, t.run_for, i == 0 ? 0 : t.where.micro_batches - 1,
                     [&](std::size_t from, std::size_t to, std::size_t stage, bool onwards) {
                       const bytes one = output(onwards ? stage : stage - 1);
                       found(from, to) += static_cast<std::size_t>((one * halves[i]).value);
                     });
  }
  return found;
}

/// Buffers for messages that have arrived and are still to be read.
struct buffers {
  counts forward{};   ///< of activations, for each stage
  counts backward{};  ///< of gradients
};

namespace impl {

/// For each way, stage and receiving IPU: when values were made, and when they were used in the order of time.
class arrivals {
 public:
  constexpr arrivals(std::size_t stages, std::size_t ipus)
      : stages_{stages}, ipus_{ipus}, made_{2 * stages * ipus}, used_{2 * stages * ipus} {}

  constexpr void made(bool back, std::size_t stage, std::size_t ipu, std::size_t time) {
    made_[index(back, stage, ipu)].push_back(time);
  }
  constexpr void used(bool back, std::size_t stage, std::size_t ipu, std::size_t time) {
    used_[index(back, stage, ipu)].push_back(time);
  }

  /// The most values of a stage that waited on one IPU.
  constexpr std::size_t most(bool back, std::size_t stage) {
    std::size_t found = 0;
    for (std::size_t ipu = 0; ipu < ipus_; ++ipu) {
      dynamic_array<std::size_t>& in = made_[index(back, stage, ipu)];
      algorithms::sort(in.begin(), in.end());  // several IPUs may make them, each in its own order
      const dynamic_array<std::size_t>& out = used_[index(back, stage, ipu)];
      for (std::size_t i = 0, gone = 0; i < in.size(); ++i) {
        while (gone < out.size() && out[gone] < in[i]) ++gone;
        raise_to(found, i + 1 - gone);
      }
    }
    return found;
  }

 private:
  constexpr std::size_t index(bool back, std::size_t stage, std::size_t ipu) const {
    return ((back ? stages_ : 0) + stage) * ipus_ + ipu;
  }

  std::size_t stages_;
  std::size_t ipus_;
  dynamic_array<dynamic_array<std::size_t>> made_;
  dynamic_array<dynamic_array<std::size_t>> used_;
};

}  // namespace impl

/// The most values that wait for each stage: made by another IPU and not yet being used.
template <timetable T, pricing Costs = costs>
[[nodiscard]] constexpr buffers receive_buffers(const T& t, const Costs& c = {}) {
  impl::arrivals all{t.where.stages, t.where.ipus};
  for_each_timed(t, c, [&](std::size_t ipu, std::size_t, const placed& o, span_of_time span) {
    const bool back = is_backward(o.kind);
    impl::for_each_ipu_but(ipu, t.where, read_from(t.where, o), o.micro_batch, [&](std::size_t) { all.used(back, o.stage, ipu, span.start); });
    const std::size_t next = sent_to(t.where, o);
    impl::for_each_ipu_but(ipu, t.where, next, o.micro_batch, [&](std::size_t to) { all.made(back, next, to, span.finish); });
  });
  buffers found;
  for (std::size_t stage = 0; stage < t.where.stages; ++stage) {
    found.forward.push_back(all.most(false, stage));
    found.backward.push_back(all.most(true, stage));
  }
  return found;
}

}  // namespace ipuflow::schedule
