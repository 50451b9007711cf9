// SPDX-License-Identifier: BSL-1.0
// The views of the summary and of advice, and the static report that the page has without scripts.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view summary_script = R"js(
  {
    const stacked = (parts, total, label) => {
      const bar = el("div.v-stack", { role: "img", "aria-label": label });
      parts.forEach(({ name, value }, i) => {
        const colour = ui.colour(name, i);
        const piece = el(
          "span",
          { title: name + " " + show.percent(value, total) },
          value / total > 0.08 ? name + " " + show.percent(value, total) : ""
        );
        piece.style.width = (100 * value) / (total || 1) + "%";
        piece.style.background = colour;
        piece.style.color = ui.ink_on(colour);
        bar.append(piece);
      });
      return bar;
    };
    const best_advice = part =>
      [...(part.advice ?? [])].filter(a => a.fits && gain_of(a) > 1.0005).sort((a, b) => gain_of(b) - gain_of(a))[0];
    const gain_of = a =>
      a.samples_per_second && a.before?.samples_per_second
        ? a.samples_per_second / a.before.samples_per_second
        : a.cycles
          ? a.before?.cycles / a.cycles
          : 1;
    const parts_of = map => Object.entries(map).map(([name, value]) => ({ name, value }));
    const lead_lines = part =>
      [
        ["What bounds it", part.bound],
        ["Memory", ui.fullest_words(part)],
        ["What would help most", best_advice(part) && (best_advice(part).sentence || best_advice(part).change)],
        ui.parts.length > 1 && [
          "Against " + ui.parts[ui.state.q].name,
          ui.parts[ui.state.q] !== part && ui.verdict(part, ui.parts[ui.state.q])
        ]
      ].filter(line => line && line[1]);

    ui.views.push({
      id: "summary",
      name: "Summary",
      key: "1",
      empty: () => null,
      make(panel, part) {
        const total = part.total ?? part.breakdown?.reduce((sum, b) => sum + b.value, 0) ?? 0;
        panel.append(
          el(
            "dl.v-leads",
            {},
            lead_lines(part).map(([name, words]) => el("div", {}, el("dt", {}, name), el("dd", {}, words)))
          )
        );
        if (part.breakdown?.length) {
          panel.append(
            h3("Where the time goes", el("span.v-soft", {}, " " + part.clock.full(total))),
            stacked(part.breakdown, total, "The step's time by use, as in the table below"),
            ui.plain_table(
              "The step's time by use",
              ["use", ...(part.clock.real ? ["time"] : []), part.clock.name, "share"],
              part.breakdown.map(b => [
                b.name,
                ...(part.clock.real ? [part.clock.use(b.value)] : []),
                b.value,
                show.percent(b.value, total)
              ])
            )
          );
        }
        if (part.chips?.length) {
          const of = (chip, name) => chip[name] !== undefined;
          const extra = ["flops", "vertices", "supersteps", "balance", "utilisation"].filter(name => part.chips.some(c => of(c, name)));
          const ratio = (name, value) =>
            value === undefined ? "" : (name === "balance" || name === "utilisation") && value <= 1 ? show.percent(value, 1) : value;
          const phases = [...new Set(part.chips.flatMap(c => Object.keys(c.phases ?? {})))];
          const longest = max(...part.chips.map(c => parts_of(c.phases ?? {}).reduce((sum, p) => sum + p.value, 0)), 1);
          panel.append(
            h3("Chips"),
            ui.legend(ui.coloured(phases)),
            el(
              "div.v-chips",
              {},
              part.chips.map((c, i) => {
                const all = parts_of(c.phases ?? {}).reduce((sum, p) => sum + p.value, 0);
                const bar = stacked(
                  parts_of(c.phases ?? {}),
                  all,
                  ui.chip_name(part, i) +
                    ": " +
                    parts_of(c.phases ?? {})
                      .map(p => p.name + " " + show.percent(p.value, all))
                      .join(", ")
                );
                bar.style.width = (100 * all) / longest + "%";
                return el("div", {}, el("span", {}, ui.chip_name(part, i)), el("div", {}, bar));
              })
            ),
            ui.plain_table(
              "Chips",
              ["chip", ...phases, ...extra, ...Object.keys(part.chips[0].traffic ?? {})],
              part.chips.map((c, i) => [
                ui.chip_name(part, i),
                ...phases.map(name => c.phases?.[name] ?? 0),
                ...extra.map(name => ratio(name, c[name])),
                ...Object.keys(part.chips[0].traffic ?? {}).map(name => c.traffic?.[name] ?? 0)
              ])
            )
          );
        }
        const groups = [...new Set((part.facts ?? []).map(f => f.group ?? "Facts"))];
        panel.append(
          el(
            "div.v-columns",
            {},
            groups.map(group =>
              el(
                "section",
                {},
                h3(group),
                ui.facts_list(
                  part.facts
                    .filter(f => (f.group ?? "Facts") === group)
                    .map(f => [f.name, ui.value_of(f.value, f.unit) + (f.error ? " (known to err by " + show.number(f.error) + " %)" : "")])
                )
              )
            )
          )
        );
        if (part.note) panel.append(el("p.v-note", {}, part.note));
        if (ui.header.command) panel.append(h3("Command"), el("pre.v-u", { tabindex: 0 }, ui.header.command));
        for (const t of part.tables ?? [])
          panel.append(h3(t.title), t.note ? el("p.v-soft", {}, t.note) : "", ui.plain_table(t.title, t.head, t.rows));
        return { csv: () => ui.csv_of_tables(panel) };
      }
    });

    ui.views.push({
      id: "advice",
      name: "Advice",
      key: "9",
      empty: part =>
        part.advice?.length
          ? null
          : part.kind === "plan"
            ? "The planner found no change that helps."
            : part.is + ": advice comes with a plan of the planner.",
      make(panel, part) {
        const list = [...part.advice].sort((a, b) => b.fits - a.fits || gain_of(b) - gain_of(a));
        const best = best_advice(part);
        panel.append(
          el("p.v-lead", {}, best ? "Most would help: " + (best.sentence || best.change) : "No change that fits would make it faster."),
          el(
            "ol.v-cards",
            {},
            list.map(a => {
              const pair = (name, words) =>
                a[name] === undefined
                  ? null
                  : [
                      name.replaceAll("_", " "),
                      el("span", {}, a.before?.[name] === undefined ? "" : words(a.before[name]) + " \u2192 ", el("b", {}, words(a[name])))
                    ];
              const gain = gain_of(a);
              return el(
                "li",
                { class: a === best ? "v-best" : null },
                el("h3.v-u", {}, a.change),
                el(
                  "p.v-soft",
                  {},
                  (a.fits
                    ? gain >= 1
                      ? ((gain - 1) * 100).toFixed(1) + " % faster"
                      : ((1 - gain) * 100).toFixed(1) + " % slower"
                    : "does not fit the tiles") + (a === best ? " \u00b7 helps most" : "")
                ),
                a.sentence ? el("p", {}, a.sentence) : "",
                ui.facts_list(
                  [pair("cycles", show.count), pair("samples_per_second", show.number), pair("fullest_tile_bytes", show.count)].filter(
                    Boolean
                  )
                )
              );
            })
          )
        );
        return {
          csv: () =>
            ui.csv(
              ["change", "fits", "cycles", "samples per second", "bytes of the fullest tile", "cycles before"],
              list.map(a => [
                a.change,
                String(a.fits),
                a.cycles ?? "",
                a.samples_per_second ?? "",
                a.fullest_tile_bytes ?? "",
                a.before?.cycles ?? ""
              ])
            )
        };
      }
    });

    ui.views.push({
      id: "report",
      name: "Report",
      key: "0",
      empty: () => (ui.report.childNodes.length ? null : "This page was written without a static report."),
      make(panel) {
        panel.append(ui.report);
        return { csv: () => ui.csv_of_tables(panel) };
      }
    });
  }
)js";

}  // namespace ipuflow::report::impl
