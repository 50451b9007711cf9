// SPDX-License-Identifier: BSL-1.0
// The page in a browser: every view clicked through, its numbers compared with the data that it was made of, the keys, the address,
// exports, hostile names, the width of a phone, both themes under axe, and no request and no complaint of the console.
import { readFileSync } from "node:fs";
import { assemble } from "./assemble.mjs";
import { check, done, equal, file_of, launch, open, settle, source_of, view } from "./browser.mjs";
import { many, page_of, planned, training } from "./synthetic.mjs";

const browser = await launch();
const a = training({ name: "run A" });
const b = training({ name: "run B", slow: 1, scale: 0.8 });
const plan = planned({ name: "the plan" });
const small = file_of("small", assemble(page_of([a, b, plan])));
const commas = (n) => n.toLocaleString("en-US");
const cells = (page, caption) =>
  page.$$eval(
    "table",
    (tables, caption) => {
      const table = tables.find((t) => t.caption?.textContent === caption);
      return table ? [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent)) : null;
    },
    caption
  );
const facts = (page, root) =>
  page.$$eval(root + " dl > div", (list) => Object.fromEntries(list.map((d) => [d.children[0].textContent, d.children[1].textContent])));
const sum = (list) => list.reduce((x, y) => x + y, 0);
const slices = (part) => {
  const c = part.timeline.columns;
  return Array.from(c.length, (length, i) => ({
    row: c.row[i],
    kind: part.timeline.kinds[c.kind[i]],
    lane: c.lane[i],
    stage: c.stage[i] - 1,
    micro_batch: c.micro_batch[i] - 1,
    start: c.start.delta[i],
    length,
    finish: c.start.delta[i] + length,
    i
  }));
};

