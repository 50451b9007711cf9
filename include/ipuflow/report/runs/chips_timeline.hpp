// SPDX-License-Identifier: BSL-1.0
// A run on chips as rows of slices: on each IPU its passes, what it keeps and brings back, and the exchange between
// stages; on the host's row the streams, which stand on the row of their IPU too. Of a long run only some windows of
// time may be wanted, or only its beginning.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/report/drawing/numbers.hpp>
#include <ipuflow/report/runs/run_marks.hpp>
#include <ipuflow/report/runs/timeline.hpp>
#include <ipuflow/run/chips/profile.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace ipuflow::report {

constexpr slice_kind kind_of(const run::chips_label& what) {
  switch (what.work) {
    case run::chips_work::pass:
      return kind_of(what.pass);
    case run::chips_work::stash:
      return slice_kind::stash;
    case run::chips_work::restore:
      return slice_kind::restore;
    case run::chips_work::infeed:
      return slice_kind::infeed;
    case run::chips_work::outfeed:
      return slice_kind::outfeed;
    case run::chips_work::exchange:
      return slice_kind::exchange;
    case run::chips_work::load:
      return slice_kind::load;
    case run::chips_work::store:
      return slice_kind::store;
    case run::chips_work::clear:
      return slice_kind::clear;
    case run::chips_work::reduce:
      return slice_kind::reduce;
    case run::chips_work::all_reduce:
      return slice_kind::all_reduce;
    default:
      return slice_kind::update;
  }
}

namespace impl {

/// The part of a run on chips that a timeline shows.
struct chips_view {
  light_vector<window> windows{};                    ///< none: all of the run
  std::size_t most = static_cast<std::size_t>(-1);  ///< slices, after which the rest of the run is left out
  bool all_replicas = false;
};

/// Collects the slices of a profile.
template <class = void>
class basic_chips_rows {
 public:
  basic_chips_rows(const run::chips_profile& profile, const chips_view& view)
      : view_{view}, chips_{profile.chips.chips.size()} {
    t_.ticks = profile.chips.clock;
    t_.in_cycles = true;
    t_.length = profile.chips.total.value;
    for (std::size_t c = 0; c < chips_; ++c) t_.rows.push_back({.name = joined("IPU ", std::to_string(c))});
    t_.rows.push_back({.name = "host", .host = true});
  }

  /// False when there are enough.
  bool add(const run::chips_activity& a) {
    slice s{.kind = kind_of(a.what),
            .row = a.what.chip,
            .stage = a.what.stage,
            .micro_batch = a.micro_batch,
            .start = a.start.value,
            .finish = a.finish.value};
    const bool one_chip = s.row < chips_;
    if (one_chip && is_pass(s.kind)) s.run = marks_.note(s);
    if (!wanted(s)) {
      ++t_.left_out;
      return true;
    }
    const bool streams = s.kind == slice_kind::infeed || s.kind == slice_kind::outfeed;
    const std::size_t first = one_chip ? s.row : 0;
    const std::size_t last = one_chip ? s.row + 1 : streams ? 0 : chips_;
    if (t_.slices.size() + (last - first) + (streams ? 1 : 0) > view_.most) {
      t_.complete = false;
      return false;
    }
    for (s.row = first; s.row < last; ++s.row) t_.slices.push_back(s);
    s.row = chips_;
    if (streams) t_.slices.push_back(s);
    return true;
  }

  /// The same once for each replica, above the host's row.
  void repeat_for(std::size_t replicas) {
    light_vector<row> rows;
    for (std::size_t r = 0; r < replicas; ++r) {
      for (std::size_t c = 0; c < chips_; ++c)
        rows.push_back({.name = joined("replica ", std::to_string(r), " IPU ", std::to_string(c))});
    }
    rows.push_back(t_.rows.back());
    const std::size_t before = t_.slices.size();
    for (std::size_t i = 0; i < before; ++i) {
      if (t_.slices[i].row == chips_) {
        t_.slices[i].row = replicas * chips_;
        continue;
      }
      for (std::size_t r = 1; r < replicas; ++r) {
        t_.slices.push_back(t_.slices[i]);
        t_.slices.back().row += r * chips_;
      }
    }
    t_.rows = std::move(rows);
  }

  timeline finish() {
    t_.runs = marks_.times();
    arrange(t_);
    return std::move(t_);
  }

 private:
  bool wanted(const slice& s) const {
    return view_.windows.empty() || algorithms::any_of(view_.windows.begin(), view_.windows.end(),
                                                       [&](const window& w) { return s.start < w.end && s.finish > w.begin; });
  }

  const chips_view& view_;
  std::size_t chips_;
  timeline t_;
  run_marks marks_;
};
using chips_rows = basic_chips_rows<>;

}  // namespace impl

template <class = void>
[[nodiscard]] inline timeline timeline_of(const run::chips_profile& profile, const impl::chips_view& view = {}) {
  impl::chips_rows rows{profile, view};
  profile.for_each([&](const run::chips_activity& a) { return rows.add(a); });
  if (view.all_replicas && profile.chips.replicas > 1) rows.repeat_for(profile.chips.replicas);
  return rows.finish();
}

}  // namespace ipuflow::report
