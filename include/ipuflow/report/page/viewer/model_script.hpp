// SPDX-License-Identifier: BSL-1.0
// A run as a model that the picture of rows shows: slices, idle time with its reasons, and the steps of the plan as they came about.
// Statistics of a range, and the critical path, are read off it.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view model_script = R"js(
  {
    const columns = (given, kind) => {
      const start = ui.array(given.start);
      const length = ui.array(given.length);
      const finish = new Float64Array(start.length);
      for (let i = 0; i < finish.length; ++i) finish[i] = start[i] + length[i];
      return { count: start.length, row: ui.array(given.row), start, finish, kind };
    };
    // The timeline of a part, made once.
    ui.run_model = part => {
      if (part.model || !part.timeline) return part.model;
      const { timeline } = part;
      const slices = ui.slices_of(part);
      const tracks = ui.tracks_of(slices, timeline.rows.length);
      const rows = timeline.rows.map((row, r) => ({ name: row.name, host: row.host, tracks: tracks[r], thin: [], idle: null }));
      for (const row of rows) for (const t of row.tracks) t.what = "slice";
      const thin_kinds = [...(timeline.supersteps?.phases ?? [])];
      if (timeline.idle) {
        const idle = columns(timeline.idle, new Uint8Array(timeline.idle.start.count ?? timeline.idle.start.length));
        ui.tracks_of(idle, rows.length).forEach(([t], r) => {
          if (t) ((t.what = "idle"), (rows[r].idle = t));
        });
      }
      const model = { rows, kinds: timeline.kinds, thin_kinds, length: timeline.length, clock: part.clock, part };
      model.label = (track, i) => ui.labels_of(part, model, track, i);
      part.model = model;
      plan_row(part, model);
      return model;
    };
    // The colours of its slices. Those of supersteps are a list of their own: some are the colours of other words there.
    ui.run_legend = part =>
      ui.legend([
        ...ui.used(part.timeline.kinds, ui.slices_of(part).kind),
        ...(part.timeline.idle ? [["idle", ui.theme().line]] : [])
      ]);
    // A row on top: when the steps of the plan began in the first run.
    const plan_row = (part, model) => {
      const steps = ui.step_times(part);
      if (!steps || steps.length === 0) return;
      const first = model.thin_kinds.length;
      model.thin_kinds.push("plan step, even", "plan step, odd");
      const start = Float64Array.from(steps, s => s.start);
      const finish = Float64Array.from(steps, s => s.finish);
      model.rows.unshift({
        name: "steps of the plan",
        tracks: [],
        thin: [
          {
            what: "step",
            count: steps.length,
            start,
            finish,
            kind: Uint8Array.from(steps, s => first + (s.step % 2)),
            id: Uint32Array.from(steps, s => s.step)
          }
        ],
        idle: null
      });
    };
    // The slice of each operation of the plan in the first run, or -1.
    ui.slices_of_plan = part => {
      if (part.planned || !part.schedule || !part.timeline) return part.planned;
      const plan = ui.plan_of(part);
      const s = ui.slices_of(part);
      const kind_of = part.timeline.kinds.map(name => part.schedule.kinds.indexOf(name));
      part.planned = new Int32Array(plan.count).fill(-1);
      part.op_of_slice = new Int32Array(s.count).fill(-1);
      for (let i = 0; i < s.count; ++i) {
        const kind = kind_of[s.kind[i]];
        if (kind < 0) continue;
        const op = plan.find(kind, s.stage[i], s.micro_batch[i]);
        if (op === undefined) continue;
        if (part.planned[op] < 0) part.planned[op] = i;
        part.op_of_slice[i] = op;
      }
      return part.planned;
    };
    ui.step_times = part => {
      const planned = ui.slices_of_plan(part);
      if (!planned) return null;
      const begin = new Map();
      let end = 0;
      planned.forEach((slice, op) => {
        if (slice < 0) return;
        const step = part.plan.step[op];
        begin.set(step, min(begin.get(step) ?? Infinity, part.slices.start[slice]));
        end = max(end, part.slices.finish[slice]);
      });
      const steps = [...begin].map(([step, start]) => ({ step, start })).sort((a, b) => a.start - b.start || a.step - b.step);
      steps.forEach((s, i) => (s.finish = steps[i + 1]?.start ?? end));
      return steps;
    };

    ui.labels_of = (part, model, track, i) => {
      const id = track.id[i];
      if (track.what === "slice") {
        const which = part.timeline.kinds[part.slices.kind[id]] === "run" ? part.slices.run[id] : part.slices.micro_batch[id];
        return which > 0 ? [ui.slice_name(part, id), String(which - 1)] : [ui.slice_name(part, id)];
      }
      if (track.what === "idle") return [ui.reason_of(part, id)];
      if (track.what === "step") return ["step " + id, String(id)];
      const kind = model.thin_kinds[track.kind[i]];
      const [operation] = ui.phase_of(part, id);
      return operation ? [kind + ": " + operation, operation, kind] : [kind];
    };
    ui.reason_of = (part, id) => {
      const { idle, rows } = part.timeline;
      const words = idle.reasons[ui.array(idle.reason)[id]] ?? "idle";
      const cause = (idle.cause ? ui.array(idle.cause)[id] : 0) - 1;
      if (cause < 0 || !words.includes("{}")) return words.replace("{}", "something");
      const stage = part.slices.stage[cause];
      return words.replace(
        "{}",
        () => ui.slice_name(part, cause) + (stage > 0 ? " of stage " + (stage - 1) : "") + " on " + rows[part.slices.row[cause]].name
      );
    };

    // What a chip did in a step of the plan, and its idle time in the run from there to its next operation.
    ui.around_step = (part, ipu, step) => {
      const p = ui.plan_of(part);
      let [before, after] = [-1, -1];
      for (let i = 0; i < p.count; ++i) {
        if (p.ipu[i] !== ipu) continue;
        if (p.step[i] <= step && (before < 0 || p.step[i] > p.step[before])) before = i;
        if (p.step[i] > step && (after < 0 || p.step[i] < p.step[after])) after = i;
      }
      const planned = ui.slices_of_plan(part);
      const slice_of = op => (planned && op >= 0 ? planned[op] : -1);
      const [last, next] = [slice_of(before), slice_of(after)];
      const from = last < 0 ? 0 : part.slices.finish[last];
      const to = next < 0 ? part.timeline?.length : part.slices.start[next];
      const idle = next < 0 && last < 0 ? null : ui.run_model(part).rows.find(row => row.name === ui.chip_name(part, ipu))?.idle;
      const waits = [];
      for (let i = idle ? ui.first_behind(idle.finish, from) : 0; idle && i < idle.count && idle.start[i] < to; ++i) waits.push(i);
      const cell = i => [ui.reason_of(part, idle.id[i]), part.clock.short(idle.start[i]), part.clock.short(idle.finish[i] - idle.start[i])];
      return { op: before >= 0 && p.step[before] === step ? before : -1, from, to, waits: waits.slice(0, 50).map(cell) };
    };

    // Reasons with the kind of their cause, as numbers: of a million idle times there are few.
    ui.reason_class = (part, id) => {
      const { idle } = part.timeline;
      const cause = idle.cause ? ui.array(idle.cause)[id] : 0;
      return ui.array(idle.reason)[id] * 256 + (cause > 0 ? part.slices.kind[cause - 1] + 1 : 0);
    };
    ui.class_words = (part, c) => part.timeline.idle.reasons[c >> 8].replace("{}", part.timeline.kinds[(c & 255) - 1] ?? "something");

    // Words that stay in the address: what is selected.
    ui.word_of = what =>
      what ? what.track.what + ":" + what.track.id[what.i] + (what.track.what === "superstep" ? ":" + what.row : "") : "";
    ui.find_word = (model, word) => {
      const [what, number] = word.split(":");
      const id = Number(number);
      if (!Number.isInteger(id)) return null;
      if (what === "slice") return id < model.part.slices.count ? ui.slice_at(model.part, id) : null;
      for (const [row, r] of model.rows.entries()) {
        for (const track of [...r.tracks, ...(r.thin ?? []), r.idle]) {
          const i = track?.what === what ? track.id.indexOf(id) : -1;
          if (i >= 0) return { track, i, row };
        }
      }
      return null;
    };
    ui.slice_at = (part, id) => {
      const { rows } = ui.run_model(part);
      const row = part.slices.row[id] + rows.length - part.timeline.rows.length; // behind the row of steps
      for (const track of rows[row]?.tracks ?? []) {
        const i = ui.first_behind(track.finish, part.slices.start[id]);
        for (let k = max(i - 1, 0); k < min(i + 3, track.count); ++k) if (track.id[k] === id) return { track, i: k, row };
      }
      return null;
    };

    // What happened between two times: by kind, and of each row how much of it was busy.
    ui.statistics = (model, from, to) => {
      const kinds = new Map();
      const rows = [];
      model.rows.forEach((row, r) => {
        let busy = 0;
        for (const track of row.tracks) {
          for (let i = ui.first_behind(track.finish, from); i < track.count && track.start[i] < to; ++i) {
            const length = min(track.finish[i], to) - max(track.start[i], from);
            if (track === row.tracks[0]) busy += length;
            let k = kinds.get(track.kind[i]);
            if (!k) kinds.set(track.kind[i], (k = { name: model.kinds[track.kind[i]], count: 0, time: 0, least: Infinity, most: 0 }));
            ++k.count;
            k.time += length;
            k.least = min(k.least, length);
            k.most = max(k.most, length);
          }
        }
        const reasons = new Map();
        if (row.idle) {
          for (let i = ui.first_behind(row.idle.finish, from); i < row.idle.count && row.idle.start[i] < to; ++i) {
            const why = ui.reason_class(model.part, row.idle.id[i]);
            reasons.set(why, (reasons.get(why) ?? 0) + min(row.idle.finish[i], to) - max(row.idle.start[i], from));
          }
        }
        const [most] = [...reasons].sort((a, b) => b[1] - a[1]);
        if (row.tracks.length) rows.push({ name: row.name, busy, most: most ? ui.class_words(model.part, most[0]) : "" });
      });
      return { span: to - from, kinds: [...kinds.values()].sort((a, b) => b.time - a.time), rows };
    };

    // Links as lists by slice: what each needs, and what needs it.
    const listed = (keys, values, count) => {
      const begin = new Uint32Array(count + 1);
      for (let i = 0; i < keys.length; ++i) ++begin[keys[i] + 1];
      for (let i = 0; i < count; ++i) begin[i + 1] += begin[i];
      const list = new Uint32Array(keys.length);
      const at = begin.slice();
      for (let i = 0; i < keys.length; ++i) list[at[keys[i]]++] = values[i];
      return id => Array.from(list.subarray(begin[id], begin[id + 1]));
    };
    const links_of = part => {
      const { links } = part.timeline;
      const [from, to] = links ? [ui.array(links.from), ui.array(links.to)] : [[], []];
      return (part.linked ??= { needs: listed(to, from, part.slices.count), users: listed(from, to, part.slices.count) });
    };
    ui.needs_of = (part, id) => links_of(part).needs(id);
    ui.users_of = (part, id) => links_of(part).users(id);
    // Back from a slice through what it waited for last: what made its values, or the slice before it in its row.
    ui.critical_path = (part, id) => {
      const model = ui.run_model(part);
      const s = part.slices;
      const stops = [];
      const kinds = new Map();
      let waiting = 0;
      if (id === undefined && part.timeline.critical) {
        let before = 0;
        for (const i of ui.array(part.timeline.critical)) {
          const at = ui.slice_at(part, i);
          if (at) stops.push(at);
          waiting += max(0, s.start[i] - before);
          before = max(before, s.finish[i]);
          const kind = part.timeline.kinds[s.kind[i]];
          kinds.set(kind, (kinds.get(kind) ?? 0) + s.finish[i] - s.start[i]);
        }
        return { stops, kinds: [...kinds].sort((a, b) => b[1] - a[1]), waiting };
      }
      if (id === undefined) {
        id = 0;
        for (let i = 1; i < s.count; ++i) if (s.finish[i] > s.finish[id] && part.timeline.kinds[s.kind[i]] !== "run") id = i;
      }
      for (let at = ui.slice_at(part, id); at && stops.length < 20000;) {
        stops.push(at);
        const now = at.track.id[at.i];
        const start = s.start[now];
        const kind = part.timeline.kinds[s.kind[now]];
        let last = null;
        if (at.i > 0) last = { ...at, i: at.i - 1 };
        for (const from of ui.needs_of(part, now)) {
          if (s.finish[from] > start || (last && s.finish[from] < s.finish[last.track.id[last.i]])) continue;
          last = ui.slice_at(part, from) ?? last;
        }
        const gap = last ? start - s.finish[last.track.id[last.i]] : start;
        kinds.set(kind, (kinds.get(kind) ?? 0) + s.finish[now] - start);
        waiting += gap;
        at = last;
      }
      stops.reverse();
      return { stops, kinds: [...kinds].sort((a, b) => b[1] - a[1]), waiting };
    };
  }
)js";

}  // namespace ipuflow::report::impl
