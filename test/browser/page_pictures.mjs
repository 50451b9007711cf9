// SPDX-License-Identifier: BSL-1.0
// Pictures of a page's views, in the light, in the dark and on a phone.
// IPUFLOW_PAGE_SCRIPT=page_pictures.mjs test/browser/page_test.sh page.html folder [part]
import { join, resolve } from "node:path";
import { launch, open, settle } from "./browser.mjs";

const [path, folder, part = "0"] = process.argv.slice(2);
const browser = await launch();
const looks = [
  ["light", { colorScheme: "light", viewport: { width: 1280, height: 800 } }],
  ["dark", { colorScheme: "dark", viewport: { width: 1280, height: 800 } }],
  ["phone", { colorScheme: "light", viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }]
];
for (const [look, context] of looks) {
  const page = await open(browser, resolve(path), { context });
  const views = await page.evaluate((p) => ipuflow.views.filter((v) => !v.empty(ipuflow.parts[p])).map((v) => v.id), Number(part));
  for (const id of views) {
    await page.evaluate(([v, p]) => ipuflow.go({ v, p, s: "", r: null }), [id, Number(part)]);
    if (id === "timeline" && look === "light") for (const key of ["Enter", "ArrowDown", "."]) await page.keyboard.press(key);
    await settle(page);
    await page.waitForTimeout(100);
    await page.screenshot({ path: join(folder, `${id}_${look}.png`) });
  }
  await page.context().close();
}
await browser.close();
