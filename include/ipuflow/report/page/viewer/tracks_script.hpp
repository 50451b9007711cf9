// SPDX-License-Identifier: BSL-1.0
// Tracks: slices of one row that follow each other, with an index of levels of detail. A level halves the one below it; of each
// of its buckets it knows how much of it is busy and with what kind most. So a picture of a million slices costs as much as its
// pixels.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view tracks_script = R"js(
  {
    const max_leaves = 1 << 17;

    // The first slice that ends behind a time.
    const first_behind = (finish, time, low = 0, high = finish.length) => {
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (finish[middle] > time) high = middle;
        else low = middle + 1;
      }
      return low;
    };
    ui.first_behind = first_behind;

    // Slices by row and lane; what overlaps within a lane goes below it, as in a flame graph.
    ui.tracks_of = (s, row_count) => {
      const { count, row, start, finish, kind } = s;
      const { lane } = s;
      let lanes = 1;
      for (let i = 0; lane && i < count; ++i) if (lane[i] >= lanes) lanes = lane[i] + 1;
      const keys = new Uint32Array(count); // row and lane
      for (let i = 0; i < count; ++i) keys[i] = row[i] * lanes + (lane ? lane[i] : 0);
      const last = []; // of each row and lane: the last finish at each depth, and the track of that depth
      const found = [];
      const track_of = new Uint32Array(count);
      const tracks = [];
      let order = null;
      for (let i = 1; i < count && !order; ++i) {
        if (start[i] < start[i - 1])
          order = Uint32Array.from(start, (_, k) => k).sort((a, b) => start[a] - start[b] || finish[b] - finish[a]);
      }
      for (let n = 0; n < count; ++n) {
        const i = order ? order[n] : n;
        const key = keys[i];
        const begin = start[i];
        const ends = (last[key] ??= []);
        let depth = 0;
        while (depth < ends.length && ends[depth] > begin) ++depth;
        if (depth === ends.length) {
          (found[key] ??= []).push(tracks.length);
          tracks.push({ row: floor(key / lanes), lane: key % lanes, depth, count: 0 });
        }
        ends[depth] = finish[i];
        const at = found[key][depth];
        track_of[i] = at;
        ++tracks[at].count;
      }
      for (const t of tracks) {
        t.start = new Float64Array(t.count);
        t.finish = new Float64Array(t.count);
        t.kind = new Uint8Array(t.count);
        t.id = new Uint32Array(t.count);
        t.count = 0;
      }
      for (let n = 0; n < count; ++n) {
        const i = order ? order[n] : n;
        const t = tracks[track_of[i]];
        const at = t.count++;
        t.start[at] = start[i];
        t.finish[at] = finish[i];
        t.kind[at] = kind[i];
        t.id[at] = i;
      }
      const rows = Array.from({ length: row_count }, () => []);
      for (const t of tracks) if (t.row < row_count) rows[t.row].push(t);
      for (const r of rows) r.sort((a, b) => a.lane - b.lane || a.depth - b.depth);
      return rows;
    };

    // Levels of detail of a track over times from 0 to `length`.
    const levels_of = (track, length) => {
      if (track.levels) return track.levels;
      let leaves = 2048;
      while (leaves < track.count && leaves < max_leaves) leaves *= 2;
      const wide = length / leaves;
      const kind = new Uint8Array(leaves);
      const busy = new Uint8Array(leaves);
      const { start, finish, kind: kinds } = track;
      let at = 0; // the bucket at hand: how much of it is busy, and the longest piece in it
      let all = 0;
      let longest = -1;
      const flush = () => {
        if (longest >= 0) busy[at] = max(1, min(255, round((255 * all) / wide)));
      };
      for (let i = 0; i < track.count; ++i) {
        const first = min(leaves - 1, max(0, floor(start[i] / wide)));
        const last = min(leaves - 1, floor(finish[i] / wide));
        for (let b = first; b <= last; ++b) {
          const piece = min(finish[i], (b + 1) * wide) - max(start[i], b * wide);
          if (b !== at) (flush(), (at = b), (all = 0), (longest = -1));
          all += piece;
          if (piece > longest) ((longest = piece), (kind[b] = kinds[i]));
        }
      }
      flush();
      const levels = [{ kind, busy, wide }];
      while (levels.at(-1).kind.length > 64) {
        const below = levels.at(-1);
        const n = below.kind.length / 2;
        const up = { kind: new Uint8Array(n), busy: new Uint8Array(n), wide: below.wide * 2 };
        for (let b = 0; b < n; ++b) {
          const left = below.busy[2 * b];
          const right = below.busy[2 * b + 1];
          up.kind[b] = left >= right ? below.kind[2 * b] : below.kind[2 * b + 1];
          up.busy[b] = (left + right + 1) >> 1;
        }
        levels.push(up);
      }
      return (track.levels = levels);
    };
    ui.levels_of = levels_of;

    // Colours of each kind at 16 degrees of density over the ground.
    ui.table_of = (colours, ground) => {
      const under = ui.rgb(ground);
      const table = new Uint32Array(256 * 16);
      for (let k = 0; k < 256; ++k) {
        const over = ui.rgb(colours[k % colours.length]);
        for (let d = 0; d < 16; ++d) {
          const part = 0.22 + (0.78 * (d + 1)) / 16;
          const [r, g, b] = over.map((c, i) => round(c * part + under[i] * (1 - part)));
          table[k * 16 + d] = (255 << 24) | (b << 16) | (g << 8) | r;
        }
      }
      return table;
    };

    // The pixels of a track between two times, into `out` from `base`; what is idle stays as it is.
    ui.paint = (track, length, from, to, width, out, base, table) => {
      const per = (to - from) / width;
      const levels = levels_of(track, length);
      const { start, finish, kind: kinds, count } = track;
      let i = first_behind(finish, from);
      const seen = first_behind(start, to, i) - i;
      if (per >= levels[0].wide && seen > width) {
        const level = levels[min(levels.length - 1, floor(log2(per / levels[0].wide)))];
        const { kind, busy, wide } = level;
        const buckets = kind.length;
        let b = floor(from / wide);
        for (let x = 0; x < width; ++x) {
          const end = (from + (x + 1) * per) / wide;
          let most = 0;
          let what = 0;
          for (; ; ++b) {
            if (b >= 0 && b < buckets && busy[b] > most) ((most = busy[b]), (what = kind[b]));
            if (b + 1 >= end) break;
          }
          if (end >= b + 1) ++b;
          if (most > 0) out[base + x] = table[what * 16 + (most >> 4)];
        }
        return;
      }
      const crowded = seen > 4 * width;
      let pixel = -1; // with slices narrower than itself
      let busy = 0;
      let what = 0;
      let longest = 0;
      const settle = () => {
        if (pixel >= 0 && pixel < width) out[base + pixel] = table[what * 16 + min(15, floor(busy * 16))];
        pixel = -1;
      };
      for (; i < count && start[i] < to; ++i) {
        const left = (start[i] - from) / per;
        const right = (finish[i] - from) / per;
        if (right - left < 1) {
          const at = max(0, floor(left));
          if (at !== pixel) (settle(), (pixel = at), (busy = longest = 0));
          busy += right - left;
          if (right - left >= longest) ((longest = right - left), (what = kinds[i]));
          if (crowded && busy < 1) {
            // the rest of this pixel looks alike
            const next = first_behind(finish, from + (at + 1) * per, i + 1);
            if (next - i > 8) ((busy = 1), (i = next - 1));
          }
          continue;
        }
        settle();
        const begin = max(0, round(left));
        let end = min(width, round(right));
        if (end - begin >= 4 && right <= width) --end;
        const colour = table[kinds[i] * 16 + 15];
        for (let x = begin; x < end; ++x) out[base + x] = colour;
      }
      settle();
    };
  }
)js";

}  // namespace ipuflow::report::impl
