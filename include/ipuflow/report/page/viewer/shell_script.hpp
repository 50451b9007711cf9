// SPDX-License-Identifier: BSL-1.0
// The shell around the views: header, navigation, drawer, export, the list of keys, and the keys themselves. It runs last:
// it builds the page, reads the data and opens what the address says.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view shell_script = R"js(
  {
    const root = document.documentElement;
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const kept = act => {
      try {
        return act();
      } catch {
        return null;
      }
    }; // a file's page may have no storage
    const use_theme = name => {
      root.dataset.theme = name;
      theme_button.setAttribute("aria-pressed", String(name === "dark"));
      ui.now?.repaint?.();
      if (ui.now && !ui.now.lanes && !ui.now.picture) ui.render();
    };

    const keys_of = [
      ["W, S", "zoom in, out"],
      ["A, D", "to the left, right"],
      ["Ctrl + wheel", "zoom at the pointer"],
      ["Shift + drag, Shift + wheel", "move"],
      ["Drag", "select an area, with statistics"],
      ["Click, Enter", "details of a slice"],
      [". and , or arrows", "next, previous slice; arrows up and down change the row"],
      ["F", "centre what is selected; again: fit it"],
      ["+ and \u2212", "higher, lower rows"],
      ["P", "pin the row to the top"],
      ["C", "critical path to what is selected, or to the end"],
      ["Home", "the whole run"],
      ["Ctrl + P or /", "find a track, operation, variable, step or time"],
      ["Esc", "clear"],
      ["1 to 9, 0", "the views"],
      ["?", "this list"]
    ];
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
    const drawer_title = el("h2.v-u");
    const drawer_actions = el("div.v-actions");
    const drawer_body = el("div.v-drawer-body");
    const drawer = el(
      "aside.v-drawer",
      { "aria-label": "Details", hidden: true },
      bar(
        drawer_title,
        ui.button("\u00d7", () => ui.close_details(), { "aria-label": "Close the details" }),
        drawer_actions
      ),
      drawer_body
    );
    ui.live = el("div.v-hidden", { role: "status", "aria-live": "polite" });
    const title = el("h1.v-u", {}, document.title || "Profile");
    const parts_box = el("div");
    const nav = el("nav", { "aria-label": "Views" });
    const panel_title = el("h2");
    const panel = el("div.v-panel");
    const main = el("main", { id: "v-main", tabindex: 0 }, panel_title, panel);
    const theme_button = ui.button(
      "Dark",
      () => {
        const name = ui.is_dark() ? "light" : "dark";
        kept(() => localStorage.setItem("ipuflow-theme", name));
        use_theme(name);
      },
      { "aria-pressed": "false" }
    );
    const export_box = el(
      "details.v-menu",
      {},
      el("summary", {}, "Export"),
      el(
        "div",
        {},
        ["SVG", "PNG", "CSV"].map(type =>
          ui.button(type, () => {
            export_box.open = false;
            ui.write(type);
          })
        )
      )
    );
    const dialog = el("dialog.v-dialog", {
      "aria-label": "Dialog",
      click: event => {
        if (event.target === dialog) dialog.close();
      }
    });

    ui.write = type => {
      const name = (ui.header.title || "profile").replace(/[^\w-]+/g, "_").slice(0, 60) + "_" + ui.state.v;
      if (type === "CSV") return ui.download(name + ".csv", "text/csv", ui.now.csv?.() ?? ui.csv_of_tables(panel));
      const picture = ui.now.picture?.() ?? (ui.now.lanes?.includes(ui.active) ? ui.active : ui.now.lanes?.[0]);
      if (!picture) return ui.details("Nothing to draw", el("p", {}, "This view is tables and words only: CSV has them all."));
      if (type === "SVG") return ui.download(name + ".svg", "image/svg+xml", picture.svg());
      picture.canvas.toBlob(blob => ui.download(name + ".png", "image/png", blob), "image/png");
    };

    const help = () => {
      dialog.setAttribute("aria-label", "Keys");
      dialog.replaceChildren(
        el("h2", {}, "Keys"),
        ui.facts_list(keys_of.map(([k, what]) => [k, what])),
        ui.button("Close", () => dialog.close())
      );
      dialog.showModal();
    };

    on(document, "keydown", event => {
      const { target } = event;
      const control = event.ctrlKey || event.metaKey;
      if (dialog.open) return;
      if (control && event.key.toLowerCase() === "p") return (event.preventDefault(), ui.search(dialog));
      if (control || event.altKey || !ui.now) return;
      const typing = target.matches("input:not([type=range]):not([type=checkbox]), select, textarea");
      if (typing) return event.key === "Escape" ? target.blur() : undefined;
      if (event.key === "/") return (event.preventDefault(), ui.search(dialog));
      if (event.key === "?") return (event.preventDefault(), help());
      const view = /^\d$/.test(event.key) && ui.views.find(v => v.key === event.key);
      if (view) return ui.go({ v: view.id, s: "" });
      const plain = event.key.length === 1 || event.key === "Escape";
      // Elsewhere arrows scroll tables, and Enter presses buttons.
      if (!plain && !(target === document.body || target === main || target.tagName === "CANVAS")) return;
      const active = ui.active;
      if (active && !active.closed && (active.key ? active.key(event) : ui.lanes_key(active, event))) return event.preventDefault();
      if (event.key === "Escape") ui.close_details();
    });

    ui.render = before => {
      const part = ui.part();
      const view = ui.views.find(v => v.id === ui.state.v);
      ui.now?.close?.();
      ui.active = null;
      ui.hint(null);
      ui.close_details();
      if (before && before.p !== ui.state.p) ui.state.r = null;
      for (const button of nav.children)
        button.toggleAttribute("data-empty", Boolean(ui.views.find(v => v.id === button.dataset.view).empty(part)));
      for (const button of nav.children) {
        if (button.dataset.view === view.id)
          (button.setAttribute("aria-current", "page"), button.scrollIntoView({ block: "nearest", inline: "nearest" }));
        else button.removeAttribute("aria-current");
      }
      parts_box.replaceChildren(
        ui.parts.length > 1
          ? ui.choice(
              "Part",
              ui.parts.map(p => p.name),
              ui.state.p,
              p => ui.go({ p, q: p === ui.state.q ? ui.state.p : ui.state.q, s: "", r: null })
            )
          : ""
      );
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
      ui.views.sort((a, b) => (Number(a.key) || 10) - (Number(b.key) || 10));
      const old = document.querySelector("body > main");
      ui.report = el("div.v-report", { id: "static" });
      if (old) (ui.report.append(...old.childNodes), old.remove());
      nav.append(
        ...ui.views.map(view =>
          ui.button([el("kbd", { "aria-hidden": "true" }, view.key), view.name], () => ui.go({ v: view.id, s: "" }), {
            "data-view": view.id
          })
        )
      );
      document.body.prepend(
        el(
          "div",
          { id: "v-app" },
          el(
            "header",
            {},
            el(
              "a.v-skip",
              {
                href: "#",
                click: event => {
                  event.preventDefault();
                  main.focus();
                }
              },
              "To the view"
            ),
            el(
              "p.v-hidden",
              { id: "v-keys-hint" },
              "W and S zoom, A and D move, the arrows go from slice to slice, a question mark lists all keys."
            ),
            title,
            parts_box,
            el("span.v-grow"),
            ui.button([el("span", {}, "Find"), el("kbd", { "aria-hidden": "true" }, "/")], () => ui.search(dialog)),
            export_box,
            theme_button,
            ui.button("Keys", help, { title: "?" })
          ),
          nav,
          main,
          drawer
        ),
        ui.live,
        hint,
        dialog
      );
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
    on(globalThis, "popstate", () => {
      if (!ui.header) return;
      ui.read_address();
      ui.render();
    });
    on(globalThis, "resize", () => ui.now?.resized?.());
    begin();
  }
)js";

}  // namespace ipuflow::report::impl
