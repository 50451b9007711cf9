// SPDX-License-Identifier: BSL-1.0
// Charts of lines and steps over time, thinned to the least and the most of each pixel. A chart is a slider for who does not see it:
// arrows go from place to place, and its value says all lines there.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view chart_script = R"js(
  {
    // given: { name, series: [{ name, x (or nothing: numbers from 0), y, colour, fill }], clock, words(y), limit, length, pick(x), height }
    ui.Chart = class {
      constructor(given) {
        this.given = given;
        this.model = { length: given.length || 1 };
        this.from = 0;
        this.to = this.model.length;
        this.at = null;
        this.canvas = el("canvas.v-chart", {
          tabindex: 0,
          role: "slider",
          "aria-label": given.name,
          "aria-valuemin": 0,
          "aria-valuemax": round(this.model.length)
        });
        this.canvas.style.height = (given.height ?? 180) + "px";
        this.box = this.canvas;
        this.wide = new ResizeObserver(() => this.draw());
        this.wide.observe(this.canvas);
        this.listen();
        this.move(0, true);
      }
      close() {
        this.closed = true;
        this.wide.disconnect();
      }
      set(from, to) {
        const span = min(this.model.length, max(to - from, min(4, this.model.length)));
        this.from = min(max(0, from), this.model.length - span);
        this.to = this.from + span;
        this.given.moved?.(this.from, this.to);
        this.redraw();
      }
      redraw() {
        if (this.waiting || this.closed) return;
        this.waiting = true;
        requestAnimationFrame(() => {
          this.waiting = false;
          this.draw();
        });
      }
      value(series, t) {
        const { x, y } = series;
        const i = x ? ui.first_behind(x, t) - 1 : min(y.length - 1, floor(t));
        return i < 0 ? 0 : y[i];
      }
      saying(t) {
        return (
          this.given.clock.short(round(t)) + ": " + this.given.series.map(s => s.name + " " + this.given.words(this.value(s, t))).join(", ")
        );
      }
      move(t, quiet = false) {
        this.at = min(max(0, t), this.model.length);
        this.canvas.setAttribute("aria-valuenow", round(this.at));
        this.canvas.setAttribute("aria-valuetext", this.saying(this.at));
        if (!quiet) this.given.pick?.(this.at);
        this.redraw();
      }
      key(event) {
        const pixel = (this.to - this.from) / max(1, (this.canvas.clientWidth - 64) / 4);
        const step = this.given.whole ? 1 : pixel;
        const act = {
          ArrowRight: () => this.move(this.at + step),
          ArrowLeft: () => this.move(this.at - step),
          Home: () => this.move(0),
          End: () => this.move(this.model.length),
          w: () => ui.zoom(this, 0.7),
          s: () => ui.zoom(this, 1 / 0.7),
          a: () => ui.pan(this, -0.2),
          d: () => ui.pan(this, 0.2),
          Escape: () => this.set(0, this.model.length)
        }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
        if (act) act();
        return Boolean(act);
      }
      listen() {
        const { canvas } = this;
        const x_of = event => event.clientX - canvas.getBoundingClientRect().left;
        const time = event => this.from + (max(0, x_of(event) - 60) / (canvas.clientWidth - 64)) * (this.to - this.from);
        on(canvas, "pointermove", event => ui.hint(this.saying(time(event)).replaceAll(", ", "\n"), event.clientX, event.clientY));
        on(canvas, "pointerleave", () => ui.hint(null));
        on(canvas, "click", event => {
          ui.active = this;
          this.move(this.given.whole ? floor(time(event)) : time(event));
        });
        on(canvas, "focus", () => (ui.active = this));
        on(
          canvas,
          "wheel",
          event => {
            if (!event.ctrlKey && !event.shiftKey) return;
            event.preventDefault();
            const t = time(event);
            const factor = Math.exp(event.deltaY * 0.0025);
            if (event.ctrlKey) this.set(t - (t - this.from) * factor, t + (this.to - t) * factor);
            else
              this.set(
                this.from + ((event.deltaY || event.deltaX) * (this.to - this.from)) / 800,
                this.to + ((event.deltaY || event.deltaX) * (this.to - this.from)) / 800
              );
          },
          { passive: false }
        );
      }
      draw(svg) {
        const { canvas, given } = this;
        const [w, h] = [canvas.clientWidth, canvas.clientHeight];
        if (!w || this.closed) return;
        const dpr = devicePixelRatio || 1;
        let pen = svg;
        if (!svg) {
          if (canvas.width !== round(w * dpr) || canvas.height !== round(h * dpr))
            ((canvas.width = round(w * dpr)), (canvas.height = round(h * dpr)));
          pen = canvas.getContext("2d");
          pen.setTransform(dpr, 0, 0, dpr, 0, 0);
        }
        const theme = ui.theme();
        pen.fillStyle = theme.paper;
        pen.fillRect(0, 0, w, h);
        const [left, right, top, bottom] = [60, w - 4, 8, h - 18];
        const x_of = t => left + ((t - this.from) / (this.to - this.from)) * (right - left);
        let most = given.limit ?? 0;
        for (const s of given.series) most = max(most, (s.most ??= s.y.reduce((a, b) => max(a, b), 0)));
        const whole = Number.isInteger(most) && most < 9;
        most = most * 1.06 || 1;
        const y_of = v => bottom - (v / most) * (bottom - top);
        pen.font = "10.5px system-ui, sans-serif";
        pen.textBaseline = "middle";
        const every = whole ? ceil(most / 4.5) : (given.round ?? show.round_step)(most / 4.5);
        for (let v = 0; v <= most; v += every) {
          pen.fillStyle = theme.line;
          pen.fillRect(left, round(y_of(v)), right - left, 1);
          pen.fillStyle = theme.soft;
          const words = given.words(v);
          pen.fillText(words, left - 6 - pen.measureText(words).width, y_of(v));
        }
        const apart = max(show.round_step(((this.to - this.from) * 96) / (right - left)), given.clock.whole ? 1 : 0);
        for (let t = ceil(this.from / apart) * apart; t <= this.to; t += apart) {
          const words = given.clock.mark(t, apart);
          pen.fillText(words, min(x_of(t), right - pen.measureText(words).width), h - 7);
        }
        for (const s of given.series) this.line(pen, s, x_of, y_of, left, right, bottom);
        if (given.limit) {
          pen.fillStyle = theme.strong;
          pen.fillRect(left, y_of(given.limit), right - left, 1);
          pen.fillText(given.limit_words, left + 6, y_of(given.limit) + 8);
        }
        for (const t of given.flags?.() ?? (this.at > 0 ? [this.at] : [])) {
          pen.fillStyle = theme.strong;
          if (t >= this.from && t <= this.to) pen.fillRect(round(x_of(t)), top, 1.5, bottom - top);
        }
      }
      // The least and the most of each pixel, joined to what was before.
      line(pen, s, x_of, y_of, left, right, bottom) {
        const { x, y } = s;
        const n = y.length;
        let i = max(0, (x ? ui.first_behind(x, this.from) : floor(this.from)) - 1);
        pen.beginPath();
        let last = i < n ? y_of(y[i]) : bottom;
        let px = left;
        pen.moveTo(left, last);
        while (i < n) {
          const at = max(left, min(right, x_of(x ? x[i] : i)));
          let low = y[i];
          let high = y[i];
          let end = i + 1;
          for (; end < n; ++end) {
            const next = x_of(x ? x[end] : end);
            if (next >= at + 0.75) break;
            if (y[end] < low) low = y[end];
            if (y[end] > high) high = y[end];
          }
          pen.lineTo(at, last);
          if (low !== high) (pen.lineTo(at, y_of(high)), pen.lineTo(at, y_of(low)));
          last = y_of(y[end - 1]);
          pen.lineTo(at, last);
          px = at;
          i = end;
          if (at >= right) break;
        }
        if (px < right) pen.lineTo(right, last);
        pen.strokeStyle = s.colour;
        pen.lineWidth = 1.5;
        pen.stroke();
        if (!s.fill) return;
        pen.lineTo(right, bottom);
        pen.lineTo(left, bottom);
        pen.closePath();
        pen.globalAlpha = 0.14;
        pen.fillStyle = s.colour;
        pen.fill();
        pen.globalAlpha = 1;
      }
      svg() {
        const pen = new ui.SvgPen(this.canvas.clientWidth, this.canvas.clientHeight);
        this.draw(pen);
        return pen.text();
      }
    };
  }
)js";

}  // namespace ipuflow::report::impl