// --- every view and its numbers -------------------------------------------------------------------------------------
{
  const page = await open(browser, small);
  const names = await page.$$eval("nav button", (list) => list.map((x) => x.dataset.view));
  equal("the views", names, [
    "summary",
    "timeline",
    "schedule",
    "memory",
    "queues",
    "program",
    "operations",
    "compare",
    "advice",
    "report"
  ]);

  equal(
    "breakdown",
    (await cells(page, "The step's time by use")).map((r) => [r[0], r[2]]),
    a.breakdown
      .map((x) => [x.name, x.value.toLocaleString("en-US", { maximumSignificantDigits: 6 })])
      .map(([n, v], i) => [n, Number.isInteger(a.breakdown[i].value) ? commas(a.breakdown[i].value) : v])
  );
  equal(
    "chips",
    (await cells(page, "Chips")).map((r) => r.slice(0, 4)),
    a.chips.map((c) => [c.name, commas(c.phases.compute), commas(c.phases.exchange), commas(c.phases.waiting)])
  );
  check("what bounds it is on top", (await page.textContent(".v-leads")).includes(a.bound));
  check("facts", (await page.textContent(".v-summary")).includes("bert_tiny"));
  equal("further tables", (await cells(page, "Traffic"))[0], ["IPU 0", "IPU 1", "1,048,576"]);

  await view(page, "Memory");
  const by_chip = a.memory.by_tile.map((of, c) => [
    a.memory.categories[c],
    ...[0, 1, 2, 3].map((chip) => commas(sum(of.subarray(chip * 1472, (chip + 1) * 1472)))),
    commas(sum(of))
  ]);
  equal(
    "bytes by category and chip",
    (await cells(page, "Bytes by category and chip")).map((r) => r.slice(0, 6)),
    by_chip
  );
  const fullest = a.memory.peak.indexOf(Math.max(...a.memory.peak));
  check(
    "the fullest tile",
    (await page.textContent(".v-lead")).includes(
      `IPU ${Math.floor(fullest / 1472)}, tile ${fullest % 1472}: it holds ${commas(a.memory.peak[fullest])} of its 638,976 bytes`
    )
  );
  await page.click('button:text-is("Fullest tile")');
  check("details of a tile", (await page.textContent(".v-drawer")).includes(`tile ${fullest % 1472}`));
  const top = a.memory.by_tile.map((of, c) => [a.memory.categories[c], of[fullest]]).sort((x, y) => y[1] - x[1])[0];
  equal("what fills it", (await cells(page, "By category"))[0].slice(0, 2), [top[0], commas(top[1])]);
  await page.focus(".v-memory canvas.v-chart");
  await page.keyboard.press("ArrowRight");
  check("arrows go to the next tile", (await page.textContent(".v-drawer")).includes(`tile ${(fullest + 1) % 1472}`));
  await page.selectOption('select[aria-label="Scale"]', { label: "up to the tile's memory" });
  check("the scale changes", (await page.textContent(".v-scale")).includes("624 KiB"));
  const live = a.memory.liveness.chips[0];
  const best = live.fullest.indexOf(Math.max(...live.fullest));
  const two = (await cells(page, "Bytes at two steps of IPU 0"))[0];
  equal("differences of two steps", two.slice(1), [
    commas(live.live[0] + live.always),
    commas(live.live[best] + live.always),
    (live.live[best] > live.live[0] ? "+" : "\u2212") + commas(Math.abs(live.live[best] - live.live[0]))
  ]);
  const v = a.memory.variables;
  const lives = (i, step) => v.always[i] || (v.first_step[i] <= step && step < v.end_step[i]);
  const changed = v.name.map((_, i) => i).filter((i) => v.chip[i] === 0 && lives(i, 0) !== lives(i, best));
  const listed = await cells(page, "Variables that are live at one of the two only");
  equal(
    "variables that came or went",
    listed.map((r) => r[0]).sort(),
    changed
      .sort((x, y) => v.bytes[y] - v.bytes[x])
      .slice(0, 50)
      .map((i) => v.name[i])
      .sort()
  );
  await page.fill('input[aria-label="Filter variables"]', "block3/");
  equal("variables are filtered", await page.$$eval(".v-big tbody tr", (rows) => rows.map((r) => r.cells[0].textContent)), [
    "block3/weights"
  ]);
  await page.fill('input[aria-label="Filter variables"]', "");
  const largest = a.memory.variables.bytes.indexOf(Math.max(...a.memory.variables.bytes));
  equal(
    "variables are sorted by bytes",
    await page.$eval(".v-big tbody tr", (r) => r.cells[0].textContent),
    a.memory.variables.name[largest]
  );
  await page.click('.v-big th button:has-text("variable")');
  equal(
    "and by name",
    await page.$eval(".v-big tbody tr", (r) => r.cells[0].textContent),
    [...a.memory.variables.name].sort((x, y) => x.localeCompare(y, "en", { numeric: true }))[0]
  );

  await view(page, "Stashes");
  equal(
    "stashes",
    await page.$$eval("figcaption", (list) => list.map((x) => x.textContent)),
    a.series.map((s) => `${s.name} at most ${Math.max(...s.v)} ${s.unit}`)
  );
  await view(page, "Program");
  equal("program", await page.$$eval(".v-tree tbody tr", (rows) => rows.map((r) => [r.cells[0].textContent, r.cells[1].textContent])), [
    ["step", "1"],
    ["forwards", "8"],
    ["linear 0", "64"],
    ["relu", "64"],
    ["backwards", "8"]
  ]);
  await page.click('.v-fold:has-text("forwards")');
  equal("a part of it closes", await page.$$eval(".v-tree tbody tr", (rows) => rows.length), 3);
  await view(page, "Operations");
  equal(
    "operations",
    await page.$$eval(".v-big tbody tr", (rows) => [...rows].slice(0, 2).map((r) => [...r.cells].slice(0, 2).map((c) => c.textContent))),
    a.operations.slice(0, 2).map((o) => [o.name, commas(o.cycles)])
  );
  await view(page, "Compare");
  const rates = [a, b].map((part) => part.facts.find((f) => f.unit === "samples/s").value);
  check(
    "which is faster",
    (await page.textContent(".v-lead")).startsWith(
      `run B is ${(rates[1] / rates[0]).toFixed(2)} times as fast as run A: ${commas(rates[1])} instead of ${commas(rates[0])} samples a second`
    ),
    await page.textContent(".v-lead")
  );
  check("memory is compared", (await cells(page, "Memory by category")).length === 8);
  await view(page, "Advice");
  check("an empty view says why", (await page.textContent(".v-empty")).includes("comes with a plan"));
  await page.selectOption('select[aria-label="Part"]', { label: "the plan" });
  await settle(page);
  check("what would help most", (await page.textContent(".v-lead")).includes(plan.advice[0].sentence));
  equal("advice that fits comes first", await page.$$eval(".v-cards h3", (list) => list.map((x) => x.textContent)), [
    plan.advice[0].change,
    plan.advice[2].change,
    plan.advice[1].change
  ]);
  await view(page, "Memory");
  check("a plan's fullest tiles", (await cells(page, "Bytes of the fullest tile of each chip")).length === 8);
  await view(page, "Report");
  check("the static part is kept", (await page.textContent(".v-report")).includes("The static part."));
  equal("no complaint", page.said, []);
  equal("no request", page.asked, []);
  await page.context().close();
}

