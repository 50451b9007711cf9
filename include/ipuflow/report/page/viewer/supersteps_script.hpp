// SPDX-License-Identifier: BSL-1.0
// Supersteps of chips: the phases of labelled work as lists, each list once, which are spread over the run when they are first shown.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view supersteps_script = R"js(
  {
    // Supersteps below the slices: lists of phases, each of which stands where its work is; of a long run the first million phases.
    const steps_of = part =>
      (part.steps ??= Object.fromEntries(Object.entries(part.timeline.supersteps).map(([name, column]) => [name, ui.array(column)])));
    ui.supersteps = (part, most) => {
      const { first, list } = steps_of(part);
      let [count, lists] = [0, 0];
      for (; lists < list.length; ++lists) {
        const more = first[list[lists] + 1] - first[list[lists]];
        if (count + more > most) break;
        count += more;
      }
      return { count, lists, whole: lists === list.length };
    };
    ui.show_supersteps = (part, on) => {
      const model = ui.run_model(part);
      if (!model.phases) {
        const u = steps_of(part);
        const { count, lists } = ui.supersteps(part, 1 << 20);
        const all = { count, row: new Uint16Array(count), start: new Float64Array(count), finish: new Float64Array(count), kind: new Uint8Array(count) };
        u.entry = new Uint32Array(count);
        for (let n = 0, i = 0; n < lists; ++n)
          for (let k = u.first[u.list[n]]; k < u.first[u.list[n] + 1]; ++k, ++i) {
            u.entry[i] = k;
            all.row[i] = u.row[k];
            all.kind[i] = u.phase[k];
            all.start[i] = u.at[n] + u.start[k];
            all.finish[i] = all.start[i] + u.length[k];
          }
        model.phases = ui.tracks_of(all, part.timeline.rows.length);
        for (const t of model.phases.flat()) t.what = "superstep";
      }
      const above = model.rows.length - model.phases.length;
      model.phases.forEach((tracks, r) => (model.rows[r + above].thin = on ? tracks : []));
    };
    // What is computed in a phase, and the part of its time in which tiles do so.
    ui.phase_of = (part, id) => {
      const { entry, operation, busy, operations } = steps_of(part);
      const k = entry[id];
      return operation[k] > 0 ? [operations[operation[k] - 1], busy[k] / 1000] : [];
    };
  }
)js";

}  // namespace ipuflow::report::impl
