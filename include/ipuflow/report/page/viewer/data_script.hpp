// SPDX-License-Identifier: BSL-1.0
// The data of the page, out of the base64 of a gzip stream of one container: a JSON header and the arrays that it points into.
// An array is decoded when a view first asks for it.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view data_script = R"js(
  {
    const bytes_of = text => {
      if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
      const raw = atob(text);
      const bytes = new Uint8Array(raw.length);
      for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
      return bytes;
    };
    const unpack = async bytes => {
      const stream = new DecompressionStream("gzip");
      const writer = stream.writable.getWriter();
      writer.write(bytes).catch(() => {}); // the reader sees the fault, too
      writer.close().catch(() => {});
      const chunks = [];
      let size = 0;
      for (const reader = stream.readable.getReader(); ;) {
        const { done, value } = await reader.read();
        if (done) break;
        chunks.push(value);
        size += value.length;
      }
      const all = new Uint8Array(size);
      let at = 0;
      for (const chunk of chunks) (all.set(chunk, at), (at += chunk.length));
      return all;
    };
    // Differences as zigzag numbers of seven bits a byte; up to 2^53, so no shifts.
    const sums = (bytes, at, count) => {
      const out = new Float64Array(count);
      let value = 0;
      for (let i = 0; i < count; ++i) {
        let byte = bytes[at++];
        let zigzag = byte & 127;
        for (let scale = 128; byte > 127; scale *= 128) {
          byte = bytes[at++];
          zigzag += (byte & 127) * scale;
        }
        value += zigzag % 2 ? -(zigzag + 1) / 2 : zigzag / 2;
        out[i] = value;
      }
      return out;
    };
    const kinds = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array };
    ui.array = described => {
      if (!described) return new Float64Array(0);
      if (Array.isArray(described) || ArrayBuffer.isView(described)) return described;
      if (!described.values) {
        const { at, count, type } = described;
        const start = ui.payload.byteOffset + at;
        described.values = type === "delta" ? sums(ui.payload, at, count) : new kinds[type](ui.payload.buffer, start, count);
      }
      return described.values;
    };

    ui.read_data = async () => {
      const source = document.getElementById("data");
      const text = source.textContent.trim();
      source.textContent = ""; // the text is needed once and is large
      const all = await unpack(bytes_of(text));
      const header_size = new DataView(all.buffer).getUint32(0, true);
      const words = new TextDecoder().decode(all.subarray(4, 4 + header_size));
      ui.payload = all.subarray(ceil((4 + header_size) / 8) * 8);
      ui.header = JSON.parse(words, (name, value) => (typeof value === "string" ? ui.clean(value) : value));
      ui.parts = ui.header.parts;
      ui.parts.forEach((part, i) => {
        part.clock = show.clock_of(part);
        part.what = { threads: "run on threads", chips: "run on chips", schedule: "timetable" }[part.kind] ?? part.kind;
        part.is = "This part is a " + part.what;
        part.name = part.name || part.kind + " " + (i + 1);
      });
    };

    // The slices of a part as columns; `finish` is made here once.
    ui.slices_of = part => {
      if (part.slices || !part.timeline) return part.slices;
      const c = part.timeline.columns;
      const start = ui.array(c.start);
      const length = ui.array(c.length);
      const finish = new Float64Array(start.length);
      for (let i = 0; i < start.length; ++i) finish[i] = start[i] + length[i];
      const column = name => ui.array(c[name]);
      part.slices = {
        count: start.length,
        start,
        finish,
        row: column("row"),
        lane: column("lane"),
        kind: column("kind"),
        stage: column("stage"),
        micro_batch: column("micro_batch"),
        run: column("run"),
        thread: column("thread")
      };
      return part.slices;
    };
    ui.slice_name = (part, i) => {
      const s = part.slices;
      const kind = part.timeline.kinds[s.kind[i]] ?? "?";
      const which = kind === "run" ? s.run[i] : s.micro_batch[i];
      return which > 0 ? kind + " " + (which - 1) : kind;
    };
    // The operations of a plan in steps; `find` leads from kind, stage and micro-batch to the number of an operation.
    ui.plan_of = part => {
      if (part.plan || !part.schedule) return part.plan;
      const c = part.schedule.columns;
      const p = {
        ipu: ui.array(c.ipu),
        step: ui.array(c.step),
        kind: ui.array(c.kind),
        stage: ui.array(c.stage),
        micro_batch: ui.array(c.micro_batch)
      };
      p.count = p.step.length;
      const most = values => values.reduce((a, b) => max(a, b), 0) + 1;
      const [stages, micro_batches] = [most(p.stage), most(p.micro_batch)];
      const at = new Map();
      const key = (kind, stage, micro_batch) => (kind * stages + stage) * micro_batches + micro_batch;
      for (let i = 0; i < p.count; ++i) at.set(key(p.kind[i], p.stage[i], p.micro_batch[i]), i);
      p.find = (kind, stage, micro_batch) =>
        kind >= 0 && stage < stages && micro_batch < micro_batches ? at.get(key(kind, stage, micro_batch)) : undefined;
      part.plan = p;
      return p;
    };
    ui.plan_name = (part, i) => {
      const kind = part.schedule.kinds[part.plan.kind[i]] ?? "?";
      return part.plan.micro_batch[i] > 0 ? kind + " " + (part.plan.micro_batch[i] - 1) : kind;
    };
  }
)js";

}  // namespace ipuflow::report::impl
