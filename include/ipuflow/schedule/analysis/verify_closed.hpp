// SPDX-License-Identifier: BSL-1.0
// Verification of a schedule in closed form, at a cost that does not depend on the number of micro-batches. Distances
// between operations are linear in the micro-batch, so they are smallest at the ends of a part; two passes of an IPU
// meet only if their first steps agree in a residue. docs/schedules.md has the argument.
#pragma once

#include <ipuflow/schedule/analysis/neighbours.hpp>
#include <ipuflow/schedule/forms/modular.hpp>

#include <cstddef>

namespace ipuflow::schedule::impl {

constexpr step_number gcd(step_number a, step_number b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) {
    const step_number rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// A pass of a stage over a part of the micro-batches, as one set of steps.
struct steps_of_pass {
  const part* over = nullptr;
  const line* at = nullptr;
  pass kind = pass::forward;
  std::size_t stage = 0;
  step_number base = 0;
  step_number least = 0;  ///< the first and the last of its steps, and what divides the distances between them
  step_number most = 0;
  step_number stride = 0;

  template <class Where>
  constexpr step_number step(const Where& where, std::size_t local) const {
    return base + at->per_group * number(local / over->group) +
           at->per_member * number(where.delay(local % over->group));
  }
};

/// Two passes of the same part with the same distances meet iff their first steps differ by such distances.
[[nodiscard]] constexpr bool meet_in_residue(const steps_of_pass& a, const steps_of_pass& b) {
  const step_number every = a.at->per_group;
  const step_number apart = b.base - a.base;
  const auto members = number(a.over->group);
  for (step_number groups = apart / every - 1; groups <= apart / every + 1; ++groups) {
    const step_number rest = apart - groups * every;
    const step_number unit = a.at->per_member == 0 ? every : a.at->per_member;
    const step_number ahead = rest / unit;
    if (rest % unit != 0 || ahead <= -members || ahead >= members) continue;
    const step_number first = (groups > 0 ? groups : 0) * members + (ahead > 0 ? ahead : 0);
    const step_number second = (groups < 0 ? -groups : 0) * members + (ahead < 0 ? -ahead : 0);
    const auto count = number(a.over->micro_batches);
    if (first < count && second < count) return true;
  }
  return false;
}

template <class Where>
class closed_form_check {
 public:
  constexpr explicit closed_form_check(const modular<Where>& t) : t_{t} {}

  constexpr schedule_fault run() const {
    if (const schedule_fault found = covered()) return found;
    for (std::size_t i = 0; i < t_.part_count; ++i) {
      if (t_.parts[i].micro_batches == 0) continue;
      for (std::size_t stage = 0; stage < t_.where.stages; ++stage) {
        if (const schedule_fault found = complete(t_.parts[i], stage)) return found;
        if (const schedule_fault found = ordered(t_.parts[i], stage)) return found;
        for (std::size_t k = 0; k < pass_count; ++k)
          if (const schedule_fault found = one_way(t_.parts[i], static_cast<pass>(k), stage)) return found;
      }
    }
    for (std::size_t stage = 0; stage < t_.where.stages; ++stage) {
      if (const schedule_fault found = recomputed_partly(stage)) return found;
    }
    for (std::size_t ipu = 0; t_.alone && ipu < t_.where.ipus; ++ipu) {
      if (const schedule_fault found = alone(ipu)) return found;
    }
    return {};
  }

 private:
  constexpr schedule_fault fault_at(schedule_wrong wrong, std::size_t stage, std::size_t micro_batch, pass kind,
                                    std::size_t limit = 0) const {
    const std::size_t ipu = t_.where.ipu_of(t_.where.first_seat(stage), 0);
    return {wrong, limit == 0 ? 0 : micro_batch, limit, {ipu, nowhere, stage, micro_batch, kind}};
  }

  /// Each micro-batch of a direction is in one part.
  constexpr schedule_fault covered() const {
    const std::size_t all = t_.where.micro_batches / t_.where.directions();
    std::size_t next = 0;
    for (std::size_t i = 0; i < t_.part_count; ++i) {
      const part& p = t_.parts[i];
      if (p.micro_batches == 0) continue;
      if (p.first < next) return fault_at(schedule_wrong::repeated_op, 0, p.first, pass::forward);
      if (next < all && (p.first > next || p.group == 0)) break;
      next = p.first + p.micro_batches;
    }
    if (next > all) return fault_at(schedule_wrong::micro_batch_out_of_range, 0, all, pass::forward, all);
    if (next < all) return fault_at(schedule_wrong::missing_op, 0, next, pass::forward);
    if (t_.where.micro_batches % t_.where.directions() == 0) return {};
    return fault_at(schedule_wrong::missing_op, 0, t_.where.micro_batches - 1, pass::forward);
  }

  constexpr schedule_fault complete(const part& p, std::size_t stage) const {
    const auto has = [&](pass kind) { return p[kind].has(stage, t_.where.stages); };
    const auto fault_at = [&](schedule_wrong wrong, pass kind) { return this->fault_at(wrong, stage, p.first, kind); };
    if (t_.where.first_seat(stage) == t_.where.first_seat(stage + 1))
      return {.kind = schedule_wrong::unmapped_stage, .where = {.stage = stage}};
    if (!has(pass::forward)) return fault_at(schedule_wrong::missing_op, pass::forward);
    const bool split = has(pass::backward_inputs) || has(pass::backward_weights);
    if (t_.run_for == mode::inference) {
      if (split || has(pass::backward)) return fault_at(schedule_wrong::backward_in_inference, pass::backward);
      for (const pass kind : {pass::recompute, pass::update})
        if (has(kind)) return fault_at(schedule_wrong::backward_in_inference, kind);
      return {};
    }
    const bool updates_again = has(pass::update) && t_.where.micro_batches > 1;  // it is once a stage
    if (updates_again) return fault_at(schedule_wrong::repeated_op, pass::update);
    if (!split) return has(pass::backward) ? schedule_fault{} : fault_at(schedule_wrong::missing_op, pass::backward);
    if (has(pass::backward)) return fault_at(schedule_wrong::mixed_backwards, pass::backward);
    if (!has(pass::backward_inputs)) return fault_at(schedule_wrong::missing_op, pass::backward_inputs);
    if (!has(pass::backward_weights)) return fault_at(schedule_wrong::missing_op, pass::backward_weights);
    return {};
  }

  /// A stage recomputes in each part or in none.
  constexpr schedule_fault recomputed_partly(std::size_t stage) const {
    std::size_t without = nowhere;
    bool again = false;
    for (std::size_t i = t_.part_count; i-- > 0;) {
      const part& p = t_.parts[i];
      if (p.micro_batches == 0) continue;
      if (p[pass::recompute].has(stage, t_.where.stages))
        again = true;
      else
        without = p.first;
    }
    if (!again || without == nowhere) return {};
    return fault_at(schedule_wrong::recomputed_partly, stage, without, pass::recompute);
  }

  constexpr schedule_fault ordered(const part& p, std::size_t stage) const {
    const auto back_of = [&](std::size_t of) {
      return p[pass::backward_inputs].has(of, t_.where.stages) ? pass::backward_inputs : pass::backward;
    };
    const pass back = back_of(stage);
    const std::size_t before = read_from(t_.where, op{pass::forward, stage, 0});
    const std::size_t behind = read_from(t_.where, op{back, stage, 0});
    if (before != nowhere) {
      if (const auto found = after(p, pass::forward, before, pass::forward, stage)) return found;
    }
    if (const auto found = after(p, pass::infeed, stage, pass::forward, stage)) return found;
    if (const auto found = after(p, pass::forward, stage, pass::outfeed, stage)) return found;
    if (const auto found = after(p, pass::forward, stage, back, stage)) return found;
    if (const auto found = after(p, pass::forward, stage, pass::recompute, stage)) return found;
    if (const auto found = after(p, pass::recompute, stage, back, stage)) return found;
    if (const auto found = after(p, pass::backward_inputs, stage, pass::backward_weights, stage)) return found;
    const pass last = back == pass::backward ? back : pass::backward_weights;
    if (const auto found = after(p, last, stage, pass::update, stage)) return found;
    return behind != nowhere ? after(p, back_of(behind), behind, back, stage) : schedule_fault{};
  }

  /// `late` runs in a later step than `early`, for every micro-batch of the part.
  constexpr schedule_fault after(const part& p, pass early, std::size_t early_stage, pass late,
                                 std::size_t late_stage) const {
    if (!p[early].has(early_stage, t_.where.stages) || !p[late].has(late_stage, t_.where.stages)) return {};
    const steps_of_pass a = steps(p, early, early_stage);
    const steps_of_pass b = steps(p, late, late_stage);
    const std::size_t count = p.micro_batches;
    const std::size_t last_group = (p.groups() - 1) * p.group;
    const std::size_t ends[] = {0, count < p.group ? count - 1 : p.group - 1, last_group == 0 ? 0 : last_group - 1,
                                last_group, count - 1};
    for (const std::size_t local : ends) {
      const step_number made = a.step(t_.where, local);
      const step_number read = b.step(t_.where, local);
      if (made >= 0 && read > made) continue;
      const std::size_t ipu = t_.where.ipu_of(t_.where.first_seat(late_stage), p.first + local);
      return {early_stage != late_stage        ? schedule_wrong::not_ready
              : late == pass::update           ? schedule_wrong::update_first
              : late == pass::backward_weights ? schedule_wrong::weights_first
              : is_backward(late)              ? schedule_wrong::backward_first
                                               : schedule_wrong::recomputed_first,
              static_cast<std::size_t>(read),
              static_cast<std::size_t>(made + 1),
              {ipu, nowhere, late_stage, p.first + local, late}};
    }
    return {};
  }

  /// A pass goes through the micro-batches of a part in one direction; where an IPU runs one operation a step, one in a step.
  constexpr schedule_fault one_way(const part& p, pass kind, std::size_t stage) const {
    if (!p[kind].has(stage, t_.where.stages) || p.micro_batches == 1) return {};
    const steps_of_pass of = steps(p, kind, stage);
    const bool falls = p[kind].per_group < 0;
    const std::size_t last_of_group = p.group < p.micro_batches ? p.group - 1 : p.micro_batches - 2;
    for (const std::size_t local : {std::size_t{0}, last_of_group}) {
      const step_number before = of.step(t_.where, local), next = of.step(t_.where, local + 1);
      if (falls ? next < before : next > before || (next == before && !t_.alone)) continue;
      const std::size_t ipu = t_.where.ipu_of(t_.where.first_seat(stage), p.first + local);
      const place where{ipu, nowhere, stage, p.first + local + 1, kind};
      if (next == before) return {schedule_wrong::two_at_once, stage, 1, where};
      return {schedule_wrong::falling_step, static_cast<std::size_t>(next), static_cast<std::size_t>(before), where};
    }
    return {};
  }

  constexpr steps_of_pass steps(const part& p, pass kind, std::size_t stage) const {
    return {&p, &p[kind], kind, stage, p[kind].base(stage, t_.span)};
  }

  /// No two passes of an IPU have a step in common.
  constexpr schedule_fault alone(std::size_t ipu) const {
    dynamic_array<steps_of_pass> all;
    t_.for_each_line(ipu, [&](const part& p, const line&, pass kind, std::size_t stage, std::size_t) {
      all.push_back(with_extent(steps(p, kind, stage)));
    });
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (!meet(all[k], all[i])) continue;
        return {schedule_wrong::two_at_once, all[k].stage, 1, {ipu, nowhere, all[i].stage, nowhere, all[i].kind}};
      }
    }
    return {};
  }

