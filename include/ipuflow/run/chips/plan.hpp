// SPDX-License-Identifier: BSL-1.0
// A timetable as the steps that all chips take together, and for each stage on each of its chips what happens to the
// values of a micro-batch: which wait, where, and when they are brought back. Nothing here knows what a stage computes.
#pragma once

#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/run/chips/carry.hpp>
#include <ipuflow/run/chips/chips_fault.hpp>
#include <ipuflow/run/chips/options.hpp>
#include <ipuflow/run/chips/part_event.hpp>
#include <ipuflow/run/chips/step_reader.hpp>
#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/forms/recomputation.hpp>
#include <ipuflow/schedule/forms/stage_set.hpp>
#include <ipuflow/schedule/forms/table.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::run::impl {

/// Values that wait between two passes, or between an exchange and a pass.
struct carried_values {
  bool waits = false;  ///< if not, they are read where they were made
  carry_plan plan{};
  light_vector<std::uint32_t> pushed{};  ///< micro-batches in the order of pushes
  light_vector<std::uint32_t> pulled{};
  light_vector<carried_by> actions{};  ///< of each event of the part

  [[nodiscard]] carried_by at(std::size_t event) const { return waits ? actions[event] : carried_by::nothing; }
};

/// The channels by which values reach passes of a part, in the order in which they are moved: slopes, values, arriving, returning.
inline constexpr std::size_t part_channels = 4;

/// A stage on one of its chips.
struct part_plan {
  std::size_t stage = 0;
  std::size_t branch = 0;
  std::size_t chip = 0;
  light_vector<part_event> events{};
  carried_values arriving{};   ///< what entered, from the exchange to the forward
  carried_values values{};     ///< from the forward to the backward
  carried_values returning{};  ///< gradients of what left, from the exchange to the backward
  carried_values slopes{};     ///< from the backward for inputs to the one for weights
  bool mailed = false;         ///< values from the stage before come by I/O tiles
  bool mailed_back = false;    ///< and gradients from the one behind
  bool staged = false;         ///< what the host feeds comes while the values before it are still in use
  bool recomputes = false;     ///< its values are made again
  bool within = false;         ///< as part of its backward, not in a pass of their own

  /// The moves around an event, by channel.
  [[nodiscard]] std::array<carried_by, part_channels> actions(std::size_t event) const {
    return {slopes.at(event), values.at(event), arriving.at(event), returning.at(event)};
  }
};

template <class = void>
class basic_chips_plan {
 public:
  /// `again`: stages whose backwards begin with the forward again, beside those of which the timetable says so. `mail`: what one chip
  /// hands on to another lies on I/O tiles until it is read.
  explicit basic_chips_plan(const schedule::table& t, const schedule::stage_set& again = {}, bool mail = false);

  [[nodiscard]] const schedule::table& timetable() const { return *t_; }
  /// True if chips hand values on by I/O tiles, each in its own time.
  [[nodiscard]] bool mails() const { return mail_; }
  [[nodiscard]] const light_vector<part_plan>& parts() const { return parts_; }

  /// The part that runs a stage's branch over a micro-batch.
  [[nodiscard]] std::size_t part_of(std::size_t seat, std::size_t micro_batch) const {
    return of_[2 * seat + half(micro_batch)];
  }
  /// The number of the flow, of two, that a micro-batch belongs to.
  [[nodiscard]] std::size_t half(std::size_t micro_batch) const {
    return t_->where.crossed && micro_batch >= t_->where.micro_batches / 2 ? 1 : 0;
  }
  /// Calls `visit(part)` for all branches of a stage.
  template <class Visit>
  void each_branch(std::size_t stage, std::size_t micro_batch, Visit visit) const {
    for (std::size_t seat = t_->where.first_seat(stage); seat < t_->where.first_seat(stage + 1); ++seat)
      visit(part_of(seat, micro_batch));
  }

 private:
  using pass = schedule::pass;

  void add_seat(std::size_t stage, std::size_t seat) {
    const auto& where = t_->where;
    const std::size_t last = where.micro_batches == 0 ? 0 : where.micro_batches - 1;
    for (std::size_t side = 0; side < 2; ++side) {
      const std::size_t chip = where.ipu_of(seat, side == 0 ? 0 : last);
      of_[2 * seat + side] = of_[2 * seat];
      if (side == 1 && chip == parts_[of_[2 * seat]].chip) return;
      of_[2 * seat + side] = parts_.size();
      parts_.push_back({.stage = stage, .branch = seat - where.first_seat(stage), .chip = chip});
    }
  }