// --- timeline and schedule: keys, selection, statistics, idle time, critical path -----------------------------------
{
  const page = await open(browser, small, { hash: "#v=timeline" });
  const all = slices(a);
  const range = () => page.evaluate(() => [ipuflow.timeline_lanes.from, ipuflow.timeline_lanes.to]);
  const length = a.timeline.length;
  equal("it opens with the whole run", await range(), [0, length]);
  await page.keyboard.press("w");
  check("W zooms in", (await range())[1] - (await range())[0] < length * 0.75);
  const zoomed = await range();
  await page.keyboard.press("d");
  check(
    "D moves to later times",
    (await range())[0] > zoomed[0] && Math.abs((await range())[1] - (await range())[0] - zoomed[1] + zoomed[0]) < 1
  );
  await page.keyboard.press("a");
  check("A moves back", Math.abs((await range())[0] - zoomed[0]) < 1);
  await page.keyboard.press("s");
  check("S zooms out", (await range())[1] - (await range())[0] > length * 0.99);
  const box = await (await page.$(".v-lanes canvas")).boundingBox();
  const left = await page.evaluate(() => ipuflow.timeline_lanes.left);
  const height = await page.evaluate(() => ipuflow.timeline_lanes.height);
  await page.keyboard.press("+");
  check("+ makes rows higher", (await page.evaluate(() => ipuflow.timeline_lanes.height)) > height);
  await page.keyboard.press("-");
  await page.keyboard.press("Home");
  await page.mouse.move(box.x + left + 400, box.y + 200);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -300);
  await page.keyboard.up("Control");
  await settle(page);
  check("Ctrl and the wheel zoom", (await range())[1] - (await range())[0] < length * 0.8);
  const before = await range();
  await page.keyboard.down("Shift");
  await page.mouse.down();
  await page.mouse.move(box.x + left + 300, box.y + 200, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  check("Shift and dragging move", (await range())[0] > before[0]);
  await page.keyboard.press("Home");
  await settle(page);

  // A click on a slice: details with its times, to the cycle.
  const wanted = all.find((s) => s.row === 1 && s.kind === "backward" && s.micro_batch === 2);
  const place = (s) =>
    page.evaluate(({ i, row }) => {
      const at = ipuflow.slice_at(ipuflow.part(), i);
      const lanes = ipuflow.timeline_lanes;
      const there = lanes.box_of(at);
      return { x: there.x + there.w / 2, y: there.y - lanes.box.scrollTop + there.h / 2 };
    }, s);
  const at = await place(wanted);
  await page.mouse.click(box.x + at.x, box.y + at.y);
  await settle(page);
  equal("details say the name", await page.textContent(".v-drawer h2"), "backward 2");
  let said = await facts(page, ".v-drawer");
  equal("row", said.row, "IPU 1");
  for (const [name, value] of [
    ["start", wanted.start],
    ["finish", wanted.finish],
    ["length", wanted.length]
  ])
    check(name + " to the cycle", said[name].startsWith(commas(value) + " cycles ("), said[name]);
  equal("stage", said.stage, "1");
  check("what it needs", said.needs.startsWith("backward 2 on IPU 2"), said.needs);
  check(
    "the live region says it",
    (await page.textContent('[role="status"]')).startsWith("backward 2, IPU 1, from " + commas(wanted.start))
  );
  const after = all.filter((s) => s.row === 1 && s.lane === 0 && s.start >= wanted.finish).sort((x, y) => x.start - y.start);
  await page.keyboard.press(".");
  said = await facts(page, ".v-drawer");
  check(". goes to the next slice", said.start.startsWith(commas(after[0].start)), said.start);
  check(
    "and says why it waited",
    a.timeline.idle.start.delta.some((t, k) => a.timeline.idle.row[k] === 1 && t + a.timeline.idle.length[k] === after[0].start) ===
      Boolean(said["idle before it"])
  );
  await page.keyboard.press(",");
  equal(", goes back", (await facts(page, ".v-drawer")).start.startsWith(commas(wanted.start)), true);
  for (const key of ["w", "w", "w", "f"]) await page.keyboard.press(key);
  let [from, to] = await range();
  check("F centres", Math.abs((from + to) / 2 - (wanted.start + wanted.finish) / 2) < length * 0.03);
  await page.keyboard.press("f");
  [from, to] = await range();
  check("F again fits", Math.abs(to - from - wanted.length * 1.2) < 2, [from, to]);
  const address = await page.evaluate(() => location.href);
  await page.waitForTimeout(400);
  const kept = await page.evaluate(() => location.hash);
  check("the address keeps the selection", kept.includes(`s=${encodeURIComponent("slice:" + wanted.i)}`), kept);
  const again = await open(browser, small, { hash: kept });
  equal("and brings it back", await again.textContent(".v-drawer h2"), "backward 2");
  const restored = await again.evaluate(() => [ipuflow.timeline_lanes.from, ipuflow.timeline_lanes.to]);
  check("with the range", Math.abs(restored[0] - from) < 1 && Math.abs(restored[1] - to) < 1, restored);
  await again.context().close();
  await page.keyboard.press("Escape");
  equal("Esc clears", [await page.isHidden(".v-drawer"), await page.evaluate(() => ipuflow.timeline_lanes.selected)], [true, null]);

  // An area with statistics.
  await page.keyboard.press("Home");
  await settle(page);
  await page.mouse.move(box.x + left + 100, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + left + 500, box.y + 90, { steps: 5 });
  await page.mouse.up();
  await settle(page);
  const area = await page.evaluate(() => ipuflow.timeline_lanes.area);
  const inside = (kind) => all.filter((s) => s.kind === kind && s.finish > area.from && s.start < area.to);
  const part_of = (s) => Math.min(s.finish, area.to) - Math.max(s.start, area.from);
  const statistics = Object.fromEntries((await cells(page, "Kinds in the range")).map((r) => [r[0], r]));
  for (const kind of ["forward", "backward", "exchange"]) {
    equal("slices of the range, " + kind, statistics[kind][1], commas(inside(kind).length));
    const time = Number(statistics[kind][2].replace(/[^\d.]/g, ""));
    check("their time, " + kind, Math.abs(time - sum(inside(kind).map(part_of))) < 1, [time, sum(inside(kind).map(part_of))]);
  }
  await page.keyboard.press("Escape");

  // Idle time is a thing that one can select; the critical path ends where the run ends and covers all of it.
  const idle = await page.evaluate(() => {
    const lanes = ipuflow.timeline_lanes;
    const row = lanes.model.rows.findIndex((r) => r.name === "IPU 0");
    ipuflow.select(lanes, { track: lanes.model.rows[row].idle, i: 0, row });
    return document.querySelector(".v-drawer h2").textContent;
  });
  check("idle time says its reason", /^idle: waits for backward 0 of stage 1 on IPU 1$/.test(idle), idle);
  await page.keyboard.press("Escape");
  await page.keyboard.press("c");
  const path = await page.evaluate(() => ipuflow.timeline_lanes.path.map(({ track, i }) => [track.start[i], track.finish[i]]));
  equal("the critical path ends last", path.at(-1)[1], Math.max(...all.filter((s) => s.kind !== "run").map((s) => s.finish)));
  check(
    "and goes forward in time",
    path.every((p, i) => i === 0 || p[0] >= path[i - 1][1])
  );
  const on_path = (await cells(page, "Time on the critical path")).map((r) => Number(r[1].replace(/[^\d]/g, "")));
  equal("its times add up to its end", sum(on_path), path.at(-1)[1]);

  // Supersteps stand below the slices, with what they compute, and go and come back.
  await page.keyboard.press("Escape");
  const superstep = () =>
    page.evaluate(() => {
      const lanes = ipuflow.timeline_lanes;
      const row = lanes.model.rows.findIndex((r) => r.name === "IPU 1");
      const [track] = lanes.model.rows[row].thin;
      if (!track) return null;
      ipuflow.select(lanes, { track, i: 0, row });
      return [document.querySelector(".v-drawer h2").textContent, track.count, track.start[0]];
    });
  const of_row = training({ name: "run A" }).timeline.supersteps;
  const own = Array.from(of_row.row, (r, i) => [r, of_row.at.delta[i]]).filter(([r]) => r === 1);
  const seen = await superstep();
  equal("a superstep says what it computes, its row has them all", seen, ["compute: product", own.length, own[0][1]]);
  equal("and how many tiles work", (await facts(page, ".v-drawer"))["busy, mean of all tiles"], "73.0\u00a0%");
  await page.keyboard.press("Escape");
  const tick = page.locator("label", { hasText: "Supersteps" }).locator("input");
  await tick.click();
  equal("they can be hidden", await superstep(), null);
  await tick.click();
  equal("and shown again", (await superstep())?.[1], own.length);
  await page.keyboard.press("Escape");

  // Search and pins.
  await page.keyboard.press("Control+p");
  await page.keyboard.type("IPU 3");
  await page.keyboard.press("Enter");
  await settle(page);
  equal(
    "a track is found",
    await page.evaluate(() => ipuflow.timeline_lanes.model.rows[ipuflow.timeline_lanes.selected.row].name),
    "IPU 3"
  );
  await page.keyboard.press("p");
  equal("and pinned to the top", await page.evaluate(() => ipuflow.timeline_lanes.bands[0].row.name), "IPU 3");
  await page.keyboard.press("/");
  await page.keyboard.type("operation 17");
  await page.keyboard.press("Enter");
  await settle(page);
  equal(
    "an operation is found",
    [await page.evaluate(() => ipuflow.state.v), await page.textContent(".v-drawer h2")],
    ["operations", "operation 17"]
  );
  await page.keyboard.press("?");
  check("? lists the keys", (await page.textContent("dialog")).includes("Ctrl + wheel"));
  await page.keyboard.press("Escape");
  for (const [key, id] of [
    ["1", "summary"],
    ["3", "schedule"],
    ["9", "advice"],
    ["0", "report"],
    ["2", "timeline"]
  ]) {
    await page.keyboard.press(key);
    equal("key " + key, await page.evaluate(() => ipuflow.state.v), id);
  }
  await page.goBack();
  equal("the history goes back a view", await page.evaluate(() => ipuflow.state.v), "report");

  // The plan in steps, its empty cells, and what became of it.
  await page.keyboard.press("3");
  await page.selectOption('select[aria-label="Why is"]', { label: "IPU 2" });
  await page.fill('input[aria-label="Step"]', "4");
  await page.keyboard.press("Enter");
  const why = await page.textContent(".v-drawer");
  check(
    "why a chip is idle in a step",
    why.includes(
      "IPU 2 is idle in step 4: its next operation is backward 0 of stage 2 in step 5, and it waits for backward 0 of stage 3, which IPU 3 does in step 4."
    ),
    why
  );
  await page.evaluate(() => {
    const [upper] = ipuflow.schedule_lanes;
    const track = upper.model.rows[2].tracks[0];
    ipuflow.select(upper, { track, i: 2, row: 2 });
  });
  said = await facts(page, ".v-drawer");
  const twin = all.find((s) => s.row === 2 && s.kind === "backward" && s.micro_batch === 0);
  check("an operation of the plan says when it ran", said["in the run"].startsWith(commas(twin.start) + " cycles"), said["in the run"]);
  check("and is selected in the run", await page.evaluate(() => ipuflow.schedule_lanes[1].selected !== null));
  equal(
    "steps in use",
    (await cells(page, "Steps in use, by chip")).map((r) => r[1]),
    ["16", "16", "16", "16"]
  );
  equal("no complaint", page.said, []);
  check("an address", address.startsWith("file:"));
  await page.context().close();
}

