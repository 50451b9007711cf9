// SPDX-License-Identifier: BSL-1.0
// The ground of the viewer's script: elements made without markup, numbers and times as words, colours, and the state that the
// page's address keeps. A name of a user becomes a text node and nothing else: no function here takes markup.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view base_script = R"js(
  (() => {
    "use strict";
    const page = (globalThis.ipuflow = { views: [], parts: [], state: { v: "summary", p: 0, q: 1, r: null, s: "" } });

    // An element. Strings among the children become text; functions among the attributes listen.
    const el = (page.el = (tag, attributes = {}, ...children) => {
      const made = document.createElement(tag);
      for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") made.addEventListener(name, value);
        else if (value === true) made.setAttribute(name, "");
        else if (value !== false && value !== undefined && value !== null) made.setAttribute(name, value);
      }
      made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
      return made;
    });
    page.button = (words, act, attributes = {}) => el("button", { type: "button", click: act, ...attributes }, words);
    page.choice = (label, names, chosen, act) => {
      const select = el("select", { "aria-label": label, change: () => act(Number(select.value)) },
        names.map((name, i) => el("option", { value: i, selected: i === chosen }, name)));
      return el("label", { class: "v-choice" }, el("span", {}, label), select);
    };
    page.tick = (label, on, act) => {
      const box = el("input", { type: "checkbox", change: () => act(box.checked) });
      box.checked = on;
      return el("label", { class: "v-tick" }, box, label);
    };
    page.slider = (label, low, high, value, act) => {
      const input = el("input", { type: "range", min: low, max: high, value, step: "any", input: () => act(Number(input.value)) });
      return el("label", { class: "v-choice" }, el("span", {}, label), input);
    };

    // Marks that would turn a line of text around, and other invisible ones, are shown by their numbers.
    const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
    page.clean = (text) => text.replace(hidden, (c) => "\u2039U+" + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0") + "\u203a");

    const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
    const digits = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
    const fine = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 6 });
    const count = (n) => whole.format(n);
    const scaled = (n, units, step) => {
      let u = 0;
      while (Math.abs(n) >= step && u + 1 < units.length) (n /= step), ++u;
      return (Math.abs(n) >= 100 ? whole : digits).format(n) + " " + units[u];
    };
    const number = (n) => (typeof n !== "number" ? String(n) : Number.isInteger(n) || Math.abs(n) >= 1e6 ? count(n) : fine.format(n));
    const bytes = (n) => scaled(n, ["B", "KiB", "MiB", "GiB", "TiB"], 1024);
    const percent = (part, all) => (all > 0 ? (100 * part) / all : 0).toFixed(1) + "\u00a0%";
    const seconds = (s, unit) => {
      const units = { s: 1, ms: 1e-3, "\u00b5s": 1e-6, ns: 1e-9 };
      const size = Math.abs(s);
      const u = unit ?? (size >= 1 || size === 0 ? "s" : size >= 1e-3 ? "ms" : size >= 1e-6 ? "\u00b5s" : "ns");
      const shown = s / units[u];
      return (Math.abs(shown) >= 100 ? whole.format(shown) : digits.format(shown)) + " " + u;
    };
    // The clock of a part: its ticks as short words, and in full, with cycles and seconds.
    const clock_of = (part) => {
      const hz = part.ticks_per_second || 1e9;
      const cycles = part.in_cycles;
      return {
        short: (t) => (cycles ? count(t) + " cycles" : seconds(t / hz)),
        full: (t) => (cycles ? count(t) + " cycles (" + seconds(t / hz) + ")" : count(t * (1e9 / hz)) + " ns (" + seconds(t / hz) + ")"),
        mark: (t, every) => (cycles ? count(t) : axis_seconds(t / hz, every / hz)), hz, cycles,
        unit: cycles ? "cycles" : "time",
      };
    };
    const axis_seconds = (s, every) => {
      const [unit, size] = every >= 1 ? ["s", 1] : every >= 1e-3 ? ["ms", 1e-3] : every >= 1e-6 ? ["\u00b5s", 1e-6] : ["ns", 1e-9];
      return fine.format(s / size) + " " + unit;
    };
    const steps_clock = { short: (t) => "step " + count(t), full: (t) => "step " + count(t), mark: (t) => count(t), unit: "steps", hz: 1 };
    // A round distance between the marks of an axis.
    const round_step = (least) => {
      const ten = 10 ** Math.floor(Math.log10(Math.max(least, 1e-12)));
      return [1, 2, 5, 10].map((f) => f * ten).find((step) => step >= least * 0.999999);
    };
    page.show = { count, number, bytes, percent, seconds, scaled, clock_of, steps_clock, round_step };
    page.value_of = (value, unit) => {
      if (unit === "bytes" && typeof value === "number") return count(value) + " bytes (" + bytes(value) + ")";
      return number(value) + (unit ? " " + unit : "");
    };

    // The colours of kinds of work are those of the library's SVG pictures; in the dark those that would drown are lighter.
    const kinds = {
      forward: "#2f6db3", backward: "#3a8f5c", "backward for inputs": "#23898f", "backward for weights": "#c7791f", recompute: "#7a6aa8",
      update: "#a33b3b", infeed: "#8a8a84", outfeed: "#b4b4ab", stash: "#b9ad84", restore: "#d6c99c", exchange: "#d2a63c",
      "from streaming memory": "#8a6a55", "to streaming memory": "#6b5242", "clear gradients": "#cfa9a9", "reduce gradients": "#a8578c",
      "all-reduce": "#c2477f", run: "#5b5b57", compute: "#2f6db3", sync: "#8a8a84", synchronise: "#8a8a84", waiting: "#c9c9c2",
      idle: "#c9c9c2", wait: "#c9c9c2", host: "#8a6a55", bubble: "#c9c9c2", stream: "#8a6a55",
      "vertex code": "#7a6aa8", "vertex state": "#a8578c", "exchange code": "#d2a63c", "control code": "#c7791f", stack: "#8a6a55",
      "always-live variables": "#2f6db3", "not-always-live variables": "#3a8f5c", gaps: "#bdbdb5",
      weights: "#2f6db3", activations: "#3a8f5c", gradients: "#23898f", code: "#7a6aa8",
    };
    const others = ["#4f7fbf", "#5a9e74", "#c98d3a", "#8b7db5", "#b65f5f", "#3f9aa0", "#a06a8d", "#86785a"];
    const dark_kinds = { run: "#85857f", waiting: "#55555c", idle: "#55555c", wait: "#55555c", bubble: "#55555c", gaps: "#62626a",
      "to streaming memory": "#8f705d", update: "#c05050", forward: "#4482cb", compute: "#4482cb", "always-live variables": "#4482cb",
      weights: "#4482cb" };
    page.is_dark = () => document.documentElement.dataset.theme === "dark";
    page.colour = (name, position = 0) => (page.is_dark() && dark_kinds[name]) || (Object.hasOwn(kinds, name) ? kinds[name] : others[position % others.length]);
    const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
    page.rgb = rgb;
    page.ink_on = (hex) => { // black or white, whichever is read better on the colour
      const [r, g, b] = rgb(hex).map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.19 ? "#10131a" : "#ffffff";
    };
    page.theme = () => {
      const read = getComputedStyle(document.documentElement);
      const of = (name) => read.getPropertyValue("--" + name).trim();
      return { paper: of("paper"), lane: of("lane"), line: of("line"), ink: of("ink"), soft: of("soft"), accent: of("accent"), strong: of("strong") };
    };
    page.swatch = (colour) => {
      const made = el("i", { class: "v-swatch", "aria-hidden": "true" });
      made.style.background = colour;
      return made;
    };
    page.legend = (names, colours) =>
      el("ul", { class: "v-legend", "aria-label": "Colours" }, names.map((name, i) => el("li", {}, page.swatch(colours[i]), name)));

    // Words on a canvas: their width is measured once.
    const widths = new Map();
    page.width_of = (pen, px, words) => {
      const key = px + words;
      let wide = widths.get(key);
      if (wide === undefined) {
        if (widths.size > 20000) widths.clear();
        widths.set(key, (wide = pen.measureText(words).width));
      }
      return wide;
    };
    page.cut = (pen, px, words, room) => {
      if (page.width_of(pen, px, words) <= room) return words;
      const letters = Math.floor((room / page.width_of(pen, px, words)) * words.length) - 1;
      return letters > 0 ? words.slice(0, letters) + "\u2026" : "";
    };

    // What a screen reader says of the last change.
    page.say = (text) => { if (page.live && page.live.textContent !== text) page.live.textContent = text; };

    // The address keeps view, part, range and selection. A new view is a step of the history, a new range is none.
    page.address = () => {
      const s = page.state;
      const fields = { v: s.v, p: s.p, q: s.q, r: s.r ? s.r.map((t) => Math.round(t * 100) / 100).join("~") : "", s: s.s };
      return "#" + Object.entries(fields).filter(([, value]) => value !== "").map(([k, v]) => k + "=" + encodeURIComponent(v)).join("&");
    };
    page.read_address = () => {
      const read = new URLSearchParams(location.hash.slice(1));
      const index = (name, otherwise) => {
        const n = Number(read.get(name) ?? otherwise);
        return Number.isInteger(n) && n >= 0 && n < page.parts.length ? n : Math.min(otherwise, page.parts.length - 1);
      };
      const range = (read.get("r") ?? "").split("~").map(Number);
      const known = page.views.some((view) => view.id === read.get("v"));
      Object.assign(page.state, {
        v: known ? read.get("v") : "summary", p: index("p", 0), q: index("q", 1), s: read.get("s") ?? "",
        r: range.length === 2 && range.every(Number.isFinite) && range[0] < range[1] ? range : null,
      });
    };
    page.go = (change, quiet = false) => {
      const before = page.state;
      page.state = { ...before, ...change };
      const step = page.state.v !== before.v || page.state.p !== before.p || page.state.q !== before.q;
      history[step ? "pushState" : "replaceState"](null, "", page.address());
      if (!quiet || step) page.render(before);
    };
    page.keep = (change) => { // in the address, soon, and without drawing anything anew
      Object.assign(page.state, change);
      clearTimeout(page.keeping);
      page.keeping = setTimeout(() => history.replaceState(null, "", page.address()), 200);
    };
    page.part = () => page.parts[page.state.p];

    page.download = (name, type, data) => {
      const at = URL.createObjectURL(data instanceof Blob ? data : new Blob([data], { type }));
      el("a", { href: at, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(at), 10000);
      page.say(name + " was written");
    };
  })();
)js";

}  // namespace ipuflow::report::impl
