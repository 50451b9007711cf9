// SPDX-License-Identifier: BSL-1.0
// A schedule in closed form: a few numbers from which every operation's step follows, and from a step its operations.
// It is a structural value of a few words however many micro-batches it has, so it can be a template argument.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/core/mode.hpp>
#include <ipuflow/schedule/forms/device_map.hpp>
#include <ipuflow/schedule/forms/grid.hpp>
#include <ipuflow/schedule/forms/line.hpp>
#include <ipuflow/schedule/forms/liveness.hpp>
#include <ipuflow/schedule/forms/modular_walk.hpp>
#include <ipuflow/schedule/forms/recomputation.hpp>
#include <ipuflow/schedule/schedule_fault.hpp>

#include <cstddef>
#include <initializer_list>

namespace ipuflow::schedule {

namespace detail {

template <class Where>
inline constexpr std::size_t most_at_once = 16;
template <std::size_t Seats>
inline constexpr std::size_t most_at_once<device_map<Seats>> = 4 * Seats;

}  // namespace detail

template <class Where = grid>
struct modular {
  Where where{};
  part parts[2]{};
  std::size_t part_count = 1;
  std::size_t span = 1;      ///< stages in a chunk
  bool alone = true;         ///< an IPU runs one operation a step
  pace goes = pace::freely;  ///< freely: steps only order the operations of each IPU
  mode run_for = mode::training;
  recomputation recompute = recomputation::none;  ///< never automatic
  liveness live = liveness::always_live;
  schedule_fault refused{};                       ///< why these sizes make no such schedule

  friend constexpr bool operator==(const modular&, const modular&) = default;

  /// The line of a pass in the first part; most schedules have no other part.
  constexpr line& operator[](pass kind) { return parts[0][kind]; }
  constexpr const line& operator[](pass kind) const { return parts[0][kind]; }

  /// The operations of an IPU in order.
  constexpr impl::modular_walk<Where> walk(std::size_t ipu) const { return {where, streams(ipu)}; }

  /// The number of operations of an IPU.
  [[nodiscard]] constexpr std::size_t count(std::size_t ipu) const {
    std::size_t total = 0;
    for_each_line(ipu, [&](const part& p, const line&, pass, std::size_t, std::size_t) { total += p.micro_batches; });
    return total;
  }

  /// The step of an operation that the schedule has.
  [[nodiscard]] constexpr std::size_t step_of(const op& o) const {
    const std::size_t half = where.micro_batches / 2;
    const std::size_t m = where.directions() == 2 && o.micro_batch >= half ? o.micro_batch - half : o.micro_batch;
    const part& p = parts[part_count == 2 && m >= parts[1].first ? 1 : 0];
    const line& l = p[o.kind];
    const std::size_t local = m - p.first;
    return static_cast<std::size_t>(l.base(o.stage, span) + l.per_member * number(where.delay(local % p.group)) +
                                    l.per_group * number(local / p.group));
  }

  /// The operations of an IPU at a step, in the order in which it does them.
  [[nodiscard]] constexpr auto ops(std::size_t ipu, std::size_t step) const {
    bounded_vector<op, detail::most_at_once<Where>> found;
    for_each_line(ipu, [&](const part& p, const line& l, pass kind, std::size_t stage, std::size_t first) {
      const std::size_t local = at_step(p, l, number(step) - l.base(stage, span));
      if (local == nowhere) return;
      found.push_back({kind, stage, first + p.first + local});
      for (std::size_t i = found.size() - 1; i > 0; --i) {
        if (impl::rank_in_step(found[i - 1].kind, found[i - 1].stage) < impl::rank_in_step(kind, stage)) break;
        const op kept = found[i];
        found[i] = found[i - 1];
        found[i - 1] = kept;
      }
    });
    return found;
  }