// --- pictures are right at every zoom: what is painted is what is there ---------------------------------------------
{
  const page = await open(browser, file_of("many", assemble(page_of([many({ count: 60000, rows: 4 })]))), { hash: "#v=timeline" });
  const wrong = await page.evaluate(() => {
    const { model } = ipuflow.timeline_lanes;
    const table = Uint32Array.from({ length: 4096 }, (_, i) => i + 1);
    const faults = [];
    for (const row of model.rows)
      for (const track of row.tracks)
        for (const zoom of [1, 0.31, 0.05, 0.004, 0.0003]) {
          const width = 997;
          const from = model.length * 0.37 * (1 - zoom);
          const to = from + model.length * zoom;
          const out = new Uint32Array(width);
          ipuflow.paint(track, model.length, from, to, width, out, 0, table);
          const per = (to - from) / width;
          for (let x = 1; x + 1 < width; ++x) {
            const [begin, end] = [from + x * per, from + (x + 1) * per];
            let near = 0; // busy time of this pixel and its neighbours
            for (let i = ipuflow.first_behind(track.finish, begin - 1.5 * per); i < track.count && track.start[i] < end + 1.5 * per; ++i) {
              near += Math.min(track.finish[i], end + 1.5 * per) - Math.max(track.start[i], begin - 1.5 * per);
              const whole = track.start[i] <= begin - per && track.finish[i] >= end + per; // covers it and its neighbours
              if (whole && (out[x] - 1) >> 4 !== track.kind[i]) faults.push([zoom, x, "kind", out[x], track.kind[i]]);
            }
            if (near === 0 && out[x] !== 0) faults.push([zoom, x, "painted, but idle"]);
            if (near > 2.95 * per && out[x] === 0 && per > 4000) faults.push([zoom, x, "busy, but not painted"]);
          }
        }
    return faults.slice(0, 5);
  });
  equal("pixels", wrong, []);
  const firsts = await page.evaluate(() => [0, 1, 1.5, 2, 3].map((time) => ipuflow.first_behind(Float64Array.of(1, 2, 3), time)));
  equal("the first slice that ends behind a time", firsts, [0, 1, 1, 2, 3]);
  equal("no complaint", page.said, []);
  await page.context().close();
}

