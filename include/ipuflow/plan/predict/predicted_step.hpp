// SPDX-License-Identifier: BSL-1.0
// A step of a configuration by arithmetic: the time of its kinds of steps, from chips that were counted once, and the bytes of the
// fullest tile of each chip with a stash of its schedule's depth.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/math.hpp>
#include <ipuflow/ipu/cost/elementwise_cost.hpp>
#include <ipuflow/ipu/machine/links.hpp>
#include <ipuflow/plan/predict/chip_memory.hpp>
#include <ipuflow/plan/predict/configuration.hpp>
#include <ipuflow/plan/predict/counted_chip.hpp>
#include <ipuflow/plan/predict/free_run.hpp>
#include <ipuflow/plan/predict/host_waits.hpp>
#include <ipuflow/plan/predict/prediction.hpp>
#include <ipuflow/plan/predict/schedule_steps.hpp>
#include <ipuflow/plan/predict/step_messages.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::plan {

/// True if the chips of a configuration do not end the steps of its schedule together.
[[nodiscard]] inline bool is_free_of_steps(const configuration& c, const schedule_steps& steps) {
  return c.waits_for_neighbours && steps.ipus > 1 && steps.few.goes != schedule::pace::in_turn;
}

namespace impl {

/// The step of a configuration, put together of the steps of its schedule.
template <class = void>
class basic_step_sum {
 public:
  basic_step_sum(const configuration& c, const schedule_steps& steps, light_span<const counted_chip* const> chips, const ipu::chip_system& system,
                 const steps_by_kind* with_moves = nullptr)
      : c_{c}, steps_{steps}, chips_{chips}, system_{system}, by_kind_{with_moves == nullptr ? steps.by_kind : *with_moves}, knows_moves_{with_moves != nullptr}, busy_(chips.size()), work_(chips.size()), handed_(chips.size()), messages_{steps.stages > steps.ipus || steps.few.where.crossed} {
    light_vector<std::size_t> next(chips.size(), 0);
    for (std::size_t s = 0; s < steps.stages; ++s) {
      flows_[0].stages.push_back(&chips[steps.ipu_of[s]]->stages[next[steps.ipu_of[s]]++]);
      const bool again = steps.other_ipu_of[s] != steps.ipu_of[s];
      flows_[1].stages.push_back(again ? &chips[steps.other_ipu_of[s]]->stages[next[steps.other_ipu_of[s]]++] : flows_[0].stages.back());
    }
    for (counted_flow& f : flows_) {
      const light_vector<std::size_t>& ipu_of = &f == flows_ ? steps.ipu_of : steps.other_ipu_of;
      for (std::size_t s = 0; s + 1 < steps.stages; ++s) {
        const bool apart = ipu_of[s] != ipu_of[s + 1];
        f.message.push_back(apart ? time_of(f.stages[s]->sent) : 0);
        f.message_back.push_back(apart ? time_of(sent_back(f, s)) : 0);
      }
    }
  }

  /// Costs of its passes, while it is there.
  [[nodiscard]] counted_costs costs() const { return {flows_[0]}; }

  prediction sum() {
    std::uint64_t run = 0;
    for (const kind_of_step& kind : by_kind_.kinds) {
      times_.push_back(one(kind));
      run += times_.back() * kind.count;
    }
    const auto most = [&](auto part) {
      std::uint64_t longest = 0;
      for (const counted_chip* const chip : chips_) longest = algorithms::max(longest, part(*chip).value);
      return longest;
    };
    const std::uint64_t clear = most([](const counted_chip& chip) { return chip.clear; });
    std::uint64_t update = most([](const counted_chip& chip) { return chip.alone(); });
    for (std::size_t m = 0; m < meetings_of_chips; ++m) {
      update += most([m](const counted_chip& chip) { return chip.meetings[m].before; });
      update += most([m](const counted_chip& chip) { return chip.meetings[m].together; });
    }
    if (is_free_of_steps(c_, steps_)) return finished_freely(clear, update);
    const std::uint64_t sent = results();
    const std::uint64_t once = run + clear + update + sent;
    return finished(once * c_.device_iterations, waiting_for_host(update + sent, clear), clear, update);
  }

 private:
  struct chip_time {
    std::uint64_t passes = 0;
  };