  /// One past the last step at which anything runs.
  [[nodiscard]] constexpr std::size_t steps() const {
    step_number last = -1;
    for (std::size_t ipu = 0; ipu < where.ipus; ++ipu) {
      for_each_line(ipu, [&](const part& p, const line& l, pass, std::size_t stage, std::size_t) {
        for (const std::size_t local : {std::size_t{0}, p.micro_batches - 1, (p.groups() - 1) * p.group}) {
          const step_number at = l.base(stage, span) + l.per_group * number(local / p.group) +
                                 l.per_member * number(where.delay(local % p.group));
          if (at > last) last = at;
        }
      });
    }
    return static_cast<std::size_t>(last + 1);
  }

  /// Calls `visit(part, line, pass, stage, first micro-batch of the direction)` for everything that an IPU runs.
  template <class Visit>
  constexpr void for_each_line(std::size_t ipu, Visit visit) const {
    if (refused) return;
    const std::size_t chunks = where.chunks(ipu);
    for (std::size_t i = 0; i < part_count; ++i) {
      if (parts[i].micro_batches == 0) continue;
      for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        const std::size_t stage = where.stage_of(ipu, chunk);
        for (std::size_t k = 0; k < pass_count; ++k) {
          if (!parts[i].of[k].has(stage, where.stages)) continue;
          visit(parts[i], parts[i].of[k], static_cast<pass>(k), stage,
                where.direction_of(chunk) * (where.micro_batches / 2));
        }
      }
    }
  }

 private:
  constexpr dynamic_array<impl::pass_stream> streams(std::size_t ipu) const {
    dynamic_array<impl::pass_stream> found;
    for_each_line(ipu, [&](const part& p, const line& l, pass kind, std::size_t stage, std::size_t first) {
      found.push_back(impl::stream_of(p, l, kind, stage, span, first));
    });
    return found;
  }

  /// The micro-batch of a part that is `distance` steps behind its first one.
  constexpr std::size_t at_step(const part& p, const line& l, step_number distance) const {
    if (l.per_group < 0 ? distance > 0 : distance < 0) return nowhere;
    const step_number group = l.per_group == 0 ? 0 : distance / l.per_group;
    const step_number rest = distance - group * l.per_group;
    if (rest != 0 && (l.per_member == 0 || rest % l.per_member != 0)) return nowhere;
    const std::size_t member = rest == 0 ? 0 : where.member_at(static_cast<std::size_t>(rest / l.per_member));
    if (member >= p.group) return nowhere;
    const std::size_t local = static_cast<std::size_t>(group) * p.group + member;
    return local < p.micro_batches ? local : nowhere;
  }
};

/// A timetable that has no passes yet, of all micro-batches one by one, in chunks of `span` stages.
template <class Where>
[[nodiscard]] constexpr modular<Where> lines_on(const Where& where, std::size_t span) {
  modular<Where> t;
  t.where = where;
  t.span = span;
  t.parts[0].assign(0, where.micro_batches, 1);
  return t;
}

/// The same in a single chunk.
template <class Where>
[[nodiscard]] constexpr modular<Where> lines_on(const Where& where) {
  return lines_on(where, where.stages);
}

namespace impl {

/// Seats of the list that shorter ones are copied to while a program runs, so that walks and checks are compiled for one length.
inline constexpr std::size_t common_seats = 16;
using common_map = device_map<common_seats>;
template <class T>
inline constexpr bool is_widened = false;
template <std::size_t Seats>
inline constexpr bool is_widened<modular<device_map<Seats>>> = Seats < common_seats;

/// The same timetable with room for `common_seats` seats.
template <std::size_t Seats>
[[nodiscard, gnu::noinline]] constexpr modular<common_map> widened(const modular<device_map<Seats>>& t) {
  const auto& [where, parts, part_count, span, alone, goes, run_for, recompute, live, refused] = t;  // all there are
  common_map wide{where.ipus, where.stages, where.micro_batches};
  for (const auto& seat : where.taken) wide.taken.push_back({seat.stage, seat.ipu});
  for (const std::size_t delay : where.delays) wide.delays.push_back(delay);
  return {wide, {parts[0], parts[1]}, part_count, span, alone, goes, run_for, recompute, live, refused};
}

}  // namespace impl

}  // namespace ipuflow::schedule