  /// Values come by I/O tiles if any of them comes from another chip; gradients, too, unless several branches have to be
  /// added up.
  void choose_mail(part_plan& p) const {
    if (p.events.empty()) return;
    const std::size_t one = p.events[0].micro_batch;
    if (p.stage > 0) each_branch(p.stage - 1, one, [&](std::size_t from) { p.mailed = p.mailed || parts_[from].chip != p.chip; });
    if (p.stage + 1 == t_->where.stages || t_->where.first_seat(p.stage + 2) - t_->where.first_seat(p.stage + 1) > 1) return;
    each_branch(p.stage + 1, one, [&](std::size_t from) { p.mailed_back = parts_[from].chip != p.chip; });
  }

  void read_steps() {
    const std::size_t stages = t_->where.stages;
    light_vector<light_pair<std::size_t, schedule::op>> made;  // in this step: by which part
    for (step_reader steps(*t_); steps.next();) {
      const auto step = static_cast<std::uint32_t>(steps.number());
      made.clear();
      for (std::size_t chip = 0; chip < t_->where.ipus; ++chip) {
        for (const schedule::placed& o : steps.of(chip)) {
          const std::size_t part = part_of(t_->where.seat_of(chip, o.stage, o.micro_batch), o.micro_batch);
          note(part, work_of(o.kind), o, step);
          micro_batch_of_step_.resize(step + 1, static_cast<std::uint32_t>(o.micro_batch));
          if (o.kind == pass::recompute) parts_[part].recomputes = true;
          made.emplace_back(part, o);
        }
      }
      for (const auto& [part, o] : made) {
        const bool onwards = o.kind == pass::forward && o.stage + 1 < stages;
        const bool back = schedule::is_backward(o.kind) && o.stage > 0;
        if (!onwards && !back) continue;
        if (!complete(made, parts_[part], o)) continue;
        each_branch(onwards ? o.stage + 1 : o.stage - 1, o.micro_batch,
                    [&](std::size_t to) { note(to, onwards ? part_work::arrival : part_work::return_, o, step); });
      }
    }
  }

  /// True if this is the last branch of a stage, which all run in one step.
  bool complete(const light_vector<light_pair<std::size_t, schedule::op>>& made, const part_plan& p,
                const schedule::op& o) const {
    const std::size_t branches = t_->where.first_seat(o.stage + 1) - t_->where.first_seat(o.stage);
    if (branches == 1) return true;
    std::size_t here = 0;
    for (const auto& [part, other] : made) here += other == o ? 1u : 0u;
    if (here != branches) throw_if(chips_fault{chips_wrong::branches_apart, o.micro_batch, 0, {o.stage, 0, o.kind}});
    return p.branch + 1 == branches;
  }

  void note(std::size_t part, part_work what, const schedule::op& o, std::uint32_t step) {
    light_vector<part_event>& events = parts_[part].events;
    for (std::size_t e = events.size(); e-- > 0 && events[e].step == step;) {
      if (events[e].what == what) throw_if(chips_fault{chips_wrong::pass_twice, step, 0, {o.stage, 0, o.kind}});
    }
    events.push_back({.what = what, .micro_batch = static_cast<std::uint32_t>(o.micro_batch), .step = step});
  }

  /// Tiles hold what is made again of one micro-batch, until the last half of its backward.
  static void check_recomputed(const part_plan& p) {
    const part_event* held = nullptr;
    for (const part_event& e : p.events) {
      if (!is_pass(e.what)) continue;
      if (held != nullptr && e.micro_batch != held->micro_batch)
        throw_if(chips_fault{chips_wrong::recomputed_apart, e.micro_batch, held->micro_batch, {p.stage, 0, static_cast<pass>(e.what)}});
      if (e.what == part_work::recompute) held = &e;
      if (e.what == part_work::backward || e.what == part_work::backward_weights) held = nullptr;
    }
  }

  /// The events that fill a channel and read it.
  struct ends {
    light_vector<carry_event> events{};
    light_vector<std::size_t> at{};  // event of the part

    void add(std::size_t event, bool makes, std::uint32_t value, unsigned char reader = 0) {
      events.push_back({makes, reader, value});
      at.push_back(event);
    }
  };

  /// `released`: for each micro-batch the event at which what was made may be written over.
  carried_values planned(const part_plan& p, const ends& found, std::size_t depth, bool early,
                  light_vector<std::size_t>& released) const {
    const std::size_t count = t_->where.micro_batches;
    carried_values made;
    made.plan = plan_carry(found.events, count, depth, early);
    made.waits = made.plan.depth > 0;
    made.actions.assign(p.events.size(), carried_by::nothing);
    made.pushed = std::move(made.plan.pushed);
    made.pulled = std::move(made.plan.pulled);
    for (std::size_t e = 0; e < found.at.size(); ++e) {
      const bool inside = e > 0 && found.at[e] == found.at[e - 1];  // a whole backward reads what it has just made
      if (!inside) made.actions[found.at[e]] = made.plan.actions[e];
    }
    released.assign(count, 0);
    for (std::size_t e = 0; e < found.at.size(); ++e) {
      std::size_t& until = released[found.events[e].value];
      until = made.waits ? found.at[made.plan.released[found.events[e].value]] : found.at[e];
    }
    made.plan.actions = {};  // they are by event of the part from here on
    made.plan.released = {};
    return made;
  }