  [[nodiscard]] std::uint64_t time_of(bytes size) const {
    if (size.value == 0) return 0;
    ipu::chip_system two = system_;
    two.chips = 2, two.order = ipu::chip_order::zigzag;
    const ipu::chip_transfer message{0, 1, size};
    return ipu::transfer_time(two, {&message, 1}).value;
  }

  /// To a stage from the one behind it.
  static bytes sent_back(const counted_flow& of, std::size_t stage) { return algorithms::min(of.stages[stage + 1]->sent_back, of.stages[stage]->wanted_back); }

  void send(const chip_message& m) {
    if (m.time > 0) messages_.add(m, [this](bytes size) { return time_of(size); });
  }

  /// From one place on I/O tiles to another.
  [[nodiscard]] std::uint64_t move_of(bytes size) const {
    return ipu::local_copy_time(system_.chip, divided_up(size, c_.io_tiles)).value;
  }

  /// All chips of a step begin together, and end with the exchange of what they hand on; the host's transfers are around it, or beside it
  /// on I/O tiles, from where one copy brings them.
  std::uint64_t one(const kind_of_step& kind) {
    algorithms::fill(work_.begin(), work_.end(), std::uint64_t{0});
    algorithms::fill(handed_.begin(), handed_.end(), std::uint64_t{0});
    std::uint64_t host = 0, brought = 0;
    messages_.clear();
    for (const stage_pass& p : kind.passes) {
      const std::size_t half = p.ipu == steps_.ipu_of[p.stage] ? 0 : 1;
      const counted_flow& f = flows_[half];
      const light_vector<std::size_t>& ipu_of = half == 0 ? steps_.ipu_of : steps_.other_ipu_of;
      const auto& times = knows_moves_ ? f.stages[p.stage]->alone : f.stages[p.stage]->passes;
      const std::uint64_t time = times[static_cast<std::size_t>(p.pass)].value;
      work_[p.ipu] += time, handed_[p.ipu] += f.stages[p.stage]->handed[static_cast<std::size_t>(p.pass)].value;
      busy_[p.ipu].passes += time * kind.count;
      if (p.pass == schedule::pass::forward) {
        if (c_.io_tiles == 0) host += f.stages[p.stage]->infeed.value + (trains() ? 0 : f.stages[p.stage]->outfeed.value);
        brought = algorithms::max(brought, f.stages[p.stage]->brought.value);
        if (p.stage + 1 < steps_.stages) send({p.ipu, ipu_of[p.stage + 1], f.stages[p.stage]->sent, f.message[p.stage]});
      }
      if (schedule::is_backward(p.pass) && p.stage > 0) send({p.ipu, ipu_of[p.stage - 1], sent_back(f, p.stage - 1), f.message_back[p.stage - 1]});
    }
    const std::uint64_t exchange = messages_.longest() + *algorithms::max_element(handed_.begin(), handed_.end());
    for (const value_move& m : kind.moves) {
      const std::uint64_t time = flows_[m.ipu == steps_.ipu_of[m.stage] ? 0 : 1].stages[m.stage]->moves[m.kind].value;
      work_[m.ipu] += time;
      busy_[m.ipu].passes += time * kind.count;
    }
    host += brought;
    copies_ += exchange * kind.count;
    host_ += host * kind.count;
    return *algorithms::max_element(work_.begin(), work_.end()) + exchange + host;
  }