// --- exports --------------------------------------------------------------------------------------------------------
{
  const page = await open(browser, small, { hash: "#v=timeline" });
  const get = async (type) => {
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.click(".v-menu summary").then(() => page.click(`.v-menu button:has-text("${type}")`))
    ]);
    return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
  };
  const svg = await get("SVG");
  const read = await page.evaluate((text) => {
    const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    return [
      root.tagName,
      root.querySelectorAll("rect").length > 200,
      [...root.querySelectorAll("text")].some((t) => t.textContent === "IPU 2"),
      root.querySelectorAll("script,image,a").length
    ];
  }, svg.bytes.toString());
  equal("SVG", read, ["svg", true, true, 0]);
  equal("PNG", (await get("PNG")).bytes.subarray(1, 4).toString(), "PNG");
  const csv = (await get("CSV")).bytes.toString().trim().split("\r\n");
  const { idle: waits, supersteps } = a.timeline;
  const steps_of_plan = csv.filter((line) => line.startsWith("steps of the plan,")).length;
  equal(
    "CSV has each slice, idle time and superstep",
    [csv.length - steps_of_plan, csv[0]],
    [slices(a).length + waits.row.length + supersteps.list.length + 1, "row,slice,stage,start (cycles),length (cycles)"]
  );
  await view(page, "Memory");
  check("the map as SVG has each tile", ((await get("SVG")).bytes.toString().match(/<rect/g) ?? []).length > 4 * 1472);
  await view(page, "Operations");
  equal("operations as CSV", (await get("CSV")).bytes.toString().split("\r\n").length, a.operations.length + 2);
  equal("no complaint", page.said, []);
  await page.context().close();
}

