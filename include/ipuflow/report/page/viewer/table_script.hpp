// SPDX-License-Identifier: BSL-1.0
// Tables: small ones as they are, large ones of which only the rows that are seen exist, sorted by a click and filtered by words;
// lists of facts; and rows as CSV.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view table_script = R"js(
  {
    const numeric = text => /^\u2013$|^[+\u2212-]?[\d.,]+([\s\u00a0](%|[KMGT]?i?B|cycles|[nm\u00b5]?s))?$/.test(text);

    ui.plain_table = (name, head, rows) => {
      const right = head.map(
        (_, c) => rows.length > 0 && rows.every(r => r[c] === "" || typeof r[c] === "number" || (typeof r[c] === "string" && numeric(r[c])))
      );
      const cell = (value, c) =>
        el(
          "td",
          { class: right[c] ? "v-n" : value.length > 60 ? "v-long" : null },
          value instanceof Node ? value : typeof value === "number" ? show.number(value) : value
        );
      return el(
        "div.v-scroll",
        { tabindex: 0, role: "group", "aria-label": name },
        el(
          "table.v-table",
          {},
          el("caption", {}, name),
          el(
            "thead",
            {},
            el(
              "tr",
              {},
              head.map((h, c) => el(h ? "th" : "td", { scope: h ? "col" : null, class: right[c] ? "v-n" : null }, h))
            )
          ),
          el(
            "tbody",
            {},
            rows.map(r => el("tr", {}, r.map(cell)))
          )
        )
      );
    };
    ui.facts_list = rows =>
      el(
        "dl.v-facts",
        {},
        rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))
      );

    // given: { name, head, rows or (count and cell(row, column)), pick(row), texts: [function for each column or nothing] }
    ui.big_table = given => {
      const count = given.rows ? given.rows.length : given.count;
      const cell = given.cell ?? ((r, c) => given.rows[r][c]);
      const { head } = given;
      const high = 26;
      let order = Array.from({ length: count }, (_, i) => i);
      let sorted = given.sorted ?? { column: -1, down: true };
      let chosen = -1;
      const words = (value, c) =>
        given.texts?.[c] ? given.texts[c](value) : typeof value === "number" ? show.number(value) : String(value ?? "");
      const right = head.map((_, c) => count > 0 && typeof cell(0, c) === "number");
      const body = el("tbody");
      const filter = el("input", { type: "search", placeholder: "Filter", "aria-label": "Filter " + given.name, input: () => arrange() });
      const how_many = el("output.v-soft");
      const heads = head.map((h, c) =>
        el(
          "th",
          { scope: "col", class: right[c] ? "v-n" : null },
          ui.button(h, () => {
            sorted = { column: c, down: sorted.column === c ? !sorted.down : right[c] };
            arrange();
          })
        )
      );
      const box = el(
        "div.v-scroll.v-big",
        { tabindex: 0, role: "group", "aria-label": given.name, scroll: () => fill() },
        el(
          "table.v-table",
          { "aria-rowcount": count + 1 },
          el("caption.v-hidden", {}, given.name),
          el("thead", {}, el("tr", {}, heads)),
          body
        )
      );
      const space = rows => {
        const td = el("td", { colspan: head.length });
        td.style.height = rows * high + "px";
        return el("tr.v-space", { "aria-hidden": "true" }, td);
      };
      const fill = () => {
        const first = max(0, floor(box.scrollTop / high) - 12);
        const last = min(order.length, first + ceil((box.clientHeight || 500) / high) + 28);
        const made = [];
        if (first > 0) made.push(space(first));
        for (let n = first; n < last; ++n) {
          const r = order[n];
          const act = given.pick
            ? () => {
                chosen = r;
                fill();
                given.pick(r);
              }
            : null;
          made.push(
            el(
              "tr",
              { class: r === chosen ? "v-chosen" : null, "aria-rowindex": n + 2, click: act },
              head.map((_, c) => {
                const text = words(cell(r, c), c);
                const inside = given.pick && c === (given.link ?? 0) ? ui.button(text, act, { class: "v-link" }) : text;
                return el("td", { class: right[c] ? "v-n" : "v-u" }, inside);
              })
            )
          );
        }
        if (last < order.length) made.push(space(order.length - last));
        if (order.length === 0)
          made.push(el("tr", {}, el("td", { colspan: head.length }, count ? "No row has these words." : "There are no rows.")));
        body.replaceChildren(...made);
      };
      const arrange = () => {
        const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
        order = [];
        for (let r = 0; r < count; ++r) {
          if (wanted.length) {
            const all = head
              .map((_, c) => (right[c] ? "" : words(cell(r, c), c)))
              .join(" ")
              .toLowerCase();
            if (!wanted.every(w => all.includes(w))) continue;
          }
          order.push(r);
        }
        const { column, down } = sorted;
        if (column >= 0) {
          const sign = down ? -1 : 1;
          const by = right[column]
            ? (a, b) => cell(a, column) - cell(b, column)
            : (a, b) => String(cell(a, column)).localeCompare(String(cell(b, column)), "en", { numeric: true });
          order.sort((a, b) => sign * by(a, b) || a - b);
        }
        heads.forEach((th, c) => th.setAttribute("aria-sort", c !== column ? "none" : down ? "descending" : "ascending"));
        how_many.textContent = wanted.length
          ? show.count(order.length) + " of " + show.count(count)
          : show.count(count) + (count === 1 ? " row" : " rows");
        fill();
      };
      arrange();
      requestAnimationFrame(fill);
      const whole = el("div.v-tablebox", {}, bar(filter, how_many), box);
      whole.csv = () =>
        ui.csv(
          head,
          order.map(r => head.map((_, c) => cell(r, c)))
        );
      whole.find = name => {
        filter.value = "";
        arrange();
        const n = order.findIndex(r => cell(r, 0) === name);
        chosen = order[n];
        box.scrollTop = n * high - 60;
        fill();
        given.pick?.(chosen);
      };
      return whole;
    };

    // A cell that a spreadsheet would take for a formula begins with an apostrophe.
    ui.csv = (head, rows) => {
      const cell = value => {
        const text = typeof value === "number" ? String(value) : String(value ?? "").replace(/^[=+\-@\t]/, "'$&");
        return /[\u0022,\n;]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
      };
      return [head, ...rows].map(row => row.map(cell).join(",")).join("\r\n") + "\r\n";
    };
    ui.csv_of_tables = root =>
      [...root.querySelectorAll("table")]
        .map(table =>
          [...table.rows]
            .filter(row => !row.classList.contains("v-space"))
            .map(row =>
              ui.csv(
                [...row.cells].map(c => c.textContent),
                []
              )
            )
            .join("")
        )
        .join("\r\n");
  }
)js";

}  // namespace ipuflow::report::impl
