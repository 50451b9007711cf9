// SPDX-License-Identifier: BSL-1.0
// The views of stashes and queues over time, of the program as a tree, and of operations.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view lists_script = R"js(
  {
    ui.views.push({
      id: "queues",
      name: "Stashes & queues",
      key: "5",
      empty: part =>
        part.series?.length ? null : "No stash or queue was recorded over time in this " + part.what + ": a traced run has them.",
      make(panel, part) {
        const length = part.timeline?.length ?? part.total ?? 1;
        const charts = [];
        const titles = { stash: "Stashes", queue: "Queues", host: "Host" };
        const list = el("div.v-charts");
        const fill = words => {
          for (const c of charts.splice(0)) c.close();
          const wanted = part.series.filter(s => (s.name + " " + s.group).toLowerCase().includes(words.toLowerCase()));
          const groups = [...new Set(wanted.map(s => s.group))];
          list.replaceChildren(
            ...groups.map(group => {
              const of = wanted.filter(s => s.group === group).slice(0, 60);
              return el(
                "section",
                {},
                h3(titles[group] ?? group ?? ""),
                of.map((s, i) => {
                  const y = ui.array(s.v);
                  const most = (s.most ??= y.reduce((a, b) => max(a, b), 0));
                  const words = v => (s.unit === "bytes" ? show.bytes(v) : show.number(v) + (s.unit ? " " + s.unit : ""));
                  const chart = new ui.Chart({
                    name: s.name,
                    length,
                    clock: part.clock,
                    words: v => (s.unit === "bytes" ? show.bytes(v) : show.number(v)),
                    height: 96,
                    series: [{ name: s.name, x: ui.array(s.t), y, colour: ui.colour("", i % 8), fill: true }],
                    pick: () => ui.say(chart.saying(chart.at)),
                    moved: (from, to) => {
                      for (const c of charts) if (c.from !== from || c.to !== to) ((c.from = from), (c.to = to), c.redraw());
                    }
                  });
                  charts.push(chart);
                  return el("figure", {}, el("figcaption", {}, el("b.v-u", {}, s.name), " at most " + words(most)), chart.canvas);
                })
              );
            })
          );
        };
        panel.append(
          bar(
            el("input", {
              type: "search",
              placeholder: "Filter",
              "aria-label": "Filter charts",
              input: event => fill(event.target.value)
            }),
            el("span.v-soft", {}, show.count(part.series.length) + " lines; W, S, A, D or Ctrl + wheel change the range of all of them")
          ),
          list
        );
        fill("");
        const rows = () => part.series.flatMap(s => Array.from(ui.array(s.t), (t, i) => [s.group, s.name, s.unit, t, ui.array(s.v)[i]]));
        return {
          picture: () => (charts.includes(ui.active) ? ui.active : charts[0]),
          repaint: () => charts.forEach(c => c.redraw()),
          close: () => charts.forEach(c => c.close()),
          csv: () => ui.csv(["group", "name", "unit", part.clock.name, "value"], rows())
        };
      }
    });

    ui.views.push({
      id: "program",
      name: "Program",
      key: "6",
      empty: part =>
        part.program ? null : part.is + " without a program: a run or a count on chips has the tree of its program.",
      make(panel, part) {
        const root = part.program;
        const body = el("tbody");
        const share_bar = share => {
          const made = el("i.v-share");
          made.style.width = min(100, 100 * share).toFixed(1) + "%";
          return el("span.v-track", { "aria-hidden": "true" }, made);
        };
        const open_some = (node, level) => {
          node.open = level === 0 || (level < 2 && (node.inside?.length ?? 0) <= 60);
          node.inside?.forEach(n => open_some(n, level + 1));
        };
        open_some(root, 0);
        const draw = () => {
          const rows = [];
          const walk = (node, level, turns) => {
            // cycles are of one turn of the parent
            const cycles = (node.cycles ?? 0) * turns;
            const times = (node.times ?? 1) * turns;
            if (rows.length > 4000) return;
            const inside = node.inside?.length > 0;
            const flip = () => {
              node.open = !node.open;
              draw();
            };
            const name = inside
              ? ui.button(node.name, flip, { class: "v-link v-fold", "aria-expanded": String(Boolean(node.open)) })
              : el("span.v-leaf.v-u", {}, node.name);
            const first = el("td", {}, name);
            first.style.paddingLeft = 8 + level * 18 + "px";
            rows.push(
              el(
                "tr",
                {},
                first,
                el("td.v-n", {}, show.count(times)),
                el("td.v-n", {}, show.count(cycles)),
                el("td.v-n", {}, show.percent(cycles, root.cycles)),
                el("td", {}, share_bar(cycles / (root.cycles || 1)))
              )
            );
            if (node.open) node.inside?.forEach(n => walk(n, level + 1, times));
          };
          walk(root, 0, 1);
          body.replaceChildren(...rows);
        };
        const all = open => {
          const set = n => {
            n.open = open;
            n.inside?.forEach(set);
          };
          set(root);
          root.open = true;
          draw();
        };
        ui.open_program = wanted => {
          const find = n => {
            const here = (n.inside ?? []).map(find).some(Boolean);
            n.open ||= here;
            return here || n === wanted;
          };
          find(root);
          draw();
        };
        panel.append(
          bar(
            ui.button("Open all", () => all(true)),
            ui.button("Close all", () => all(false))
          ),
          el(
            "div.v-scroll",
            { tabindex: 0, role: "group", "aria-label": "Program" },
            el(
              "table.v-table.v-tree",
              {},
              el("caption.v-hidden", {}, "Program as a tree"),
              el(
                "thead",
                {},
                el(
                  "tr",
                  {},
                  ["program", "times", "cycles", "share", ""].map((h, c) =>
                    h ? el("th", { scope: "col", class: c ? "v-n" : null }, h) : el("td")
                  )
                )
              ),
              body
            )
          )
        );
        draw();
        const flat = (n, level, turns, into) => {
          into.push([level, n.name, (n.times ?? 1) * turns, (n.cycles ?? 0) * turns]);
          n.inside?.forEach(x => flat(x, level + 1, (n.times ?? 1) * turns, into));
          return into;
        };
        return { csv: () => ui.csv(["level", "program", "times", "cycles"], flat(root, 0, 1, [])) };
      }
    });

    ui.views.push({
      id: "operations",
      name: "Operations",
      key: "7",
      empty: part =>
        part.operations?.length ? null : part.is + " without operations: a run or a count on chips has them.",
      make(panel, part) {
        const all = part.operations.reduce((sum, o) => sum + o.cycles, 0);
        const columns = [
          ["operation", o => o.name],
          ["cycles", o => o.cycles],
          ["share", o => o.cycles / (all || 1)],
          ["vertices", o => o.vertices],
          ["flops", o => o.flops],
          ["flops a cycle", o => o.flops / (o.cycles || 1)],
          ["code", o => o.code_bytes]
        ];
        const texts = columns.map(([name]) => (name === "share" ? v => show.percent(v, 1) : name === "code" ? show.bytes : null));
        const table = ui.big_table({
          name: "operations",
          head: columns.map(c => c[0]),
          count: part.operations.length,
          cell: (r, c) => columns[c][1](part.operations[r]),
          texts,
          sorted: { column: 1, down: true },
          pick: r => {
            const o = part.operations[r];
            ui.details(o.name, ui.facts_list(columns.slice(1).map(([name, of], c) => [name, (texts[c + 1] ?? show.number)(of(o))])));
          }
        });
        ui.operations_table = table;
        panel.append(table);
        return { csv: () => table.csv() };
      }
    });
  }
)js";

}  // namespace ipuflow::report::impl
