// SPDX-License-Identifier: BSL-1.0
// The view of the timeline: an overview strip above the rows of chips, threads and host; what is selected, a range's statistics and
// the critical path go to the drawer.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view timeline_script = R"js(
  {
    // Everything about what is selected, for the drawer.
    ui.details_of = (part, what, jump) => {
      const { track, i } = what;
      const id = track.id[i];
      const { clock } = part;
      const rows = [];
      const add = (name, value) => rows.push([name, value]);
      const model = ui.run_model(part);
      const link = slice =>
        ui.button(ui.slice_name(part, slice) + " on " + part.timeline.rows[part.slices.row[slice]].name, () => jump(slice), {
          class: "v-link"
        });
      add("row", model.rows[what.row].name);
      add("start", clock.full(track.start[i]));
      add("finish", clock.full(track.finish[i]));
      add("length", clock.full(track.finish[i] - track.start[i]));
      let title = ui.labels_of(part, model, track, i)[0];
      if (track.what === "slice") {
        const s = part.slices;
        for (const name of ["stage", "micro_batch", "run", "thread"])
          if (s[name][id] > 0) add(name.replace("_", "-"), show.count(s[name][id] - 1));
        const op = ui.slices_of_plan(part) ? part.op_of_slice[id] : -1;
        if (op >= 0) add("step of the plan", show.count(part.plan.step[op]));
        const idle = model.rows[what.row].idle;
        const before = idle ? ui.first_behind(idle.finish, track.start[i] - 1e-9) : -1;
        if (idle && before < idle.count && abs(idle.finish[before] - track.start[i]) < 1e-6)
          add("idle before it", ui.reason_of(part, idle.id[before]) + ": " + clock.full(idle.finish[before] - idle.start[before]));
        const [needs, users] = [ui.needs_of(part, id), ui.users_of(part, id)];
        if (needs.length) add("needs", el("span", {}, needs.slice(0, 12).map(link)));
        if (users.length) add("is needed by", el("span", {}, users.slice(0, 12).map(link)));
      }
      if (track.what === "superstep") {
        const [operation, busy] = ui.phase_of(part, id);
        if (operation) add("mostly", operation);
        if (operation) add("busy, mean of all tiles", show.percent(busy, 1));
      }
      if (track.what === "idle") {
        title = "idle: " + title;
        add("share of the run", show.percent(track.finish[i] - track.start[i], model.length));
      }
      return { title, rows };
    };
    const statistics_table = (part, model, area) => {
      const { span, kinds, rows } = ui.statistics(model, area.from, area.to);
      const { clock } = part;
      const by_kind = ui.plain_table(
        "Kinds in the range",
        ["kind", "slices", "time in all", "mean", "least", "most"],
        kinds.map(k => [
          k.name,
          show.count(k.count),
          clock.short(k.time),
          clock.short(k.time / k.count),
          clock.short(k.least),
          clock.short(k.most)
        ])
      );
      const by_row = ui.plain_table(
        "Rows in the range",
        ["row", "busy", "share", "idle mostly because it"],
        rows.map(r => [r.name, clock.short(r.busy), show.percent(r.busy, span), r.most])
      );
      return el("div.v-columns", {}, by_kind, by_row);
    };

    ui.views.push({
      id: "timeline",
      name: "Timeline",
      key: "2",
      empty: part =>
        part.timeline
          ? null
          : part.is + " and has no timeline: a run on threads or on chips that was traced has one.",
      make(panel, part) {
        const model = ui.run_model(part);
        const { clock } = part;
        const jump = slice => {
          const found = ui.slice_at(part, slice);
          if (found) ui.select(lanes, found);
        };
        const lanes = new ui.Lanes(model, {
          label: "Timeline of " + part.name + ": " + model.rows.length + " rows, " + show.count(part.slices.count) + " slices",
          row_height: model.rows.length > 40 ? 14 : 20,
          moved: (from, to) => {
            over.paint();
            where.textContent =
              clock.short(from < 0 ? 0 : from) +
              " \u2013 " +
              clock.short(min(to, model.length)) +
              "\u2002\u00b7\u2002" +
              clock.short(min(to, model.length) - max(0, from));
            ui.keep({ r: from <= 0 && to >= model.length ? null : [from, to] });
          },
          chosen: what => {
            ui.keep({ s: ui.word_of(what) });
            if (!what) return ui.close_details();
            const { title, rows } = ui.details_of(part, what, jump);
            ui.details(
              title,
              ui.facts_list(rows),
              [
                ["Previous", () => ui.lanes_key(lanes, { key: "," })],
                ["Next", () => ui.lanes_key(lanes, { key: "." })],
                ["Centre", () => ui.lanes_key(lanes, { key: "f" })],
                what.track.what === "slice" && ["Critical path to here", () => path(what.track.id[what.i])]
              ],
              false
            );
            ui.say(
              title +
                ", " +
                model.rows[what.row].name +
                ", from " +
                clock.short(what.track.start[what.i]) +
                ", " +
                clock.short(what.track.finish[what.i] - what.track.start[what.i])
            );
          },
          chose_area: area => {
            ui.details(
              "Selection: " + clock.short(area.from) + " \u2013 " + clock.short(area.to) + ", " + clock.full(area.to - area.from),
              statistics_table(part, model, area),
              [["Zoom to it", () => ui.aim(lanes, area.from, area.to)]]
            );
          },
          hint: ({ track, i }) => ui.labels_of(part, model, track, i)[0] + "\n" + clock.full(track.finish[i] - track.start[i]),
          path: () => path(lanes.selected?.track.what === "slice" ? lanes.selected.track.id[lanes.selected.i] : undefined)
        });
        ui.timeline_lanes = lanes;
        const over = ui.strip(lanes, model);
        const where = el("output.v-where");
        const path = id => {
          const found = ui.critical_path(part, id);
          const all = found.kinds.reduce((sum, [, t]) => sum + t, found.waiting);
          lanes.path = found.stops;
          lanes.redraw();
          const last = found.stops.at(-1);
          ui.details(
            "Critical path to " +
              ui.labels_of(part, model, last.track, last.i)[0] +
              ": " +
              show.count(found.stops.length) +
              " slices, " +
              clock.full(all),
            el(
              "div",
              {},
              el(
                "p",
                {},
                part.timeline.links || part.timeline.critical
                  ? "Back from the last slice, always through what it waited for last: what made its values, or the slice before it."
                  : "This run has no record of messages, so the path follows the row of the last slice only."
              ),
              ui.plain_table(
                "Time on the critical path",
                ["kind", "time", "share"],
                [...found.kinds, ["waiting and sending", found.waiting]].map(([name, t]) => [name, clock.short(t), show.percent(t, all)])
              )
            ),
            [
              [
                "Hide it",
                () => {
                  lanes.path = null;
                  lanes.redraw();
                  ui.close_details();
                }
              ]
            ]
          );
        };
        const thin = model.thin_kinds.filter(name => !name.startsWith("plan step"));
        const steps = part.timeline.supersteps && ui.supersteps(part, 1 << 20);
        const toggle = on => {
          ui.show_supersteps(part, on);
          lanes.arrange();
        };
        if (steps?.count > 0) toggle((ui.show_bsp ??= steps.count < 3e5));
        panel.append(
          bar(
            where,
            el("span.v-grow"),
            ui.button("Critical path", () => path(undefined), { title: "C" }),
            ui.button("Whole run", () => ui.aim(lanes, 0, model.length), { title: "Home" }),
            ui.slider("Row height", 3, 80, lanes.height, h => {
              lanes.height = round(h);
              lanes.arrange();
            }),
            steps?.count > 0 && ui.tick(steps.whole ? "Supersteps" : "First supersteps", ui.show_bsp, on => toggle((ui.show_bsp = on))),
            ui.button("Table", () => ui.slices_table(part, lanes), { title: "What is shown, as a table" })
          ),
          over.canvas,
          lanes.box,
          ui.run_legend(part),
          thin.length ? ui.legend(ui.coloured(thin), "Supersteps") : "",
          part.timeline.left_out > 0 || part.timeline.complete === false
            ? el(
                "p.v-note",
                {},
                part.timeline.complete === false ? "The run goes on behind the last slice. " : "",
                part.timeline.left_out > 0 ? show.count(part.timeline.left_out) + " operations found no room in the trace." : ""
              )
            : ""
        );
        lanes.resize();
        if (ui.state.r) lanes.set(...ui.state.r);
        else lanes.set(0, model.length);
        const found = ui.state.s && ui.find_word(model, ui.state.s);
        if (found) ui.select(lanes, found);
        ui.active = lanes;
        return {
          lanes: [lanes],
          repaint: () => {
            lanes.recolour();
            over.paint();
          },
          close: () => lanes.close(),
          resized: () => over.paint(),
          csv: () => ui.slices_csv(part, lanes)
        };
      }
    });

    // What is shown as rows of a table: the table equivalent of the picture.
    const shown = (part, lanes, most) => {
      const list = [];
      lanes.model.rows.forEach((row, r) => {
        for (const track of [...row.tracks, ...(row.idle ? [row.idle] : []), ...row.thin]) {
          for (let i = ui.first_behind(track.finish, lanes.from); i < track.count && track.start[i] < lanes.to && list.length < most; ++i)
            list.push([
              row.name,
              ui.labels_of(part, lanes.model, track, i)[0],
              track.what === "slice" && part.slices.stage[track.id[i]] > 0 ? part.slices.stage[track.id[i]] - 1 : "",
              track.start[i],
              track.finish[i] - track.start[i],
              { track, i, row: r }
            ]);
        }
      });
      return list;
    };
    const head = part =>
      ["row", "slice", "stage", "start", "length"].map((name, i) => (i > 2 ? name + (" (" + part.clock.name + ")") : name));
    ui.slices_table = (part, lanes) => {
      const list = shown(part, lanes, 20000);
      ui.details(
        show.count(list.length) + (list.length === 20000 ? " first" : "") + " that are shown: slices, idle times, supersteps",
        ui.big_table({
          name: "slices",
          head: head(part),
          rows: list.map(r => r.slice(0, 5)),
          pick: n => ui.select(lanes, list[n][5], true)
        })
      );
    };
    ui.slices_csv = (part, lanes) =>
      ui.csv(
        head(part),
        shown(part, lanes, Infinity).map(r => r.slice(0, 5))
      );
  }
)js";

}  // namespace ipuflow::report::impl