  constexpr steps_of_pass with_extent(steps_of_pass s) const {
    const part& p = *s.over;
    const step_number last = s.step(t_.where, p.micro_batches - 1);
    const std::size_t in_whole_groups = p.micro_batches / p.group * p.group;
    const step_number whole = in_whole_groups == 0 ? s.base : s.step(t_.where, in_whole_groups - 1);
    s.least = s.at->per_group < 0 ? last : s.base;
    s.most = s.at->per_group < 0 ? s.base : last > whole ? last : whole;
    s.stride = p.group == 1 ? s.at->per_group : gcd(s.at->per_group, s.at->per_member);
    return s;
  }

  constexpr bool meet(const steps_of_pass& a, const steps_of_pass& b) const {
    if (a.most < b.least || b.most < a.least) return false;
    const step_number common = a.stride == b.stride ? a.stride : gcd(a.stride, b.stride);
    if (common > 1 && (b.base - a.base) % common != 0) return false;
    const bool even = t_.where.delay(a.over->group - 1) == a.over->group - 1;
    if (even && a.over == b.over && a.at->per_group == b.at->per_group && a.at->per_member == b.at->per_member &&
        a.at->per_group > a.at->per_member * number(a.over->group - 1)) {
      return meet_in_residue(a, b);
    }
    // Nothing that this library generates comes here; it is right for what users put together.
    for (std::size_t i = 0; i < a.over->micro_batches; ++i) {
      for (std::size_t k = 0; k < b.over->micro_batches; ++k) {
        if (a.step(t_.where, i) == b.step(t_.where, k)) return true;
      }
    }
    return false;
  }

  const modular<Where>& t_;
};

/// The first fault of a schedule in closed form.
template <class Where>
constexpr schedule_fault verify_closed(const modular<Where>& t) {
  if (t.refused) return t.refused;
  return closed_form_check<Where>{t}.run();
}

}  // namespace ipuflow::schedule::impl
