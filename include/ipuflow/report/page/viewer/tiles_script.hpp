// SPDX-License-Identifier: BSL-1.0
// Tiles: what each holds, the fullest one in a sentence, and the map of all of them, whose scale can be changed. What a tile does not
// have is red.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view tiles_script = R"js(
  {
    // Bytes by tile as the map shows them: at the fullest moment, always, or of one category.
    ui.measures_of = part => {
      const m = part.memory;
      const found = [];
      if (m.peak) found.push({ name: "all, at the fullest moment", values: ui.array(m.peak), limit: m.tile_memory, words: show.bytes });
      if (m.always) found.push({ name: "what is always live", values: ui.array(m.always), limit: m.tile_memory, words: show.bytes });
      (m.by_tile ?? []).forEach((array, c) =>
        found.push({ name: m.categories[c], values: ui.array(array), limit: m.tile_memory, words: show.bytes })
      );
      if (!m.peak && m.by_tile?.length) {
        const sum = new Float64Array(found[0].values.length);
        for (const { values } of found) for (let t = 0; t < sum.length; ++t) sum[t] += values[t];
        found.unshift({ name: "all, at the fullest moment", values: sum, limit: m.tile_memory, words: show.bytes });
      }
      if (part.tiles_busy)
        found.push({
          name: "cycles that the tile computes",
          values: ui.array(part.tiles_busy),
          limit: 0,
          words: v => show.count(v) + " cycles"
        });
      return found;
    };
    ui.most_at = values => values.reduce((best, v, t) => (v > values[best] ? t : best), 0);
    const tile_words = (part, t) =>
      ui.chip_name(part, floor(t / part.memory.tiles_per_chip)) + ", tile " + (t % part.memory.tiles_per_chip);
    const categories_at = (part, t) =>
      part.memory.categories.map((name, c) => [name, ui.array(part.memory.by_tile[c])[t]]).sort((a, b) => b[1] - a[1]);
    ui.fullest_words = part => {
      // "IPU 2, tile 17 holds ... bytes, 92 % of its memory, mostly ..."
      const m = part.memory;
      if (!m) return null;
      let where = "The fullest tile";
      let parts;
      if (m.by_tile) {
        const t = ui.most_at(ui.measures_of(part)[0].values);
        where = "The fullest tile is " + tile_words(part, t) + ": it";
        parts = categories_at(part, t);
      } else if (m.fullest) {
        const sums = m.fullest.map(of => of.reduce((a, b) => a + b, 0));
        const chip = ui.most_at(sums);
        where =
          "The fullest tile is " + (m.fullest_tiles ? "tile " + m.fullest_tiles[chip] : "one") + " of " + ui.chip_name(part, chip) + ": it";
        parts = m.categories.map((name, c) => [name, m.fullest[chip][c]]).sort((a, b) => b[1] - a[1]);
      } else return null;
      const all = parts.reduce((sum, p) => sum + p[1], 0);
      const kept = parts
        .filter(p => p[1] > 0)
        .slice(0, 3)
        .map(([name, b]) => name + " (" + show.bytes(b) + ", " + show.percent(b, all) + ")")
        .join(", ");
      return (
        (all > m.tile_memory ? "It does not fit. " : "") +
        where +
        " holds " +
        show.count(all) +
        " of its " +
        show.count(m.tile_memory) +
        " bytes, " +
        show.percent(all, m.tile_memory) +
        ". Most of it: " +
        kept +
        "."
      );
    };

    // From the ground through blue to dark, or to light in the dark theme: even steps for the eye.
    const ramp = () =>
      (ui.is_dark()
        ? ["#22262e", "#1f4a7d", "#3d83c9", "#8ec2ef", "#f2f7fc"]
        : ["#eef1f4", "#b5cfe8", "#6199cf", "#2a619f", "#102c50"]
      ).map(ui.rgb);
    const over = ["#f0a9c4", "#b8326b", "#5c1236"].map(ui.rgb);
    const shade = (stops, part) => {
      const at = min(0.9999, max(0, part)) * (stops.length - 1);
      const i = floor(at);
      return "rgb(" + stops[i].map((c, k) => round(c + (stops[i + 1][k] - c) * (at - i))).join(",") + ")";
    };
    ui.tile_map = (part, measures) => {
      const m = part.memory;
      const per = m.tiles_per_chip;
      let measure = measures[0];
      let scale = 1;
      let chip = -1; // all
      let tile = ui.most_at(measure.values);
      const canvas = el("canvas.v-chart", {
        tabindex: 0,
        role: "application",
        "aria-label": "Map of tiles by memory; arrows move from tile to tile"
      });
      const low = el("span");
      const high = el("span");
      const legend = el("canvas", { width: 160, height: 10, "aria-hidden": "true" });
      const bounds = () => {
        if (scale === 0) return [0, measure.limit || measure.values.reduce((a, b) => max(a, b), 0)];
        const seen = chip < 0 ? measure.values : measure.values.subarray(chip * per, (chip + 1) * per);
        const most = seen.reduce((a, b) => max(a, b), 0);
        if (scale === 1) return [0, most];
        return [seen.reduce((a, b) => min(a, b), most), most];
      };
      let shape = null;
      const layout = w => {
        const chips = chip < 0 ? [...Array(m.chips).keys()] : [chip];
        const columns = max(1, min(chips.length, floor((w + 14) / (chips.length > 1 ? 190 : 400))));
        const room = floor((w - (columns - 1) * 14) / columns);
        const wide = max(8, min(64, ceil(Math.sqrt(per * (chips.length > 1 ? 1.6 : 3)))));
        const size = max(2, min(chips.length > 1 ? 9 : 14, floor((room / wide) * 2) / 2));
        const tall = ceil(per / wide);
        return {
          chips,
          columns,
          room,
          wide,
          size,
          tall,
          high: tall * size + 26,
          height: ceil(chips.length / columns) * (tall * size + 26)
        };
      };
      const draw = svg => {
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
        const theme = ui.theme();
        pen.fillStyle = theme.paper;
        pen.fillRect(0, 0, w, shape.height);
        const [from, to] = bounds();
        const stops = ramp();
        const colour_of = (value, low, high) => {
          // red is what a tile does not have
          const limit = measure.limit || high;
          return value > limit
            ? shade(over, (value - limit) / max(1, high - limit))
            : shade(stops, (value - low) / (min(high, limit) - low || 1));
        };
        pen.font = "600 11.5px system-ui, sans-serif";
        pen.textBaseline = "alphabetic";
        shape.chips.forEach((c, n) => {
          const left = (n % shape.columns) * (shape.room + 14);
          const top = floor(n / shape.columns) * shape.high;
          pen.fillStyle = theme.ink;
          pen.fillText(ui.chip_name(part, c), left, top + 13);
          for (let t = 0; t < per; ++t) {
            pen.fillStyle = colour_of(measure.values[c * per + t], from, to);
            const gap = shape.size >= 5 ? 1 : 0;
            pen.fillRect(
              left + (t % shape.wide) * shape.size,
              top + 19 + floor(t / shape.wide) * shape.size,
              shape.size - gap,
              shape.size - gap
            );
          }
          if (floor(tile / per) === c) {
            pen.strokeStyle = "#e8892b";
            pen.lineWidth = 2.5;
            pen.strokeRect(
              left + ((tile % per) % shape.wide) * shape.size - 1.5,
              top + 17.5 + floor((tile % per) / shape.wide) * shape.size,
              shape.size + 2,
              shape.size + 2
            );
          }
        });
        low.textContent = measure.words(from);
        high.textContent = measure.words(to);
        const strip = legend.getContext("2d");
        for (let x = 0; x < 160; ++x)
          ((strip.fillStyle = colour_of(from + (x / 159) * (to - from), from, to)), strip.fillRect(x, 0, 1, 10));
      };
      const tile_at = event => {
        const edge = canvas.getBoundingClientRect();
        const [x, y] = [event.clientX - edge.left, event.clientY - edge.top];
        const column = floor(x / (shape.room + 14));
        const n = floor(y / shape.high) * shape.columns + column;
        const [tx, ty] = [
          floor((x - column * (shape.room + 14)) / shape.size),
          floor((y - floor(y / shape.high) * shape.high - 19) / shape.size)
        ];
        const t = ty * shape.wide + tx;
        return column < shape.columns && n < shape.chips.length && tx >= 0 && tx < shape.wide && ty >= 0 && t < per
          ? shape.chips[n] * per + t
          : -1;
      };
      const pick = (t, focus = true) => {
        tile = t;
        draw();
        const rows = [[measure.name, measure.words(measure.values[t])]];
        if (m.tile_memory) rows.push(["share of the tile's memory", show.percent(measures[0].values[t], m.tile_memory)]);
        const parts = m.by_tile
          ? ui.plain_table(
              "By category",
              ["category", "bytes", "share"],
              categories_at(part, t)
                .filter(p => p[1] > 0)
                .map(([name, b]) => [name, b, show.percent(b, measures[0].values[t])])
            )
          : null;
        ui.details(tile_words(part, t), el("div.v-columns", {}, ui.facts_list(rows), parts), [], false);
        ui.keep({ s: "tile:" + t });
        ui.say(tile_words(part, t) + ": " + measure.words(measure.values[t]));
      };
      on(canvas, "click", event => {
        const t = tile_at(event);
        if (t >= 0) pick(t);
      });
      on(canvas, "pointermove", event => {
        const t = tile_at(event);
        ui.hint(t < 0 ? null : tile_words(part, t) + "\n" + measure.words(measure.values[t]), event.clientX, event.clientY);
      });
      on(canvas, "pointerleave", () => ui.hint(null));
      on(canvas, "keydown", event => {
        const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: shape.wide, ArrowUp: -shape.wide }[event.key];
        if (!by) return;
        event.preventDefault();
        event.stopPropagation();
        pick(min(m.chips * per - 1, max(0, tile + by)));
      });
      const wide = new ResizeObserver(() => draw());
      wide.observe(canvas);
      const controls = el(
        "div.v-bar",
        {},
        ui.choice(
          "Show",
          measures.map(x => x.name),
          0,
          i => {
            measure = measures[i];
            draw();
          }
        ),
        ui.choice("Scale", ["up to the tile's memory", "up to the fullest", "least to most"], scale, i => {
          scale = i;
          draw();
        }),
        m.chips > 1 &&
          ui.choice("Chips", ["all", ...Array.from({ length: m.chips }, (_, i) => ui.chip_name(part, i))], 0, i => {
            chip = i - 1;
            draw();
          }),
        ui.button("Fullest tile", () => pick(ui.most_at(measure.values))),
        el("span.v-scale", {}, low, legend, high)
      );
      const word = /^tile:(\d+)$/.exec(ui.state.s);
      if (word && Number(word[1]) < m.chips * per) queueMicrotask(() => pick(Number(word[1])));
      return {
        controls,
        canvas,
        draw,
        close: () => wide.disconnect(),
        svg: () => {
          const pen = new ui.SvgPen(canvas.clientWidth, shape.height);
          draw(pen);
          return pen.text();
        }
      };
    };
  }
)js";

}  // namespace ipuflow::report::impl
