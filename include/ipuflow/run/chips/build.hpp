// SPDX-License-Identifier: BSL-1.0
// The program of a run on chips. Each step: what the host feeds; on every chip its passes in their order; then all
// copies between stages at once; then what goes to the host [the vendor's order]. I/O tiles fetch what comes next as soon as they
// have handed on what came before. Equal steps are one function, and what repeats is a loop.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/iterators.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/run/chips/arguments.hpp>
#include <ipuflow/run/chips/chip_work.hpp>
#include <ipuflow/run/chips/ends.hpp>
#include <ipuflow/run/chips/exchange.hpp>
#include <ipuflow/run/chips/step_loop.hpp>
#include <ipuflow/run/chips/updates.hpp>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::run::impl {

template <class = void>
class basic_chips_builder {
 public:
  basic_chips_builder(const chips_plan& plan, ipu::graph& g, light_vector<plan::lowered> lowered, const chips_options& options)
      : plan_{plan},
        g_{g},
        parts_{part_wiring(plan, g, std::move(lowered), options).take()},
        on_chip_(plan.timetable().where.ipus),
        at_(parts_.size(), 0),
        work_{plan, g, parts_, labels_},
        exchange_{plan, g, parts_},
        ends_{plan, g, parts_, labels_, options},
        updates_{plan, g, parts_, labels_},
        arguments_{plan, g, parts_, options},
        options_{options} {
    for (const auto& [part, add] : ends_.sums()) work_.after_forward(part, add);
    if (hands_over_by_memory()) exchange_.by_memory(parts_);
    for (std::size_t part = 0; part < parts_.size(); ++part) on_chip_[plan.parts()[part].chip].push_back(part);
  }

  /// The whole program; to be asked once.
  ipu::step build() {
    if (options_.io_tiles > 0) add_first_transfers();
    for (step_reader steps(plan_.timetable()); steps.next();) add_step(read(steps));
    return finish();
  }

  light_vector<chips_part>& parts() { return parts_; }
  [[nodiscard]] light_vector<host_end> outputs() const { return ends_.outputs(); }
  [[nodiscard]] const light_vector<chips_argument>& arguments() const { return arguments_.streams(); }
  label_book& labels() { return labels_; }
  [[nodiscard]] const chips_shape& shape() const { return shape_; }

 private:
  /// The pieces that a step is made of.
  struct pending_step {
    light_vector<ipu::function_id> chips{};
    light_vector<arrival> exchanged{};
    fed_list fed{};
    fed_list fed_next{};  // to I/O tiles, for a later step
    fed_list sent{};
  };

  /// The same for the steps that are one function: all of a step but its micro-batches.
  struct step_content {
    light_vector<std::size_t> functions{};  // of the chips
    light_vector<arrival> exchanged{};
    std::array<light_vector<std::size_t>, 3> transferred{};  // parts that are fed, fed for a later step, and that send

    friend auto operator<=>(const step_content&, const step_content&) = default;
  };

