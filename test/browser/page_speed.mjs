// SPDX-License-Identifier: BSL-1.0
// How fast the page is, in figures and without a verdict: opening, panning and zooming a million slices, memory, and a chart of
// memory beside uPlot's.   IPUFLOW_PAGE_SCRIPT=page_speed.mjs test/browser/page_test.sh [page.html]
// A page that is given is measured in place of the synthetic million. Frames are those that were drawn while the range moved.
import { readFileSync, readdirSync } from "node:fs";
import { assemble } from "./assemble.mjs";
import { file_of, launch, open, settle, source_of } from "./browser.mjs";
import { many, page_of } from "./synthetic.mjs";

const print = (name, value) => console.log(name.padEnd(72) + value);
const browser = await launch(["--enable-precise-memory-info"]);
const given = process.argv[2];
const path = given ?? file_of("million", assemble(page_of([many({ count: 1_000_000, rows: 64 })])));

// Resident memory of the renderers that the browser started.
const resident = () => {
  let most = 0;
  for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${id}/cmdline`, "utf8");
      if (!command.includes("--type=renderer")) continue;
      most = Math.max(most, Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))[1]) / 1024);
    } catch {} // it has ended
  }
  return most;
};

const opened = [];
for (let turn = 0; turn < 3; ++turn) {
  const page = await open(browser, path, { hash: "#v=timeline" });
  opened.push(await page.evaluate(() => performance.getEntriesByName("ipuflow-ready")[0].startTime));
  await page.context().close();
}
print("from navigation to the first picture, 3 turns, ms", opened.map((t) => t.toFixed(0)).join(" "));

const page = await open(browser, path, { hash: "#v=timeline" });
print("slices", await page.evaluate(() => ipuflow.part().slices.count));
for (const span of [0.5, 0.1, 0.01, 0.001]) {
  const figures = await page.evaluate(async (span) => {
    const lanes = ipuflow.timeline_lanes;
    const { length } = lanes.model;
    lanes.set(length * 0.3, length * (0.3 + span));
    await new Promise(requestAnimationFrame);
    const before = lanes.drawn;
    const begin = performance.now();
    for (let frame = 0; performance.now() - begin < 2000; ++frame) {
      const by = (lanes.to - lanes.from) * 0.005 * (frame % 80 < 40 ? 1 : -1);
      lanes.set(lanes.from + by, lanes.to + by);
      await new Promise(requestAnimationFrame);
    }
    const frames = (lanes.drawn - before) / ((performance.now() - begin) / 1000);
    const script = performance.now();
    for (let i = 0; i < 20; ++i) lanes.draw();
    return [frames.toFixed(1), ((performance.now() - script) / 20).toFixed(2)];
  }, span);
  print(`panning with ${span * 100} % of the run in view, frames/s (ms of script each)`, `${figures[0]} (${figures[1]})`);
}
const zooming = await page.evaluate(async () => {
  const lanes = ipuflow.timeline_lanes;
  lanes.set(0, lanes.model.length);
  await new Promise(requestAnimationFrame);
  const before = lanes.drawn;
  const begin = performance.now();
  for (let frame = 0; performance.now() - begin < 2000; ++frame) {
    const factor = frame % 120 < 60 ? 0.93 : 1 / 0.93;
    const middle = lanes.model.length * 0.4;
    lanes.set(middle - (middle - lanes.from) * factor, middle + (lanes.to - middle) * factor);
    await new Promise(requestAnimationFrame);
  }
  return ((lanes.drawn - before) / ((performance.now() - begin) / 1000)).toFixed(1);
});
print("zooming in and out, frames/s", zooming);
print("heap of scripts, MB", (await page.evaluate(() => performance.memory.usedJSHeapSize / 1e6)).toFixed(0));
print("resident memory of the renderer, MiB", resident().toFixed(0));
await page.context().close();

// The same line of steps as uPlot draws it: 166,650 points into 1200 by 210 pixels, at first sight and again with a moved range.
const chart = await open(browser, file_of("chart", assemble(page_of([many({ count: 64, rows: 1 })]))), { context: { bypassCSP: true } });
await chart.evaluate(
  source_of("uplot").replace(/^.*?module\.exports = uPlot;?/s, (text) =>
    text.replace("module.exports = uPlot;", "globalThis.uPlot = uPlot;")
  )
);
await settle(chart);
const drawing = await chart.evaluate(async () => {
  const n = 166650;
  const x = Float64Array.from({ length: n }, (_, i) => i);
  const y = Float64Array.from({ length: n }, (_, i) => 3e8 + 1e8 * Math.sin(i / 9000) + 4e7 * Math.sin(i * 1.7));
  const box = document.createElement("div");
  box.style.width = "1200px";
  document.getElementById("v-main").append(box);
  const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
  const time = (act) =>
    median(
      Array.from({ length: 15 }, (_, k) => {
        const begin = performance.now();
        act(k);
        return performance.now() - begin;
      })
    );
  const ours = new ipuflow.Chart({
    name: "live",
    whole: true,
    length: n,
    clock: { short: String, mark: String, whole: true },
    words: String,
    height: 210,
    series: [{ name: "live", y, colour: "#3a8f5c", fill: true }]
  });
  box.append(ours.canvas);
  await new Promise(requestAnimationFrame);
  const own = time((k) => {
    ours.from = k;
    ours.to = n - 1 - k;
    ours.draw();
  });
  const flushed = k => {
    ours.from = k;
    ours.to = n - 1 - k;
    ours.draw();
    ours.canvas.getContext("2d").getImageData(0, 0, 1, 1);
  };
  const own_flushed = time(flushed);
  const uplot = async (paths) => {
    const series = [{}, { stroke: "#3a8f5c", fill: "#3a8f5c22", ...paths }];
    const made = new uPlot({ width: 1200, height: 210, series, scales: { x: { time: false } }, legend: { show: false } }, [x, y], box);
    await new Promise((act) => setTimeout(act, 100));
    const times = [];
    for (let k = 0; k < 15; ++k) {
      const begin = performance.now();
      made.setScale("x", { min: k + 1, max: n - 2 - k });
      await Promise.resolve(); // it draws behind the task that asked for it
      made.ctx.getImageData(0, 0, 1, 1);
      times.push(performance.now() - begin);
    }
    return median(times);
  };
  return [own, own_flushed, await uplot({}), await uplot({ paths: uPlot.paths.stepped({ align: 1 }) })];
});
print("a chart of 166,650 steps, ms: ours (with the pixels read back)", `${drawing[0].toFixed(1)} (${drawing[1].toFixed(1)})`);
print("the same with uPlot, as lines, with the pixels read back", drawing[2].toFixed(1));
print("the same with uPlot, as steps, with the pixels read back", drawing[3].toFixed(1));
await browser.close();