  void plan_part(part_plan& p, std::size_t depth) const {
    ends values;
    ends slopes;
    for (std::size_t e = 0; e < p.events.size(); ++e) {
      const part_work what = p.events[e].what;
      const std::uint32_t m = p.events[e].micro_batch;
      const bool split = what == part_work::backward_inputs || what == part_work::backward_weights;
      if (what == part_work::forward) values.add(e, true, m);
      if (what >= part_work::backward && what <= part_work::recompute)
        values.add(e, false, m, what == part_work::backward_weights ? 1 : 0);
      if (what == part_work::backward || what == part_work::backward_inputs) slopes.add(e, true, m);
      if (what == part_work::backward || (split && what == part_work::backward_weights)) slopes.add(e, false, m);
    }
    light_vector<std::size_t> front_free;
    light_vector<std::size_t> back_free;
    p.values = planned(p, values, depth, true, front_free);
    p.slopes = planned(p, slopes, 0, true, back_free);
    p.arriving = received(p, part_work::arrival, front_free);
    p.returning = received(p, part_work::return_, back_free);
    for (std::size_t e = 0, last = schedule::nowhere; e < p.events.size(); ++e) {
      if (p.events[e].what != part_work::forward) continue;
      if (last != schedule::nowhere) {
        const std::size_t free = front_free[p.events[last].micro_batch];
        p.staged = p.staged || free >= e || p.events[free].step == p.events[e].step;
      }
      last = e;
    }
  }

  /// Values from other stages wait beside their place if any comes while the one before is in use.
  carried_values received(const part_plan& p, part_work arrives, const light_vector<std::size_t>& released) const {
    ends found;
    std::size_t last = schedule::nowhere;
    bool meets = false;
    for (std::size_t e = 0; e < p.events.size(); ++e) {
      const part_work what = p.events[e].what;
      const std::uint32_t m = p.events[e].micro_batch;
      const bool used = arrives == part_work::arrival
                            ? what == part_work::forward
                            : what == part_work::backward || what == part_work::backward_inputs;
      if (what == arrives) {
        found.add(e, true, m);
        meets = meets || (last != schedule::nowhere && released[last] > e);
        last = m;
      } else if (used) {
        found.add(e, false, m);
      }
    }
    light_vector<std::size_t> unused;
    if (!meets && !(arrives == part_work::arrival ? p.mailed : p.mailed_back)) return {};
    carried_values made = planned(p, found, 0, false, unused);
    made.waits = true;
    return made;
  }

  const schedule::table* t_;
  bool mail_;
  light_vector<part_plan> parts_;
  light_vector<std::size_t> of_;  // part of each seat and half
  light_vector<std::uint32_t> micro_batch_of_step_;
};
using chips_plan = basic_chips_plan<>;

template <class Unused>
basic_chips_plan<Unused>::basic_chips_plan(const schedule::table& t, const schedule::stage_set& again, bool mail)
    : t_{&t}, mail_{mail}, of_(2 * t.where.seats()) {
  for (std::size_t stage = 0; stage < t.where.stages; ++stage) {
    for (std::size_t seat = t.where.first_seat(stage); seat < t.where.first_seat(stage + 1); ++seat)
      add_seat(stage, seat);
  }
  read_steps();
  for (const part_plan& p : parts_) check_recomputed(p);
  if (t.live == schedule::liveness::off_chip_after_forward) {
    for (part_plan& p : parts_) transfer_beside(p.events, micro_batch_of_step_);
  }
  for (part_plan& p : parts_) {
    if (mail) choose_mail(p);
  }
  const schedule::counts whole = schedule::fifo_depths(t);
  const schedule::counts entries = schedule::fifo_depths(t, schedule::until::recompute);
  for (part_plan& p : parts_) plan_part(p, p.recomputes ? entries[p.stage] : whole[p.stage]);
  const bool all = t.recompute == schedule::recomputation::and_backpropagate;
  for (part_plan& p : parts_) {
    // A backward for weights of its own finds what the one for inputs has read: as on threads, it is kept.
    const bool split = algorithms::any_of(p.events.begin(), p.events.end(), [](const part_event& e) { return e.what == part_work::backward_weights; });
    p.within = t.run_for == mode::training && !p.recomputes && !split && (all || again.has(p.stage));
    p.recomputes = p.recomputes || p.within;
  }
}

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
extern template class basic_chips_plan<>;
#endif

}  // namespace ipuflow::run::impl
