// SPDX-License-Identifier: BSL-1.0
// A run on chips as a picture, as timeline_svg.hpp draws one on host threads. Of a long run its beginning, middle and
// end, so that no more of it is collected than is drawn.
#pragma once

#include <ipuflow/report/runs/chips_timeline.hpp>
#include <ipuflow/report/runs/extent.hpp>
#include <ipuflow/report/runs/timeline_svg.hpp>

#include <cstdint>
#include <string>

namespace ipuflow::report {

template <class = void>
inline std::string timeline_svg(const run::chips_profile& profile, const timeline_style& style = {}) {
  impl::busiest_stage busiest;
  for (const run::label_total& total : profile.totals()) {
    busiest.add(kind_of(total.what), total.what.stage, total.times, total.busy.value);
  }
  const std::uint64_t length = profile.chips.total.value;
  const impl::extent cut = impl::extent_of(length, busiest.interval(length, profile.micro_batches * profile.runs), style);
  return impl::timeline_picture{timeline_of(profile, {.windows = cut.windows, .all_replicas = style.all_replicas}), cut, style}.draw();
}

}  // namespace ipuflow::report
