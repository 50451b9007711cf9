// SPDX-License-Identifier: BSL-1.0
// The views of stashes and queues over time, of the program as a tree, and of operations.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view lists_script = R"js(
  (() => {
    "use strict";
    const page = globalThis.ipuflow;
    const { el, show } = page;

    page.views.push({
      id: "queues", name: "Stashes & queues", key: "5",
      empty: (part) => (part.series?.length ? null : "No stash or queue was recorded over time in this " + part.kind + ": a traced run has them."),
      make(panel, part) {
        const length = part.timeline?.length ?? part.total ?? 1;
        const charts = [];
        const titles = { stash: "Stashes", queue: "Queues", host: "Host" };
        const list = el("div", { class: "v-charts" });
        const fill = (words) => {
          for (const c of charts.splice(0)) c.close();
          const wanted = part.series.filter((s) => (s.name + " " + s.group).toLowerCase().includes(words.toLowerCase()));
          const groups = [...new Set(wanted.map((s) => s.group))];
          list.replaceChildren(...groups.map((group) => {
            const of = wanted.filter((s) => s.group === group).slice(0, 60);
            return el("section", {}, el("h3", {}, titles[group] ?? group ?? ""), of.map((s, i) => {
              const y = page.array(s.v);
              const most = (s.most ??= y.reduce((a, b) => Math.max(a, b), 0));
              const words = (v) => (s.unit === "bytes" ? show.bytes(v) : show.number(v) + (s.unit ? " " + s.unit : ""));
              const chart = new page.Chart({ name: s.name, length, clock: part.clock, words: (v) => (s.unit === "bytes" ? show.bytes(v) : show.number(v)), height: 96,
                series: [{ name: s.name, x: page.array(s.t), y, colour: page.colour("", i % 8), fill: true }], pick: () => page.say(chart.saying(chart.at)),
                moved: (from, to) => { for (const c of charts) if (c.from !== from || c.to !== to) (c.from = from), (c.to = to), c.redraw(); } });
              charts.push(chart);
              return el("figure", {}, el("figcaption", {}, el("b", { class: "v-u" }, s.name), " at most " + words(most)), chart.canvas);
            }));
          }));
        };
        panel.append(el("div", { class: "v-bar" }, el("input", { type: "search", placeholder: "Filter", "aria-label": "Filter charts", input: (event) => fill(event.target.value) }),
          el("span", { class: "v-soft" }, show.count(part.series.length) + " lines; W, S, A, D or Ctrl + wheel change the range of all of them")), list);
        fill("");
        const rows = () => part.series.flatMap((s) => Array.from(page.array(s.t), (t, i) => [s.group, s.name, s.unit, t, page.array(s.v)[i]]));
        return { picture: () => (charts.includes(page.active) ? page.active : charts[0]), repaint: () => charts.forEach((c) => c.redraw()), close: () => charts.forEach((c) => c.close()),
          csv: () => page.csv(["group", "name", "unit", part.clock.cycles ? "cycles" : "ns", "value"], rows()) };
      },
    });

    page.views.push({
      id: "program", name: "Program", key: "6",
      empty: (part) => (part.program ? null : "This part is a " + part.kind + " without a program: a run or a count on chips has the tree of its program."),
      make(panel, part) {
        const root = part.program;
        const body = el("tbody", {});
        const bar = (share) => { const made = el("i", { class: "v-share" }); made.style.width = Math.min(100, 100 * share).toFixed(1) + "%"; return el("span", { class: "v-track", "aria-hidden": "true" }, made); };
        const open_some = (node, level) => { node.open = level < 2 && (node.inside?.length ?? 0) <= 60; node.inside?.forEach((n) => open_some(n, level + 1)); };
        open_some(root, 0);
        const draw = () => {
          const rows = [];
          const walk = (node, level) => {
            if (rows.length > 4000) return;
            const inside = node.inside?.length > 0;
            const flip = () => { node.open = !node.open; draw(); };
            const name = inside ? page.button(node.name, flip, { class: "v-link v-fold", "aria-expanded": String(Boolean(node.open)) }) : el("span", { class: "v-leaf v-u" }, node.name);
            const first = el("td", {}, name);
            first.style.paddingLeft = 8 + level * 18 + "px";
            rows.push(el("tr", {}, first, el("td", { class: "v-n" }, node.times === undefined ? "" : show.count(node.times)), el("td", { class: "v-n" }, node.cycles === undefined ? "" : show.count(node.cycles)),
              el("td", { class: "v-n" }, show.percent(node.cycles ?? 0, root.cycles)), el("td", {}, bar((node.cycles ?? 0) / (root.cycles || 1)))));
            if (node.open) node.inside?.forEach((n) => walk(n, level + 1));
          };
          walk(root, 0);
          body.replaceChildren(...rows);
        };
        const all = (open) => { const set = (n) => { n.open = open; n.inside?.forEach(set); }; set(root); root.open = true; draw(); };
        page.open_program = (wanted) => { const find = (n) => { const here = (n.inside ?? []).map(find).some(Boolean); n.open ||= here; return here || n === wanted; }; find(root); draw(); };
        panel.append(el("div", { class: "v-bar" }, page.button("Open all", () => all(true)), page.button("Close all", () => all(false))),
          el("div", { class: "v-scroll", tabindex: 0, role: "region", "aria-label": "Program" }, el("table", { class: "v-table v-tree" }, el("caption", { class: "v-hidden" }, "Program as a tree"),
            el("thead", {}, el("tr", {}, ["program", "times", "cycles", "share", ""].map((h, c) => (h ? el("th", { scope: "col", class: c ? "v-n" : null }, h) : el("td", {})))) ), body)));
        draw();
        const flat = (n, level, into) => { into.push([level, n.name, n.times ?? "", n.cycles ?? ""]); n.inside?.forEach((x) => flat(x, level + 1, into)); return into; };
        return { csv: () => page.csv(["level", "program", "times", "cycles"], flat(root, 0, [])) };
      },
    });

    page.views.push({
      id: "operations", name: "Operations", key: "7",
      empty: (part) => (part.operations?.length ? null : "This part is a " + part.kind + " without operations: a run or a count on chips has them."),
      make(panel, part) {
        const all = part.operations.reduce((sum, o) => sum + o.cycles, 0);
        const has = (name) => part.operations.some((o) => o[name] !== undefined);
        const columns = [["operation", (o) => o.name], ["cycles", (o) => o.cycles], ["share", (o) => o.cycles / (all || 1)], ["vertices", (o) => o.vertices ?? 0],
          ...(has("flops") ? [["flops", (o) => o.flops ?? 0], ["flops a cycle", (o) => (o.cycles ? Math.round((o.flops ?? 0) / o.cycles) : 0)]] : []), ...(has("code_bytes") ? [["code", (o) => o.code_bytes ?? 0]] : [])];
        const texts = columns.map(([name]) => (name === "share" ? (v) => show.percent(v, 1) : name === "code" ? show.bytes : null));
        const table = page.big_table({ name: "operations", head: columns.map((c) => c[0]), count: part.operations.length, cell: (r, c) => columns[c][1](part.operations[r]), texts, sorted: { column: 1, down: true },
          pick: (r) => { const o = part.operations[r]; page.details(o.name, page.facts_list(columns.slice(1).map(([name, of], c) => [name, (texts[c + 1] ?? show.number)(of(o))]))); } });
        page.operations_table = table;
        panel.append(table);
        return { csv: () => table.csv() };
      },
    });
  })();
)js";

}  // namespace ipuflow::report::impl