  /// Chips that wait for their neighbours alone.
  prediction finished_freely(std::uint64_t clear, std::uint64_t update) {
    copies_ = host_ = 0;
    free_chips all{.fed = first_fed(), .one_port = has_one_port()};
    for (const counted_chip* const chip : chips_) {
      all.clear.push_back(chip->clear.value);
      all.update.push_back(chip->alone().value);
      for (std::size_t m = 0; m < meetings_of_chips; ++m)
        all.meetings[m].push_back({chip->meetings[m].before.value, chip->meetings[m].together.value});
    }
    const light_vector<light_vector<std::size_t>> stages_of = stages_of_chips<>(steps_);
    for (std::size_t half = 0; half < 2; ++half) {
      const counted_flow& f = flows_[half];
      for (std::size_t s = 0; s < steps_.stages; ++s) {
        const light_vector<std::size_t>& here = stages_of[half == 0 ? steps_.ipu_of[s] : steps_.other_ipu_of[s]];
        free_stage& made = all.stages[half].emplace_back();
        const counted_stage& counted = *f.stages[s];
        for (std::size_t p = 0; p <= static_cast<std::size_t>(schedule::pass::recompute); ++p) {
          made.passes[p] = counted.passes[p].value, made.behind[p] = counted.behind[p].value;
          made.taken[p] = counted.taken[p].value, made.posted[p] = counted.posted[p].value;
        }
        made.between = counted.between;
        for (counted_moves& m : made.between) {
          for (following_pass& p : m.before) p.stage = p.stage == schedule::nowhere ? p.stage : here[p.stage];
        }
        if (s + 1 < steps_.stages) made.message = f.message[s], made.moved = move_of(counted.sent);
        if (s > 0) made.message_back = f.message_back[s - 1], made.moved_back = move_of(sent_back(f, s - 1));
        made.infeed = counted.infeed.value, made.outfeed = counted.outfeed.value;
      }
    }
    const free_schedule of{steps_.few, steps_.more, steps_.bodies, all};
    const std::uint64_t each = host_cycles(), runs = c_.device_iterations;
    const free_host host{.each = each, .prefetch = c_.prefetch};
    return finished(free_runs<>(of, runs), each == 0 ? 0 : free_waits<>(of, host, runs, is_loaded_ahead()), clear, update);
  }

  [[nodiscard]] bool trains() const { return steps_.few.run_for == mode::training; }

  /// Results of a run in training, those of the last micro-batch; none where I/O tiles send them beside what follows.
  std::uint64_t results() {
    std::uint64_t all = 0;
    for (const counted_stage* s : flows_[1].stages) all += trains() && c_.io_tiles == 0 ? s->outfeed.value : 0;
    host_ += all;
    return all;
  }

  /// True if the first chip and the last one share a port of the host.
  [[nodiscard]] bool has_one_port() const { return steps_.ipus <= system_.chips_per_machine; }
  [[nodiscard]] std::uint64_t host_cycles() const { return cycles_in(c_.host_time, system_.chip.clock).value; }
  /// True if the host works ahead over the end of a step.
  [[nodiscard]] bool is_loaded_ahead() const { return c_.asynchronous_loading && c_.prefetch > 0; }
  /// The stage that is fed, with which all values of a micro-batch come.
  [[nodiscard]] std::size_t first_fed() const {
    std::size_t first = 0;
    while (first + 1 < steps_.stages && flows_[0].stages[first]->from_host.value == 0) ++first;
    return first;
  }

  /// The time of a step that chips which end steps together wait for data and for I/O tiles. The host makes one micro-batch after the
  /// other, from the beginning of the step on, or since the step before.
  [[nodiscard]] std::uint64_t waiting_for_host(std::uint64_t behind, std::uint64_t before) const {
    const std::uint64_t one = host_cycles();
    if (one == 0 && c_.io_tiles == 0) return 0;
    const std::size_t first = first_fed();
    host_pace host{.each = one, .prefetch = c_.prefetch, .before = before, .behind = behind, .sends_all = !trains()};
    if (c_.io_tiles > 0) {
      const counted_stage &fed = *flows_[0].stages[first], &last = *flows_[1].stages.back();
      host.beside = true, host.way = fed.infeed.value, host.copy = fed.brought.value;
      host.carried = last.carried.value, host.results = last.outfeed.value, host.one_port = has_one_port();
      for (const counted_stage* const s : flows_[0].stages) host.rest += s != &fed ? s->infeed.value : 0;
    }
    light_vector<fed_step> kinds;
    for (std::size_t k = 0; k < by_kind_.kinds.size(); ++k) {
      fed_step& step = kinds.emplace_back(fed_step{.time = times_[k]});
      for (const stage_pass& p : by_kind_.kinds[k].passes) {
        if (p.pass != schedule::pass::forward) continue;
        if (p.stage == first) ++step.enter, step.crossed += p.ipu != steps_.ipu_of[first];
        step.leave += p.stage + 1 == steps_.stages;
      }
    }
    return host_waits<>(kinds, by_kind_.few, by_kind_.more, steps_.bodies, host, c_.device_iterations, is_loaded_ahead());
  }

