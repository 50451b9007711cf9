// SPDX-License-Identifier: BSL-1.0
// The picture of rows of slices over time, or over steps: one canvas that shows a range of a model. Each track is painted as one
// line of pixels and stretched to its height; names are written where they fit. The timeline, the grid of a plan and the comparison
// are all made of it.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view lanes_script = R"js(
  {
    const axis_height = 24;
    const font = (px, bold = "") => bold + px + "px system-ui, sans-serif";

    // A model: { rows: [{ name, tracks, thin: [tracks], idle: track }], length, kinds, clock, label(track, i) -> [long, short] }
    ui.Lanes = class {
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
        this.spacer = el("div.v-spacer", {});
        this.box = el("div.v-lanes", {}, this.canvas, this.spacer);
        on(this.box, "scroll", () => this.redraw());
        this.wide = new ResizeObserver(() => this.resize());
        this.wide.observe(this.box);
        ui.hands(this);
        this.arrange();
      }
      close() { this.wide.disconnect(); this.closed = true; }

      // Rows as bands from the top, pinned ones first.
      arrange() {
        const bands = [];
        let y = axis_height + 4;
        const rows = [...this.model.rows.keys()].sort((a, b) => this.pins.has(b) - this.pins.has(a) || a - b);
        for (const r of rows) {
          const row = this.model.rows[r];
          const top = y;
          const add = (track, height, table) => { bands.push({ r, row, track, y, height, table, top }); y += height + 1; };
          if (row.tracks.length === 0 && !row.thin?.length) add(null, this.height, "kinds");
          for (const track of row.tracks) add(track, this.height, "kinds");
          for (const track of row.thin ?? []) add(track, max(8, round(this.height * 0.5)), "thin");
          for (const band of bands) if (band.r === r) band.row_height = y - top - 1;
          y += this.height < 8 ? 1 : 5;
        }
        this.bands = bands;
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
        const names = this.model.rows.map((row) => row.name.length * 6.6);
        this.left = round(min(max(56, ...names.map((n) => n + 22)), this.w * (this.w < 500 ? 0.24 : 0.22)));
        this.lines = null;
        this.draw();
      }
      redraw() {
        if (this.waiting || this.closed) return;
        this.waiting = true;
        requestAnimationFrame(() => { this.waiting = false; if (!this.closed) this.draw(); });
      }
      x_of(time) { return this.left + ((time - this.from) / (this.to - this.from)) * (this.w - this.left); }
      time_at(x) { return this.from + ((x - this.left) / (this.w - this.left)) * (this.to - this.from); }
      recolour() { this.tables = null; this.redraw(); }
      visible() {
        const top = this.box.scrollTop;
        return this.bands.filter((band) => band.y + band.height > top + axis_height && band.y < top + this.h);
      }

      set(from, to) {
        const least = this.model.least ?? min(8, this.model.length / 4 || 1);
        const margin = this.model.length * 0.02;
        let span = min(max(to - from, least), this.model.length + 2 * margin);
        if (to - from !== span) (from = (from + to - span) / 2), (to = from + span);
        if (from < -margin) (to += -margin - from), (from = -margin);
        if (to > this.model.length + margin) (from -= to - this.model.length - margin), (to = this.model.length + margin);
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
          if (band.row.idle && band.track === band.row.tracks[0]) ui.paint(band.row.idle, length, this.from, this.to, width, out, n * width, this.idle_table);
          if (band.track) ui.paint(band.track, length, this.from, this.to, width, out, n * width, this.tables[band.table]);
        });
        return out;
      }

      draw(svg) {
        if (!this.w || this.closed) return;
        this.prepare();
        const pen = svg ?? this.canvas.getContext("2d", { alpha: false });
        pen.setTransform(this.dpr, 0, 0, this.dpr, 0, 0);
        pen.fillStyle = this.skin.paper;
        pen.fillRect(0, 0, this.w, this.h);
        const bands = this.visible();
        const top = this.box.scrollTop;
        const width = max(1, round((this.w - this.left) * this.dpr));
        const out = this.paint(bands, width);
        if (svg) this.boxes(svg, bands, out, width, top);
        else this.stretch(pen, bands, width, top);
        for (const band of bands) this.words(pen, band, top);
        this.names(pen, bands, top);
        this.marks(pen, top);
        this.drawn = (this.drawn ?? 0) + 1;
      }
      stretch(pen, bands, width, top) {
        this.sheet_pen.putImageData(this.lines, 0, 0, 0, 0, width, bands.length);
        pen.imageSmoothingEnabled = false;
        bands.forEach((band, n) => pen.drawImage(this.sheet, 0, n, width, 1, this.left, band.y - top, this.w - this.left, band.height));
      }
      // A box for each stretch of one colour.
      boxes(svg, bands, out, width, top) {
        const hex = (c) => "#" + [c, c >>> 8, c >>> 16].map((v) => (v & 255).toString(16).padStart(2, "0")).join("");
        bands.forEach((band, n) => {
          for (let x = 0, end; x < width; x = end) {
            const colour = out[n * width + x];
            for (end = x + 1; end < width && out[n * width + end] === colour; ) ++end;
            svg.fillStyle = hex(colour);
            svg.fillRect(this.left + x / this.dpr, band.y - top, (end - x) / this.dpr, band.height);
          }
        });
      }
      svg() {
        const pen = new ui.SvgPen(this.w, this.h);
        this.draw(pen);
        return pen.text();
      }
      // Names of slices that are wide enough, found by looking where such a one must be.
      words(pen, band, top) {
        if (band.height < 9) return;
        const px = min(11, band.height - 1);
        pen.font = font(px);
        pen.textBaseline = "middle";
        const middle = band.y - top + band.height / 2 + 0.5;
        const write = (track, inks, fallback) => {
          const least = 22;
          for (let x = this.left; x < this.w; ) {
            const i = ui.first_behind(track.finish, this.time_at(x));
            if (i >= track.count) break;
            const left = max(this.left, this.x_of(track.start[i]));
            const right = min(this.w, this.x_of(track.finish[i]));
            if (left >= this.w) break;
            const room = right - left - 6;
            if (room < least - 6) { x = max(x + least, left + 1); continue; }
            x = right + 0.01;
            for (const words of this.model.label(track, i, band.table)) {
              if (!words) continue;
              const wide = ui.width_of(pen, px, words);
              const fits = wide <= room;
              if (!fits && (!fallback || room < 60)) continue;
              pen.fillStyle = inks ? inks[track.kind[i]] : this.skin.soft;
              pen.fillText(fits ? words : ui.cut(pen, px, words, room), fits ? (left + right - wide) / 2 : left + 3, middle);
              break;
            }
          }
        };
        if (band.row.idle && band.track === band.row.tracks[0] && band.height >= 12) write(band.row.idle, null, true);
        if (band.track) write(band.track, this.inks[band.table], false);
      }
      names(pen, bands, top) {
        const { skin } = this;
        pen.fillStyle = skin.paper;
        pen.fillRect(0, 0, this.left - 1, this.h);
        pen.textBaseline = "middle";
        let last = -1;
        for (const band of bands) {
          if (band.r === last) continue;
          last = band.r;
          pen.font = font(11.5, this.pins.has(band.r) ? "600 " : "");
          pen.fillStyle = this.hover_row === band.r ? skin.accent : skin.ink;
          const y = max(axis_height + 8, band.top - top + min(band.row_height, max(this.height, 12)) / 2 + 0.5);
          if (band.row_height >= 9 || band.r % ceil(12 / (band.row_height + 1)) === 0)
            pen.fillText((this.pins.has(band.r) ? "\u2605 " : "") + ui.cut(pen, 11.5, band.row.name, this.left - 14), 4, y);
        }
      }
      // Axis, selection, area, critical path and what the pointer is at.
      marks(pen, top) {
        const { skin, model } = this;
        pen.fillStyle = skin.paper;
        pen.fillRect(0, 0, this.w, axis_height);
        pen.font = font(10.5);
        pen.textBaseline = "alphabetic";
        const clock = model.clock;
        const span = this.to - this.from;
        const every = max(show.round_step((span * 92) / (this.w - this.left)), clock.whole ? 1 : 0);
        for (let t = max(0, ceil(this.from / every) * every); t <= this.to; t += every) {
          const x = round(this.x_of(t)) + 0.5;
          if (x < this.left) continue;
          pen.fillStyle = skin.line;
          pen.fillRect(x, axis_height - 6, 1, 6);
          pen.fillStyle = skin.soft;
          const words = clock.mark(t, every);
          pen.fillText(words, min(x + 3, this.w - ui.width_of(pen, 10.5, words) - 2), 13);
        }
        pen.fillStyle = skin.line;
        pen.fillRect(0, axis_height - 1, this.w, 1);
        pen.save();
        pen.beginPath();
        pen.rect(this.left, axis_height, this.w - this.left, this.h);
        pen.clip();
        if (this.area) {
          const [x0, x1] = [this.x_of(this.area.from), this.x_of(this.area.to)];
          pen.globalAlpha = 0.13;
          pen.fillStyle = skin.accent;
          pen.fillRect(x0, 0, x1 - x0, this.h);
          pen.globalAlpha = 1;
          pen.fillRect(x0, axis_height, 1, this.h);
          pen.fillRect(x1 - 1, axis_height, 1, this.h);
        }
        if (this.path) this.way(pen, top);
        const frame = (what, colour, width) => {
          const box = what && this.box_of(what);
          if (!box) return;
          pen.strokeStyle = colour;
          pen.lineWidth = width;
          pen.strokeRect(box.x - width / 2, box.y - top - width / 2, max(box.w, 2) + width, box.h + width);
        };
        frame(this.hover, skin.soft, 1);
        frame(this.selected, skin.strong, 2);
        pen.restore();
      }
      box_of({ track, i }) {
        const band = this.bands.find((b) => b.track === track || (b.row.idle === track && b.track === b.row.tracks[0]));
        if (!band) return null;
        const x = this.x_of(track.start[i]);
        return { x, y: band.y, w: this.x_of(track.finish[i]) - x, h: band.height, band };
      }
      way(pen, top) {
        pen.strokeStyle = this.skin.strong;
        pen.lineWidth = 2;
        pen.beginPath();
        let pixel = -2;
        for (const stop of this.path) {
          const box = this.box_of(stop);
          if (!box || box.x > this.w || box.x + box.w < this.left) continue;
          if (box.w >= 3) pen.rect(box.x, box.y - top, box.w, box.h);
          else if (round(box.x) !== pixel) pen.rect(box.x, box.y - top, 1, box.h), (pixel = round(box.x));
        }
        pen.stroke();
      }

      // The slice, or else the idle time, below a place of the canvas; the nearest within four pixels.
      at(x, y) {
        const place = y + this.box.scrollTop;
        if (y < axis_height) return null;
        const band = this.bands.find((b) => place >= b.y && place < b.y + b.height + 1);
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
