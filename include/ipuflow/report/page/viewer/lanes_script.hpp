// SPDX-License-Identifier: BSL-1.0
// The drawing of rows of slices: each line of pixels stretched to the height of its track, names where they fit, the axis, what is
// selected and the critical path. What goes on a screen and what goes into an SVG file come from the same functions.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view lanes_script = R"js(
  {
    const axis_height = 24;
    const font = (px, bold = "") => bold + px + "px system-ui, sans-serif";

    ui.Lanes = class extends ui.Rows {
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
        const hex = c => "#" + [c, c >>> 8, c >>> 16].map(v => (v & 255).toString(16).padStart(2, "0")).join("");
        bands.forEach((band, n) => {
          for (let x = 0, end; x < width; x = end) {
            const colour = out[n * width + x];
            for (end = x + 1; end < width && out[n * width + end] === colour;) ++end;
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
          for (let x = this.left; x < this.w;) {
            const i = ui.first_behind(track.finish, this.time_at(x));
            if (i >= track.count) break;
            const left = max(this.left, this.x_of(track.start[i]));
            const right = min(this.w, this.x_of(track.finish[i]));
            if (left >= this.w) break;
            const room = right - left - 6;
            if (room < least - 6) {
              x = max(x + least, left + 1);
              continue;
            }
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
      way(pen, top) {
        pen.strokeStyle = this.skin.strong;
        pen.lineWidth = 2;
        pen.beginPath();
        const { path } = this;
        let [low, high] = [0, path.length]; // the first stop that is seen; they follow each other
        while (low < high) {
          const middle = (low + high) >>> 1;
          if (path[middle].track.finish[path[middle].i] < this.from) low = middle + 1;
          else high = middle;
        }
        let last = "";
        for (; low < path.length && path[low].track.start[path[low].i] <= this.to; ++low) {
          const box = this.box_of(path[low]);
          if (!box) continue;
          const place = round(box.x) + " " + box.y;
          if (box.w >= 3 || place !== last) pen.rect(box.x, box.y - top, max(1, box.w), box.h);
          last = place;
        }
        pen.stroke();
      }
    };
  }
)js";

}  // namespace ipuflow::report::impl
