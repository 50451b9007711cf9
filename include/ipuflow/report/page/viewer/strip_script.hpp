// SPDX-License-Identifier: BSL-1.0
// The strip above a timeline: how busy all rows are over the whole run, stacked by kind, and what of it is shown. Dragging in it moves
// that.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view strip_script = R"js(
  {
    // The strip: how busy all rows are over the whole run, stacked by kind. Dragging in it moves what is shown.
    ui.strip = (lanes, model) => {
      const canvas = el("canvas.v-strip", {
        role: "img",
        "aria-label": "Overview of the whole run: share of the rows that are busy, by kind"
      });
      let cached = null;
      let ready = false; // the strip asks for all rows, so it is drawn behind the first picture
      setTimeout(() => {
        ready = true;
        if (!lanes.closed) paint();
      });
      const paint = () => {
        const w = ready && canvas.clientWidth;
        const dpr = devicePixelRatio || 1;
        if (!w) return;
        const h = 44;
        if (!cached || cached.w !== w || cached.dark !== ui.is_dark()) {
          const bars = el("canvas", { width: round(w * dpr), height: h * dpr });
          const pen = bars.getContext("2d");
          const theme = ui.theme();
          pen.scale(dpr, dpr);
          pen.fillStyle = theme.lane;
          pen.fillRect(0, 0, w, h);
          const tracks = model.rows.filter(row => row.tracks.length).map(row => row.tracks[0]);
          const sums = Array.from({ length: model.kinds.length }, () => new Float64Array(w));
          for (const track of tracks) {
            const fine = ui.levels_of(track, model.length).findLast(l => l.kind.length >= w) ?? track.levels[0];
            const n = fine.kind.length;
            for (let b = 0; b < n; ++b) {
              // a bucket may lie in two pixels
              const x = floor((b * w) / n);
              const inside = min(1, (x + 1) * (n / w) - b);
              const busy = (fine.busy[b] / 255) * (w / n);
              sums[fine.kind[b]][x] += busy * inside;
              if (inside < 1 && x + 1 < w) sums[fine.kind[b]][x + 1] += busy * (1 - inside);
            }
          }
          for (let x = 0; x < w; ++x) {
            let y = h;
            sums.forEach((sum, k) => {
              const high = (sum[x] / max(1, tracks.length)) * (h - 3);
              if (high <= 0) return;
              pen.fillStyle = ui.colour(model.kinds[k], k);
              pen.fillRect(x, y - high, 1, high);
              y -= high;
            });
          }
          cached = { w, bars, dark: ui.is_dark() };
        }
        if (canvas.width !== cached.bars.width) ((canvas.width = cached.bars.width), (canvas.height = cached.bars.height));
        const pen = canvas.getContext("2d", { alpha: false });
        pen.setTransform(1, 0, 0, 1, 0, 0);
        pen.drawImage(cached.bars, 0, 0);
        pen.scale(dpr, dpr);
        const theme = ui.theme();
        const [x0, x1] = [(lanes.from / model.length) * w, (lanes.to / model.length) * w];
        pen.globalAlpha = 0.55;
        pen.fillStyle = theme.paper;
        pen.fillRect(0, 0, x0, h);
        pen.fillRect(x1, 0, w - x1, h);
        pen.globalAlpha = 1;
        pen.strokeStyle = theme.accent;
        pen.lineWidth = 1.5;
        pen.strokeRect(x0 + 0.75, 0.75, max(3, x1 - x0) - 1.5, h - 1.5);
      };
      let grip = null;
      const time = event => ((event.clientX - canvas.getBoundingClientRect().left) / canvas.clientWidth) * model.length;
      on(canvas, "pointerdown", event => {
        canvas.setPointerCapture(event.pointerId);
        const t = time(event);
        const span = lanes.to - lanes.from;
        if (span > model.length * 0.95) grip = { anchor: t };
        else grip = { off: t >= lanes.from && t <= lanes.to ? t - lanes.from : span / 2, span };
        if (grip.span) lanes.set(t - grip.off, t - grip.off + grip.span);
      });
      on(canvas, "pointermove", event => {
        if (!grip) return;
        const t = time(event);
        if (grip.span) lanes.set(t - grip.off, t - grip.off + grip.span);
        else if (abs(t - grip.anchor) > model.length / 200) lanes.set(min(t, grip.anchor), max(t, grip.anchor));
      });
      on(canvas, "pointerup", () => (grip = null));
      return { canvas, paint };
    };
  }
)js";

}  // namespace ipuflow::report::impl
