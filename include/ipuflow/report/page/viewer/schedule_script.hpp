// SPDX-License-Identifier: BSL-1.0
// The view of the plan in steps, beside what became of it: two pictures of rows with one selection. An empty cell says why its chip
// is idle there, read off the plan itself.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view schedule_script = R"js(
  {
    ui.plan_model = part => {
      if (part.plan_shown || !part.schedule) return part.plan_shown;
      const p = ui.plan_of(part);
      const { schedule } = part;
      const rows = Array.from({ length: schedule.ipus }, (_, i) => ({ name: ui.chip_name(part, i), tracks: [], thin: [] }));
      const start = Float64Array.from(p.step);
      const order = ui.tracks_of({ count: p.count, row: p.ipu, start, finish: start.map(t => t + 1), kind: p.kind }, schedule.ipus);
      order.forEach((tracks, i) => {
        rows[i].tracks = tracks;
        for (const t of tracks) t.what = "op";
      });
      part.plan_shown = {
        rows,
        kinds: schedule.kinds,
        length: schedule.steps,
        clock: show.steps_clock,
        part,
        least: min(4, schedule.steps),
        label: (track, i) => {
          const mb = p.micro_batch[track.id[i]];
          return mb > 0 ? [ui.plan_name(part, track.id[i]), String(mb - 1)] : [ui.plan_name(part, track.id[i])];
        }
      };
      return part.plan_shown;
    };
    ui.chip_name = (part, ipu) => {
      const rows = part.timeline?.rows.filter(row => !row.host);
      return part.chips?.[ipu]?.name ?? (rows?.length === part.schedule?.ipus ? rows[ipu].name : "IPU " + ipu);
    };

    // Operations that one needs: a forward the one of the stage before, a backward the one of the stage behind and its own forward.
    const needs_of = (part, op) => {
      const p = part.plan;
      const kinds = part.schedule.kinds;
      const name = kinds[p.kind[op]] ?? "";
      const forward = kinds.indexOf("forward");
      const backwards = kinds.map((k, i) => (k === "backward" || k === "backward for inputs" ? i : -1)).filter(i => i >= 0);
      const find = (kind, stage) => p.find(kind, stage, p.micro_batch[op]);
      const stage = p.stage[op];
      const needed = [];
      if (name === "forward" && stage > 1) needed.push(find(forward, stage - 1));
      if (name.startsWith("backward")) {
        needed.push(find(forward, stage));
        if (name !== "backward for weights") for (const kind of backwards) needed.push(find(kind, stage + 1));
        else for (const kind of backwards) needed.push(find(kind, stage));
      }
      return needed.filter(n => n !== undefined);
    };
    const words_of = (part, op) => ui.plan_name(part, op) + (part.plan.stage[op] > 0 ? " of stage " + (part.plan.stage[op] - 1) : "");
    // Why a chip has nothing to do in a step, in a sentence.
    ui.why_idle = (part, ipu, step) => {
      const p = ui.plan_of(part);
      const chip = ui.chip_name(part, ipu);
      let next = -1;
      let ended = true;
      for (let i = 0; i < p.count; ++i) {
        if (p.ipu[i] !== ipu || p.step[i] <= step) continue;
        ended = false;
        if (next < 0 || p.step[i] < p.step[next]) next = i;
      }
      if (ended) return chip + " is idle in step " + step + ": its last operation lies behind it.";
      let last = -1;
      for (const op of needs_of(part, next)) if (p.ipu[op] !== ipu && (last < 0 || p.step[op] > p.step[last])) last = op;
      const then = "its next operation is " + words_of(part, next) + " in step " + p.step[next];
      if (last < 0) return chip + " is idle in step " + step + ": " + then + ", and the schedule begins it no earlier.";
      const at =
        p.step[last] >= step
          ? ", which " + ui.chip_name(part, p.ipu[last]) + " does in step " + p.step[last] + "."
          : ", which was done in step " + p.step[last] + ": the schedule leaves this step free.";
      return chip + " is idle in step " + step + ": " + then + ", and it waits for " + words_of(part, last) + at;
    };

    ui.views.push({
      id: "schedule",
      name: "Schedule",
      key: "3",
      empty: part =>
        part.schedule
          ? null
          : part.is +
            " without its timetable: a plan, a schedule, or a run that was written with its schedule has one.",
      make(panel, part) {
        const { schedule } = part;
        const plan = ui.plan_of(part);
        const model = ui.plan_model(part);
        const planned = ui.slices_of_plan(part);
        const run = planned && planned.some(slice => slice >= 0) ? ui.run_model(part) : null;
        const busy = new Array(schedule.ipus).fill(0);
        const steps_of = Array.from(busy, () => new Set());
        for (let i = 0; i < plan.count; ++i) (++busy[plan.ipu[i]], steps_of[plan.ipu[i]].add(plan.step[i]));
        let mirror = false;
        const both = what => {
          // selects the same operation in the other picture
          if (mirror || !what || !lower) return;
          mirror = true;
          if (what.track.what === "op" && planned[what.track.id[what.i]] >= 0)
            ui.select(lower, ui.slice_at(part, planned[what.track.id[what.i]]), true);
          if (what.track.what === "slice") {
            const op = part.op_of_slice[what.track.id[what.i]];
            const row = op >= 0 ? model.rows[plan.ipu[op]] : null;
            const track = row?.tracks.find(t => t.id.includes(op));
            if (track) ui.select(upper, { track, i: track.id.indexOf(op), row: plan.ipu[op] }, true);
          }
          mirror = false;
        };
        const chosen = what => {
          ui.keep({ s: ui.word_of(what) });
          if (!what) return ui.close_details();
          both(what);
          const op =
            what.track.what === "op" ? what.track.id[what.i] : what.track.what === "slice" ? part.op_of_slice[what.track.id[what.i]] : -1;
          if (op < 0) {
            const { title, rows } = ui.details_of(part, what, () => {});
            return ui.details(title, ui.facts_list(rows));
          }
          const rows = [
            ["chip", ui.chip_name(part, plan.ipu[op])],
            ["step", show.count(plan.step[op])]
          ];
          if (plan.stage[op] > 0) rows.push(["stage", show.count(plan.stage[op] - 1)]);
          if (plan.micro_batch[op] > 0) rows.push(["micro-batch", show.count(plan.micro_batch[op] - 1)]);
          for (const need of needs_of(part, op))
            rows.push(["needs", words_of(part, need) + ", step " + plan.step[need] + " of " + ui.chip_name(part, plan.ipu[need])]);
          if (run && planned[op] >= 0) {
            const s = part.slices;
            rows.push(["in the run", part.clock.full(s.start[planned[op]]) + " to " + part.clock.full(s.finish[planned[op]])]);
            rows.push(["took", part.clock.full(s.finish[planned[op]] - s.start[planned[op]])]);
          }
          ui.details(words_of(part, op), ui.facts_list(rows));
          ui.say(words_of(part, op) + ", " + ui.chip_name(part, plan.ipu[op]) + ", step " + plan.step[op]);
        };
        const why = (row, time) => {
          const step = floor(time);
          if (step < 0 || step >= schedule.steps) return;
          const { op, from, to, waits } = ui.around_step(part, row, step);
          const chip = ui.chip_name(part, row);
          const reason = op < 0 ? ui.why_idle(part, row, step) : chip + " does " + words_of(part, op) + " in step " + step + ".";
          const table = ui.plain_table("Idle in the run from there to its next operation", ["reason", "from", "for"], waits);
          ui.details(
            chip + ", step " + step,
            el(
              "div",
              {},
              el("p", {}, reason),
              !run ? "" : waits.length ? table : "In the run it is not idle from there to its next operation."
            )
          );
          if (lower && waits.length) {
            lower.area = { from, to };
            if (from < lower.from || to > lower.to) lower.set(from - 2 * (to - from), to + 2 * (to - from));
            lower.redraw();
          }
          ui.say(reason);
        };
        const upper = new ui.Lanes(model, {
          label: "Plan in steps: " + schedule.ipus + " chips, " + schedule.steps + " steps",
          fixed: 420,
          chosen,
          empty: why,
          row_height: 22,
          hint: ({ track, i }) => words_of(part, track.id[i]) + "\nstep " + track.start[i]
        });
        const bare = run && { ...run, rows: run.rows.map(row => (row.tracks.length ? { ...row, thin: [] } : row)) };
        const lower =
          run &&
          new ui.Lanes(bare, {
            label: "What became of the plan",
            fixed: 420,
            chosen,
            row_height: 22,
            hint: ({ track, i }) => ui.labels_of(part, run, track, i)[0] + "\n" + part.clock.full(track.finish[i] - track.start[i])
          });
        if (lower) {
          // at first the run of the timetable that the plan is compared with
          const of_run = planned.reduce((end, slice) => (slice >= 0 ? max(end, part.slices.finish[slice]) : end), 0);
          lower.set(0, min(run.length, of_run * 1.02));
        }
        if (schedule.steps > 120) upper.set(0, 90);
        const step_input = el("input", { type: "number", min: 0, max: schedule.steps - 1, value: 0, "aria-label": "Step" });
        const ask = el(
          "form.v-ask",
          {
            submit: event => {
              event.preventDefault();
              why_form();
            }
          },
          ui.choice(
            "Why is",
            model.rows.map(row => row.name),
            0,
            i => (asked = i)
          ),
          el("span", {}, "idle in or behind step"),
          step_input,
          el("button", { type: "submit" }, "?")
        );
        let asked = 0;
        const why_form = () => {
          const step = max(0, min(schedule.steps - 1, floor(Number(step_input.value))));
          if (step < upper.from || step > upper.to) upper.set(step - 20, step + 20);
          why(asked, step);
        };
        panel.append(
          bar(
            el(
              "span",
              {},
              [
                schedule.name,
                schedule.ipus + " IPUs",
                schedule.stages + " stages",
                schedule.micro_batches + " micro-batches",
                show.count(schedule.steps) + " steps",
                schedule.training ? "training" : "inference"
              ]
                .filter(Boolean)
                .join(" \u00b7 ")
            ),
            el("span.v-grow"),
            ask
          ),
          h3("The plan, in steps"),
          upper.box,
          ui.legend(ui.used(schedule.kinds, plan.kind)),
          h3("What became of it"),
          lower ? lower.box : empty("This part was not run, or its run was not traced: only the plan is known."),
          lower ? ui.run_legend(part) : "",
          el(
            "div.v-columns",
            {},
            ui.plain_table(
              "Steps in use, by chip",
              ["chip", "operations", "steps in use", "idle"],
              busy.map((n, i) => [
                ui.chip_name(part, i),
                n,
                show.percent(steps_of[i].size, schedule.steps),
                show.percent(schedule.steps - steps_of[i].size, schedule.steps)
              ])
            ),
            schedule.stash?.length
              ? ui.plain_table(
                  "Depth of the stashes",
                  ["stage", "micro-batches kept"],
                  schedule.stash.map(s => [String(s.stage), s.depth])
                )
              : null
          )
        );
        upper.resize();
        lower?.resize();
        ui.active = upper;
        ui.schedule_lanes = [upper, lower];
        const found = ui.state.s && ui.find_word(ui.state.s.startsWith("op:") ? model : (run ?? model), ui.state.s);
        if (found) ui.select(found.track.what === "op" ? upper : lower, found);
        const list = () =>
          Array.from({ length: plan.count }, (_, i) => [
            ui.chip_name(part, plan.ipu[i]),
            plan.step[i],
            schedule.kinds[plan.kind[i]],
            plan.stage[i] - 1,
            plan.micro_batch[i] - 1,
            ...(run ? [planned[i] < 0 ? "" : part.slices.start[planned[i]], planned[i] < 0 ? "" : part.slices.finish[planned[i]]] : [])
          ]);
        return {
          lanes: [upper, lower].filter(Boolean),
          repaint: () => {
            upper.recolour();
            lower?.recolour();
          },
          close: () => {
            upper.close();
            lower?.close();
          },
          csv: () => ui.csv(["chip", "step", "kind", "stage", "micro-batch", ...(run ? ["start", "finish"] : [])], list())
        };
      }
    });
  }
)js";

}  // namespace ipuflow::report::impl
