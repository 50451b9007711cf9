// SPDX-License-Identifier: BSL-1.0
// Rows of slices over time, or over steps: where they are on a canvas and what of a model is seen. Each track is painted as one line
// of pixels. The timeline, the grid of a plan and the comparison are made of them; how they are drawn is in lanes_script.hpp.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view rows_script = R"js(
  {
    const axis_height = 24;

    // A model: { rows: [{ name, tracks, thin: [tracks], idle: track }], length, kinds, clock, label(track, i) -> [long, short] }
    ui.Rows = class {
      constructor(model, options = {}) {
        this.model = model;
        this.options = options;
        this.height = options.row_height ?? 20; // of a track; the vertical zoom
        this.pins = new Set();
        this.selected = null;
        this.area = null;
        this.path = null;
        this.from = 0;
        this.to = model.length || 1;
        this.canvas = el("canvas", { tabindex: 0, role: "application", "aria-label": options.label, "aria-describedby": "v-keys-hint" });
        this.spacer = el("div.v-spacer");
        this.box = el("div.v-lanes", {}, this.canvas, this.spacer);
        on(this.box, "scroll", () => this.redraw());
        this.wide = new ResizeObserver(() => this.resize());
        this.wide.observe(this.box);
        ui.hands(this);
        this.arrange();
      }
      close() {
        this.wide.disconnect();
        this.closed = true;
      }

      // Rows as bands from the top, pinned ones first.
      arrange() {
        const bands = [];
        let y = axis_height + 4;
        const rows = [...this.model.rows.keys()].sort((a, b) => this.pins.has(b) - this.pins.has(a) || a - b);
        for (const r of rows) {
          const row = this.model.rows[r];
          const top = y;
          const add = (track, height, table) => {
            bands.push({ r, row, track, y, height, table, top });
            y += height + 1;
          };
          if (row.tracks.length === 0 && !row.thin?.length) add(null, this.height, "kinds");
          for (const track of row.tracks) add(track, this.height, "kinds");
          for (const track of row.thin ?? []) add(track, max(8, round(this.height * 0.5)), "thin");
          for (const band of bands) if (band.r === r) band.row_height = y - top - 1;
          y += this.height < 8 ? 1 : 5;
        }
        this.bands = bands;
        this.band_of = new Map(bands.map(band => [band.track, band]));
        for (const band of bands) if (band.row.idle && band.track === band.row.tracks[0]) this.band_of.set(band.row.idle, band);
        this.content = y + 2;
        this.spacer.style.height = max(0, this.content - 2) + "px";
        this.resize();
      }
      resize() {
        const tall = this.options.fixed ? min(this.content, this.options.fixed) : this.box.clientHeight;
        if (this.options.fixed) this.box.style.height = max(60, tall + 1) + "px";
        this.w = this.box.clientWidth;
        this.h = max(40, this.options.fixed ? tall : this.box.clientHeight);
        if (!this.w) return;
        this.dpr = devicePixelRatio || 1;
        this.canvas.width = round(this.w * this.dpr);
        this.canvas.height = round(this.h * this.dpr);
        this.canvas.style.width = this.w + "px";
        this.canvas.style.height = this.h + "px";
        this.spacer.style.marginTop = -this.h + "px";
        const names = this.model.rows.map(row => row.name.length * 6.6);
        this.left = round(min(max(56, ...names.map(n => n + 22)), this.w * (this.w < 500 ? 0.24 : 0.22)));
        this.lines = null;
        this.draw();
      }
      redraw() {
        if (this.waiting || this.closed) return;
        this.waiting = true;
        requestAnimationFrame(() => {
          this.waiting = false;
          if (!this.closed) this.draw();
        });
      }
      x_of(time) {
        return this.left + ((time - this.from) / (this.to - this.from)) * (this.w - this.left);
      }
      time_at(x) {
        return this.from + ((x - this.left) / (this.w - this.left)) * (this.to - this.from);
      }
      recolour() {
        this.tables = null;
        this.redraw();
      }
      visible() {
        const top = this.box.scrollTop;
        return this.bands.filter(band => band.y + band.height > top + axis_height && band.y < top + this.h);
      }

      set(from, to) {
        const least = this.model.least ?? min(8, this.model.length / 4 || 1);
        const margin = this.model.length * 0.02;
        let span = min(max(to - from, least), this.model.length + 2 * margin);
        if (to - from !== span) ((from = (from + to - span) / 2), (to = from + span));
        if (from < -margin) ((to += -margin - from), (from = -margin));
        if (to > this.model.length + margin) ((from -= to - this.model.length - margin), (to = this.model.length + margin));
        this.from = max(from, -margin);
        this.to = to;
        this.redraw();
        this.options.moved?.(this.from, this.to);
      }

      prepare() {
        if (this.tables) return;
        this.colours = this.model.kinds.map((name, i) => ui.colour(name, i));
        this.thin_colours = (this.model.thin_kinds?.length ? this.model.thin_kinds : ["thin"]).map((name, i) => ui.colour(name, i));
        this.skin = ui.theme();
        this.tables = { kinds: ui.table_of(this.colours, this.skin.lane), thin: ui.table_of(this.thin_colours, this.skin.lane) };
        this.inks = { kinds: this.colours.map(ui.ink_on), thin: this.thin_colours.map(ui.ink_on) };
        const [r, g, b] = ui.rgb(this.skin.line);
        this.idle_table = new Uint32Array(256 * 16).fill((255 << 24) | (b << 16) | (g << 8) | r);
        const [lr, lg, lb] = ui.rgb(this.skin.lane);
        this.ground = (255 << 24) | (lb << 16) | (lg << 8) | lr;
      }
      // One line of pixels for each band that is seen.
      paint(bands, width) {
        const size = width * max(1, bands.length);
        if (!this.lines || this.lines.width !== width || this.lines.height < bands.length) {
          this.lines = new ImageData(width, max(1, bands.length));
          this.sheet = el("canvas", { width, height: this.lines.height });
          this.sheet_pen = this.sheet.getContext("2d");
        }
        const out = new Uint32Array(this.lines.data.buffer);
        out.fill(this.ground, 0, size);
        bands.forEach((band, n) => {
          const { length } = this.model;
          if (band.row.idle && band.track === band.row.tracks[0])
            ui.paint(band.row.idle, length, this.from, this.to, width, out, n * width, this.idle_table);
          if (band.track) ui.paint(band.track, length, this.from, this.to, width, out, n * width, this.tables[band.table]);
        });
        return out;
      }

      box_of({ track, i }) {
        const band = this.band_of.get(track);
        if (!band) return null;
        const x = this.x_of(track.start[i]);
        return { x, y: band.y, w: this.x_of(track.finish[i]) - x, h: band.height, band };
      }

      // The slice, or else the idle time, below a place of the canvas; the nearest within four pixels.
      at(x, y) {
        const place = y + this.box.scrollTop;
        if (y < axis_height) return null;
        const band = this.bands.find(b => place >= b.y && place < b.y + b.height + 1);
        if (!band) return null;
        if (x < this.left) return { row: band.r };
        const find = (track, slack) => {
          if (!track) return null;
          const i = ui.first_behind(track.finish, this.time_at(x - slack));
          return i < track.count && track.start[i] <= this.time_at(x + slack) ? { track, i, row: band.r } : null;
        };
        const idle = band.track === band.row.tracks[0] ? band.row.idle : null;
        return find(band.track, 0) ?? find(idle, 0) ?? find(band.track, 4) ?? { row: band.r, nothing: true };
      }
    };
  }
)js";

}  // namespace ipuflow::report::impl
