// SPDX-License-Identifier: BSL-1.0
// Synthetic parts of any size: a pipeline that trains on chips, timed by when its values are there, so that schedule, timeline,
// idle time and its reasons, links and sums agree with each other as those of a real run do.
export const kinds = ["forward", "backward", "update", "exchange", "infeed", "run"];

// 1F1B: the passes of each stage in order.
const order_of = (stages, micro_batches, s) => {
  const list = [];
  const warm = Math.min(stages - 1 - s, micro_batches);
  let f = 0;
  let b = 0;
  while (f < warm) list.push([0, f++]);
  while (b < micro_batches) {
    if (f < micro_batches) list.push([0, f++]);
    list.push([1, b++]);
  }
  return list;
};

export const training = ({
  name = "a run",
  chips = 4,
  micro_batches = 8,
  runs = 2,
  tiles = 1472,
  slow = 2,
  scale = 1,
  seed = 1,
  names = {}
} = {}) => {
  let state = (seed * 2654435761) % 2 ** 32;
  const random = () => (state = (state * 1664525 + 1013904223) % 2 ** 32) / 2 ** 32;
  const title = (text) => names[text] ?? text;
  const orders = Array.from({ length: chips }, (_, s) => order_of(chips, micro_batches, s));
  // The plan in steps: each operation as soon as what it needs was done in a step before.
  const step_of = new Map();
  const plan = { ipu: [], step: [], kind: [], stage: [], micro_batch: [] };
  const next = new Array(chips).fill(0);
  let steps = 0;
  for (let step = 0; next.some((n, s) => n < orders[s].length); ++step) {
    for (let s = 0; s < chips; ++s) {
      const op = orders[s][next[s]];
      if (!op) continue;
      const [kind, m] = op;
      const needed = kind === 0 ? (s > 0 ? `0:${s - 1}:${m}` : null) : s + 1 < chips ? `1:${s + 1}:${m}` : `0:${s}:${m}`;
      if (needed && !(step_of.get(needed) < step)) continue;
      step_of.set(`${kind}:${s}:${m}`, step);
      plan.ipu.push(s);
      plan.step.push(step);
      plan.kind.push(kind);
      plan.stage.push(s + 1);
      plan.micro_batch.push(m + 1);
      ++next[s];
      steps = step + 1;
    }
  }
  // The run: as soon as values are there and the chip is free.
  const slices = [];
  const idle = [];
  const links = [];
  const bsp = [];
  const reasons = [];
  const run_times = [];
  let begin = 0;
  const put = (slice) => {
    slices.push(slice);
    return slice;
  };
  const reason = (text) => {
    const at = reasons.indexOf(text);
    return at >= 0 ? at : reasons.push(text) - 1;
  };
  for (let run = 0; run < runs; ++run) {
    const done = new Map();
    const free = new Array(chips).fill(begin);
    const at = new Array(chips).fill(0);
    let drained = begin;
    for (let left = orders.reduce((sum, o) => sum + o.length, 0); left > 0;) {
      for (let s = 0; s < chips; ++s) {
        while (at[s] < orders[s].length) {
          const [kind, m] = orders[s][at[s]];
          const maker =
            kind === 0
              ? s > 0
                ? done.get(`0:${s - 1}:${m}`)
                : undefined
              : s + 1 < chips
                ? done.get(`1:${s + 1}:${m}`)
                : done.get(`0:${s}:${m}`);
          if (!maker && !(kind === 0 && s === 0)) break;
          const ready = maker ? maker.finish + (maker.row !== s ? 400 : 0) : begin;
          const start = Math.max(free[s], ready);
          if (start > free[s])
            idle.push({
              row: s,
              start: free[s],
              length: start - free[s],
              reason: reason(
                maker ? `waits for ${kinds[maker.kind]} ${m} of stage ${maker.stage - 1} on IPU ${maker.row}` : "waits for the host"
              )
            });
          const length = Math.round(scale * (kind === 0 ? 9000 : 17000) * (s === slow ? 1.45 : 1) * (0.97 + 0.06 * random()));
          if (maker && maker.row !== s)
            put({
              row: s,
              lane: 1,
              kind: 3,
              stage: s + 1,
              micro_batch: m + 1,
              run: run + 1,
              thread: 0,
              start: maker.finish,
              finish: maker.finish + 400
            });
          const made = put({
            row: s,
            lane: 0,
            kind,
            stage: s + 1,
            micro_batch: m + 1,
            run: run + 1,
            thread: 0,
            start,
            finish: start + length
          });
          if (maker) links.push([maker, made]);
          for (let k = 0, t = start; k < 6; ++k) {
            const end = start + Math.round((length * (k + 1)) / 6);
            const cut = [t, Math.round(t + (end - t) * 0.72), Math.round(t + (end - t) * 0.92), end];
            for (let phase = 0; phase < 3; ++phase) bsp.push({ row: s, phase, start: cut[phase], length: cut[phase + 1] - cut[phase] });
            t = end;
          }
          done.set(`${kind}:${s}:${m}`, made);
          free[s] = start + length;
          ++at[s];
          --left;
        }
      }
    }
    const end = Math.max(...free);
    for (let s = 0; s < chips; ++s) {
      if (free[s] < end) idle.push({ row: s, start: free[s], length: end - free[s], reason: reason("has no operation left in this run") });
      put({ row: s, lane: 0, kind: 2, stage: s + 1, micro_batch: 0, run: run + 1, thread: 0, start: end, finish: end + 3000 });
    }
    drained = end + 3000;
    put({ row: chips, lane: 0, kind: 5, stage: 0, micro_batch: 0, run: run + 1, thread: 1, start: begin, finish: drained });
    for (let m = 0; m < micro_batches; ++m)
      put({
        row: chips,
        lane: 1,
        kind: 4,
        stage: 0,
        micro_batch: m + 1,
        run: run + 1,
        thread: 1,
        start: begin + m * 900,
        finish: begin + m * 900 + 700
      });
    run_times.push([begin, begin + 30000, end - 30000, drained]);
    begin = drained;
  }
  slices.sort((a, b) => a.start - b.start || b.finish - a.finish);
  slices.forEach((s, i) => (s.id = i));
  const length = begin;
  const column = (of, Type) => Type.from(of);
  const of = (list, name, Type) =>
    column(
      list.map((x) => x[name]),
      Type
    );
  const use = (row, kind) => slices.filter((s) => s.row === row && s.kind === kind).reduce((sum, s) => sum + s.finish - s.start, 0);
  const waits = (row) => idle.filter((x) => x.row === row).reduce((sum, x) => sum + x.length, 0);
  const breakdown = [
    { name: "forward", value: use(slow, 0) },
    { name: "backward", value: use(slow, 1) },
    { name: "update", value: use(slow, 2) },
    { name: "waiting", value: waits(slow) }
  ];
  const categories = [
    "vertex code",
    "vertex state",
    "exchange code",
    "control code",
    "stack",
    "always-live variables",
    "not-always-live variables",
    "gaps"
  ];
  const count = chips * tiles;
  const weights = [38000, 9000, 26000, 4000, 2000, 240000, 190000, 3000];
  const by_tile = categories.map((_, c) =>
    Uint32Array.from({ length: count }, (_, t) =>
      Math.round(weights[c] * (0.55 + 0.35 * random()) * (Math.floor(t / tiles) === slow ? 1.1 : 1) * (t % tiles < tiles * 0.85 ? 1 : 0.4))
    )
  );
  const peak = Uint32Array.from({ length: count }, (_, t) => by_tile.reduce((sum, a) => sum + a[t], 0));
  const names_of_variables = Array.from({ length: 300 }, (_, i) =>
    i % 3 === 0 ? `block${i}/weights` : i % 3 === 1 ? `block${i}/activations` : `block${i}/gradient`
  ).map(title);
  const live_steps = 60;
  const live = (top, chip) =>
    Float64Array.from({ length: live_steps }, (_, i) => Math.round(top * (0.5 + 0.5 * Math.sin(((i + chip) / live_steps) * Math.PI))));
  const total = length / runs;
  return {
    kind: "chips",
    name,
    total,
    ticks_per_second: 1.85e9,
    in_cycles: true,
    facts: [
      { name: "network", value: title("bert_tiny"), group: "What" },
      { name: "chips", value: chips, group: "Where" },
      { name: "tiles of a chip", value: tiles, group: "Where" },
      { name: "micro-batches", value: micro_batches, group: "Options" },
      { name: "schedule", value: "1F1B", group: "Options" },
      { name: "samples/s", value: Math.round((micro_batches * 4 * 1.85e9) / total), unit: "samples/s", group: "What" }
    ],
    breakdown: breakdown.map((b) => ({ ...b, value: b.value / runs })),
    bound: `IPU ${slow} bounds the step: it computes ${((100 * (use(slow, 0) + use(slow, 1))) / length).toFixed(1)} % of it, the others wait for it.`,
    timeline: {
      rows: [
        ...Array.from({ length: chips }, (_, i) => ({ name: `IPU ${i}`, host: false, lanes: 2 })),
        { name: title("host"), host: true, lanes: 2 }
      ],
      kinds,
      length,
      left_out: 0,
      complete: true,
      runs: run_times,
      columns: {
        row: of(slices, "row", Uint8Array),
        lane: of(slices, "lane", Uint8Array),
        kind: of(slices, "kind", Uint8Array),
        stage: of(slices, "stage", Uint16Array),
        micro_batch: of(slices, "micro_batch", Uint32Array),
        run: of(slices, "run", Uint16Array),
        thread: of(slices, "thread", Uint8Array),
        start: { delta: slices.map((s) => s.start) },
        length: Uint32Array.from(slices, (s) => s.finish - s.start)
      },
      supersteps: {
        row: of(bsp, "row", Uint8Array),
        phase: of(bsp, "phase", Uint8Array),
        start: new Uint8Array(bsp.length),
        length: of(bsp, "length", Uint32Array),
        operation: Uint8Array.from(bsp, (s) => (s.phase === 0 ? 1 : 0)),
        busy: Uint16Array.from(bsp, (s) => (s.phase === 0 ? 730 : 0)),
        first: Uint32Array.from({ length: bsp.length + 1 }, (_, i) => i),
        list: Uint32Array.from(bsp, (_, i) => i),
        at: { delta: bsp.map((s) => s.start) },
        phases: ["compute", "exchange", "sync"],
        operations: ["product"]
      },
      idle: {
        row: of(idle, "row", Uint8Array),
        start: { delta: idle.map((s) => s.start) },
        length: of(idle, "length", Uint32Array),
        reason: of(idle, "reason", Uint8Array),
        reasons
      },
      links: { from: Uint32Array.from(links, (l) => l[0].id), to: Uint32Array.from(links, (l) => l[1].id) }
    },
    schedule: {
      name: "1F1B",
      ipus: chips,
      stages: chips,
      micro_batches,
      steps,
      training: true,
      kinds,
      stash: Array.from({ length: chips }, (_, stage) => ({ stage, depth: chips - stage })),
      columns: {
        ipu: Uint16Array.from(plan.ipu),
        step: Uint32Array.from(plan.step),
        kind: Uint8Array.from(plan.kind),
        stage: Uint16Array.from(plan.stage),
        micro_batch: Uint32Array.from(plan.micro_batch)
      }
    },
    memory: {
      tile_memory: 638976,
      tiles_per_chip: tiles,
      chips,
      categories,
      regions: [
        { name: "interleaved", bytes: 3e8 },
        { name: "not executable", bytes: 1e8 }
      ],
      by_tile,
      peak,
      always: Uint32Array.from(peak, (p) => Math.round(p * 0.6)),
      variables: {
        name: names_of_variables,
        category: Uint8Array.from(names_of_variables, (_, i) => (i % 3 === 0 ? 5 : 6)),
        chip: Uint16Array.from(names_of_variables, (_, i) => i % chips),
        bytes: Float64Array.from(names_of_variables, () => Math.round(1e6 * random())),
        tiles: Uint32Array.from(names_of_variables, () => Math.ceil(tiles * random())),
        fullest_tile_bytes: Uint32Array.from(names_of_variables, () => Math.round(9000 * random())),
        first_step: Uint32Array.from(names_of_variables, (_, i) => i % 50),
        end_step: Uint32Array.from(names_of_variables, (_, i) => (i % 50) + 10),
        always: Uint8Array.from(names_of_variables, (_, i) => (i % 3 === 0 ? 1 : 0))
      },
      liveness: {
        steps: live_steps,
        names: Array.from({ length: live_steps }, (_, i) => title(`pass ${i}`)),
        chips: Array.from({ length: chips }, (_, chip) => ({ chip, always: 3e8, live: live(4e8, chip), fullest: live(5.2e5, chip) }))
      }
    },
    tiles_busy: Uint32Array.from({ length: count }, () => Math.round(20000 * random())),
    chips: Array.from({ length: chips }, (_, s) => ({
      name: `IPU ${s}`,
      phases: {
        compute: Math.round(use(s, 0) * 0.8 + use(s, 1) * 0.8),
        exchange: Math.round((use(s, 0) + use(s, 1)) * 0.2),
        waiting: waits(s)
      },
      flops: 12e9,
      vertices: 48000 + s,
      supersteps: 800,
      traffic: { sent: 1e6 * s, received: 2e6 },
      balance: 0.93,
      utilisation: 0.31
    })),
    program: {
      name: "step",
      cycles: total,
      times: 1,
      inside: [
        {
          name: "forwards",
          cycles: Math.round(total * 0.4),
          times: micro_batches,
          inside: [
            { name: title("linear 0"), cycles: Math.round(total * 0.25), times: micro_batches },
            { name: "relu", cycles: Math.round(total * 0.15), times: micro_batches }
          ]
        },
        { name: "backwards", cycles: Math.round(total * 0.5), times: micro_batches }
      ]
    },
    operations: Array.from({ length: 40 }, (_, i) => ({
      name: title(`operation ${i}`),
      vertices: 1000 + i,
      cycles: Math.round(1e6 / (i + 1)),
      flops: 1e9 - i * 1e6,
      code_bytes: 400 * i
    })),
    series: [
      {
        name: "stash of stage 0",
        unit: "micro-batches",
        group: "stash",
        t: { delta: slices.filter((s) => s.stage === 1 && s.kind < 2).map((s) => s.start) },
        v: Float64Array.from(
          slices.filter((s) => s.stage === 1 && s.kind < 2),
          (s) => (s.kind === 0 ? 3 : 2)
        ),
        steps: true
      },
      {
        name: title("queue 0 to 1"),
        unit: "entries",
        group: "queue",
        t: { delta: slices.filter((s) => s.stage === 2 && s.kind < 2).map((s) => s.start) },
        v: Float64Array.from(
          slices.filter((s) => s.stage === 2 && s.kind < 2),
          (s, i) => i % 3
        ),
        steps: true
      }
    ],
    tables: [
      {
        title: "Traffic",
        note: "Bytes sent over links in a step.",
        head: ["from", "to", "bytes"],
        rows: [
          ["IPU 0", "IPU 1", 1048576],
          ["IPU 1", "IPU 2", 524288]
        ]
      }
    ]
  };
};

