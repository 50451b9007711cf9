// SPDX-License-Identifier: BSL-1.0
// The shell around the views: header, navigation, drawer, search, export, the list of keys, and the keys themselves. It runs last:
// it builds the page, reads the data and opens what the address says.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view shell_script = R"js(
  {
    const root = document.documentElement;
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const kept = (act) => { try { return act(); } catch { return null; } }; // a file's page may have no storage
    const use_theme = (name) => {
      root.dataset.theme = name;
      theme_button.setAttribute("aria-pressed", String(name === "dark"));
      ui.now?.repaint?.();
      if (ui.now && !ui.now.lanes && !ui.now.picture) ui.render();
    };

    const keys_of = [["W, S", "zoom in, out"], ["A, D", "to the left, right"], ["Ctrl + wheel", "zoom at the pointer"], ["Shift + drag, Shift + wheel", "move"], ["Drag", "select an area, with statistics"],
      ["Click, Enter", "details of a slice"], [". and , or arrows", "next, previous slice; arrows up and down change the row"], ["F", "centre what is selected; again: fit it"], ["+ and \u2212", "higher, lower rows"],
      ["P", "pin the row to the top"], ["C", "critical path to what is selected, or to the end"], ["Home", "the whole run"], ["Ctrl + P or /", "find a track, operation, variable, step or time"], ["Esc", "clear"], ["1 to 9, 0", "the views"], ["?", "this list"]];
    ui.hint = (words, x, y) => {
      hint.hidden = !words;
      if (!words) return;
      hint.textContent = words;
      hint.style.left = max(4, min(x + 14, innerWidth - hint.offsetWidth - 6)) + "px";
      hint.style.top = (y + 18 + hint.offsetHeight > innerHeight ? y - hint.offsetHeight - 8 : y + 18) + "px";
    };
    ui.details = (title, body, actions = []) => {
      drawer_title.textContent = title;
      drawer_body.replaceChildren(body);
      drawer_actions.replaceChildren(...actions.filter(Boolean).map(([words, act]) => ui.button(words, act)));
      drawer.hidden = false;
    };
    ui.close_details = () => (drawer.hidden = true);

    const hint = el("div.v-hint", { role: "tooltip", hidden: true });
    const drawer_title = el("h2.v-u", {});
    const drawer_actions = el("div.v-actions", {});
    const drawer_body = el("div.v-drawer-body", {});
    const drawer = el("aside.v-drawer", { "aria-label": "Details", hidden: true },
      bar(drawer_title, ui.button("\u00d7", () => ui.close_details(), { "aria-label": "Close the details" }), drawer_actions), drawer_body);
    ui.live = el("div.v-hidden", { role: "status", "aria-live": "polite" });
    const title = el("h1.v-u", {}, document.title || "Profile");
    const parts_box = el("div", {});
    const nav = el("nav", { "aria-label": "Views" });
    const panel_title = el("h2", {});
    const panel = el("div.v-panel", {});
    const main = el("main", { id: "v-main", tabindex: -1 }, panel_title, panel);
    const theme_button = ui.button("Dark", () => { const name = ui.is_dark() ? "light" : "dark"; kept(() => localStorage.setItem("ipuflow-theme", name)); use_theme(name); }, { "aria-pressed": "false" });
    const export_box = el("details.v-menu", {}, el("summary", {}, "Export"), el("div", {}, ["SVG", "PNG", "CSV"].map((type) => ui.button(type, () => { export_box.open = false; ui.write(type); }))));
    const dialog = el("dialog.v-dialog", { "aria-label": "Dialog", click: (event) => { if (event.target === dialog) dialog.close(); } });

    ui.write = (type) => {
      const name = (ui.header.title || "profile").replace(/[^\w-]+/g, "_").slice(0, 60) + "_" + ui.state.v;
      if (type === "CSV") return ui.download(name + ".csv", "text/csv", ui.now.csv?.() ?? ui.csv_of_tables(panel));
      const picture = ui.now.picture?.() ?? (ui.now.lanes?.includes(ui.active) ? ui.active : ui.now.lanes?.[0]);
      if (!picture) return ui.details("Nothing to draw", el("p", {}, "This view is tables and words only: CSV has them all."));
      if (type === "SVG") return ui.download(name + ".svg", "image/svg+xml", picture.svg());
      picture.canvas.toBlob((blob) => ui.download(name + ".png", "image/png", blob), "image/png");
    };

    // What can be found: rows, steps, slices, operations, variables, lines, parts of the program, times, views.
    const found_for = (words) => {
      const part = ui.part();
      const list = [];
      const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
      const fits = (text) => wanted.every((w) => text.toLowerCase().includes(w));
      const add = (kind, text, act) => { if (list.length < 60 && fits(kind + " " + text)) list.push({ kind, text, act }); };
      const open = (v, act) => () => { if (ui.state.v !== v) ui.go({ v, s: "" }); act?.(); };
      ui.views.forEach((view) => add("view", view.name, open(view.id)));
      if (part.timeline && Number.isFinite(Number(words)) && words.trim()) {
        const t = Number(words);
        if (t >= 0 && t <= part.timeline.length) list.push({ kind: "time", text: part.clock.full(t), act: open("timeline", () => { const l = ui.timeline_lanes; ui.aim(l, t - (l.to - l.from) / 2, t + (l.to - l.from) / 2); }) });
      }
      part.timeline?.rows.forEach((row) => add("track", row.name, open("timeline", () => {
        const lanes = ui.timeline_lanes;
        const band = lanes.bands.find((b) => b.row.name === row.name && b.track);
        if (!band) return;
        lanes.box.scrollTop = band.top - 40;
        ui.select(lanes, { track: band.track, i: min(ui.first_behind(band.track.finish, lanes.from), band.track.count - 1), row: band.r });
      })));
      if (part.timeline && wanted.length) {
        const s = ui.slices_of(part);
        const numbers = /^(.*?)\s*(\d+)$/.exec(words.trim());
        const kinds = part.timeline.kinds.map((k) => k.toLowerCase().includes((numbers ? numbers[1] : words).toLowerCase().trim()));
        for (let i = 0, n = 0; i < s.count && n < 12; ++i) {
          if (!kinds[s.kind[i]] || (numbers && s.micro_batch[i] - 1 !== Number(numbers[2]))) continue;
          ++n;
          list.push({ kind: "slice", text: ui.slice_name(part, i) + " on " + part.timeline.rows[s.row[i]].name + " at " + part.clock.short(s.start[i]), act: open("timeline", () => { const at = ui.slice_at(part, i); if (at) ui.select(ui.timeline_lanes, at); }) });
        }
      }
      if (part.schedule) for (let step = 0; step < part.schedule.steps && wanted.length && list.length < 60; ++step) {
        if (fits("step " + step)) add("step", "step " + step, open("schedule", () => { const [l] = ui.schedule_lanes; ui.aim(l, step - 8, step + 8); l.area = { from: step, to: step + 1 }; l.redraw(); }));
      }
      part.operations?.forEach((o) => add("operation", o.name, open("operations", () => ui.operations_table.find(o.name))));
      part.memory?.variables?.name.forEach((name) => add("variable", name, open("memory", () => { ui.variables_table.find(name); ui.variables_table.scrollIntoView(); })));
      part.series?.forEach((line) => add("line", line.name, open("queues")));
      const tree = (node) => { add("program", node.name, open("program", () => ui.open_program(node))); node.inside?.forEach(tree); };
      if (part.program) tree(part.program);
      return list;
    };
    const search = () => {
      let list = [];
      let at = 0;
      const options = el("ul", { id: "v-found", role: "listbox", "aria-label": "Found" });
      const draw = () => {
        options.replaceChildren(...list.map((f, i) => el("li", { id: "v-found-" + i, role: "option", "aria-selected": String(i === at), click: () => take(i) }, el("span.v-soft", {}, f.kind), el("span.v-u", {}, f.text))));
        if (list.length === 0) options.append(el("li", { role: "option", "aria-selected": "false" }, "Nothing has these words."));
        input.setAttribute("aria-activedescendant", list.length ? "v-found-" + at : "");
        options.children[at]?.scrollIntoView({ block: "nearest" });
      };
      const take = (i) => { dialog.close(); list[i]?.act(); };
      const find = () => { list = found_for(input.value); at = 0; draw(); };
      const input = el("input", { type: "search", role: "combobox", "aria-label": "Find a track, operation, variable, step or time", "aria-expanded": "true", "aria-controls": "v-found", placeholder: "Track, operation, variable, step, slice or time", input: find,
        keydown: (event) => {
          const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (by) event.preventDefault(), (at = max(0, min(list.length - 1, at + by))), draw();
          if (event.key === "Enter") event.preventDefault(), take(at);
        } });
      dialog.setAttribute("aria-label", "Find");
      dialog.replaceChildren(input, options);
      dialog.showModal();
      input.focus();
      find();
    };
    const help = () => {
      dialog.setAttribute("aria-label", "Keys");
      dialog.replaceChildren(el("h2", {}, "Keys"), ui.facts_list(keys_of.map(([k, what]) => [k, what])), ui.button("Close", () => dialog.close()));
      dialog.showModal();
    };

    on(document, "keydown", (event) => {
      const { target } = event;
      const control = event.ctrlKey || event.metaKey;
      if (dialog.open) return;
      if (control && event.key.toLowerCase() === "p") return event.preventDefault(), search();
      if (control || event.altKey || !ui.now) return;
      const typing = target.matches("input:not([type=range]):not([type=checkbox]), select, textarea");
      if (typing) return event.key === "Escape" ? target.blur() : undefined;
      if (event.key === "/") return event.preventDefault(), search();
      if (event.key === "?") return event.preventDefault(), help();
      const view = /^\d$/.test(event.key) && ui.views.find((v) => v.key === event.key);
      if (view) return ui.go({ v: view.id, s: "" });
      const plain = event.key.length === 1 || event.key === "Escape";
      if (!plain && !(target === document.body || target === main || target.tagName === "CANVAS")) return; // arrows scroll tables, Enter presses buttons
      const active = ui.active;
      if (active && !active.closed && (active.key ? active.key(event) : ui.lanes_key(active, event))) return event.preventDefault();
      if (event.key === "Escape") ui.close_details();
    });

    ui.render = (before) => {
      const part = ui.part();
      const view = ui.views.find((v) => v.id === ui.state.v);
      ui.now?.close?.();
      ui.active = null;
      ui.hint(null);
      ui.close_details();
      if (before && before.p !== ui.state.p) ui.state.r = null;
      for (const button of nav.children) button.toggleAttribute("data-empty", Boolean(ui.views.find((v) => v.id === button.dataset.view).empty(part)));
      for (const button of nav.children) {
        if (button.dataset.view === view.id) button.setAttribute("aria-current", "page"), button.scrollIntoView({ block: "nearest", inline: "nearest" });
        else button.removeAttribute("aria-current");
      }
      parts_box.replaceChildren(ui.parts.length > 1 ? ui.choice("Part", ui.parts.map((p) => p.name), ui.state.p, (p) => ui.go({ p, q: p === ui.state.q ? ui.state.p : ui.state.q, s: "", r: null })) : "");
      panel_title.replaceChildren(view.name, el("span.v-soft.v-u", {}, view.id === "report" ? "" : " " + part.name));
      panel.className = "v-panel v-" + view.id;
      panel.replaceChildren();
      main.scrollTop = 0;
      const why = view.empty(part);
      if (why) panel.append(empty(why));
      ui.now = (why ? null : view.make(panel, part)) ?? {};
      document.title = (ui.header.title || "Profile") + " \u2013 " + view.name;
      ui.say(view.name + " of " + part.name + (why ? ": " + why : ""));
    };

    const begin = async () => {
      ui.views.sort((a, b) => ((Number(a.key) || 10) - (Number(b.key) || 10)));
      const old = document.getElementById("report");
      ui.report = el("div.v-report", {});
      if (old) ui.report.append(...old.childNodes), old.remove();
      nav.append(...ui.views.map((view) => ui.button([el("kbd", { "aria-hidden": "true" }, view.key), view.name], () => ui.go({ v: view.id, s: "" }), { "data-view": view.id })));
      document.body.prepend(el("div", { id: "v-app" },
        el("header", {}, el("a.v-skip", { href: "#", click: (event) => { event.preventDefault(); main.focus(); } }, "To the view"),
          el("p.v-hidden", { id: "v-keys-hint" }, "W and S zoom, A and D move, the arrows go from slice to slice, a question mark lists all keys."), title, parts_box, el("span.v-grow", {}), ui.button([el("span", {}, "Find"), el("kbd", { "aria-hidden": "true" }, "/")], search), export_box, theme_button, ui.button("Keys", help, { title: "?" })),
        nav, main, drawer), ui.live, hint, dialog);
      use_theme(kept(() => localStorage.getItem("ipuflow-theme")) ?? (dark.matches ? "dark" : "light"));
      on(dark, "change", () => use_theme(dark.matches ? "dark" : "light"));
      panel.replaceChildren(empty("Reading the data \u2026"));
      try {
        await ui.read_data();
        title.textContent = ui.header.title || "Profile";
        ui.read_address();
        ui.render();
        performance.mark("ipuflow-ready");
        root.dataset.ready = "yes";
      } catch (error) {
        panel.replaceChildren(el("p.v-empty", { role: "alert" }, "The data of this page cannot be read: " + error.message), ui.report);
        root.dataset.ready = "no";
        console.error(error);
      }
    };
    on(globalThis, "popstate", () => { if (!ui.header) return; ui.read_address(); ui.render(); });
    on(globalThis, "resize", () => ui.now?.resized?.());
    begin();
  }
)js";

}  // namespace ipuflow::report::impl
