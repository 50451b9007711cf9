// SPDX-License-Identifier: BSL-1.0
// The view that compares two parts, run with run or plan with run: which is faster and why in a sentence, then differences in
// time, facts, memory and operations, and both timelines side by side.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view compare_script = R"js(
  (() => {
    "use strict";
    const page = globalThis.ipuflow;
    const { el, show } = page;

    const rate_of = (part) => part.facts?.find((f) => typeof f.value === "number" && (f.unit === "samples/s" || /samples.*(per|a) second|samples\/s/.test(f.name)))?.value;
    const seconds_of = (part) => (part.total ?? part.timeline?.length ?? part.schedule?.steps ?? 0) / part.clock.hz;
    const sum_by_name = (list, value) => { const sums = new Map(); for (const x of list ?? []) sums.set(x.name, (sums.get(x.name) ?? 0) + value(x)); return sums; };
    const signed = (words, d) => (d > 0 ? "+" : d < 0 ? "\u2212" : "") + words(Math.abs(d));
    const share = (a, b) => (a ? signed((v) => v.toFixed(1) + "\u00a0%", (100 * (b - a)) / a) : "new");

    page.verdict = (a, b) => {
      const [ra, rb] = [rate_of(a), rate_of(b)];
      const [sa, sb] = [seconds_of(a), seconds_of(b)];
      if (!(sa > 0 && sb > 0)) return "One of the two has no time to compare.";
      const by_rate = ra > 0 && rb > 0;
      const gain = by_rate ? rb / ra : sa / sb;
      if (Math.abs(gain - 1) < 0.0005) return "Both are equally fast.";
      const [quick, slow] = gain > 1 ? [b, a] : [a, b];
      const times = gain > 1 ? gain : 1 / gain;
      const how = by_rate ? show.number(rate_of(quick)) + " instead of " + show.number(rate_of(slow)) + " samples a second" : show.seconds(seconds_of(quick)) + " instead of " + show.seconds(seconds_of(slow));
      const [uses_q, uses_s] = [quick, slow].map((part) => sum_by_name(part.breakdown, (x) => x.value / part.clock.hz));
      const changes = [...new Set([...uses_q.keys(), ...uses_s.keys()])].map((name) => [name, (uses_q.get(name) ?? 0) - (uses_s.get(name) ?? 0)]).sort((x, y) => x[1] - y[1]);
      const saved = changes.filter((c) => c[1] < 0).slice(0, 2).map(([name, d]) => show.seconds(-d) + " less of " + name);
      const lost = changes.filter((c) => c[1] > 0).slice(-1).map(([name, d]) => show.seconds(d) + " more of " + name);
      return quick.name + " is " + times.toFixed(2) + " times as fast as " + slow.name + ": " + how + ". Its step has " +
        (saved.length ? saved.join(" and ") + (lost.length ? ", but " + lost[0] : "") : "no use of time that became shorter") + ".";
    };
    const compared = (name, a, b, of_a, of_b, words) => {
      const names = [...new Set([...of_a.keys(), ...of_b.keys()])];
      const rows = names.map((n) => [n, of_a.get(n) ?? 0, of_b.get(n) ?? 0]).sort((x, y) => Math.abs(y[2] - y[1]) - Math.abs(x[2] - x[1])).slice(0, 100)
        .map(([n, x, y]) => [n, words(x), words(y), signed(words, y - x), share(x, y)]);
      return rows.length ? page.plain_table(name, ["", a.name, b.name, "difference", "in per cent"], rows) : null;
    };
    const memory_sums = (part) => {
      const m = part.memory;
      if (m?.by_tile) return new Map(m.categories.map((name, c) => [name, page.array(m.by_tile[c]).reduce((x, y) => x + y, 0)]));
      return new Map(m?.fullest ? m.categories.map((name, c) => [name + " (fullest tile)", m.fullest.reduce((most, of) => Math.max(most, of[c]), 0)]) : []);
    };

    page.views.push({
      id: "compare", name: "Compare", key: "8",
      empty: () => (page.parts.length > 1 ? null : "This page has one part only: write a page from two runs, or from a plan and a run, to compare them."),
      make(panel, a) {
        const b = page.parts[page.state.q];
        const lanes = [];
        const facts = (part) => new Map((part.facts ?? []).map((f) => [f.name, f]));
        const [fa, fb] = [facts(a), facts(b)];
        const fact_rows = [...new Set([...fa.keys(), ...fb.keys()])].map((name) => {
          const [x, y] = [fa.get(name), fb.get(name)];
          const [vx, vy] = [x, y].map((f) => (f ? page.value_of(f.value, f.unit) : "\u2013"));
          const change = typeof x?.value === "number" && typeof y?.value === "number" ? share(x.value, y.value) : vx === vy ? "same" : "differs";
          return [name, vx, vy, typeof x?.value === "number" && x.value === y?.value ? "same" : change];
        }).sort((x, y) => (x[3] === "same") - (y[3] === "same"));
        const uses = [a, b].map((part) => sum_by_name(part.breakdown, (x) => x.value / part.clock.hz));
        panel.append(
          el("div", { class: "v-bar" }, page.choice("With", page.parts.map((part) => part.name), page.state.q, (q) => page.go({ q, s: "" })),
            page.button("Exchange the two", () => page.go({ p: page.state.q, q: page.state.p, s: "", r: null }))),
          a === b ? el("p", { class: "v-note" }, "Both sides are the same part: choose another one.") : el("p", { class: "v-lead" }, page.verdict(a, b)),
          a !== b && (a.bound || b.bound) ? page.plain_table("What bounds them", ["part", "bound"], [[a.name, a.bound ?? "not known"], [b.name, b.bound ?? "not known"]]) : null,
          compared("The step's time by use", a, b, uses[0], uses[1], (v) => show.seconds(v)));
        const pictures = el("div", { class: "v-pair" });
        panel.append(pictures);
        let linked = true;
        let inside = false;
        [a, b].forEach((part, n) => {
          const model = part.timeline ? page.run_model(part) : part.schedule ? page.plan_model(part) : null;
          const side = el("section", {}, el("h3", { class: "v-u" }, part.name));
          pictures.append(side);
          if (!model) return side.append(el("p", { class: "v-empty" }, "No timeline and no schedule."));
          const made = new page.Lanes(model, { label: "Timeline of " + part.name, fixed: 360, row_height: 16,
            moved: (from, to) => { // the same share of both
              const other = lanes[1 - n];
              if (!linked || inside || !other) return;
              inside = true;
              const per = scale(other) / scale(made);
              other.set(from * per, to * per);
              inside = false;
            },
            chosen: (what) => {
              if (!what) return page.close_details();
              if (what.track.what === "op") return page.details(page.plan_name(part, what.track.id[what.i]), page.facts_list([["step", show.count(what.track.start[what.i])]]));
              const { title, rows } = page.details_of(part, what, () => {});
              const twin = what.track.what === "slice" && lanes[1 - n] && find_twin(part, [b, a][n], what.track.id[what.i]);
              if (twin) {
                const other = [b, a][n];
                page.select(lanes[1 - n], twin, true);
                rows.push(["in " + other.name, other.clock.full(twin.track.finish[twin.i] - twin.track.start[twin.i])]);
              }
              page.details(title + " in " + part.name, page.facts_list(rows));
            },
            hint: ({ track, i }) => model.label(track, i)[0] + "\n" + model.clock.full(track.finish[i] - track.start[i]) });
          lanes[n] = made;
          side.append(made.box);
          made.resize();
        });
        const same_time = a.timeline && b.timeline && a.clock.cycles === b.clock.cycles;
        let true_scale = same_time;
        const longest = () => Math.max(...lanes.filter(Boolean).map((l) => l.model.length / (l.model.clock.hz || 1)));
        const scale = (l) => (true_scale ? l.model.clock.hz : l.model.length);
        const fit = () => { inside = true; for (const l of lanes) if (l) l.set(0, true_scale ? longest() * l.model.clock.hz : l.model.length); inside = false; };
        fit();
        pictures.before(el("div", { class: "v-bar" }, el("h3", {}, "Side by side"), el("span", { class: "v-grow" }), same_time && page.tick("Same scale of time", true, (on) => { true_scale = on; fit(); }), page.tick("Move together", true, (on) => (linked = on))));
        panel.append(fact_rows.length ? page.plain_table("Facts", ["", a.name, b.name, "difference"], fact_rows) : "",
          compared("Memory by category", a, b, memory_sums(a), memory_sums(b), show.bytes) ?? "",
          compared("Operations, cycles", a, b, sum_by_name(a.operations, (o) => o.cycles), sum_by_name(b.operations, (o) => o.cycles), show.count) ?? "");
        page.active = lanes[0];
        return { lanes: lanes.filter(Boolean), repaint: () => lanes.forEach((l) => l?.recolour()), close: () => lanes.forEach((l) => l?.close()), csv: () => page.csv_of_tables(panel) };
      },
    });
    const find_twin = (part, other, id) => {
      const [s, t] = [page.slices_of(part), page.slices_of(other)];
      if (!t) return null;
      const kind = other.timeline.kinds.indexOf(part.timeline.kinds[s.kind[id]]);
      for (let i = 0; i < t.count; ++i) if (t.kind[i] === kind && t.stage[i] === s.stage[id] && t.micro_batch[i] === s.micro_batch[id] && t.run[i] === s.run[id]) return page.slice_at(other, i);
      return null;
    };
  })();
)js";

}  // namespace ipuflow::report::impl
