// SPDX-License-Identifier: BSL-1.0
// Counting in a schedule of closed form: how many forwards of a stage have run before a step, and how many of the
// values they made are done with. What a schedule keeps is the difference.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/analysis/until.hpp>
#include <ipuflow/schedule/forms/modular.hpp>

#include <cstddef>
#include <initializer_list>

namespace ipuflow::schedule {

/// One count for each stage, or for each IPU.
using counts = bounded_vector<std::size_t, most_stages>;

namespace impl {

/// Raises `most` to `value` if that is more.
constexpr void raise_to(std::size_t& most, std::size_t value) {
  if (value > most) most = value;
}

/// True if a stage recomputes; what it does not recompute lives up to its last use.
template <class Where>
[[nodiscard]] constexpr bool recomputes(const modular<Where>& t, std::size_t stage) {
  return t.parts[0][pass::recompute].has(stage, t.where.stages);
}

/// The line of a stage that ends lives.
template <class Where>
[[nodiscard]] constexpr const line& ending_line(const modular<Where>& t, const part& p, std::size_t stage, until life) {
  if (life == until::recompute && recomputes(t, stage)) return p[pass::recompute];
  if (p[pass::backward].runs != who::none) return p[pass::backward];
  return life == until::backward_inputs ? p[pass::backward_inputs] : p[pass::backward_weights];
}

/// The number of micro-batches of a part that a line has run before a step.
template <class Where>
[[nodiscard]] constexpr std::size_t run_before(const Where& where, const part& p, step_number base, const line& l,
                                               step_number step) {
  if (l.per_group < 0) {
    const step_number kept = (base - step) / -l.per_group + 1;  // those not before it
    if (base < step) return p.micro_batches;
    return static_cast<std::size_t>(kept) >= p.micro_batches ? 0 : p.micro_batches - static_cast<std::size_t>(kept);
  }
  if (step <= base) return 0;
  const step_number groups = (step - base - 1) / l.per_group;
  const step_number rest = step - base - groups * l.per_group;
  std::size_t members = 0;
  if (p.group == 1) {
    members = 1;
  } else if (l.per_member > 0 && where.delay(p.group - 1) == p.group - 1) {
    members = static_cast<std::size_t>((rest + l.per_member - 1) / l.per_member);
    if (members > p.group) members = p.group;
  } else {
    while (members < p.group && l.per_member * number(where.delay(members)) < rest) ++members;
  }
  const std::size_t total = static_cast<std::size_t>(groups) * p.group + members;
  return total < p.micro_batches ? total : p.micro_batches;
}

/// The results that a closed form keeps, counted where it keeps most: at the ends of its parts, because distances are linear
/// between.
template <class Where>
class closed_counts {
 public:
  constexpr closed_counts(const modular<Where>& t, until life) : t_{t}, life_{life} {}

  /// Forwards of a stage, over all its parts, that have run before a step.
  constexpr std::size_t started(std::size_t stage, step_number step) const { return total(stage, step, false); }
  /// Lives of a stage that have ended before a step.
  constexpr std::size_t ended(std::size_t stage, step_number step) const { return total(stage, step, true); }

  constexpr bool lasts(std::size_t stage) const { return ending_line(t_, t_.parts[0], stage, life_).has(stage, t_.where.stages); }

  /// Calls `visit(step)` for the forwards of a stage in the groups around a step, on an IPU where it shares memory with other stages.
  /// Groups that are in `seen` are left out, since the edges of many lines are near the same ones.
  template <class Visit>
  constexpr void forwards_near(std::size_t ipu, std::size_t stage, step_number step, dynamic_array<std::size_t>& seen, Visit visit) const {
    for (std::size_t i = 0; i < t_.part_count; ++i) {
      const part& p = t_.parts[i];
      if (p.micro_batches == 0) continue;
      const line& l = p[pass::forward];
      const std::size_t group = run_before(t_.where, p, l.base(stage, t_.span), l, step) / p.group;
      for (std::size_t g = group == 0 ? 0 : group - 1; g < group + 2 && g < p.groups(); ++g) {
        if (among(seen, g * t_.part_count + i)) continue;
        const auto at_forward = [&](std::size_t m) { visit(at(p, l, stage, m)); };
        for (std::size_t chunk = 0; chunk < t_.where.chunks(ipu); ++chunk) {
          for_each_turn(p, stage, g, t_.where.stage_of(ipu, chunk), at_forward);
        }
      }
    }
  }

  /// Calls `visit(step)` for the steps at which a part of a stage starts and ends, with its forwards and with its
  /// lives.
  template <class Visit>
  constexpr void at_edges(std::size_t stage, Visit visit) const {
    for (std::size_t i = 0; i < t_.part_count; ++i) {
      const part& p = t_.parts[i];
      for (std::size_t m = 0; m < p.micro_batches; m += p.micro_batches == 1 ? 1 : p.micro_batches - 1) {
        visit(at(p, p[pass::forward], stage, m));
        visit(at(p, ending_line(t_, p, stage, life_), stage, m));
      }
    }
  }