// --- on paper a view is there as a whole, and nothing to press; each colour of a picture has its word ------------------
{
  const page = await open(browser, small);
  for (const id of ["summary", "timeline", "schedule", "memory", "queues", "program", "operations", "compare", "report"]) {
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 720, height: 900 });
    await page.evaluate((v) => ipuflow.go({ v }), id);
    await settle(page);
    const cut = await page.evaluate(() => {
      const hides = (e) => getComputedStyle(e).overflowY !== "visible" && e.scrollHeight > e.clientHeight + 1;
      const all = (names) => [...document.querySelectorAll(names)];
      const seen = (e) => e.getClientRects().length > 0;
      const below = (e, next) => next && e.getBoundingClientRect().bottom > next.getBoundingClientRect().top + 1;
      return [
        all("#v-app, #v-main, .v-scroll, .v-lanes, .v-report").filter(hides).length,
        all(".v-lanes canvas").filter((c) => below(c, c.parentElement.nextElementSibling)).length,
        all("nav, header button, header summary, #v-main input").filter(seen).length
      ];
    });
    equal("on paper, cut off, covered and to press, " + id, cut, [0, 0, 0]);
    const ends = await page.evaluate(() => [
      document.documentElement.scrollHeight,
      document.getElementById("v-main").getBoundingClientRect().bottom
    ]);
    check("a page of paper ends where the view does, " + id, ends[0] >= ends[1] - 1, ends);
  }
  await page.emulateMedia({ media: "screen" });
  await page.evaluate(() => ipuflow.go({ v: "schedule" }));
  const legends = await page.$$eval(".v-legend", (lists) => lists.map((l) => [...l.children].map((c) => c.textContent)));
  equal("the plan's colours", legends[0], ["forward", "backward"]);
  const kinds = [...new Set(slices(a).map((s) => s.kind))];
  check("those of what became of it", kinds.every((kind) => legends[1]?.includes(kind)), legends);
  await view(page, "Timeline");
  const timeline = await page.$$eval(".v-legend", (lists) =>
    lists.map((l) => [...l.querySelectorAll(".v-swatch")].map((c) => [c.style.background, c.parentElement.textContent]))
  );
  for (const list of timeline) equal("a colour has one word in a legend", new Set(list.map(([colour]) => colour)).size, list.length);
  await view(page, "Advice");
  const kind = await page.textContent(".v-empty");
  equal("a kind of part in words", kind, "This part is a run on chips: advice comes with a plan of the planner.");
  equal("no complaint", page.said, []);
  await page.context().close();
}

