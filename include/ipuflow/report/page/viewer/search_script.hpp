// SPDX-License-Identifier: BSL-1.0
// Search: rows, steps, slices, operations, variables, lines, parts of the program and times by their words; what is chosen is opened
// in its view.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view search_script = R"js(
  {
    // What can be found: rows, steps, slices, operations, variables, lines, parts of the program, times, views.
    const found_for = words => {
      const part = ui.part();
      const list = [];
      const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
      const fits = text => wanted.every(w => text.toLowerCase().includes(w));
      const add = (kind, text, act) => {
        if (list.length < 60 && fits(kind + " " + text)) list.push({ kind, text, act });
      };
      const open = (v, act) => () => {
        if (ui.state.v !== v) ui.go({ v, s: "" });
        act?.();
      };
      ui.views.forEach(view => add("view", view.name, open(view.id)));
      if (part.timeline && Number.isFinite(Number(words)) && words.trim()) {
        const t = Number(words);
        if (t >= 0 && t <= part.timeline.length)
          list.push({
            kind: "time",
            text: part.clock.full(t),
            act: open("timeline", () => {
              const l = ui.timeline_lanes;
              ui.aim(l, t - (l.to - l.from) / 2, t + (l.to - l.from) / 2);
            })
          });
      }
      part.timeline?.rows.forEach(row =>
        add(
          "track",
          row.name,
          open("timeline", () => {
            const lanes = ui.timeline_lanes;
            const band = lanes.bands.find(b => b.row.name === row.name && b.track);
            if (!band) return;
            lanes.box.scrollTop = band.top - 40;
            ui.select(lanes, {
              track: band.track,
              i: min(ui.first_behind(band.track.finish, lanes.from), band.track.count - 1),
              row: band.r
            });
          })
        )
      );
      if (part.timeline && wanted.length) {
        const s = ui.slices_of(part);
        const numbers = /^(.*?)\s*(\d+)$/.exec(words.trim());
        const kinds = part.timeline.kinds.map(k => k.toLowerCase().includes((numbers ? numbers[1] : words).toLowerCase().trim()));
        for (let i = 0, n = 0; i < s.count && n < 12; ++i) {
          if (!kinds[s.kind[i]] || (numbers && s.micro_batch[i] - 1 !== Number(numbers[2]))) continue;
          ++n;
          list.push({
            kind: "slice",
            text: ui.slice_name(part, i) + " on " + part.timeline.rows[s.row[i]].name + " at " + part.clock.short(s.start[i]),
            act: open("timeline", () => {
              const at = ui.slice_at(part, i);
              if (at) ui.select(ui.timeline_lanes, at);
            })
          });
        }
      }
      if (part.schedule)
        for (let step = 0; step < part.schedule.steps && wanted.length && list.length < 60; ++step) {
          if (fits("step " + step))
            add(
              "step",
              "step " + step,
              open("schedule", () => {
                const [l] = ui.schedule_lanes;
                ui.aim(l, step - 8, step + 8);
                l.area = { from: step, to: step + 1 };
                l.redraw();
              })
            );
        }
      part.operations?.forEach(o =>
        add(
          "operation",
          o.name,
          open("operations", () => ui.operations_table.find(o.name))
        )
      );
      part.memory?.variables?.name.forEach(name =>
        add(
          "variable",
          name,
          open("memory", () => {
            ui.variables_table.find(name);
            ui.variables_table.scrollIntoView();
          })
        )
      );
      part.series?.forEach(line => add("line", line.name, open("queues")));
      const tree = node => {
        add(
          "program",
          node.name,
          open("program", () => ui.open_program(node))
        );
        node.inside?.forEach(tree);
      };
      if (part.program) tree(part.program);
      return list;
    };
    ui.search = dialog => {
      let list = [];
      let at = 0;
      const options = el("ul", { id: "v-found", role: "listbox", "aria-label": "Found" });
      const draw = () => {
        options.replaceChildren(
          ...list.map((f, i) =>
            el(
              "li",
              { id: "v-found-" + i, role: "option", "aria-selected": String(i === at), click: () => take(i) },
              el("span.v-soft", {}, f.kind),
              el("span.v-u", {}, f.text)
            )
          )
        );
        if (list.length === 0) options.append(el("li", { role: "option", "aria-selected": "false" }, "Nothing has these words."));
        input.setAttribute("aria-activedescendant", list.length ? "v-found-" + at : "");
        options.children[at]?.scrollIntoView({ block: "nearest" });
      };
      const take = i => {
        dialog.close();
        list[i]?.act();
      };
      const find = () => {
        list = found_for(input.value);
        at = 0;
        draw();
      };
      const input = el("input", {
        type: "search",
        role: "combobox",
        "aria-label": "Find a track, operation, variable, step or time",
        "aria-expanded": "true",
        "aria-controls": "v-found",
        placeholder: "Track, operation, variable, step, slice or time",
        input: find,
        keydown: event => {
          const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (by) (event.preventDefault(), (at = max(0, min(list.length - 1, at + by))), draw());
          if (event.key === "Enter") (event.preventDefault(), take(at));
        }
      });
      dialog.setAttribute("aria-label", "Find");
      dialog.replaceChildren(input, options);
      dialog.showModal();
      input.focus();
      find();
    };
  }
)js";

}  // namespace ipuflow::report::impl
