// SPDX-License-Identifier: BSL-1.0
// A schedule written out: a row of operations for each IPU. Tables come from files, from a user's own function, from
// searches, and from any other timetable whose steps are to be shown (`tabulate`).
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/forms/liveness.hpp>
#include <ipuflow/schedule/forms/recomputation.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>

namespace ipuflow::schedule {

/// A layout, stages by IPU, as lists of any length.
struct roster {
  std::size_t ipus = 0;                   ///< that have stages
  std::size_t stages = 0;                 ///< of the pipeline
  std::size_t micro_batches = 0;          ///< of a run
  bool crossed = false;                   ///< the second half of the micro-batches has seats of its own
  dynamic_array<std::size_t> first{};     ///< first seat of each stage, and one past the last
  dynamic_array<std::size_t> home{};      ///< IPU of each seat
  dynamic_array<std::size_t> crossing{};  ///< the same for the second half of the micro-batches, if crossed

  constexpr roster() = default;
  template <whereabouts Where>
  constexpr explicit roster(const Where& where)
      : ipus{where.ipus},
        stages{where.stages},
        micro_batches{where.micro_batches},
        first{where.stages + 1},
        home{where.seats()},
        crossing{where.seats()} {
    for (std::size_t stage = 0; stage <= stages; ++stage) first[stage] = where.first_seat(stage);
    for (std::size_t seat = 0; seat < home.size(); ++seat) {
      home[seat] = where.ipu_of(seat, 0);
      crossing[seat] = where.ipu_of(seat, micro_batches == 0 ? 0 : micro_batches - 1);
      crossed = crossed || crossing[seat] != home[seat];
    }
  }

  constexpr std::size_t directions() const { return crossed ? 2 : 1; }
  constexpr std::size_t seats() const { return home.size(); }
  constexpr std::size_t first_seat(std::size_t stage) const { return first.empty() ? 0 : first[stage]; }  // of no stages: none
  constexpr std::size_t ipu_of(std::size_t seat, std::size_t micro_batch) const {
    return crossed && micro_batch >= micro_batches / 2 ? crossing[seat] : home[seat];
  }
  constexpr std::size_t seat_of(std::size_t ipu, std::size_t stage, std::size_t micro_batch) const {
    for (std::size_t seat = first[stage]; seat < first[stage + 1]; ++seat) {
      if (ipu_of(seat, micro_batch) == ipu) return seat;
    }
    return nowhere;
  }
};

namespace impl {

class table_walk {
 public:
  constexpr table_walk() = default;
  constexpr explicit table_walk(const dynamic_array<placed>& row) : at_{row.begin()}, end_{row.end()} {}
  constexpr explicit operator bool() const { return at_ != end_; }
  constexpr const placed& operator*() const { return *at_; }
  constexpr const placed* operator->() const { return at_; }
  constexpr table_walk& operator++() {
    ++at_;
    return *this;
  }

 private:
  const placed* at_ = nullptr;
  const placed* end_ = nullptr;
};

/// Not constexpr: an evaluation that comes here is no constant.
inline void not_a_constant() {}

}  // namespace impl

/// A timetable as rows of operations.
struct table {
  roster where{};                                     ///< its stages
  dynamic_array<dynamic_array<placed>> rows{};        ///< operations of each IPU, in their order
  mode run_for = mode::training;                      ///< training or inference
  pace goes = pace::freely;                           ///< who waits for whom besides what is read
  bool alone = true;                                  ///< an IPU does one operation at a step
  recomputation recompute = recomputation::none;      ///< of activations
  liveness live = liveness::always_live;              ///< when tensors leave the chip
  schedule_fault refused{};                           ///< why there are no rows

  constexpr table() = default;
  template <whereabouts Where>
  constexpr table(const Where& devices, mode asked) : where{devices}, rows{devices.ipus}, run_for{asked} {}

  constexpr impl::table_walk walk(std::size_t ipu) const { return impl::table_walk{row(ipu)}; }
  [[nodiscard]] constexpr std::size_t count(std::size_t ipu) const { return row(ipu).size(); }
  /// One past the last step at which anything runs.
  [[nodiscard]] constexpr std::size_t steps() const {
    std::size_t last = 0;
    for (std::size_t ipu = 0; ipu < rows.size(); ++ipu) {
      for (const placed& o : row(ipu)) last = o.step + 1 > last ? o.step + 1 : last;
    }
    return last;
  }

 private:
  /// A table that is too large for a constant expression is no constant either: where a compiler may choose, such as for a
  /// `static const` number, the program works it out when it runs.
  constexpr const dynamic_array<placed>& row(std::size_t ipu) const {
    if (refused.kind == schedule_wrong::too_large_for_a_constant) impl::not_a_constant();
    return rows[ipu];
  }
};

/// A schedule of one's own: `choose(ipu, step)` gives something that tests true and dereferences to an operation, or
/// tests false where the IPU idles. IPUs step together, so that the steps are checked too.
template <whereabouts Where, class Choose>
[[nodiscard]] constexpr table from_function(const Where& where, std::size_t steps, Choose choose,
                                            mode run_for = mode::training) {
  table written{where, run_for};
  written.goes = pace::in_step;
  for (std::size_t ipu = 0; ipu < where.ipus; ++ipu) {
    for (std::size_t step = 0; step < steps; ++step) {
      if (const auto chosen = choose(ipu, step)) written.rows[ipu].push_back({*chosen, step, false});
    }
  }
  return written;
}

}  // namespace ipuflow::schedule
