// SPDX-License-Identifier: BSL-1.0
// Hands on a picture of rows: the keys of Perfetto, mouse, touch and wheel. Moves are animated unless the user asked the
// system for less motion.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view hands_script = R"js(
  {
    const calm = matchMedia("(prefers-reduced-motion: reduce)");

    // Moves a picture towards a range.
    const aim = (lanes, from, to) => {
      lanes.goal = [from, to];
      if (calm.matches) {
        lanes.goal = null;
        return lanes.set(from, to);
      }
      if (lanes.moving) return;
      lanes.moving = true;
      const step = () => {
        if (lanes.closed || !lanes.goal) return void (lanes.moving = false);
        const [a, b] = lanes.goal;
        const near = abs(a - lanes.from) + abs(b - lanes.to) < (b - a) * 0.004;
        if (near) {
          lanes.set(a, b);
          lanes.goal = null;
          lanes.moving = false;
          return;
        }
        const [from, to] = [lanes.from + (a - lanes.from) * 0.4, lanes.to + (b - lanes.to) * 0.4];
        lanes.set(from, to);
        if (lanes.from !== from || lanes.to !== to) lanes.goal = lanes.from === a && lanes.to === b ? null : nearest(lanes, lanes.goal);
        requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
    };
    const nearest = (lanes, goal) => {
      // a goal beyond the ends or below the least span is taken as far as it goes
      const { from, to } = lanes;
      const still = lanes.last_from === from && lanes.last_to === to;
      lanes.last_from = from;
      lanes.last_to = to;
      return still ? null : goal;
    };
    ui.aim = aim;
    const range = lanes => lanes.goal ?? [lanes.from, lanes.to];
    ui.zoom = (lanes, factor, at = null) => {
      const [from, to] = range(lanes);
      const middle = at ?? (from + to) / 2;
      aim(lanes, middle - (middle - from) * factor, middle + (to - middle) * factor);
    };
    ui.pan = (lanes, part) => {
      const [from, to] = range(lanes);
      aim(lanes, from + (to - from) * part, to + (to - from) * part);
    };

    const bring_into_view = (lanes, what) => {
      const box = lanes.box_of(what);
      if (!box) return;
      const top = lanes.box.scrollTop;
      if (box.y < top + 28) lanes.box.scrollTop = box.y - 32;
      else if (box.y + box.h > top + lanes.h) lanes.box.scrollTop = box.y + box.h - lanes.h + 8;
      const { track, i } = what;
      const [from, to] = range(lanes);
      if (track.finish[i] < from || track.start[i] > to) {
        const middle = (track.start[i] + track.finish[i]) / 2;
        aim(lanes, middle - (to - from) / 2, middle + (to - from) / 2);
      }
    };
    ui.select = (lanes, what, quiet = false) => {
      lanes.selected = what;
      lanes.focused = false;
      if (!quiet) lanes.options.chosen?.(what);
      lanes.resize(); // the drawer may have taken some room
      if (what) bring_into_view(lanes, what);
    };

    const beside = (lanes, step) => {
      const now = lanes.selected;
      if (!now) return first(lanes);
      const i = now.i + step;
      if (i >= 0 && i < now.track.count) ui.select(lanes, { track: now.track, i, row: now.row });
      else ui.say(step > 0 ? "no slice behind it" : "no slice before it");
    };
    const first = lanes => {
      const band = lanes.visible().find(b => b.track) ?? lanes.bands.find(b => b.track);
      if (!band) return;
      const i = min(ui.first_behind(band.track.finish, lanes.from), band.track.count - 1);
      ui.select(lanes, { track: band.track, i, row: band.r });
    };
    const across = (lanes, step) => {
      const now = lanes.selected;
      if (!now) return first(lanes);
      const bands = lanes.bands.filter(b => b.track);
      const at = bands.findIndex(b => b.track === now.track || b.row.idle === now.track);
      const next = bands[at + step];
      if (!next) return;
      const middle = (now.track.start[now.i] + now.track.finish[now.i]) / 2;
      const i = min(ui.first_behind(next.track.finish, middle), next.track.count - 1);
      ui.select(lanes, { track: next.track, i, row: next.r });
    };
    const centre_or_fit = lanes => {
      const now = lanes.selected;
      if (!now) {
        if (lanes.area) aim(lanes, lanes.area.from, lanes.area.to);
        return;
      }
      const [start, finish] = [now.track.start[now.i], now.track.finish[now.i]];
      const middle = (start + finish) / 2;
      const [from, to] = range(lanes);
      const span = lanes.focused ? (finish - start) * 1.2 || 10 : to - from;
      lanes.focused = !lanes.focused;
      aim(lanes, middle - span / 2, middle + span / 2);
    };
    ui.taller = (lanes, factor) => {
      lanes.height = min(120, max(3, round(lanes.height * factor)));
      lanes.arrange();
    };
    ui.pin = (lanes, row) => {
      if (!lanes.pins.delete(row)) lanes.pins.add(row);
      lanes.arrange();
      ui.say(lanes.model.rows[row].name + (lanes.pins.has(row) ? " is pinned to the top" : " is not pinned"));
    };

    const keys = {
      w: l => ui.zoom(l, 0.7, l.pointer_time),
      s: l => ui.zoom(l, 1 / 0.7, l.pointer_time),
      a: l => ui.pan(l, -0.2),
      d: l => ui.pan(l, 0.2),
      ".": l => beside(l, 1),
      ",": l => beside(l, -1),
      ArrowRight: l => beside(l, 1),
      ArrowLeft: l => beside(l, -1),
      ArrowDown: l => across(l, 1),
      ArrowUp: l => across(l, -1),
      f: centre_or_fit,
      "+": l => ui.taller(l, 1.3),
      "=": l => ui.taller(l, 1.3),
      "-": l => ui.taller(l, 1 / 1.3),
      Home: l => aim(l, 0, l.model.length),
      End: l => ui.pan(l, 1),
      p: l => {
        if (l.selected || l.hover_row !== undefined) ui.pin(l, l.selected?.row ?? l.hover_row);
      },
      Enter: l => {
        if (l.selected) l.options.chosen?.(l.selected);
        else first(l);
      },
      c: l => l.options.path?.(),
      Escape: l => {
        l.selected = l.area = l.path = null;
        l.redraw();
        l.options.chosen?.(null);
      }
    };
    ui.lanes_key = (lanes, event) => {
      const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      if (!Object.hasOwn(keys, name)) return false;
      keys[name](lanes);
      return true;
    };

    ui.hands = lanes => {
      const { canvas, box } = lanes;
      const place = event => {
        const edge = canvas.getBoundingClientRect();
        return [event.clientX - edge.left, event.clientY - edge.top];
      };
      const down = new Map(); // pointers
      let drag = null;
      on(canvas, "pointerdown", event => {
        const [x, y] = place(event);
        if (event.button > 1) return;
        canvas.setPointerCapture(event.pointerId);
        ui.active = lanes;
        lanes.goal = null;
        down.set(event.pointerId, [x, y]);
        const how = event.shiftKey || event.button === 1 || event.pointerType === "touch" ? "pan" : "area";
        drag = { x, y, how, from: lanes.from, to: lanes.to, moved: false, fingers: [...down.values()].map(p => p[0]) };
      });
      on(canvas, "pointermove", event => {
        const [x, y] = place(event);
        lanes.pointer_time = x > lanes.left ? lanes.time_at(x) : null;
        if (!drag) return hover(x, y);
        down.set(event.pointerId, [x, y]);
        if (abs(x - drag.x) > 3) drag.moved = true;
        if (!drag.moved) return;
        const span = drag.to - drag.from;
        const per = span / (lanes.w - lanes.left);
        if (down.size === 2) {
          const [a, b] = [...down.values()].map(p => p[0]).sort((p, q) => p - q);
          const [c, d] = [...drag.fingers].sort((p, q) => p - q);
          const factor = max(d - c, 20) / max(b - a, 20);
          const middle = drag.from + ((c + d) / 2 - lanes.left) * per;
          const from = middle - ((a + b) / 2 - lanes.left) * per * factor;
          return lanes.set(from, from + span * factor);
        }
        if (drag.how === "pan") return lanes.set(drag.from - (x - drag.x) * per, drag.to - (x - drag.x) * per);
        const [t0, t1] = [lanes.time_at(max(drag.x, lanes.left)), lanes.time_at(max(x, lanes.left))];
        lanes.area = { from: max(0, min(t0, t1)), to: min(lanes.model.length, max(t0, t1)) };
        lanes.redraw();
      });
      const end = event => {
        const [x, y] = place(event);
        down.delete(event.pointerId);
        if (!drag || down.size > 0) return;
        const was = drag;
        drag = null;
        if (event.type === "pointercancel") return;
        if (was.moved) {
          if (was.how === "area" && lanes.area) ((lanes.selected = null), lanes.options.chose_area?.(lanes.area));
          return;
        }
        const found = lanes.at(x, y);
        if (found && found.row !== undefined && !found.track && x < lanes.left) return ui.pin(lanes, found.row);
        lanes.area = null;
        ui.select(lanes, found?.track ? found : null);
        if (!found?.track && found) lanes.options.empty?.(found.row, lanes.time_at(x));
      };
      on(canvas, "pointerup", end);
      on(canvas, "pointercancel", end);
      on(canvas, "pointerleave", () => {
        lanes.hover = lanes.hover_row = null;
        lanes.pointer_time = null;
        hint(null);
        lanes.redraw();
      });
      on(canvas, "focus", () => (ui.active = lanes));
      const hover = (x, y) => {
        const found = lanes.at(x, y);
        lanes.hover = found?.track ? found : null;
        lanes.hover_row = found?.row;
        hint(
          lanes.hover
            ? lanes.options.hint?.(lanes.hover)
            : found && x < lanes.left
              ? lanes.model.rows[found.row].name + ": click to pin"
              : null,
          x,
          y
        );
        lanes.redraw();
      };
      const hint = (words, x, y) => {
        const edge = canvas.getBoundingClientRect();
        ui.hint(words, edge.left + (x ?? 0), edge.top + (y ?? 0));
      };
      on(
        canvas,
        "wheel",
        event => {
          const [x] = place(event);
          if (event.ctrlKey || event.metaKey) {
            const factor = Math.exp(event.deltaY * (abs(event.deltaY) < 30 ? 0.01 : 0.0025));
            const at = lanes.time_at(max(x, lanes.left));
            lanes.goal = null;
            lanes.set(at - (at - lanes.from) * factor, at + (lanes.to - at) * factor);
          } else if (event.shiftKey || abs(event.deltaX) > abs(event.deltaY)) {
            const by = ((event.deltaX || event.deltaY) * (lanes.to - lanes.from)) / lanes.w;
            lanes.goal = null;
            lanes.set(lanes.from + by, lanes.to + by);
          } else return; // scrolls the rows
          event.preventDefault();
        },
        { passive: false }
      );
      on(box, "pointerenter", () => (ui.active = lanes));
    };
  }
)js";

}  // namespace ipuflow::report::impl
