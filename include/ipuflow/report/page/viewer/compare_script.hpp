// SPDX-License-Identifier: BSL-1.0
// The view that compares two parts, run with run or plan with run: which is faster and why in a sentence, then differences in
// time, facts, memory and operations, and both timelines side by side.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view compare_script = R"js(
  {
    const rate_of = part =>
      part.facts?.find(f => typeof f.value === "number" && (f.unit === "samples/s" || /samples.*(per|a) second|samples\/s/.test(f.name)))
        ?.value;
    const ticks_of = part => part.total ?? part.timeline?.length ?? part.schedule?.steps ?? 0;
    const sum_by_name = (list, value) => {
      const sums = new Map();
      for (const x of list ?? []) sums.set(x.name, (sums.get(x.name) ?? 0) + value(x));
      return sums;
    };
    const none = "\u2013"; // one of the two does not name it
    const signed = (words, d) => (d > 0 ? "+" : d < 0 ? "\u2212" : "") + words(abs(d));
    const share = (a, b) => (a ? signed(v => v.toFixed(1) + "\u00a0%", (100 * (b - a)) / a) : none);

    // Steps and times of a clock have no common unit.
    const one_unit = (a, b) => a.clock.real === b.clock.real && (a.clock.real || a.clock.name === b.clock.name);

    ui.verdict = (a, b) => {
      const [ra, rb] = [rate_of(a), rate_of(b)];
      const [sa, sb] = [a, b].map(part => ticks_of(part) / part.clock.hz);
      if (!(sa > 0 && sb > 0) || !one_unit(a, b)) return "One of the two has no time to compare.";
      const say = d => a.clock.use(d * a.clock.hz);
      const by_rate = ra > 0 && rb > 0;
      const gain = by_rate ? rb / ra : sa / sb;
      if (abs(gain - 1) < 0.0005) return "Both are equally fast, within 0.05\u00a0%.";
      const [quick, slow] = gain > 1 ? [b, a] : [a, b];
      const times = gain > 1 ? gain : 1 / gain;
      const how = by_rate
        ? show.number(rate_of(quick)) + " instead of " + show.number(rate_of(slow)) + " samples a second"
        : quick.clock.use(ticks_of(quick)) + " instead of " + slow.clock.use(ticks_of(slow));
      const [uses_q, uses_s] = [quick, slow].map(part => sum_by_name(part.breakdown, x => x.value / part.clock.hz));
      const changes = [...uses_q.keys()]
        .filter(name => uses_s.has(name))
        .map(name => [name, uses_q.get(name) - uses_s.get(name)])
        .sort((x, y) => x[1] - y[1]);
      const saved = changes
        .filter(c => c[1] < 0)
        .slice(0, 2)
        .map(([name, d]) => say(-d) + " less in \u201c" + name + "\u201d");
      const lost = changes
        .filter(c => c[1] > 0)
        .slice(-1)
        .map(([name, d]) => say(d) + " more in \u201c" + name + "\u201d");
      return (
        quick.name +
        " is " +
        times.toFixed(times < 10 ? 2 : 0) +
        " times as fast as " +
        slow.name +
        ": " +
        how +
        ". Its step has " +
        (saved.length ? saved.join(" and ") + (lost.length ? ", but " + lost[0] : "") : "no use of time that both name and that became shorter") +
        "."
      );
    };
    const compared = (name, a, b, of_a, of_b, words) => {
      const names = [...new Set([...of_a.keys(), ...of_b.keys()])];
      const rows = names
        .map(n => [n, of_a.get(n), of_b.get(n)])
        .sort((x, y) => abs((y[2] ?? 0) - (y[1] ?? 0)) - abs((x[2] ?? 0) - (x[1] ?? 0)))
        .slice(0, 100)
        .map(([n, x, y]) => {
          const both = of_a.has(n) && of_b.has(n);
          return [n, of_a.has(n) ? words(x) : none, of_b.has(n) ? words(y) : none, both ? signed(words, y - x) : none, both ? share(x, y) : none];
        });
      return rows.length ? ui.plain_table(name, ["", a.name, b.name, "difference", "in per cent"], rows) : null;
    };
    const memory_sums = part => {
      const m = part.memory;
      if (m?.by_tile) return new Map(m.categories.map((name, c) => [name, ui.array(m.by_tile[c]).reduce((x, y) => x + y, 0)]));
      return new Map(
        m?.fullest ? m.categories.map((name, c) => [name + " (fullest tile)", m.fullest.reduce((most, of) => max(most, of[c]), 0)]) : []
      );
    };

    ui.views.push({
      id: "compare",
      name: "Compare",
      key: "8",
      empty: () =>
        ui.parts.length > 1 ? null : "This page has one part only: write a page from two runs, or from a plan and a run, to compare them.",
      make(panel, a) {
        const b = ui.parts[ui.state.q];
        const lanes = [];
        const facts = part => new Map((part.facts ?? []).map(f => [f.name, f]));
        const [fa, fb] = [facts(a), facts(b)];
        const fact_rows = [...new Set([...fa.keys(), ...fb.keys()])]
          .map(name => {
            const [x, y] = [fa.get(name), fb.get(name)];
            const [vx, vy] = [x, y].map(f => (f ? ui.value_of(f.value, f.unit) : none));
            const change =
              typeof x?.value === "number" && typeof y?.value === "number" ? share(x.value, y.value) : vx === vy ? "same" : "differs";
            return [name, vx, vy, typeof x?.value === "number" && x.value === y?.value ? "same" : change];
          })
          .sort((x, y) => (x[3] === "same") - (y[3] === "same"));
        const timed = one_unit(a, b);
        const uses = [a, b].map(part => sum_by_name(part.breakdown, x => x.value / (timed ? part.clock.hz : ticks_of(part) || 1)));
        panel.append(
          bar(
            ui.choice(
              "With",
              ui.parts.map(part => part.name),
              ui.state.q,
              q => ui.go({ q, s: "" })
            ),
            ui.button("Exchange the two", () => ui.go({ p: ui.state.q, q: ui.state.p, s: "", r: null }))
          ),
          a === b ? el("p.v-note", {}, "Both sides are the same part: choose another one.") : el("p.v-lead", {}, ui.verdict(a, b)),
          a !== b && (a.bound || b.bound)
            ? ui.plain_table(
                "What bounds them",
                ["part", "bound"],
                [
                  [a.name, a.bound ?? "not known"],
                  [b.name, b.bound ?? "not known"]
                ]
              )
            : null,
          timed
            ? compared("The step's time by use", a, b, uses[0], uses[1], v => a.clock.use(v * a.clock.hz))
            : compared("Shares of the step by use", a, b, uses[0], uses[1], v => show.percent(v, 1))
        );
        const pictures = el("div");
        panel.append(pictures);
        let linked = true;
        let inside = false;
        [a, b].forEach((part, n) => {
          const model = part.timeline ? ui.run_model(part) : part.schedule ? ui.plan_model(part) : null;
          const side = el("section", {}, el("h3.v-u", {}, part.name));
          pictures.append(side);
          if (!model) return side.append(empty("No timeline and no schedule."));
          const made = new ui.Lanes(model, {
            label: "Timeline of " + part.name,
            fixed: 360,
            row_height: 16,
            moved: (from, to) => {
              // the same share of both
              const other = lanes[1 - n];
              if (!linked || inside || !other) return;
              inside = true;
              const per = scale(other) / scale(made);
              other.set(from * per, to * per);
              inside = false;
            },
            chosen: what => {
              if (!what) return ui.close_details();
              if (what.track.what === "op")
                return ui.details(
                  ui.plan_name(part, what.track.id[what.i]),
                  ui.facts_list([["step", show.count(what.track.start[what.i])]])
                );
              const { title, rows } = ui.details_of(part, what, () => {});
              const twin = what.track.what === "slice" && lanes[1 - n] && find_twin(part, [b, a][n], what.track.id[what.i]);
              if (twin) {
                const other = [b, a][n];
                ui.select(lanes[1 - n], twin, true);
                rows.push(["in " + other.name, other.clock.full(twin.track.finish[twin.i] - twin.track.start[twin.i])]);
              }
              ui.details(title + " in " + part.name, ui.facts_list(rows));
            },
            hint: ({ track, i }) => model.label(track, i)[0] + "\n" + model.clock.full(track.finish[i] - track.start[i])
          });
          lanes[n] = made;
          side.append(made.box);
          made.resize();
        });
        const same_time = a.timeline && b.timeline && a.clock.name === b.clock.name;
        let true_scale = same_time;
        const longest = () => max(...lanes.filter(Boolean).map(l => l.model.length / (l.model.clock.hz || 1)));
        const scale = l => (true_scale ? l.model.clock.hz : l.model.length);
        const fit = () => {
          inside = true;
          for (const l of lanes) if (l) l.set(0, true_scale ? longest() * l.model.clock.hz : l.model.length);
          inside = false;
        };
        fit();
        pictures.before(
          bar(
            h3("Side by side"),
            el("span.v-grow"),
            same_time &&
              ui.tick("Same scale of time", true, on => {
                true_scale = on;
                fit();
              }),
            ui.tick("Move together", true, on => (linked = on))
          )
        );
        panel.append(
          fact_rows.length ? ui.plain_table("Facts", ["", a.name, b.name, "difference"], fact_rows) : "",
          compared("Memory by category", a, b, memory_sums(a), memory_sums(b), show.bytes) ?? "",
          compared(
            "Operations, cycles",
            a,
            b,
            sum_by_name(a.operations, o => o.cycles),
            sum_by_name(b.operations, o => o.cycles),
            show.count
          ) ?? ""
        );
        ui.active = lanes[0];
        return {
          lanes: lanes.filter(Boolean),
          repaint: () => lanes.forEach(l => l?.recolour()),
          close: () => lanes.forEach(l => l?.close()),
          csv: () => ui.csv_of_tables(panel)
        };
      }
    });
    const find_twin = (part, other, id) => {
      const [s, t] = [ui.slices_of(part), ui.slices_of(other)];
      if (!t) return null;
      const kind = other.timeline.kinds.indexOf(part.timeline.kinds[s.kind[id]]);
      for (let i = 0; i < t.count; ++i)
        if (t.kind[i] === kind && t.stage[i] === s.stage[id] && t.micro_batch[i] === s.micro_batch[id] && t.run[i] === s.run[id])
          return ui.slice_at(other, i);
      return null;
    };
  }
)js";

}  // namespace ipuflow::report::impl
