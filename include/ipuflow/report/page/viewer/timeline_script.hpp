// SPDX-License-Identifier: BSL-1.0
// The view of the timeline: an overview strip above the rows of chips, threads and host; what is selected, a range's statistics and
// the critical path go to the drawer.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view timeline_script = R"js(
  (() => {
    "use strict";
    const page = globalThis.ipuflow;
    const { el, show } = page;

    // The strip: how busy all rows are over the whole run, stacked by kind. Dragging in it moves what is shown.
    const strip = (lanes, model) => {
      const canvas = el("canvas", { class: "v-strip", role: "img", "aria-label": "Overview of the whole run: share of the rows that are busy, by kind" });
      let cached = null;
      const paint = () => {
        const w = canvas.clientWidth;
        const dpr = devicePixelRatio || 1;
        if (!w) return;
        const h = 44;
        if (!cached || cached.w !== w || cached.dark !== page.is_dark()) {
          const bars = el("canvas", { width: w * dpr, height: h * dpr });
          const pen = bars.getContext("2d");
          const theme = page.theme();
          pen.scale(dpr, dpr);
          pen.fillStyle = theme.lane;
          pen.fillRect(0, 0, w, h);
          const tracks = model.rows.filter((row) => row.tracks.length).map((row) => row.tracks[0]);
          const sums = Array.from({ length: model.kinds.length }, () => new Float64Array(w));
          for (const track of tracks) {
            const level = page.levels_of(track, model.length).findLast((l) => l.kind.length >= Math.min(w, 64)) ?? track.levels[0];
            const fine = track.levels.findLast((l) => l.kind.length >= w) ?? level;
            const n = fine.kind.length;
            for (let b = 0; b < n; ++b) if (fine.busy[b]) sums[fine.kind[b]][Math.floor((b * w) / n)] += (fine.busy[b] / 255) * (w / n);
          }
          for (let x = 0; x < w; ++x) {
            let y = h;
            sums.forEach((sum, k) => {
              const high = (sum[x] / Math.max(1, tracks.length)) * (h - 3);
              if (high <= 0) return;
              pen.fillStyle = page.colour(model.kinds[k], k);
              pen.fillRect(x, y - high, 1, high);
              y -= high;
            });
          }
          cached = { w, bars, dark: page.is_dark() };
        }
        canvas.width = w * dpr;
        canvas.height = h * dpr;
        const pen = canvas.getContext("2d");
        pen.drawImage(cached.bars, 0, 0);
        pen.scale(dpr, dpr);
        const theme = page.theme();
        const [x0, x1] = [(lanes.from / model.length) * w, (lanes.to / model.length) * w];
        pen.globalAlpha = 0.55;
        pen.fillStyle = theme.paper;
        pen.fillRect(0, 0, x0, h);
        pen.fillRect(x1, 0, w - x1, h);
        pen.globalAlpha = 1;
        pen.strokeStyle = theme.accent;
        pen.lineWidth = 1.5;
        pen.strokeRect(x0 + 0.75, 0.75, Math.max(3, x1 - x0) - 1.5, h - 1.5);
      };
      let grip = null;
      const time = (event) => ((event.clientX - canvas.getBoundingClientRect().left) / canvas.clientWidth) * model.length;
      canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        const t = time(event);
        const span = lanes.to - lanes.from;
        if (span > model.length * 0.95) grip = { anchor: t };
        else grip = { off: t >= lanes.from && t <= lanes.to ? t - lanes.from : span / 2, span };
        if (grip.span) lanes.set(t - grip.off, t - grip.off + grip.span);
      });
      canvas.addEventListener("pointermove", (event) => {
        if (!grip) return;
        const t = time(event);
        if (grip.span) lanes.set(t - grip.off, t - grip.off + grip.span);
        else if (Math.abs(t - grip.anchor) > model.length / 200) lanes.set(Math.min(t, grip.anchor), Math.max(t, grip.anchor));
      });
      canvas.addEventListener("pointerup", () => (grip = null));
      return { canvas, paint };
    };

    // Everything about what is selected, for the drawer.
    page.details_of = (part, what, jump) => {
      const { track, i } = what;
      const id = track.id[i];
      const { clock } = part;
      const rows = [];
      const add = (name, value) => rows.push([name, value]);
      const model = page.run_model(part);
      const link = (slice) => page.button(page.slice_name(part, slice) + " on " + part.timeline.rows[part.slices.row[slice]].name, () => jump(slice), { class: "v-link" });
      add("row", model.rows[what.row].name);
      add("start", clock.full(track.start[i]));
      add("finish", clock.full(track.finish[i]));
      add("length", clock.full(track.finish[i] - track.start[i]));
      let title = page.labels_of(part, model, track, i)[0];
      if (track.what === "slice") {
        const s = part.slices;
        for (const name of ["stage", "micro_batch", "run", "thread"]) if (s[name][id] > 0) add(name.replace("_", "-"), show.count(s[name][id] - 1));
        const op = page.slices_of_plan(part) && part.op_of_slice.get(id);
        if (op !== undefined) add("step of the plan", show.count(part.plan.step[op]));
        const idle = model.rows[what.row].idle;
        const before = idle ? page.first_behind(idle.finish, track.start[i] - 1e-9) : -1;
        if (idle && before < idle.count && Math.abs(idle.finish[before] - track.start[i]) < 1e-6)
          add("idle before it", page.reason_of(part, idle.id[before]) + ": " + clock.full(idle.finish[before] - idle.start[before]));
        const [needs, users] = [page.needs_of(part, id), page.users_of(part, id)];
        if (needs.length) add("needs", el("span", {}, needs.slice(0, 12).map(link)));
        if (users.length) add("is needed by", el("span", {}, users.slice(0, 12).map(link)));
      }
      if (track.what === "idle") {
        title = "idle: " + title;
        add("share of the run", show.percent(track.finish[i] - track.start[i], model.length));
      }
      return { title, rows };
    };
    const statistics_table = (part, model, area) => {
      const { span, kinds, rows } = page.statistics(model, area.from, area.to);
      const { clock } = part;
      const by_kind = page.plain_table("Kinds in the range", ["kind", "slices", "time in all", "mean", "least", "most"],
        kinds.map((k) => [k.name, show.count(k.count), clock.short(k.time), clock.short(k.time / k.count), clock.short(k.least), clock.short(k.most)]));
      const by_row = page.plain_table("Rows in the range", ["row", "busy", "share", "idle mostly because it"],
        rows.map((r) => [r.name, clock.short(r.busy), show.percent(r.busy, span), [...r.reasons].sort((a, b) => b[1] - a[1])[0]?.[0] ?? ""]));
      return el("div", { class: "v-columns" }, by_kind, by_row);
    };

    page.views.push({
      id: "timeline", name: "Timeline", key: "2",
      empty: (part) => (part.timeline ? null : "This part is a " + part.kind + " and has no timeline: a run on threads or on chips that was traced has one."),
      make(panel, part) {
        const model = page.run_model(part);
        const { clock } = part;
        const jump = (slice) => { const found = page.slice_at(part, slice); if (found) page.select(lanes, found); };
        const lanes = new page.Lanes(model, {
          label: "Timeline of " + part.name + ": " + model.rows.length + " rows, " + show.count(part.slices.count) + " slices",
          row_height: model.rows.length > 40 ? 14 : 20,
          moved: (from, to) => {
            over.paint();
            where.textContent = clock.short(from < 0 ? 0 : from) + " \u2013 " + clock.short(Math.min(to, model.length)) + "\u2002\u00b7\u2002" + clock.short(Math.min(to, model.length) - Math.max(0, from));
            page.keep({ r: from <= 0 && to >= model.length ? null : [from, to] });
          },
          chosen: (what) => {
            page.keep({ s: page.word_of(what) });
            if (!what) return page.close_details();
            const { title, rows } = page.details_of(part, what, jump);
            page.details(title, page.facts_list(rows), [
              ["Previous", () => page.lanes_key(lanes, { key: "," })], ["Next", () => page.lanes_key(lanes, { key: "." })],
              ["Centre", () => page.lanes_key(lanes, { key: "f" })],
              what.track.what === "slice" && ["Critical path to here", () => path(what.track.id[what.i])],
            ], false);
            page.say(title + ", " + model.rows[what.row].name + ", from " + clock.short(what.track.start[what.i]) + ", " + clock.short(what.track.finish[what.i] - what.track.start[what.i]));
          },
          chose_area: (area) => {
            page.details("Selection: " + clock.short(area.from) + " \u2013 " + clock.short(area.to) + ", " + clock.full(area.to - area.from),
              statistics_table(part, model, area), [["Zoom to it", () => page.aim(lanes, area.from, area.to)]]);
          },
          hint: ({ track, i }) => page.labels_of(part, model, track, i)[0] + "\n" + clock.full(track.finish[i] - track.start[i]),
          path: () => path(lanes.selected?.track.what === "slice" ? lanes.selected.track.id[lanes.selected.i] : undefined),
        });
        page.timeline_lanes = lanes;
        const over = strip(lanes, model);
        const where = el("output", { class: "v-where" });
        const path = (id) => {
          const found = page.critical_path(part, id);
          const all = found.kinds.reduce((sum, [, t]) => sum + t, found.waiting);
          lanes.path = found.stops;
          lanes.redraw();
          const last = found.stops.at(-1);
          page.details("Critical path to " + page.labels_of(part, model, last.track, last.i)[0] + ": " + show.count(found.stops.length) + " slices, " + clock.full(all),
            el("div", {}, el("p", {}, part.timeline.links ? "Back from the last slice, always through what it waited for longest: what made its values, or the slice before it in its row."
              : "This run has no record of messages, so the path follows the row of the last slice only."),
            page.plain_table("Time on the critical path", ["kind", "time", "share"],
              [...found.kinds, ["waiting and sending", found.waiting]].map(([name, t]) => [name, clock.short(t), show.percent(t, all)]))),
            [["Hide it", () => { lanes.path = null; lanes.redraw(); page.close_details(); }]]);
        };
        const used = model.kinds.map((name, k) => [name, k]).filter(([, k]) => model.rows.some((row) => row.tracks.some((t) => page.levels_of(t, model.length).at(-1).kind.includes(k) || t.kind.subarray(0, 5000).includes(k))));
        const thin = model.thin_kinds.filter((name) => !name.startsWith("plan step"));
        const legend = page.legend([...used.map(([name]) => name), ...thin, ...(part.timeline.idle ? ["idle"] : [])],
          [...used.map(([name, k]) => page.colour(name, k)), ...thin.map((name, k) => page.colour(name, k)), ...(part.timeline.idle ? [page.theme().line] : [])]);
        const has_thin = model.rows.some((row) => row.thin?.length && row.tracks.length);
        const toggle = (on) => {
          for (const row of model.rows) if (row.tracks.length) (row.kept ??= row.thin), (row.thin = on ? row.kept : []);
          lanes.arrange();
        };
        if (has_thin) toggle(page.show_bsp ?? true);
        panel.append(
          el("div", { class: "v-bar" }, where, el("span", { class: "v-grow" }),
            page.button("Critical path", () => path(undefined), { title: "C" }), page.button("Whole run", () => page.aim(lanes, 0, model.length), { title: "Home" }),
            page.slider("Row height", 3, 80, lanes.height, (h) => { lanes.height = Math.round(h); lanes.arrange(); }),
            has_thin && page.tick("Supersteps", page.show_bsp ?? true, (on) => toggle((page.show_bsp = on))),
            page.button("Table", () => page.slices_table(part, lanes), { title: "What is shown, as a table" })),
          over.canvas, lanes.box, legend,
          part.timeline.left_out > 0 || part.timeline.complete === false
            ? el("p", { class: "v-note" }, part.timeline.complete === false ? "The run goes on behind the last slice. " : "",
              part.timeline.left_out > 0 ? show.count(part.timeline.left_out) + " operations found no room in the trace." : "") : null);
        lanes.resize();
        if (page.state.r) lanes.set(...page.state.r);
        else lanes.set(0, model.length);
        const found = page.state.s && page.find_word(model, page.state.s);
        if (found) page.select(lanes, found);
        page.active = lanes;
        return { lanes: [lanes], repaint: () => { lanes.recolour(); over.paint(); }, close: () => lanes.close(), resized: () => over.paint(),
          csv: () => page.slices_csv(part, lanes) };
      },
    });

    // What is shown as rows of a table: the table equivalent of the picture.
    const shown = (part, lanes, most) => {
      const list = [];
      for (const row of lanes.model.rows) for (const track of row.tracks) {
        for (let i = page.first_behind(track.finish, lanes.from); i < track.count && track.start[i] < lanes.to && list.length < most; ++i)
          list.push([row.name, page.slice_name(part, track.id[i]), part.slices.stage[track.id[i]] - 1, track.start[i], track.finish[i] - track.start[i], track.id[i]]);
      }
      return list;
    };
    const head = (part) => ["row", "slice", "stage", "start", "length"].map((name, i) => (i > 2 ? name + (part.clock.cycles ? " (cycles)" : " (ns)") : name));
    page.slices_table = (part, lanes) => {
      const list = shown(part, lanes, 20000);
      page.details(show.count(list.length) + (list.length === 20000 ? " first" : "") + " slices that are shown",
        page.big_table({ name: "slices", head: head(part), rows: list.map((r) => r.slice(0, 5)), pick: (n) => {
          const found = page.slice_at(part, list[n][5]);
          if (found) page.select(lanes, found, true);
        } }));
    };
    page.slices_csv = (part, lanes) => page.csv(head(part), shown(part, lanes, Infinity).map((r) => r.slice(0, 5)));
  })();
)js";

}  // namespace ipuflow::report::impl
