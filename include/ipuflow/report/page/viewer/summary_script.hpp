// SPDX-License-Identifier: BSL-1.0
// The views of the summary and of advice, and the static report that the page has without scripts.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view summary_script = R"js(
  (() => {
    "use strict";
    const page = globalThis.ipuflow;
    const { el, show } = page;

    const stacked = (parts, total, label) => {
      const bar = el("div", { class: "v-stack", role: "img", "aria-label": label });
      parts.forEach(({ name, value }, i) => {
        const colour = page.colour(name, i);
        const piece = el("span", { title: name + " " + show.percent(value, total) }, value / total > 0.08 ? name + " " + show.percent(value, total) : "");
        piece.style.width = (100 * value) / (total || 1) + "%";
        piece.style.background = colour;
        piece.style.color = page.ink_on(colour);
        bar.append(piece);
      });
      return bar;
    };
    const best_advice = (part) => [...(part.advice ?? [])].filter((a) => a.fits && gain_of(a) > 1.0005).sort((a, b) => gain_of(b) - gain_of(a))[0];
    const gain_of = (a) => (a.samples_per_second && a.before?.samples_per_second ? a.samples_per_second / a.before.samples_per_second : a.cycles ? a.before?.cycles / a.cycles : 1);
    const parts_of = (map) => Object.entries(map).map(([name, value]) => ({ name, value }));
    const lead_lines = (part) => [["What bounds it", part.bound], ["Memory", page.fullest_words(part)],
      ["What would help most", best_advice(part) && (best_advice(part).sentence || best_advice(part).change)],
      page.parts.length > 1 && ["Against " + page.parts[page.state.q].name, page.parts[page.state.q] !== part && page.verdict(part, page.parts[page.state.q])]].filter((line) => line && line[1]);

    page.views.push({
      id: "summary", name: "Summary", key: "1", empty: () => null,
      make(panel, part) {
        const total = part.total ?? part.breakdown?.reduce((sum, b) => sum + b.value, 0) ?? 0;
        panel.append(el("dl", { class: "v-leads" }, lead_lines(part).map(([name, words]) => el("div", {}, el("dt", {}, name), el("dd", {}, words)))));
        if (part.breakdown?.length) {
          panel.append(el("h3", {}, "Where the time goes", el("span", { class: "v-soft" }, " " + part.clock.full(total))), stacked(part.breakdown, total, "The step's time by use, as in the table below"),
            page.plain_table("The step's time by use", ["use", "time", part.clock.cycles ? "cycles" : "ticks", "share"], part.breakdown.map((b) => [b.name, show.seconds(b.value / part.clock.hz), b.value, show.percent(b.value, total)])));
        }
        if (part.chips?.length) {
          const of = (chip, name) => chip[name] !== undefined;
          const extra = ["flops", "vertices", "supersteps", "balance", "utilisation"].filter((name) => part.chips.some((c) => of(c, name)));
          const ratio = (name, value) => (value === undefined ? "" : (name === "balance" || name === "utilisation") && value <= 1 ? show.percent(value, 1) : value);
          const phases = [...new Set(part.chips.flatMap((c) => Object.keys(c.phases ?? {})))];
          const longest = Math.max(...part.chips.map((c) => parts_of(c.phases ?? {}).reduce((sum, p) => sum + p.value, 0)), 1);
          panel.append(el("h3", {}, "Chips"), page.legend(phases, phases.map(page.colour)), el("div", { class: "v-chips" }, part.chips.map((c, i) => {
            const all = parts_of(c.phases ?? {}).reduce((sum, p) => sum + p.value, 0);
            const bar = stacked(parts_of(c.phases ?? {}), all, page.chip_name(part, i) + ": " + parts_of(c.phases ?? {}).map((p) => p.name + " " + show.percent(p.value, all)).join(", "));
            bar.style.width = (100 * all) / longest + "%";
            return el("div", {}, el("span", {}, page.chip_name(part, i)), el("div", {}, bar));
          })), page.plain_table("Chips", ["chip", ...phases, ...extra, ...Object.keys(part.chips[0].traffic ?? {})], part.chips.map((c, i) =>
            [page.chip_name(part, i), ...phases.map((name) => c.phases?.[name] ?? 0), ...extra.map((name) => ratio(name, c[name])), ...Object.keys(part.chips[0].traffic ?? {}).map((name) => c.traffic?.[name] ?? 0)])));
        }
        const groups = [...new Set((part.facts ?? []).map((f) => f.group ?? "Facts"))];
        panel.append(el("div", { class: "v-columns" }, groups.map((group) => el("section", {}, el("h3", {}, group),
          page.facts_list(part.facts.filter((f) => (f.group ?? "Facts") === group).map((f) => [f.name, page.value_of(f.value, f.unit)]))))));
        if (page.header.command) panel.append(el("h3", {}, "Command"), el("pre", { class: "v-u", tabindex: 0 }, page.header.command));
        for (const t of part.tables ?? []) panel.append(el("h3", {}, t.title), t.note ? el("p", { class: "v-soft" }, t.note) : "", page.plain_table(t.title, t.head, t.rows));
        return { csv: () => page.csv_of_tables(panel) };
      },
    });

    page.views.push({
      id: "advice", name: "Advice", key: "9",
      empty: (part) => (part.advice?.length ? null : part.kind === "plan" ? "The planner found no change that helps." : "This part is a " + part.kind + ": advice comes with a plan of the planner."),
      make(panel, part) {
        const list = [...part.advice].sort((a, b) => b.fits - a.fits || gain_of(b) - gain_of(a));
        const best = best_advice(part);
        panel.append(el("p", { class: "v-lead" }, best ? "Most would help: " + (best.sentence || best.change) : "No change that fits would make it faster."),
          el("ol", { class: "v-cards" }, list.map((a) => {
            const pair = (name, words) => (a[name] === undefined ? null : [name.replaceAll("_", " "), el("span", {}, a.before?.[name] === undefined ? "" : words(a.before[name]) + " \u2192 ", el("b", {}, words(a[name])))]);
            const gain = gain_of(a);
            return el("li", { class: a === best ? "v-best" : null }, el("h3", { class: "v-u" }, a.change),
              el("p", { class: "v-soft" }, (a.fits ? (gain >= 1 ? ((gain - 1) * 100).toFixed(1) + " % faster" : ((1 - gain) * 100).toFixed(1) + " % slower") : "does not fit the tiles") + (a === best ? " \u00b7 helps most" : "")),
              a.sentence ? el("p", {}, a.sentence) : "", page.facts_list([pair("cycles", show.count), pair("samples_per_second", show.number), pair("fullest_tile_bytes", show.count)].filter(Boolean)));
          })));
        return { csv: () => page.csv(["change", "fits", "cycles", "samples per second", "bytes of the fullest tile", "cycles before"], list.map((a) => [a.change, String(a.fits), a.cycles ?? "", a.samples_per_second ?? "", a.fullest_tile_bytes ?? "", a.before?.cycles ?? ""])) };
      },
    });

    page.views.push({
      id: "report", name: "Report", key: "0",
      empty: () => (page.report.childNodes.length ? null : "This page was written without a static report."),
      make(panel) { panel.append(page.report); return { csv: () => page.csv_of_tables(panel) }; },
    });
  })();
)js";

}  // namespace ipuflow::report::impl