export const planned = ({ name = "a plan", chips = 4 } = {}) => {
  const run = training({ name, chips, runs: 1 });
  const keep = (({ kind, name, facts, breakdown, total, ticks_per_second, in_cycles, bound, schedule, memory }) => ({
    kind,
    name,
    facts,
    breakdown,
    total,
    ticks_per_second,
    in_cycles,
    bound,
    schedule,
    memory
  }))(run);
  const fullest = Array.from({ length: chips }, (_, c) => run.memory.by_tile.map((a) => a[c * run.memory.tiles_per_chip]));
  const before = { cycles: run.total, samples_per_second: 51000, fullest_tile_bytes: 510000 };
  return {
    ...keep,
    kind: "plan",
    memory: { tile_memory: 638976, tiles_per_chip: 1472, chips, categories: run.memory.categories, regions: [], fullest },
    advice: [
      {
        change: "16 micro-batches instead of 8",
        fits: true,
        cycles: Math.round(run.total * 0.86),
        samples_per_second: 59300,
        fullest_tile_bytes: 560000,
        before,
        sentence: "16 micro-batches instead of 8 would make the step 1.16 times as fast: the pipeline fills and drains half as often."
      },
      {
        change: "recompute nothing",
        fits: false,
        cycles: Math.round(run.total * 0.8),
        samples_per_second: 64000,
        fullest_tile_bytes: 810000,
        before,
        sentence: "No recomputation would be faster, but the fullest tile would hold 810,000 bytes."
      },
      {
        change: "move block 5 to stage 3",
        fits: true,
        cycles: Math.round(run.total * 0.93),
        samples_per_second: 54800,
        fullest_tile_bytes: 505000,
        before
      }
    ]
  };
};

