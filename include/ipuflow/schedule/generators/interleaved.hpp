// SPDX-License-Identifier: BSL-1.0
// Interleaved: all IPUs step together, and forwards and backwards alternate. Forward (s, m) is at step 2m + s, backward
// (s, m) at 2m + 2S-1-s, which is also the order of 1F1B; it keeps half of what grouped keeps. Inference runs as many
// copies of the pipeline beside each other as never meet on an IPU.
#pragma once

#include <ipuflow/schedule/generators/device_generator.hpp>

#include <cstddef>

namespace ipuflow::schedule {

inline constexpr auto interleaved = generator<"interleaved", recomputation>(
    {.training = fills::stages,
     .inference = fills::copies,
     .apart_in_training = true,
     .recomputes_only = recomputation::then_backpropagate},
    []<class Where>(const Where& where, mode run_for, recomputation recompute) {
      auto t = lines_on(where);
      t.goes = pace::in_step;
      const step_number slots = 2 * number(where.stages);
      if (run_for == mode::inference) {
        t.parts[0].group = impl::copies_on(where);
        t[pass::forward] = {
            .runs = who::everyone, .at = 0, .per_stage = 1, .per_member = 1, .per_group = number(where.stages)};
        return t;
      }
      t[pass::forward] = {.runs = who::everyone, .at = 0, .per_stage = 1, .per_group = 2};
      t[pass::backward] = {.runs = who::everyone, .at = slots - 1, .per_stage = -1, .per_group = 2};
      t.recompute = impl::resolved(recompute, recomputation::then_backpropagate);
      if (t.recompute == recomputation::none) return t;
      t.alone = false;  // beside the forward of a later micro-batch
      t[pass::recompute] = {.runs = who::all_but_last, .at = slots - 2, .per_stage = -1, .per_group = 2};
      return t;
    });

}  // namespace ipuflow::schedule