  static step_content content_of(const pending_step& s) {
    step_content made{.exchanged = s.exchanged};
    for (const ipu::function_id f : s.chips) made.functions.push_back(f.index);
    const fed_list* const lists[] = {&s.fed, &s.fed_next, &s.sent};
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
        if (!parts_[part].fed.empty()) {
          made.fed.emplace_back(part, static_cast<std::uint32_t>(o.micro_batch));
          if (options_.io_tiles > 0) add_next_transfer(part, made.fed_next);
        }
        if (ends_.sends(part, o.micro_batch)) made.sent.emplace_back(part, static_cast<std::uint32_t>(o.micro_batch));
      }
      for (const std::size_t part : on_chip_[chip]) {
        const part_plan& p = plan_.parts()[part];
        for (; at_[part] < p.events.size() && p.events[at_[part]].step == step; ++at_[part]) {
          work_.add(part, p.events[at_[part]], at_[part]);
          if (is_transfer(p.events[at_[part]].what) || hands_over_by_memory()) continue;
          made.exchanged.push_back({part, p.events[at_[part]].what, plan_.half(p.events[at_[part]].micro_batch)});
        }
      }
      if (const auto function = work_.take()) made.chips.push_back(*function);
    }
    return made;
  }

  /// Adds what the host sends for the next forward of a part, if there is one.
  void add_next_transfer(std::size_t part, fed_list& fed) const {
    const light_vector<part_event>& events = plan_.parts()[part].events;
    const auto next = algorithms::find_if(events.begin() + static_cast<std::ptrdiff_t>(at_[part]), events.end(),
                                          [](const part_event& e) { return e.what == part_work::forward; });
    if (next != events.end()) fed.emplace_back(part, next->micro_batch);
  }
  void add_first_transfers() {
    pending_step first;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      if (!parts_[part].fed.empty()) add_next_transfer(part, first.fed_next);
    }
    if (!first.fed_next.empty()) add_step(first);
  }

  /// Phases then leave nothing on the chip for each other.
  [[nodiscard]] bool hands_over_by_memory() const {
    return plan_.timetable().live == schedule::liveness::off_chip_after_each_phase &&
           options_.activations == kept_in::streaming_memory;
  }

  /// Numbers the step and notes its transfers; its steps are made the first time.
  void add_step(const pending_step& s) {
    ends_.note_fed(options_.io_tiles > 0 ? s.fed_next : s.fed);
    ends_.note_sent(s.sent);
    const auto [found, added] = known_.try_emplace(content_of(s), static_cast<std::uint32_t>(functions_.size()));
    if (added) {
      light_vector<ipu::step> steps = steps_of(s);
      functions_.push_back(g_.add_function(ipu::sequence(std::move(steps))));
    }
    numbers_.push_back(found->second);
  }

  light_vector<ipu::step> steps_of(const pending_step& s) {
    light_vector<ipu::step> steps;
    if (options_.io_tiles > 0) ends_.bring_in(s.fed, steps);
    ends_.feed(options_.io_tiles > 0 ? s.fed_next : s.fed, steps);
    light_vector<ipu::step> chips;
    for (const ipu::function_id f : s.chips) chips.push_back(ipu::call(f));
    if (!chips.empty()) steps.push_back(abreast(std::move(chips)));
    exchange_.add(s.exchanged, options_.sync, labels_, steps);
    chips_abreast sums(plan_, labels_);
    for (auto& [part, sum] : exchange_.sums(s.exchanged)) sums.add(part, chips_work::reduce, std::move(sum));
    if (!sums.empty()) steps.push_back(sums.take());
    if (options_.io_tiles > 0) ends_.bring_out(s.sent, steps);
    ends_.send(s.sent, steps);
    return steps;
  }

  ipu::step exchanged(ipu::step copies) {
    return ipu::labelled(labels_.of({.work = chips_work::exchange}), std::move(copies));
  }

  /// The steps with their loops between what begins and what ends a run.
  ipu::step finish() {
    light_vector<ipu::step> run;
    chips_abreast clear(plan_, labels_);
    updates_.clear(clear);
    for (const auto& [part, begin] : ends_.begin_sums()) clear.add(part, chips_work::clear, begin);
    if (!clear.empty()) run.push_back(clear.take());
    const light_vector<stretch> stretches = fold(numbers_);
    for (const stretch& s : stretches) {
      light_vector<ipu::step> body;
      for (std::size_t i = s.begin; i < s.begin + s.body; ++i) body.push_back(ipu::call(functions_[numbers_[i]]));
      run.push_back(s.repeats == 1 ? ipu::sequence(std::move(body))
                                   : ipu::repeat(s.repeats, ipu::sequence(std::move(body))));
    }
    shape_ = shape_of(stretches);
    ends_.send_sums(run);
    updates_.add_to(run);
    labels_.finish(plan_.timetable().where.micro_batches);
    ipu::step once = ipu::sequence(std::move(run));
    if (options_.runs > 1) once = ipu::repeat(options_.runs, std::move(once));
    ipu::step given = arguments_.bring(labels_);
    return given.empty() ? std::move(once) : ipu::sequence(std::move(given), std::move(once));
  }

  /// The loop that saves most, and what is before and behind it.
  chips_shape shape_of(const light_vector<stretch>& stretches) const {
    stretch loop;
    for (const stretch& s : stretches) {
      if (s.saved() > loop.saved()) loop = s;
    }
    if (loop.saved() == 0) return {numbers_.size(), 0, 0, 0};
    return {loop.begin, loop.body, loop.repeats, numbers_.size() - loop.end()};
  }

  const chips_plan& plan_;
  ipu::graph& g_;
  label_book labels_;
  light_vector<chips_part> parts_;
  light_vector<light_vector<std::size_t>> on_chip_;  // parts
  light_vector<std::size_t> at_;                    // the next event of each part
  chip_work work_;
  chips_exchange exchange_;
  chips_ends ends_;
  chips_updates updates_;
  chips_arguments arguments_;
  chips_options options_;
  ipuflow::flat_map<step_content, std::uint32_t> known_;
  light_vector<ipu::function_id> functions_;  // of different steps
  light_vector<std::uint32_t> numbers_;       // of all steps
  chips_shape shape_{};
};
using chips_builder = basic_chips_builder<>;

}  // namespace ipuflow::run::impl