// --- where a system takes its own colours, those that mean something stay ---------------------------------------------
{
  const page = await open(browser, small, { context: { forcedColors: "active" } });
  const kept = (names) =>
    page.$$eval(names, (list) => list.filter((e) => e.style.background && getComputedStyle(e).backgroundColor !== e.style.backgroundColor).length);
  equal("bars of the summary", await kept(".v-stack span"), 0);
  await view(page, "Timeline");
  check("a legend", (await page.$$(".v-swatch")).length > 4);
  equal("and its colours", await kept(".v-swatch"), 0);
  await page.context().close();
}

// --- steps of a plan and times of a clock are not compared with each other, but their shares are ----------------------
{
  const steps = { ...training({ name: "steps" }), ticks_per_second: 0, in_cycles: false, tick_name: "steps" };
  const page = await open(browser, file_of("units", assemble(page_of([a, steps]))), { hash: "#v=compare" });
  equal("a run and a plan without a clock", await page.textContent(".v-lead"), "One of the two has no time to compare.");
  equal("no table has times of both", await cells(page, "The step's time by use"), null);
  const shares = Object.fromEntries((await cells(page, "Shares of the step by use")).map((r) => [r[0], r.slice(1)]));
  for (const use of a.breakdown) {
    const part = ((100 * use.value) / a.total).toFixed(1) + "\u00a0%";
    equal("share of " + use.name, shares[use.name].slice(0, 3), [part, part, "0.0\u00a0%"]);
  }
  equal("no complaint", page.said, []);
  await page.context().close();
}

