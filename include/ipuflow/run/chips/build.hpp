// SPDX-License-Identifier: BSL-1.0
// The program of a run on chips. Each step: what the host feeds; on every chip its passes in their order; then all
// copies between stages at once; then what goes to the host [the vendor's order]. Equal steps are one function, and
// what repeats is a loop.
#pragma once

#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/run/chips/chip_work.hpp>
#include <ipuflow/run/chips/ends.hpp>
#include <ipuflow/run/chips/exchange.hpp>
#include <ipuflow/run/chips/step_loop.hpp>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace ipuflow::run::impl {

template <class = void>
class basic_chips_builder {
 public:
  basic_chips_builder(const chips_plan& plan, ipu::graph& g, std::vector<plan::lowered> lowered, const chips_options& options)
      : plan_{plan},
        g_{g},
        parts_{part_wiring(plan, g, std::move(lowered), options).take()},
        on_chip_(plan.timetable().where.ipus),
        at_(parts_.size(), 0),
        work_{plan, g, parts_, labels_},
        exchange_{plan, g, parts_},
        ends_{plan, g, parts_, labels_, options},
        options_{options} {
    for (const auto& [part, add] : ends_.sums()) work_.after_forward(part, add);
    for (std::size_t part = 0; part < parts_.size(); ++part) on_chip_[plan.parts()[part].chip].push_back(part);
  }

  /// The whole program; to be asked once.
  ipu::step build() {
    pending_step now;
    const bool ahead = steps_overlap(options_);  // transfers run beside the step before or behind
    for (step_reader steps(plan_.timetable()); steps.next();) {
      pending_step next = read(steps);
      if (!ahead) {
        add_step(next);
        continue;
      }
      now.fed_next = next.fed;
      add_step(now);
      next.sent_before = std::move(now.sent);
      now = std::move(next);
    }
    if (ahead) {
      add_step(now);
      pending_step last;
      last.sent_before = std::move(now.sent);
      add_step(last);
    }
    return finish();
  }

  std::vector<chips_part>& parts() { return parts_; }
  [[nodiscard]] std::vector<host_end> outputs() const { return ends_.outputs(); }
  label_book& labels() { return labels_; }
  [[nodiscard]] const chips_shape& shape() const { return shape_; }

 private:
  /// What a step is made of.
  struct pending_step {
    std::vector<ipu::function_id> chips{};
    std::vector<arrival> exchanged{};
    fed_list fed{};       // in this step
    fed_list fed_next{};  // in the next one, while this one computes
    fed_list sent{};
    fed_list sent_before{};
  };

  /// The same for the steps that are one function: all of a step but its micro-batches.
  struct step_content {
    std::vector<std::size_t> functions{};  // of the chips
    std::vector<arrival> exchanged{};
    std::array<std::vector<std::size_t>, 4> transferred{};  // parts that are fed, fed for the next step, sent, sent before

    friend auto operator<=>(const step_content&, const step_content&) = default;
  };

  static step_content content_of(const pending_step& s) {
    step_content made{.exchanged = s.exchanged};
    for (const ipu::function_id f : s.chips) made.functions.push_back(f.index);
    const fed_list* const lists[] = {&s.fed, &s.fed_next, &s.sent, &s.sent_before};
    for (std::size_t i = 0; i < std::size(lists); ++i) {
      for (const auto& [part, micro_batch] : *lists[i]) made.transferred[i].push_back(part);
    }
    return made;
  }

  pending_step read(const step_reader& steps) {
    pending_step made;
    const auto step = static_cast<std::uint32_t>(steps.number());
    for (std::size_t chip = 0; chip < plan_.timetable().where.ipus; ++chip) {
      for (const schedule::placed& o : steps.of(chip)) {
        const std::size_t part =
            plan_.part_of(plan_.timetable().where.seat_of(chip, o.stage, o.micro_batch), o.micro_batch);
        work_.add(part, plan_.parts()[part].events[at_[part]], at_[part], o.with_next);
        ++at_[part];
        if (o.kind != schedule::pass::forward) continue;
        if (!parts_[part].fed.empty()) made.fed.emplace_back(part, static_cast<std::uint32_t>(o.micro_batch));
        if (ends_.sends(part, o.micro_batch)) made.sent.emplace_back(part, static_cast<std::uint32_t>(o.micro_batch));
      }
      for (const std::size_t part : on_chip_[chip]) {
        const part_plan& p = plan_.parts()[part];
        for (; at_[part] < p.events.size() && p.events[at_[part]].step == step; ++at_[part]) {
          work_.add(part, p.events[at_[part]], at_[part]);
          made.exchanged.push_back({part, p.events[at_[part]].what, plan_.half(p.events[at_[part]].micro_batch)});
        }
      }
      if (const auto function = work_.take()) made.chips.push_back(*function);
    }
    return made;
  }

