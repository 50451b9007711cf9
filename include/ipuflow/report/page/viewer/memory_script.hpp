// SPDX-License-Identifier: BSL-1.0
// The view of memory: the fullest tile in a sentence, the map of tiles, sums by category, region and chip, liveness over the steps with
// the difference of two of them, and the variables.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view memory_script = R"js(
  {
    const live_changes = (part, chip, a, b) => {
      const v = part.memory.variables;
      if (!v?.first_step || a === b) return [];
      const [first, end, always, on, bytes] = [v.first_step, v.end_step, v.always, v.chip, v.bytes].map(ui.array);
      const at = (i, step) => always[i] || (first[i] <= step && step < end[i]);
      const found = v.name.map((_, i) => i).filter(i => (chip === null || on[i] === chip) && at(i, a) !== at(i, b));
      found.sort((x, y) => bytes[y] - bytes[x]);
      return found.slice(0, 50).map(i => [v.name[i], bytes[i], at(i, a) ? "the first step" : "the second step"]);
    };
    const liveness = (part, charts) => {
      const { liveness: given } = part.memory;
      if (!given?.chips?.length) return empty("No liveness was written for this part: a program on chips that was counted or run has it.");
      const box = el("div");
      const name_of = step => (given.names?.[step] ? "step " + step + ", " + given.names[step] : "step " + step);
      let [chosen, what, first, second] = [0, 0, 0, 0];
      let chart = null;
      const table = el("div");
      const sum = (of, name) => {
        // with what is always live
        const always = (name === "live" ? of.always : of.always_fullest) ?? 0;
        return of[name] ? Float64Array.from(ui.array(of[name]), v => v + always) : new Float64Array(0);
      };
      const chip_of = (of, i) => of.name ?? ui.chip_name(part, of.chip ?? i);
      const values = () => sum(given.chips[chosen], what === 0 ? "fullest" : "live");
      const compare = () => {
        const of = given.chips[chosen];
        const rows = [
          ["over all tiles", sum(of, "live")],
          [of.fullest_name ?? "the fullest tile", sum(of, "fullest")]
        ]
          .filter(([, v]) => v.length)
          .map(([name, v]) => [
            name,
            v[first],
            v[second],
            (v[second] > v[first] ? "+" : v[second] < v[first] ? "\u2212" : "") + show.count(abs(v[second] - v[first]))
          ]);
        const chip = of.chip ?? (given.chips.length === 1 ? null : chosen);
        const changes = live_changes(part, chip, first, second);
        table.replaceChildren(
          ui.plain_table("Bytes at two steps of " + chip_of(of, chosen), ["", name_of(first), name_of(second), "difference"], rows),
          changes.length ? ui.plain_table("Variables that are live at one of the two only", ["variable", "bytes", "live at"], changes) : ""
        );
      };
      const draw = () => {
        chart?.close();
        const v = values();
        chart = new ui.Chart({
          name: "Liveness over steps",
          whole: true,
          length: v.length,
          clock: { ...show.steps_clock, short: name_of },
          words: show.bytes,
          height: 210,
          round: least => 2 ** ceil(log2(max(1, least))),
          series: [
            {
              name: what === 0 ? (given.chips[chosen].fullest_name ?? "fullest tile") : "all tiles",
              y: v,
              colour: ui.colour("not-always-live variables"),
              fill: true
            }
          ],
          limit: what === 0 ? part.memory.tile_memory : 0,
          limit_words: "memory of a tile",
          flags: () => [first + 0.5, second + 0.5],
          pick: t => {
            second = min(v.length - 1, floor(t));
            compare();
            ui.say(chart.saying(t));
          }
        });
        charts.live = chart;
        box.replaceChildren(chart.canvas);
        first = 0;
        second = ui.most_at(v);
        compare();
      };
      draw();
      return el(
        "div",
        {},
        el(
          "div.v-bar",
          {},
          ui.choice("Chip", given.chips.map(chip_of), 0, i => {
            chosen = i;
            draw();
          }),
          ui.choice("Of", ["the fullest tile", "all tiles"], 0, i => {
            what = i;
            draw();
          }),
          ui.button("Compare from this step", () => {
            first = second;
            chart.redraw();
            compare();
          }),
          ui.button("Fullest step", () => chart.move(ui.most_at(values()))),
          el("span.v-soft", {}, "A click, or the arrows, choose the second step.")
        ),
        box,
        table
      );
    };
    ui.views.push({
      id: "memory",
      name: "Memory",
      key: "4",
      empty: part =>
        part.memory ? null : part.is + " and knows nothing of tiles: a run or a count on chips has its memory.",
      make(panel, part) {
        const m = part.memory;
        const measures = ui.measures_of(part);
        const charts = {};
        const map = measures.length ? ui.tile_map(part, measures) : null;
        const chips = m.by_tile
          ? Array.from({ length: m.chips }, (_, c) =>
              m.by_tile.map(array =>
                ui
                  .array(array)
                  .subarray(c * m.tiles_per_chip, (c + 1) * m.tiles_per_chip)
                  .reduce((a, b) => a + b, 0)
              )
            )
          : null;
        const sums = chips ?? m.fullest;
        const v = m.variables;
        const columns =
          v &&
          [
            ["variable", r => v.name[r]],
            ["category", r => m.categories[ui.array(v.category)[r]] ?? ""],
            ["chip", r => ui.chip_name(part, ui.array(v.chip)[r])],
            ["bytes", r => ui.array(v.bytes)[r]],
            ["tiles", r => ui.array(v.tiles)[r], v.tiles],
            ["bytes on the fullest tile", r => ui.array(v.fullest_tile_bytes)[r], v.fullest_tile_bytes],
            ["live", r => (ui.array(v.always)[r] ? "always" : "at times"), v.always]
          ].filter(c => c.length < 3 || c[2]);
        const variables =
          v &&
          ui.big_table({
            name: "variables",
            head: columns.map(c => c[0]),
            count: v.name.length,
            cell: (r, c) => columns[c][1](r),
            sorted: { column: 3, down: true }
          });
        ui.variables_table = variables;
        panel.append(
          el("p.v-lead", {}, ui.fullest_words(part) ?? ""),
          h3("Tiles"),
          map
            ? el("div", {}, map.controls, map.canvas)
            : empty("Bytes of each tile are not known of a " + part.what + ": only its fullest tile is."),
          el(
            "div.v-columns",
            {},
            sums
              ? ui.plain_table(
                  chips ? "Bytes by category and chip" : "Bytes of the fullest tile of each chip",
                  ["category", ...sums.map((_, c) => ui.chip_name(part, c)), ...(chips ? ["all", "share"] : [])],
                  m.categories.map((name, k) => {
                    const all = sums.reduce((sum, of) => sum + of[k], 0);
                    return [
                      name,
                      ...sums.map(of => of[k]),
                      ...(chips
                        ? [
                            all,
                            show.percent(
                              all,
                              sums.flat().reduce((a, b) => a + b, 0)
                            )
                          ]
                        : [])
                    ];
                  })
                )
              : null,
            m.regions?.length
              ? ui.plain_table(
                  "Regions",
                  ["region", "bytes"],
                  m.regions.map(r => [r.name, r.bytes])
                )
              : null
          ),
          h3("Liveness"),
          liveness(part, charts),
          h3("Variables"),
          variables ?? empty("No variables were written for this part.")
        );
        map?.draw();
        return {
          picture: () => map ?? charts.live,
          repaint: () => {
            map?.draw();
            charts.live?.redraw();
          },
          close: () => {
            map?.close();
            charts.live?.close();
          },
          csv: () => (variables ? variables.csv() : ui.csv_of_tables(panel))
        };
      }
    });
  }
)js";

}  // namespace ipuflow::report::impl