// --- names of a user are data ---------------------------------------------------------------------------------------
{
  const evil = [
    '<img src=x onerror="globalThis.hit=1">',
    "</script><script>globalThis.hit=1</script>",
    "\u202eesrever\u202c \"'`&lt;",
    '=HYPERLINK("x")',
    "{{constructor.constructor('globalThis.hit=1')()}}",
    "__proto__"
  ];
  const names = Object.fromEntries(
    ["bert_tiny", "host", "linear 0", "operation 0", "queue 0 to 1", "pass 0", "block0/weights"].map((key, i) => [
      key,
      evil[i % evil.length]
    ])
  );
  const hostile = training({ name: evil[0], names });
  const path = file_of("hostile", assemble({ ...page_of([hostile, training({ name: evil[1], names })], evil[1]), command: evil[0] }));
  const page = await open(browser, path);
  for (const id of ["summary", "timeline", "schedule", "memory", "queues", "program", "operations", "compare", "advice", "report"]) {
    await page.evaluate((v) => ipuflow.go({ v }), id);
    await settle(page);
    const found = await page.evaluate(() => [
      document.querySelectorAll("#v-app img, #v-app script, #v-app [onerror]").length,
      globalThis.hit ?? 0,
      /[\u202a-\u202e\u2066-\u2069]/.test(document.body.innerText)
    ]);
    equal("hostile names in " + id, found, [0, 0, false]);
  }
  check("a name is shown as it is", (await page.textContent("h1")) === evil[1]);
  await page.evaluate(() => ipuflow.go({ v: "operations" }));
  check("a formula is no formula in CSV", /(^|\n)'=|"'=/.test(await page.evaluate(() => ipuflow.csv(["a"], [["=1+1"]]))));
  equal("no complaint", page.said, []);
  equal("no request", page.asked, []);
  await page.context().close();
}

// --- a phone, axe, no script, parts that know little ----------------------------------------------------------------
const views = ["summary", "timeline", "schedule", "memory", "queues", "program", "operations", "compare", "advice", "report"];
const look = async (path, title) => {
  const phone = await open(browser, path, { context: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } });
  const parts = await phone.evaluate(() => ipuflow.parts.length);
  for (let p = 0; p < parts; ++p)
    for (const id of views) {
      await phone.evaluate(([v, p]) => ipuflow.go({ v, p, s: "" }), [id, p]);
      await settle(phone);
      const wide = await phone.evaluate(() => [
        document.documentElement.scrollWidth,
        document.getElementById("v-main").scrollWidth - document.getElementById("v-main").clientWidth
      ]);
      check(`${title}, part ${p}, ${id} fits a phone`, wide[0] <= 360 && wide[1] <= 0, wide);
    }
  equal(title + ": no complaint on a phone", phone.said, []);
  await phone.context().close();
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(browser, path, { context: { colorScheme, bypassCSP: true } });
    await page.evaluate(source_of("axe-core"));
    for (let p = 0; p < parts; ++p)
      for (const id of views) {
        await page.evaluate(([v, p]) => ipuflow.go({ v, p, s: "" }), [id, p]);
        if (id === "timeline") await page.keyboard.press("Enter");
        await settle(page);
        const found = await page.evaluate(() =>
          globalThis.axe.run(document).then((r) =>
            r.violations.map(
              (v) =>
                `${v.id}: ${v.nodes
                  .slice(0, 2)
                  .map((n) => n.html.slice(0, 90) + " " + (n.any[0]?.message ?? ""))
                  .join(" | ")}`
            )
          )
        );
        equal(`axe, ${title}, part ${p}, ${id}, ${colorScheme}`, found, []);
      }
    for (const key of ["?", "/"]) {
      await page.keyboard.press(key);
      equal(
        `axe, ${title}, dialog ${key}, ${colorScheme}`,
        await page.evaluate(() => globalThis.axe.run(document).then((r) => r.violations.map((v) => v.id))),
        []
      );
      await page.keyboard.press("Escape");
    }
    equal(`${title}: no complaint, ${colorScheme}`, page.said, []);
    equal(`${title}: no request, ${colorScheme}`, page.asked, []);
    await page.context().close();
  }
};
await look(small, "synthetic");
{
  const page = await open(browser, small, { context: { javaScriptEnabled: false } });
  check("without script the static part is there", (await page.textContent("main")).includes("The static part."));
  await page.context().close();
  const bare = await open(browser, file_of("bare", assemble(page_of([{ kind: "schedule", name: "bare" }]), { report: "" })));
  for (const id of views.slice(1)) {
    await bare.evaluate((v) => ipuflow.go({ v }), id);
    check("a part that knows nothing says so in " + id, /\.$/.test((await bare.textContent(".v-empty")).trim()));
  }
  equal("no complaint", bare.said, []);
  await bare.context().close();
}
for (const path of process.argv.slice(2)) await look(path, path.replace(/.*\//, ""));
await browser.close();
done();
