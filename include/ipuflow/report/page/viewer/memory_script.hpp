// SPDX-License-Identifier: BSL-1.0
// The view of memory: the fullest tile in a sentence, all tiles as a map whose scale can be changed, sums by category, region and
// chip, liveness over the steps with the difference of two of them, and the variables.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view memory_script = R"js(
  (() => {
    "use strict";
    const page = globalThis.ipuflow;
    const { el, show } = page;

    // Bytes by tile as the map shows them: at the fullest moment, always, or of one category.
    const measures_of = (part) => {
      const m = part.memory;
      const found = [];
      if (m.peak) found.push({ name: "all, at the fullest moment", values: page.array(m.peak), limit: m.tile_memory, words: show.bytes });
      if (m.always) found.push({ name: "what is always live", values: page.array(m.always), limit: m.tile_memory, words: show.bytes });
      (m.by_tile ?? []).forEach((array, c) => found.push({ name: m.categories[c], values: page.array(array), limit: m.tile_memory, words: show.bytes }));
      if (!m.peak && m.by_tile?.length) {
        const sum = new Float64Array(found[0].values.length);
        for (const { values } of found) for (let t = 0; t < sum.length; ++t) sum[t] += values[t];
        found.unshift({ name: "all, at the fullest moment", values: sum, limit: m.tile_memory, words: show.bytes });
      }
      if (part.tiles_busy) found.push({ name: "cycles that the tile computes", values: page.array(part.tiles_busy), limit: 0, words: (v) => show.count(v) + " cycles" });
      return found;
    };
    const most_at = (values) => values.reduce((best, v, t) => (v > values[best] ? t : best), 0);
    const tile_words = (part, t) => page.chip_name(part, Math.floor(t / part.memory.tiles_per_chip)) + ", tile " + (t % part.memory.tiles_per_chip);
    const categories_at = (part, t) => part.memory.categories.map((name, c) => [name, page.array(part.memory.by_tile[c])[t]]).sort((a, b) => b[1] - a[1]);
    page.fullest_words = (part) => { // "IPU 2, tile 17 holds ... bytes, 92 % of its memory, mostly ..."
      const m = part.memory;
      if (!m) return null;
      let where = "The fullest tile";
      let parts;
      if (m.by_tile) {
        const t = most_at(measures_of(part)[0].values);
        where = "The fullest tile is " + tile_words(part, t) + ": it";
        parts = categories_at(part, t);
      } else if (m.fullest) {
        const sums = m.fullest.map((of) => of.reduce((a, b) => a + b, 0));
        const chip = most_at(sums);
        where = "The fullest tile is one of " + page.chip_name(part, chip) + ": it";
        parts = m.categories.map((name, c) => [name, m.fullest[chip][c]]).sort((a, b) => b[1] - a[1]);
      } else return null;
      const all = parts.reduce((sum, p) => sum + p[1], 0);
      const kept = parts.filter((p) => p[1] > 0).slice(0, 3).map(([name, b]) => name + " (" + show.bytes(b) + ", " + show.percent(b, all) + ")").join(", ");
      return where + " holds " + show.count(all) + " of its " + show.count(m.tile_memory) + " bytes, " + show.percent(all, m.tile_memory) + ". Most of it: " + kept + ".";
    };

    // From the ground through blue to dark, or to light in the dark theme: even steps for the eye.
    const ramp = () => (page.is_dark() ? ["#22262e", "#1f4a7d", "#3d83c9", "#8ec2ef", "#f2f7fc"] : ["#eef1f4", "#b5cfe8", "#6199cf", "#2a619f", "#102c50"]).map(page.rgb);
    const shade = (stops, part) => {
      const at = Math.min(0.9999, Math.max(0, part)) * (stops.length - 1);
      const i = Math.floor(at);
      return "rgb(" + stops[i].map((c, k) => Math.round(c + (stops[i + 1][k] - c) * (at - i))).join(",") + ")";
    };
    const tile_map = (part, measures) => {
      const m = part.memory;
      const per = m.tiles_per_chip;
      let measure = measures[0];
      let scale = 1;
      let chip = -1; // all
      let tile = most_at(measure.values);
      const canvas = el("canvas", { class: "v-chart", tabindex: 0, role: "application", "aria-label": "Map of tiles by memory; arrows move from tile to tile" });
      const low = el("span", {});
      const high = el("span", {});
      const bar = el("canvas", { width: 160, height: 10, "aria-hidden": "true" });
      const bounds = () => {
        if (scale === 0) return [0, measure.limit || measure.values.reduce((a, b) => Math.max(a, b), 0)];
        const seen = chip < 0 ? measure.values : measure.values.subarray(chip * per, (chip + 1) * per);
        const most = seen.reduce((a, b) => Math.max(a, b), 0);
        if (scale === 1) return [0, most];
        return [seen.reduce((a, b) => Math.min(a, b), most), most];
      };
      let shape = null;
      const layout = (w) => {
        const chips = chip < 0 ? [...Array(m.chips).keys()] : [chip];
        const columns = Math.max(1, Math.min(chips.length, Math.floor((w + 14) / (chips.length > 1 ? 190 : 400))));
        const room = Math.floor((w - (columns - 1) * 14) / columns);
        const wide = Math.max(8, Math.min(64, Math.ceil(Math.sqrt(per * (chips.length > 1 ? 1.6 : 3)))));
        const size = Math.max(2, Math.min(chips.length > 1 ? 9 : 14, Math.floor((room / wide) * 2) / 2));
        const tall = Math.ceil(per / wide);
        return { chips, columns, room, wide, size, tall, high: tall * size + 26, height: Math.ceil(chips.length / columns) * (tall * size + 26) };
      };
      const draw = (svg) => {
        const w = canvas.clientWidth;
        if (!w) return;
        shape = layout(w);
        const dpr = devicePixelRatio || 1;
        if (!svg) {
          canvas.style.height = shape.height + "px";
          canvas.width = w * dpr;
          canvas.height = shape.height * dpr;
        }
        const pen = svg ?? canvas.getContext("2d");
        pen.setTransform(dpr, 0, 0, dpr, 0, 0);
        const theme = page.theme();
        pen.fillStyle = theme.paper;
        pen.fillRect(0, 0, w, shape.height);
        const [from, to] = bounds();
        const stops = ramp();
        pen.font = "600 11.5px system-ui, sans-serif";
        pen.textBaseline = "alphabetic";
        shape.chips.forEach((c, n) => {
          const left = (n % shape.columns) * (shape.room + 14);
          const top = Math.floor(n / shape.columns) * shape.high;
          pen.fillStyle = theme.ink;
          pen.fillText(page.chip_name(part, c), left, top + 13);
          for (let t = 0; t < per; ++t) {
            const value = measure.values[c * per + t];
            pen.fillStyle = measure.limit && value > measure.limit ? "#c2477f" : shade(stops, to > from ? (value - from) / (to - from) : 0);
            const gap = shape.size >= 5 ? 1 : 0;
            pen.fillRect(left + (t % shape.wide) * shape.size, top + 19 + Math.floor(t / shape.wide) * shape.size, shape.size - gap, shape.size - gap);
          }
          if (Math.floor(tile / per) === c) {
            pen.strokeStyle = theme.strong;
            pen.lineWidth = 2;
            pen.strokeRect(left + ((tile % per) % shape.wide) * shape.size - 1.5, top + 17.5 + Math.floor((tile % per) / shape.wide) * shape.size, shape.size + 2, shape.size + 2);
          }
        });
        low.textContent = measure.words(from);
        high.textContent = measure.words(to);
        const strip = bar.getContext("2d");
        for (let x = 0; x < 160; ++x) (strip.fillStyle = shade(stops, x / 160)), strip.fillRect(x, 0, 1, 10);
      };
      const tile_at = (event) => {
        const edge = canvas.getBoundingClientRect();
        const [x, y] = [event.clientX - edge.left, event.clientY - edge.top];
        const column = Math.floor(x / (shape.room + 14));
        const n = Math.floor(y / shape.high) * shape.columns + column;
        const [tx, ty] = [Math.floor((x - column * (shape.room + 14)) / shape.size), Math.floor((y - Math.floor(y / shape.high) * shape.high - 19) / shape.size)];
        const t = ty * shape.wide + tx;
        return column < shape.columns && n < shape.chips.length && tx >= 0 && tx < shape.wide && ty >= 0 && t < per ? shape.chips[n] * per + t : -1;
      };
      const pick = (t, focus = true) => {
        tile = t;
        draw();
        const rows = [[measure.name, measure.words(measure.values[t])]];
        if (m.tile_memory) rows.push(["share of the tile's memory", show.percent(measures[0].values[t], m.tile_memory)]);
        const parts = m.by_tile ? page.plain_table("By category", ["category", "bytes", "share"], categories_at(part, t).filter((p) => p[1] > 0).map(([name, b]) => [name, b, show.percent(b, measures[0].values[t])])) : null;
        page.details(tile_words(part, t), el("div", { class: "v-columns" }, page.facts_list(rows), parts), [], false);
        page.keep({ s: "tile:" + t });
        page.say(tile_words(part, t) + ": " + measure.words(measure.values[t]));
      };
      canvas.addEventListener("click", (event) => { const t = tile_at(event); if (t >= 0) pick(t); });
      canvas.addEventListener("pointermove", (event) => { const t = tile_at(event); page.hint(t < 0 ? null : tile_words(part, t) + "\n" + measure.words(measure.values[t]), event.clientX, event.clientY); });
      canvas.addEventListener("pointerleave", () => page.hint(null));
      canvas.addEventListener("keydown", (event) => {
        const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: shape.wide, ArrowUp: -shape.wide }[event.key];
        if (!by) return;
        event.preventDefault();
        event.stopPropagation();
        pick(Math.min(m.chips * per - 1, Math.max(0, tile + by)));
      });
      const wide = new ResizeObserver(() => draw());
      wide.observe(canvas);
      const controls = el("div", { class: "v-bar" },
        page.choice("Show", measures.map((x) => x.name), 0, (i) => { measure = measures[i]; draw(); }),
        page.choice("Scale", ["up to the tile's memory", "up to the fullest", "least to most"], scale, (i) => { scale = i; draw(); }),
        m.chips > 1 && page.choice("Chips", ["all", ...Array.from({ length: m.chips }, (_, i) => page.chip_name(part, i))], 0, (i) => { chip = i - 1; draw(); }),
        page.button("Fullest tile", () => pick(most_at(measure.values))), el("span", { class: "v-scale" }, low, bar, high));
      const word = /^tile:(\d+)$/.exec(page.state.s);
      if (word && Number(word[1]) < m.chips * per) queueMicrotask(() => pick(Number(word[1])));
      return { controls, canvas, draw, close: () => wide.disconnect(), svg: () => { const pen = new page.SvgPen(canvas.clientWidth, shape.height); draw(pen); return pen.text(); } };
    };

    const liveness = (part, charts) => {
      const { liveness: given } = part.memory;
      if (!given?.chips?.length) return el("p", { class: "v-empty" }, "No liveness was written for this part: a program on chips that was counted or run has it.");
      const box = el("div", {});
      const name_of = (step) => (given.names?.[step] ? "step " + step + ", " + given.names[step] : "step " + step);
      let [chosen, what, first, second] = [0, 0, 0, 0];
      let chart = null;
      const table = el("div", {});
      const values = () => page.array(what === 0 ? given.chips[chosen].fullest : given.chips[chosen].live);
      const compare = () => {
        const of = given.chips[chosen];
        const rows = [["live, over all tiles", page.array(of.live)], ["fullest tile", page.array(of.fullest)]].filter(([, v]) => v.length)
          .map(([name, v]) => [name, v[first], v[second], (v[second] > v[first] ? "+" : v[second] < v[first] ? "\u2212" : "") + show.count(Math.abs(v[second] - v[first]))]);
        const changes = page.live_changes?.(part, of.chip ?? chosen, first, second) ?? [];
        table.replaceChildren(page.plain_table("Bytes at two steps of " + page.chip_name(part, of.chip ?? chosen), ["", name_of(first), name_of(second), "difference"], rows),
          changes.length ? page.plain_table("Variables that are live at one of the two only", ["variable", "bytes", "live at"], changes) : "");
      };
      const draw = () => {
        chart?.close();
        const v = values();
        chart = new page.Chart({ name: "Liveness over steps", whole: true, length: v.length, clock: { ...show.steps_clock, short: name_of }, words: show.bytes, height: 210,
          round: (least) => 2 ** Math.ceil(Math.log2(Math.max(1, least))),
          series: [{ name: what === 0 ? "fullest tile" : "all tiles", y: v, colour: page.colour("not-always-live variables"), fill: true }],
          limit: what === 0 ? part.memory.tile_memory : 0, limit_words: "memory of a tile",
          flags: () => [first + 0.5, second + 0.5], pick: (t) => { second = Math.min(v.length - 1, Math.floor(t)); compare(); page.say(chart.saying(t)); } });
        charts.live = chart;
        box.replaceChildren(chart.canvas);
        first = 0;
        second = most_at(v);
        compare();
      };
      draw();
      return el("div", {}, el("div", { class: "v-bar" },
        page.choice("Chip", given.chips.map((c, i) => page.chip_name(part, c.chip ?? i)), 0, (i) => { chosen = i; draw(); }),
        page.choice("Of", ["the fullest tile", "all tiles"], 0, (i) => { what = i; draw(); }),
        page.button("Compare from this step", () => { first = second; chart.redraw(); compare(); }), page.button("Fullest step", () => chart.move(most_at(values()))),
        el("span", { class: "v-soft" }, "A click, or the arrows, choose the second step.")), box, table);
    };
    page.live_changes = (part, chip, a, b) => {
      const v = part.memory.variables;
      if (!v?.first_step || !v.last_step || a === b) return [];
      const [first, last, on, bytes] = [v.first_step, v.last_step, v.chip, v.bytes].map(page.array);
      const at = (i, step) => first[i] <= step && step <= last[i];
      return v.name.map((name, i) => [i, name]).filter(([i]) => on[i] === chip && at(i, a) !== at(i, b)).sort((x, y) => bytes[y[0]] - bytes[x[0]]).slice(0, 200)
        .map(([i, name]) => [name, bytes[i], at(i, a) ? "the first step" : "the second step"]);
    };

    page.views.push({
      id: "memory", name: "Memory", key: "4",
      empty: (part) => (part.memory ? null : "This part is a " + part.kind + " and knows nothing of tiles: a run or a count on chips has its memory."),
      make(panel, part) {
        const m = part.memory;
        const measures = measures_of(part);
        const charts = {};
        const map = measures.length ? tile_map(part, measures) : null;
        const chips = m.by_tile ? Array.from({ length: m.chips }, (_, c) => m.by_tile.map((array) => page.array(array).subarray(c * m.tiles_per_chip, (c + 1) * m.tiles_per_chip).reduce((a, b) => a + b, 0)))
          : null;
        const sums = chips ?? m.fullest;
        const v = m.variables;
        const variables = v && page.big_table({ name: "variables", head: ["variable", "category", "chip", "bytes", "tiles", "bytes on the fullest tile"], count: v.name.length,
          cell: (r, c) => (c === 0 ? v.name[r] : c === 1 ? m.categories[page.array(v.category)[r]] ?? "" : c === 2 ? page.chip_name(part, page.array(v.chip)[r])
            : page.array([v.bytes, v.tiles, v.fullest_tile_bytes][c - 3])[r]), sorted: { column: 3, down: true } });
        page.variables_table = variables;
        panel.append(el("p", { class: "v-lead" }, page.fullest_words(part) ?? ""),
          el("h3", {}, "Tiles"), map ? el("div", {}, map.controls, map.canvas) : el("p", { class: "v-empty" }, "Bytes of each tile are not known of a " + part.kind + ": only its fullest tile is."),
          el("div", { class: "v-columns" },
            sums ? page.plain_table(chips ? "Bytes by category and chip" : "Bytes of the fullest tile of each chip", ["category", ...sums.map((_, c) => page.chip_name(part, c)), ...(chips ? ["all", "share"] : [])],
              m.categories.map((name, k) => { const all = sums.reduce((sum, of) => sum + of[k], 0); return [name, ...sums.map((of) => of[k]), ...(chips ? [all, show.percent(all, sums.flat().reduce((a, b) => a + b, 0))] : [])]; })) : null,
            m.regions?.length ? page.plain_table("Regions", ["region", "bytes"], m.regions.map((r) => [r.name, r.bytes])) : null),
          el("h3", {}, "Liveness"), liveness(part, charts),
          el("h3", {}, "Variables"), variables ?? el("p", { class: "v-empty" }, "No variables were written for this part."));
        map?.draw();
        return { picture: () => map ?? charts.live, repaint: () => { map?.draw(); charts.live?.redraw(); }, close: () => { map?.close(); charts.live?.close(); },
          csv: () => (variables ? variables.csv() : page.csv_of_tables(panel)) };
      },
    });
  })();
)js";

}  // namespace ipuflow::report::impl
