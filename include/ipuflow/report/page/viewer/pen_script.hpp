// SPDX-License-Identifier: BSL-1.0
// The pen that writes SVG with the words of a canvas: so every picture is exported by the function that draws it, and an export
// shows what the screen shows.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view pen_script = R"js(
  {
    const svg_names = "http://www.w3.org/2000/svg"; // a name, of which nothing is loaded

    // A canvas's functions as far as pictures here use them, written as SVG.
    ui.SvgPen = class {
      constructor(width, height) {
        this.size = [width, height];
        this.parts = [];
        this.globalAlpha = 1;
        this.lineWidth = 1;
        this.measure = el("canvas").getContext("2d");
        this.lines = "";
      }
      put(name, attributes, words) {
        const made = document.createElementNS(svg_names, name);
        for (const [key, value] of Object.entries(attributes))
          made.setAttribute(key, typeof value === "number" ? round(value * 100) / 100 : value);
        if (this.globalAlpha < 1) made.setAttribute("opacity", this.globalAlpha);
        if (words !== undefined) made.textContent = words;
        this.parts.push(made);
      }
      setTransform() {}
      scale() {}
      save() {}
      restore() {}
      clip() {}
      fillRect(x, y, width, height) {
        if (width > 0 && height > 0) this.put("rect", { x, y, width, height, fill: this.fillStyle });
      }
      strokeRect(x, y, width, height) {
        this.put("rect", {
          x,
          y,
          width: max(0, width),
          height: max(0, height),
          fill: "none",
          stroke: this.strokeStyle,
          "stroke-width": this.lineWidth
        });
      }
      fillText(words, x, y) {
        const size = /([\d.]+)px/.exec(this.font)[1];
        const bold = /^600/.test(this.font) ? { "font-weight": 600 } : {};
        this.put(
          "text",
          {
            x,
            y: this.textBaseline === "middle" ? y + size * 0.36 : y,
            fill: this.fillStyle,
            "font-size": size,
            "font-family": "system-ui, sans-serif",
            ...bold
          },
          words
        );
      }
      measureText(words) {
        this.measure.font = this.font;
        return this.measure.measureText(words);
      }
      beginPath() {
        this.lines = "";
      }
      moveTo(x, y) {
        this.lines += "M" + x.toFixed(1) + " " + y.toFixed(1);
      }
      lineTo(x, y) {
        this.lines += "L" + x.toFixed(1) + " " + y.toFixed(1);
      }
      closePath() {
        this.lines += "Z";
      }
      rect(x, y, w, h) {
        this.lines += "M" + x.toFixed(1) + " " + y.toFixed(1) + "h" + w.toFixed(1) + "v" + h.toFixed(1) + "h" + (-w).toFixed(1) + "Z";
      }
      stroke() {
        if (this.lines) this.put("path", { d: this.lines, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth });
      }
      fill() {
        if (this.lines) this.put("path", { d: this.lines, fill: this.fillStyle });
      }
      text() {
        const [width, height] = this.size;
        const root = document.createElementNS(svg_names, "svg");
        for (const [key, value] of Object.entries({ width, height, viewBox: "0 0 " + width + " " + height })) root.setAttribute(key, value);
        root.append(...this.parts);
        return new XMLSerializer().serializeToString(root);
      }
    };
  }
)js";

}  // namespace ipuflow::report::impl