  /// Numbers the step and notes its transfers; its steps are made the first time.
  void add_step(const pending_step& s) {
    const bool ahead = steps_overlap(options_);
    ends_.note_fed(ahead ? s.fed_next : s.fed);
    ends_.note_sent(ahead ? s.sent_before : s.sent);
    const auto [found, added] = known_.try_emplace(content_of(s), static_cast<std::uint32_t>(functions_.size()));
    if (added) {
      std::vector<ipu::step> steps = steps_of(s);
      functions_.push_back(g_.add_function(ipu::sequence(std::move(steps))));
    }
    numbers_.push_back(found->second);
  }

  std::vector<ipu::step> steps_of(const pending_step& s) {
    const bool ahead = steps_overlap(options_);
    std::vector<ipu::step> steps;
    if (!ahead) ends_.feed(s.fed, steps);
    if (options_.io_tiles > 0) ends_.bring_in(s.fed, steps);
    std::vector<ipu::step> chips;
    for (const ipu::function_id f : s.chips) chips.push_back(ipu::call(f));
    std::vector<ipu::step> transfers;
    if (ahead) {
      ends_.send(s.sent_before, transfers);
      ends_.feed(s.fed_next, transfers);
    }
    if (!transfers.empty())
      steps.push_back(ipu::overlap(ipu::sequence(std::move(transfers)), side_by_side(std::move(chips))));
    else if (!chips.empty())
      steps.push_back(side_by_side(std::move(chips)));
    exchange_.add(s.exchanged, options_.sync, labels_, steps);
    flat_map<std::size_t, std::vector<ipu::step>> sums;
    for (auto& [part, sum] : exchange_.sums(s.exchanged)) of_chip(sums, part, chips_work::reduce, std::move(sum));
    if (!sums.empty()) steps.push_back(side_by_side(std::move(sums)));
    if (options_.io_tiles > 0) ends_.bring_out(s.sent, steps);
    if (!ahead) ends_.send(s.sent, steps);
    return steps;
  }

  static ipu::step side_by_side(std::vector<ipu::step> steps) {
    return steps.size() == 1 ? std::move(steps[0]) : ipu::parallel(std::move(steps));
  }
  static ipu::step side_by_side(flat_map<std::size_t, std::vector<ipu::step>> by_chip) {
    std::vector<ipu::step> chips;
    for (auto& [chip, steps] : by_chip) chips.push_back(ipu::sequence(std::move(steps)));
    return side_by_side(std::move(chips));
  }

  void of_chip(flat_map<std::size_t, std::vector<ipu::step>>& chips, std::size_t part, chips_work work,
               ipu::step what) {
    const part_plan& p = plan_.parts()[part];
    const schedule::pass kind = work == chips_work::update ? schedule::pass::update : schedule::pass::backward_weights;
    chips[p.chip].push_back(ipu::labelled(labels_.of({work, p.chip, p.stage, kind}), std::move(what)));
  }

  /// The steps with their loops between what begins and what ends a run.
  ipu::step finish() {
    std::vector<ipu::step> run;
    flat_map<std::size_t, std::vector<ipu::step>> clear;
    for (std::size_t part = 0; part < parts_.size(); ++part)
      if (!parts_[part].with.clear.empty()) of_chip(clear, part, chips_work::clear, parts_[part].with.clear);
    for (const auto& [part, begin] : ends_.begin_sums()) of_chip(clear, part, chips_work::clear, begin);
    if (!clear.empty()) run.push_back(side_by_side(std::move(clear)));
    const std::vector<stretch> stretches = fold(numbers_);
    for (const stretch& s : stretches) {
      std::vector<ipu::step> body;
      for (std::size_t i = s.begin; i < s.begin + s.body; ++i) body.push_back(ipu::call(functions_[numbers_[i]]));
      run.push_back(s.repeats == 1 ? ipu::sequence(std::move(body))
                                   : ipu::repeat(s.repeats, ipu::sequence(std::move(body))));
    }
    shape_ = shape_of(stretches);
    ends_.send_sums(run);
    add_updates(run);
    labels_.finish(plan_.timetable().where.micro_batches);
    ipu::step once = ipu::sequence(std::move(run));
    return options_.runs == 1 ? std::move(once) : ipu::repeat(options_.runs, std::move(once));
  }

