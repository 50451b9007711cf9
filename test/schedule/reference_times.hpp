// SPDX-License-Identifier: BSL-1.0
// Times by relaxation: start everything at zero and push operations later until no rule is broken. Slow and simple.
#pragma once

#include <ipuflow/schedule/analysis/costs.hpp>
#include <ipuflow/schedule/timetable.hpp>

#include <cstddef>
#include <map>
#include <tuple>
#include <vector>

namespace reference {

struct timed {
  ipuflow::schedule::placed what;
  std::size_t ipu, start, time;
};

template <class T>
std::vector<timed> relaxed_times(const T& t, const ipuflow::schedule::costs& c) {
  using namespace ipuflow::schedule;
  std::vector<timed> all;
  std::map<std::tuple<bool, std::size_t, std::size_t>, std::vector<std::size_t>> makers;  // way, stage, micro-batch
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    for (auto w = t.walk(ipu); w; ++w) {
      if (w->kind == pass::forward || is_backward(w->kind)) {
        makers[{is_backward(w->kind), w->stage, w->micro_batch}].push_back(all.size());
      }
      all.push_back({*w, ipu, 0, c.of(w->kind, w->stage)});
    }
  }
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {  // two that run together share their time
    if (all[i].what.with_next) all[i].time = all[i + 1].time = all[i].time + all[i + 1].time;
  }
  for (bool moved = true; moved;) {
    moved = false;
    const auto later = [&](std::size_t i, std::size_t start) {
      if (start > all[i].start) all[i].start = start, moved = true;
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
      const timed& o = all[i];
      const bool back = is_backward(o.what.kind), forward = o.what.kind == pass::forward;
      if (forward ? o.what.stage > 0 : back && o.what.stage + 1 < t.where.stages) {
        for (const std::size_t m : makers[{back, o.what.stage + (back ? 1 : -1ul), o.what.micro_batch}]) {
          later(i, all[m].start + all[m].time + (all[m].ipu == o.ipu ? 0 : c.communication));
        }
      }
      if (i == 0 || all[i - 1].ipu != o.ipu) continue;
      if (all[i - 1].what.with_next) {
        later(i, all[i - 1].start);
        later(i - 1, o.start);
      } else {
        later(i, all[i - 1].start + all[i - 1].time);
      }
    }
  }
  return all;
}

}  // namespace reference
