// SPDX-License-Identifier: BSL-1.0
// The ground of the viewer's script: elements made without markup, numbers and times as words, colours, and the state that the
// page's address keeps. A name of a user becomes a text node and nothing else: no function here takes markup.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view base_script = R"js(
  "use strict";
  const ui = (globalThis.ipuflow = { views: [], parts: [], state: { v: "summary", p: 0, q: 1, r: null, s: "" } });
  const show = {}; // numbers and times as words
  const { min, max, round, floor, ceil, abs, log2 } = Math;
  const on = (target, name, act, options) => target.addEventListener(name, act, options);

  // An element. Strings among the children become text; functions among the attributes listen.
  const el = (kind, attributes = {}, ...children) => {
    const [tag, ...classes] = kind.split(".");
    const made = document.createElement(tag);
    if (classes.length) made.className = classes.join(" ");
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === "function") on(made, name, value);
      else if (value === true) made.setAttribute(name, "");
      else if (value !== false && value !== undefined && value !== null) made.setAttribute(name, value);
    }
    made.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
    return made;
  };
  const h3 = (...words) => el("h3", {}, ...words);
  const bar = (...inside) => el("div.v-bar", {}, ...inside);
  const empty = words => el("p.v-empty", {}, words);
  {
    // each piece is a block, and gives to the others what it puts into `ui`
    ui.button = (words, act, attributes = {}) => el("button", { type: "button", click: act, ...attributes }, words);
    ui.choice = (label, names, chosen, act) => {
      const select = el(
        "select",
        { "aria-label": label, change: () => act(Number(select.value)) },
        names.map((name, i) => el("option", { value: i, selected: i === chosen }, name))
      );
      return el("label.v-choice", {}, el("span", {}, label), select);
    };
    ui.tick = (label, on, act) => {
      const box = el("input", { type: "checkbox", change: () => act(box.checked) });
      box.checked = on;
      return el("label.v-tick", {}, box, label);
    };
    ui.slider = (label, low, high, value, act) => {
      const input = el("input", { type: "range", min: low, max: high, value, step: "any", input: () => act(Number(input.value)) });
      return el("label.v-choice", {}, el("span", {}, label), input);
    };

    // Marks that would turn a line of text around, and other invisible ones, are shown by their numbers.
    const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
    ui.clean = text => text.replace(hidden, c => "\u2039U+" + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0") + "\u203a");

    const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
    const digits = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
    const fine = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });
    const count = n => whole.format(n);
    const scaled = (n, units, step) => {
      let u = 0;
      while (abs(n) >= step && u + 1 < units.length) ((n /= step), ++u);
      return (abs(n) >= 100 ? whole : digits).format(n) + " " + units[u];
    };
    const number = n => (typeof n !== "number" ? String(n) : Number.isInteger(n) || abs(n) >= 1e6 ? count(n) : fine.format(n));
    const bytes = n => scaled(n, ["B", "KiB", "MiB", "GiB", "TiB"], 1024);
    const percent = (part, all) => (all > 0 ? (100 * part) / all : 0).toFixed(1) + "\u00a0%";
    const seconds = (s, unit) => {
      const units = { s: 1, ms: 1e-3, "\u00b5s": 1e-6, ns: 1e-9 };
      const size = abs(s);
      const u = unit ?? (size >= 1 || size === 0 ? "s" : size >= 1e-3 ? "ms" : size >= 1e-6 ? "\u00b5s" : "ns");
      const shown = s / units[u];
      return (abs(shown) >= 100 ? whole.format(shown) : digits.format(shown)) + " " + u;
    };
    // The clock of a part: its ticks as short words, and in full. Ticks without a length in seconds are plain numbers.
    const clock_of = part => {
      const hz = part.ticks_per_second;
      const name = part.tick_name ?? (part.in_cycles ? "cycles" : hz ? "ns" : "units");
      const plain = part.in_cycles || !hz;
      return {
        short: t => (plain ? number(t) + " " + name : seconds(t / hz)),
        full: t => number(t) + " " + name + (hz ? " (" + seconds(t / hz) + ")" : ""),
        use: t => (hz ? seconds(t / hz) : number(t) + " " + name),
        mark: (t, every) => (plain ? number(t) : axis_seconds(t / hz, every / hz)),
        hz: hz || 1,
        real: hz > 0,
        name
      };
    };
    const axis_seconds = (s, every) => {
      const [unit, size] = every >= 1 ? ["s", 1] : every >= 1e-3 ? ["ms", 1e-3] : every >= 1e-6 ? ["\u00b5s", 1e-6] : ["ns", 1e-9];
      return fine.format(s / size) + " " + unit;
    };
    const steps_clock = { short: t => "step " + count(t), full: t => "step " + count(t), mark: t => count(t), hz: 1, whole: true };
    // A round distance between the marks of an axis.
    const round_step = least => {
      const ten = 10 ** floor(Math.log10(max(least, 1e-12)));
      return [1, 2, 5, 10].map(f => f * ten).find(step => step >= least * 0.999999);
    };
    Object.assign(show, { count, number, bytes, percent, seconds, clock_of, steps_clock, round_step });
    ui.value_of = (value, unit) => {
      if (unit === "bytes" && typeof value === "number") return count(value) + " bytes (" + bytes(value) + ")";
      if (unit === "s" && typeof value === "number") return seconds(value);
      return number(value) + (unit ? " " + unit : "");
    };

    // The colours of kinds of work are those of the library's SVG pictures; in the dark those that would drown are lighter.
    const kinds = {
      forward: "#2f6db3",
      backward: "#3a8f5c",
      "backward for inputs": "#23898f",
      "backward for weights": "#c7791f",
      recompute: "#7a6aa8",
      update: "#a33b3b",
      infeed: "#8a8a84",
      outfeed: "#b4b4ab",
      stash: "#b9ad84",
      restore: "#d6c99c",
      exchange: "#d2a63c",
      "from streaming memory": "#8a6a55",
      "to streaming memory": "#6b5242",
      "clear gradients": "#cfa9a9",
      "reduce gradients": "#a8578c",
      "all-reduce": "#c2477f",
      run: "#5b5b57",
      compute: "#5a86b8",
      "plan step, even": "#c9c9c2",
      "plan step, odd": "#a9a9a1",
      sync: "#8a8a84",
      waiting: "#c9c9c2",
      host: "#8a6a55",
      bubble: "#c9c9c2",
      streaming: "#6b5242",
      "inter-chip": "#23898f",
      "vertex code": "#7a6aa8",
      "vertex state": "#a8578c",
      "exchange code": "#d2a63c",
      "control code": "#c7791f",
      stack: "#8a6a55",
      "always-live variables": "#2f6db3",
      "not-always-live variables": "#3a8f5c",
      gaps: "#bdbdb5",
      weights: "#2f6db3",
      activations: "#3a8f5c",
      gradients: "#23898f",
      code: "#7a6aa8"
    };
    const others = ["#4f7fbf", "#5a9e74", "#c98d3a", "#8b7db5", "#b65f5f", "#3f9aa0", "#a06a8d", "#86785a"];
    const dark_kinds = {
      run: "#85857f",
      waiting: "#55555c",
      bubble: "#55555c",
      gaps: "#62626a",
      "to streaming memory": "#8f705d",
      update: "#c05050",
      forward: "#4482cb",
      "plan step, even": "#3d424b",
      "plan step, odd": "#50565f",
      "always-live variables": "#4482cb",
      weights: "#4482cb"
    };
    ui.is_dark = () => document.documentElement.dataset.theme === "dark";
    ui.colour = (name, position = 0) => {
      const known = /^(waiting|between|idle)/.test(name) ? "waiting" : name;
      return (ui.is_dark() && dark_kinds[known]) || (Object.hasOwn(kinds, known) ? kinds[known] : others[position % others.length]);
    };
    const rgb = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
    ui.rgb = rgb;
    ui.ink_on = hex => {
      // black or white, whichever is read better on the colour
      const [r, g, b] = rgb(hex).map(c => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000000" : "#ffffff";
    };
    ui.theme = () => {
      const read = getComputedStyle(document.documentElement);
      const of = name => read.getPropertyValue("--" + name).trim();
      return {
        paper: of("paper"),
        lane: of("lane"),
        line: of("line"),
        ink: of("ink"),
        soft: of("soft"),
        accent: of("accent"),
        strong: of("strong")
      };
    };
    ui.swatch = colour => {
      const made = el("i.v-swatch", { "aria-hidden": "true" });
      made.style.background = colour;
      return made;
    };
    // Names with their colours; of kinds, those that a column has.
    ui.coloured = names => names.map((name, i) => [name, ui.colour(name, i)]);
    ui.used = (kinds, column) => ui.coloured(kinds).filter((_, k) => column.includes(k));
    ui.legend = (pairs, of) =>
      el(
        "ul.v-legend",
        { "aria-label": of ? "Colours: " + of : "Colours" },
        of && el("li", { "aria-hidden": "true" }, of + ":"),
        pairs.map(([name, colour]) => el("li", {}, ui.swatch(colour), name))
      );

    // Words on a canvas: their width is measured once.
    const widths = new Map();
    ui.width_of = (pen, px, words) => {
      const key = px + words;
      let wide = widths.get(key);
      if (wide === undefined) {
        if (widths.size > 20000) widths.clear();
        widths.set(key, (wide = pen.measureText(words).width));
      }
      return wide;
    };
    ui.cut = (pen, px, words, room) => {
      if (ui.width_of(pen, px, words) <= room) return words;
      const letters = floor((room / ui.width_of(pen, px, words)) * words.length) - 1;
      return letters > 0 ? words.slice(0, letters) + "\u2026" : "";
    };

    // What a screen reader says of the last change.
    ui.say = text => {
      if (ui.live && ui.live.textContent !== text) ui.live.textContent = text;
    };

    // The address keeps view, part, range and selection. A new view is a step of the history, a new range is none.
    ui.address = () => {
      const s = ui.state;
      const fields = { v: s.v, p: s.p, q: s.q, r: s.r ? s.r.map(t => round(t * 100) / 100).join("~") : "", s: s.s };
      return (
        "#" +
        Object.entries(fields)
          .filter(([, value]) => value !== "")
          .map(([k, v]) => k + "=" + encodeURIComponent(v))
          .join("&")
      );
    };
    ui.read_address = () => {
      const read = new URLSearchParams(location.hash.slice(1));
      const index = (name, otherwise) => {
        const n = Number(read.get(name) ?? otherwise);
        return Number.isInteger(n) && n >= 0 && n < ui.parts.length ? n : min(otherwise, ui.parts.length - 1);
      };
      const range = (read.get("r") ?? "").split("~").map(Number);
      const known = ui.views.some(view => view.id === read.get("v"));
      Object.assign(ui.state, {
        v: known ? read.get("v") : "summary",
        p: index("p", 0),
        q: index("q", 1),
        s: read.get("s") ?? "",
        r: range.length === 2 && range.every(Number.isFinite) && range[0] < range[1] ? range : null
      });
    };
    ui.go = (change, quiet = false) => {
      const before = ui.state;
      ui.state = { ...before, ...change };
      const step = ui.state.v !== before.v || ui.state.p !== before.p || ui.state.q !== before.q;
      history[step ? "pushState" : "replaceState"](null, "", ui.address());
      if (!quiet || step) ui.render(before);
    };
    ui.keep = change => {
      // in the address, soon, and without drawing anything anew
      Object.assign(ui.state, change);
      clearTimeout(ui.keeping);
      ui.keeping = setTimeout(() => history.replaceState(null, "", ui.address()), 200);
    };
    ui.part = () => ui.parts[ui.state.p];

    ui.download = (name, type, data) => {
      const at = URL.createObjectURL(data instanceof Blob ? data : new Blob([data], { type }));
      el("a", { href: at, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(at), 10000);
      ui.say(name + " was written");
    };
  }
)js";

}  // namespace ipuflow::report::impl