  /// Calls `visit(step of the forward, step of its end)` for the micro-batches at the ends of the parts.
  template <class Visit>
  constexpr void at_ends(std::size_t stage, Visit visit) const {
    for (std::size_t i = 0; i < t_.part_count; ++i) {
      const part& p = t_.parts[i];
      const std::size_t groups = p.groups();
      for (std::size_t group = 0; group < groups; ++group) {
        if (group == 2 && groups > 4) group = groups - 2;
        for_each_turn(p, stage, group, stage, [&](std::size_t m) {
          visit(at(p, p[pass::forward], stage, m), at(p, ending_line(t_, p, stage, life_), stage, m));
        });
      }
    }
  }

 private:
  static constexpr std::size_t few = 16;

  /// Adds a number to a few; true if it is among them already.
  static constexpr bool among(dynamic_array<std::size_t>& seen, std::size_t group) {
    for (const std::size_t s : seen) {
      if (s == group) return true;
    }
    seen.push_back(group);
    return false;
  }

  /// Calls `visit(micro-batch)` for those of a group at which a count may be largest, some more than once. The members of a group are
  /// evenly apart, as are those of all other lines; so between the starts and ends of the groups of another stage, where its lines
  /// begin or cease to count, counts are linear. A small group is visited whole.
  template <class Visit>
  constexpr void for_each_turn(const part& p, std::size_t stage, std::size_t group, std::size_t other, Visit visit) const {
    const std::size_t first = group * p.group;
    const std::size_t end = first + p.group < p.micro_batches ? first + p.group : p.micro_batches;
    const step_number apart = p[pass::forward].per_member;
    if (end - first <= few || !evenly(apart)) {
      for (std::size_t m = first; m < end; ++m) visit(m);
      return;
    }
    for (const std::size_t m : {first, first + 1, end - 2, end - 1}) visit(m);
    for (const line* own : {&p[pass::forward], &ending_line(t_, p, stage, life_)}) {
      const step_number start = at(p, *own, stage, first);
      for_each_group_end(other, start, start + apart * number(end - first), [&](step_number edge) {
        const step_number near = (edge - start) / apart;
        for (step_number i = near - 2; i <= near + 2; ++i) {
          if (i >= 0 && i < number(end - first)) visit(first + static_cast<std::size_t>(i));
        }
      });
    }
  }
  /// True if the members of all groups are that far apart.
  constexpr bool evenly(step_number apart) const {
    if (apart <= 0) return false;
    for (std::size_t i = 0; i < t_.part_count; ++i) {
      for (const line& l : t_.parts[i].of) {
        if (l.runs == who::none) continue;
        if (l.per_member != apart || l.per_group <= 0 || t_.where.delay(t_.parts[i].group - 1) != t_.parts[i].group - 1) return false;
      }
    }
    return true;
  }
  /// Calls `visit(step)` for the first and the last step of the groups of a stage between two steps.
  template <class Visit>
  constexpr void for_each_group_end(std::size_t stage, step_number from, step_number to, Visit visit) const {
    for (std::size_t i = 0; i < t_.part_count; ++i) {
      const part& p = t_.parts[i];
      for (const line* l : {&p[pass::forward], &ending_line(t_, p, stage, life_)}) {
        const step_number base = l->base(stage, t_.span);
        if (p.micro_batches == 0 || to < base) continue;
        const step_number before = (from - base) / l->per_group - 1;
        for (std::size_t g = before < 0 ? 0 : static_cast<std::size_t>(before); g < p.groups(); ++g) {
          const std::size_t first = g * p.group;
          if (at(p, *l, stage, first) > to) break;
          visit(at(p, *l, stage, first));
          visit(at(p, *l, stage, (first + p.group < p.micro_batches ? first + p.group : p.micro_batches) - 1));
        }
      }
    }
  }

  constexpr step_number at(const part& p, const line& l, std::size_t stage, std::size_t m) const {
    return l.base(stage, t_.span) + l.per_group * number(m / p.group) +
           l.per_member * number(t_.where.delay(m % p.group));
  }
  constexpr std::size_t total(std::size_t stage, step_number step, bool end) const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < t_.part_count; ++i) {
      const line& l = end ? ending_line(t_, t_.parts[i], stage, life_) : t_.parts[i][pass::forward];
      if (t_.parts[i].micro_batches > 0) sum += run_before(t_.where, t_.parts[i], l.base(stage, t_.span), l, step);
    }
    return sum;
  }

  const modular<Where>& t_;
  until life_;
};

}  // namespace impl

}  // namespace ipuflow::schedule