  /// The loop that saves most, and what is before and behind it.
  chips_shape shape_of(const std::vector<stretch>& stretches) const {
    stretch loop;
    for (const stretch& s : stretches) {
      if (s.saved() > loop.saved()) loop = s;
    }
    if (loop.saved() == 0) return {numbers_.size(), 0, 0, 0};
    return {loop.begin, loop.body, loop.repeats, numbers_.size() - loop.end()};
  }

  void add_updates(std::vector<ipu::step>& run) {
    if (plan_.timetable().run_for != mode::training) return;
    flat_map<std::size_t, std::vector<ipu::step>> updates;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      chips_part& p = parts_[part];
      std::vector<ipu::step> loads;
      std::vector<ipu::step> stores;
      for (std::size_t i = 0; i < p.homes.size(); ++i) {
        loads.push_back(ipu::load(p.homes[i], p.with.parameters[i].value));
        stores.push_back(ipu::store(p.with.parameters[i].value, p.homes[i]));
      }
      if (!loads.empty()) of_chip(updates, part, chips_work::load, ipu::sequence(std::move(loads)));
      of_chip(updates, part, chips_work::update, p.with.update);
      if (!stores.empty()) of_chip(updates, part, chips_work::store, ipu::sequence(std::move(stores)));
    }
    add_crossed_sums(run);
    add_told(run);
    run.push_back(side_by_side(std::move(updates)));
  }

  /// What every stage wants to know of all others before its update.
  void add_told(std::vector<ipu::step>& run) {
    flat_map<std::size_t, std::vector<ipu::step>> made;
    std::vector<ipu::copy_piece> pieces;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      const plan::lowered& p = parts_[part].with;
      if (!p.told) continue;
      of_chip(made, part, chips_work::update, p.before_update);
      for (std::size_t seat = 0; seat < plan_.timetable().where.seats(); ++seat) {
        const std::optional<plan::carried>& from = parts_[plan_.part_of(seat, 0)].with.told;
        if (from) pieces.push_back({{from->made}, {p.told->read, seat}, 1});
      }
    }
    if (pieces.empty()) return;
    run.push_back(side_by_side(std::move(made)));
    run.push_back(ipu::labelled(labels_.of({.work = chips_work::update, .pass = schedule::pass::update}), ipu::copy(std::move(pieces))));
  }

  /// Where a stage has a chip for each half of the micro-batches, both get the sum of their gradients.
  void add_crossed_sums(std::vector<ipu::step>& run) {
    std::vector<ipu::copy_piece> pieces;
    flat_map<std::size_t, std::vector<ipu::step>> sums;
    const auto& where = plan_.timetable().where;
    for (std::size_t seat = 0; where.crossed && seat < where.seats(); ++seat) {
      const std::size_t both[] = {plan_.part_of(seat, 0), plan_.part_of(seat, where.micro_batches - 1)};
      for (std::size_t side = 0; side < 2 && both[0] != both[1]; ++side) {
        const auto& mine = parts_[both[side]].with.parameters;
        const auto& other = parts_[both[1 - side]].with.parameters;
        std::vector<ipu::step> adds;
        for (std::size_t i = 0; i < mine.size(); ++i) {
          const ipu::variable& v = g_[mine[i].gradient];
          const ipu::variable_id came =
              g_.add_temporary(ipu::name_from("gradient of the other half"), v.type(), v.elements(), v.map());
          pieces.push_back({{other[i].gradient}, {came}, g_[came].elements()});
          adds.push_back(ipu::scaled_add(g_, mine[i].gradient, 1, came));
        }
        of_chip(sums, both[side], chips_work::reduce, ipu::sequence(std::move(adds)));
      }
    }
    if (pieces.empty()) return;
    run.push_back(ipu::labelled(labels_.of({.work = chips_work::reduce}), ipu::copy(std::move(pieces))));
    run.push_back(side_by_side(std::move(sums)));
  }

  const chips_plan& plan_;
  ipu::graph& g_;
  label_book labels_;
  std::vector<chips_part> parts_;
  std::vector<std::vector<std::size_t>> on_chip_;  // parts
  std::vector<std::size_t> at_;                    // the next event of each part
  chip_work work_;
  chips_exchange exchange_;
  chips_ends ends_;
  chips_options options_;
  flat_map<step_content, std::uint32_t> known_;
  std::vector<ipu::function_id> functions_;  // of different steps
  std::vector<std::uint32_t> numbers_;       // of all steps
  chips_shape shape_{};
};
using chips_builder = basic_chips_builder<>;

}  // namespace ipuflow::run::impl