  prediction finished(std::uint64_t of_runs, std::uint64_t waiting, std::uint64_t clear, std::uint64_t update) {
    const auto runs = static_cast<std::uint64_t>(c_.device_iterations);
    prediction made{.clock = system_.chip.clock, .samples = c_.samples_per_step(), .tile_memory = system_.chip.tile_memory, .code_region = system_.chip.code_region};
    const std::uint64_t call = cycles_in(c_.call_time, made.clock).value;
    made.total = {of_runs + waiting + call};
    for (std::size_t chip = 0; chip < chips_.size(); ++chip) {
      made.busy.push_back({busy_[chip].passes * runs});
      if (made.busy[chip] > made.busy[made.busiest]) made.busiest = chip;
      std::uint64_t in = 0, out = 0;
      for (std::size_t s = 0; s < steps_.stages; ++s) {
        const std::size_t ipus[] = {steps_.ipu_of[s], steps_.other_ipu_of[s]};
        for (std::size_t i = 0; i < 2; ++i) {  // half of the micro-batches each
          if (ipus[i] == chip) in += flows_[i].stages[s]->from_host.value * (i == 0 ? c_.accumulation - c_.accumulation / 2 : c_.accumulation / 2);
        }
        if (ipus[1] == chip) out += flows_[1].stages[s]->to_host.value * (trains() ? 1 : c_.accumulation);
      }
      made.from_host.push_back(in * runs);
      made.to_host.push_back(out * runs);
    }
    const counted_chip& busiest = *chips_[made.busiest];
    if (is_free_of_steps(c_, steps_)) {  // its own
      clear = busiest.clear.value, update = busiest.update.value;
      for (const chip_meeting& m : busiest.meetings) update += m.together.value;
    }
    const auto set = [&](time_use u, std::uint64_t time) { made.by_use[static_cast<std::size_t>(u)] = {time}; };
    const auto share = [&](work_of_chip kind) {
      return static_cast<std::uint64_t>(math::rounded(busiest.shares[static_cast<std::size_t>(kind)] * static_cast<double>(made.busy[made.busiest].value)));
    };
    set(time_use::compute, share(work_of_chip::compute));
    set(time_use::streaming, share(work_of_chip::streaming));
    set(time_use::exchange, made.busy[made.busiest].value - made[time_use::compute].value - made[time_use::streaming].value);
    set(time_use::copies, copies_ * runs);
    set(time_use::all_reduce, busiest.all_reduce.value * runs);
    set(time_use::update, (clear + update - busiest.all_reduce.value) * runs);
    set(time_use::host, host_ * runs + waiting + call);
    std::uint64_t known = 0;
    for (const cycles t : made.by_use) known += t.value;
    set(time_use::bubble, made.total.value > known ? made.total.value - known : 0);
    return made;
  }

  const configuration& c_;
  const schedule_steps& steps_;
  light_span<const counted_chip* const> chips_;
  const ipu::chip_system& system_;
  const steps_by_kind& by_kind_;
  bool knows_moves_;  // if not, a pass takes what it takes on the average, with its moves
  light_vector<std::uint64_t> times_{};  // of the kinds
  counted_flow flows_[2]{};
  light_vector<chip_time> busy_;
  light_vector<std::uint64_t> work_, handed_;  // of the chips in a step
  step_messages messages_;
  std::uint64_t copies_ = 0, host_ = 0;  // of a run
};

}  // namespace impl

/// The step of a configuration on chips that have been counted: those of a replica, in the order of the schedule's IPUs, with their fullest
/// tiles. `with_moves`: its steps, if it is known what is moved in each.
template <class = void>
[[nodiscard]] prediction predict(const configuration& c, const schedule_steps& steps, light_span<const counted_chip* const> chips,
                                 const ipu::chip_system& system, light_vector<chip_memory> memory, const steps_by_kind* with_moves = nullptr) {
  prediction made = impl::basic_step_sum<>(c, steps, chips, system, with_moves).sum();
  made.memory = std::move(memory);
  return made;
}
template <class = void>
[[nodiscard]] prediction predict(const configuration& c, const schedule_steps& steps, light_span<const counted_chip* const> chips,
                                 const ipu::chip_system& system) {
  return predict(c, steps, chips, system, fullest_tiles<>(steps, chips));
}

}  // namespace ipuflow::plan