// A timeline of very many slices, without anything else.
export const many = ({ count = 1_000_000, rows = 64, name = "many slices" } = {}) => {
  const per = Math.floor(count / rows);
  const n = per * rows;
  const columns = {
    row: new Uint8Array(n),
    lane: new Uint8Array(n),
    kind: new Uint8Array(n),
    stage: new Uint16Array(n),
    micro_batch: new Uint32Array(n),
    run: new Uint16Array(n).fill(1),
    thread: new Uint8Array(n),
    length: new Uint32Array(n)
  };
  const start = new Float64Array(n);
  let state = 7;
  const random = () => (state = (state * 1664525 + 1013904223) % 2 ** 32) / 2 ** 32;
  const clocks = new Float64Array(rows);
  for (let k = 0; k < per; ++k) {
    for (let row = 0; row < rows; ++row) {
      const i = k * rows + row;
      const length = 200 + Math.floor(random() * 1500);
      start[i] = clocks[row];
      columns.row[i] = row;
      columns.kind[i] = (k + row) % 7 === 6 ? 3 : (k >> 3) % 2;
      columns.stage[i] = row + 1;
      columns.micro_batch[i] = k + 1;
      columns.length[i] = length;
      clocks[row] += length + (random() < 0.2 ? Math.floor(random() * 3000) : 0);
    }
  }
  const order = Uint32Array.from({ length: n }, (_, i) => i).sort((a, b) => start[a] - start[b]);
  const sorted = Object.fromEntries(
    Object.entries(columns).map(([key, values]) => [key, values.constructor.from(order, (i) => values[i])])
  );
  const length = Math.max(...clocks);
  return {
    kind: "chips",
    name,
    total: length,
    ticks_per_second: 1.85e9,
    in_cycles: true,
    facts: [],
    breakdown: [{ name: "compute", value: length }],
    bound: "Nothing is bound here.",
    timeline: {
      rows: Array.from({ length: rows }, (_, i) => ({ name: `IPU ${i}`, host: false, lanes: 1 })),
      kinds,
      length,
      left_out: 0,
      complete: true,
      runs: [[0, 0, length, length]],
      columns: { ...sorted, start: { delta: Float64Array.from(order, (i) => start[i]) } }
    }
  };
};

export const page_of = (parts, title = "A profile") => ({
  version: 1,
  title,
  command: "mnist_pipeline --chips 4 --profile profiles",
  made_by: "ipuflow",
  parts
});
