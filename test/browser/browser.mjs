// SPDX-License-Identifier: BSL-1.0
// What tests and benchmarks in a browser share: the browser, a page opened in it, and checks that name what is wrong.
import { createRequire } from "node:module";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const packages = process.env.IPUFLOW_BROWSER_PACKAGES;
if (!packages)
  throw new Error("IPUFLOW_BROWSER_PACKAGES: the folder in whose node_modules playwright-core and axe-core are (page_test.sh sets it)");
const require = createRequire(join(packages, "from_here.js"));
export const { chromium } = require("playwright-core");
export const source_of = (name) => readFileSync(require.resolve(name), "utf8");

export const launch = (args = []) =>
  chromium.launch({ executablePath: process.env.IPUFLOW_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", ...args] });

export const folder = mkdtempSync(join(tmpdir(), "ipuflow_page_"));
export const file_of = (name, html) => {
  const path = join(folder, name + ".html");
  writeFileSync(path, html);
  return path;
};

let faults = 0;
let count = 0;
export const check = (what, holds, got = "") => {
  ++count;
  if (holds) return;
  ++faults;
  console.log("FAULT: " + what + (got === "" ? "" : ": " + (typeof got === "string" ? got : JSON.stringify(got))));
};
export const equal = (what, got, wanted) =>
  check(what, JSON.stringify(got) === JSON.stringify(wanted), `got ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
export const done = () => {
  console.log(`${count} checks, ${faults} faults`);
  process.exit(faults ? 1 : 0);
};

// A page that is open and ready. What the console says against it and every request are kept.
export const open = async (browser, path, { hash = "", context = {} } = {}) => {
  const made = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", ...context });
  const page = await made.newPage();
  page.said = [];
  page.asked = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) page.said.push(message.text());
  });
  page.on("pageerror", (error) => page.said.push(error.message));
  page.on("request", (request) => {
    if (!/^(file|blob|data):/.test(request.url())) page.asked.push(request.url());
  });
  await page.goto("file://" + path + hash);
  if (context.javaScriptEnabled !== false) await page.waitForSelector("html[data-ready]", { timeout: 60000 });
  return page;
};
export const settle = (page) => page.evaluate(() => new Promise((act) => requestAnimationFrame(() => requestAnimationFrame(act))));
export const view = async (page, name) => {
  await page.click(`nav button:has-text("${name}")`);
  await settle(page);
};
