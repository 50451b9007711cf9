// SPDX-License-Identifier: BSL-1.0
// A page of the viewer's headers and of synthetic data, for tests of the viewer alone: the pages of the library come from its
// writer. What is left out of a piece is left out as `add_viewer_piece` does it.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { createHash } from "node:crypto";

const folder = new URL("../../include/ipuflow/report/page/viewer/", import.meta.url);
const header = (name) => readFileSync(new URL(name + ".hpp", folder), "utf8");
const raw = (text) => /R"(?:js|css)\(\n([^]*?)\)(?:js|css)"/.exec(text)[1];

export const squeeze = (piece, script = true) => {
  const idle = (before, behind) => {
    if (!script) return "{};,:\n".includes(before) || "{};,".includes(behind);
    if ("+-".includes(before) && "+-".includes(behind)) return false;
    return '{}()[];,=<>?&|:+-*/!"\n'.includes(before) || '{}()[];,=<>?&|:+-*/"'.includes(behind);
  };
  const opens = (line) => [...line].reduce((depth, c) => depth + ("([{".includes(c) ? 1 : ")]}".includes(c) ? -1 : 0), 0);
  let page = "";
  let declares = false;
  let declared = false;
  let depth = 0;
  for (let line of piece.split("\n")) {
    line = line.replace(/^ +/, "");
    if (line === "" || (script && line.startsWith("//"))) continue;
    if (script && line.includes(" // ")) line = line.slice(0, line.indexOf(" // "));
    const begins = script && line.startsWith("const ");
    if (begins) depth = 0;
    declares = begins || (declares && !declared);
    depth += opens(line);
    if (begins && declared) ((page = page.slice(0, -1) + ","), (line = line.slice(6)));
    else if (page.endsWith("\n") && ")]}.?:&|".includes(line[0])) page = page.slice(0, -1);
    declared = declares && depth === 0 && line.endsWith(";");
    let quote = "";
    for (let i = 0; i < line.length; ++i) {
      const c = line[i];
      if (quote) {
        page += c;
        if (c === "\\" && i + 1 < line.length) page += line[++i];
        else if (c === quote) quote = "";
        continue;
      }
      if (c === '"' || c === "'") quote = c;
      if (c === " " && i + 1 < line.length && idle(page.at(-1) ?? "\n", line[i + 1])) continue;
      if (c === "}" && page.endsWith(";")) page = page.slice(0, -1);
      page += c;
    }
    if (!(script ? "{([,;})=>+&" : "{};,").includes(page.at(-1))) page += "\n";
  }
  return page.endsWith("\n") ? page : page + "\n";
};

export const pieces = () => {
  const order = /viewer_scripts\[\] = \{([^}]*)\}/.exec(header("viewer"))[1].match(/\w+_script/g);
  return { style: squeeze(raw(header("style")), false), scripts: order.map((name) => squeeze(raw(header(name)))) };
};

// The container of the page's data: arrays that stand in the header as they are go into the payload.
export const container = (data) => {
  const chunks = [];
  let at = 0;
  const put = (bytes, aligned) => {
    const gap = (aligned - (at % aligned)) % aligned;
    if (gap) chunks.push(Buffer.alloc(gap));
    const start = at + gap;
    chunks.push(Buffer.from(bytes.buffer ?? bytes, bytes.byteOffset ?? 0, bytes.byteLength));
    at = start + bytes.byteLength;
    return start;
  };
  const delta = (values) => {
    const bytes = new Uint8Array(values.length * 9);
    let n = 0;
    let before = 0;
    for (const v of values) {
      const d = v - before;
      before = v;
      let zigzag = d < 0 ? -2 * d - 1 : 2 * d;
      for (; zigzag >= 128; zigzag = Math.floor(zigzag / 128)) bytes[n++] = (zigzag % 128) | 128;
      bytes[n++] = zigzag;
    }
    return bytes.slice(0, n);
  };
  const types = new Map([
    [Uint8Array, "u8"],
    [Uint16Array, "u16"],
    [Uint32Array, "u32"],
    [Float64Array, "f64"]
  ]);
  const walk = (value) => {
    if (value?.delta) {
      const bytes = delta(value.delta);
      return { at: put(bytes, 1), count: value.delta.length, type: "delta" };
    }
    if (ArrayBuffer.isView(value))
      return { at: put(value, value.BYTES_PER_ELEMENT), count: value.length, type: types.get(value.constructor) };
    if (Array.isArray(value)) return value.map(walk);
    if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, walk(v)]));
    return value;
  };
  const words = Buffer.from(JSON.stringify(walk(data)));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(words.length);
  return Buffer.concat([size, words, Buffer.alloc((8 - ((4 + words.length) % 8)) % 8), ...chunks]);
};

export const assemble = (data, { report = "<h2>Report</h2><p>The static part.</p>", level = 6 } = {}) => {
  const { style, scripts } = pieces();
  const words = gzipSync(container(data), { level }).toString("base64");
  const code = "\n" + scripts.join("");
  const hash = "sha256-" + createHash("sha256").update(code).digest("base64");
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '${hash}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>Profile</title>
<style>
${style}</style></head><body><main id="static">${report}</main>
<script id="data" type="text/plain">${words}</script>
<script>${code}</script></body></html>
`;
};
