// SPDX-License-Identifier: BSL-1.0
// The work of one chip in a step: its passes in their order, with waiting values restored before them and stashed
// after. Equal work in different steps is one function; its micro-batches are noted beside it.
#pragma once

#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/maybe.hpp>
#include <ipuflow/ipu/program/arrange.hpp>
#include <ipuflow/run/chips/labels.hpp>
#include <ipuflow/run/chips/parts.hpp>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::run::impl {

/// An event of a part, as far as the program is concerned: its micro-batch is not in it.
struct work_item {
  std::size_t part = 0;
  part_work what = part_work::forward;
  std::array<carried_by, part_channels> actions{};  ///< of each channel
  part_work of = part_work::forward;    ///< the pass of a transfer
  bool loads = true;                    ///< in its own step
  bool stores = true;
  bool with_next = false;  ///< begins when both have what they read and hands on when both are done, where chips have their own time

  friend constexpr auto operator<=>(const work_item&, const work_item&) = default;
};

template <class = void>
class basic_chip_work {
 public:
  basic_chip_work(const chips_plan& plan, ipu::graph& g, light_vector<chips_part>& parts, label_book& labels)
      : plan_{plan}, g_{g}, parts_{parts}, labels_{labels}, moved_(parts.size()) {}

  /// The part's values are added up for the host by this step after each forward.
  void after_forward(std::size_t part, ipu::step what) { sums_.emplace_back(part, std::move(what)); }

  /// Takes the next item of a chip's step, in the order in which they run.
  void add(std::size_t part, const part_event& e, std::size_t index, bool with_next = false) {
    const part_plan& p = plan_.parts()[part];
    items_.push_back({part,
                      e.what,
                      p.actions(index),
                      e.of,
                      e.loads,
                      e.stores,
                      with_next && plan_.mails()});
    micro_batches_.push_back(e.micro_batch);
  }

  /// The function that does the items added since the last call; none if there is nothing to do.
  maybe<ipu::function_id> take() {
    const auto known = functions_.find(items_);
    maybe<ipu::function_id> function = known == functions_.end() ? maybe<ipu::function_id>{} : known->second;
    if (known == functions_.end()) {
      ipu::step made = work_of_items();
      if (!made.empty()) function = g_.add_function(std::move(made));
      functions_.try_emplace(items_, function);
    }
    for (std::size_t i = 0; i < items_.size(); ++i) note(items_[i], micro_batches_[i]);
    items_.clear();
    micro_batches_.clear();
    return function;
  }

 private:
  using pass = schedule::pass;

  struct channel_of {
    const carried_values& planned;
    const wired_channel& wired;
    bool mailed;  // its moves are those of I/O tiles, in no time of the chip
    pass made_by;
    pass read_by;
  };
  std::array<channel_of, part_channels> channels(std::size_t part) const {
    const part_plan& p = plan_.parts()[part];
    const chips_part& w = parts_[part];
    return {{{p.slopes, w.slopes, false, pass::backward_inputs, pass::backward_weights},
             {p.values, w.values, false, pass::forward, pass::backward},
             {p.arriving, w.arriving, p.mailed, pass::forward, pass::forward},
             {p.returning, w.returning, p.mailed_back, pass::backward, pass::backward}}};
  }

  /// Calls `visit(channel number, way, reader)` for what comes before the pass of an item, or after it.
  template <class Visit>
  void each_move(const work_item& item, bool before, Visit visit) const {
    if (item.actions == std::array<carried_by, part_channels>{}) return;
    const std::array<channel_of, part_channels> all = channels(item.part);
    impl::each_move(item.actions, before, [&](carried_by which, std::size_t c) {
      if (all[c].wired.what.empty()) return;
      const bool second = before ? c == 1 && item.what == part_work::backward_weights : has(item.actions[c], carried_by::second_reader);
      visit(c, way_of(which), second ? 1u : 0u);
    });
  }

  chips_label label(chips_work work, std::size_t part, pass kind) const {
    return {work, plan_.parts()[part].chip, plan_.parts()[part].stage, kind};
  }
  chips_label label(const work_item& item, std::size_t c, way w) const {
    const channel_of channel = channels(item.part)[c];
    return w == way::push ? label(chips_work::stash, item.part, channel.made_by) : label(chips_work::restore, item.part, channel.read_by);
  }
  ipu::step labelled(const chips_label& l, light_vector<ipu::step> steps) {
    return ipu::labelled(labels_.of(l), ipu::sequence(std::move(steps)));
  }

  ipu::step move(const wired_channel& c, way w, std::size_t reader) const {
    light_vector<ipu::step> steps;
    light_vector<ipu::copy_piece> pieces;
    for (std::size_t i = 0; i < c.what.size(); ++i) {
      if (w == way::push) steps.push_back(ipu::push(c.what[i].made, c.rings[i]));
      if (w == way::pull) steps.push_back(ipu::pull(c.rings[i], c.what[i].read, reader));
      if (w == way::copy) pieces.push_back(ipu::whole_piece(g_, c.what[i].made, c.what[i].read));
    }
    if (w == way::copy) steps.push_back(ipu::copy(std::move(pieces)));
    return ipu::sequence(std::move(steps));
  }

  bool recomputes_first(const work_item& item) const {
    const auto index = static_cast<std::size_t>(part_work::recompute);
    return plan_.parts()[item.part].within && goes_back(item.what) &&
           !g_.functions()[parts_[item.part].passes[index]->index].empty();
  }

  void run_pass(std::size_t number, part_work what, light_vector<ipu::step>& steps) {
    const auto index = static_cast<std::size_t>(what);
    steps.push_back(labelled(label(chips_work::pass, number, pass_of(what)), {ipu::call(*parts_[number].passes[index])}));
  }

  /// Moves what a pass needs from streaming memory, and what it leaves there; by way of I/O tiles if it is `beside` others.
  void transfer(std::size_t number, part_work of, bool loads, bool beside, light_vector<ipu::step>& steps) {
    const auto index = static_cast<std::size_t>(of);
    light_vector<ipu::step> moves;
    for (const streamed& s : (loads ? parts_[number].loaded : parts_[number].stored)[index]) {
      const ipu::variable_id place = beside ? s.beside : s.variable;
      moves.push_back(loads ? ipu::step{ipu::load{s.home, place}} : ipu::step{ipu::store{place, s.home}});
    }
    if (moves.empty()) return;
    steps.push_back(labelled(label(loads ? chips_work::load : chips_work::store, number, pass_of(of)), std::move(moves)));
  }

  /// Transfers for other passes come before the passes of the step, or behind them; with I/O tiles, which work by themselves,
  /// before, and one copy brings what was loaded to the tiles that compute, and what will be stored to the I/O tiles.
  ipu::step work_of_items() {
    light_vector<ipu::step> stores, passes, loads;
    light_vector<ipu::copy_piece> moved;
    bool overlaps = false;
    for (std::size_t i = 0, count = 0; i < items_.size(); i += count) {
      const work_item& item = items_[i];
      const chips_part& part = parts_[item.part];
      count = item.with_next && i + 1 < items_.size() && item.part != items_[i + 1].part ? 2 : 1;
      if (item.what == part_work::load) {
        transfer(item.part, item.of, true, true, loads);
        for (const streamed& s : part.loaded[static_cast<std::size_t>(item.of)]) {
          if (s.has_io_tiles()) moved.push_back(ipu::whole_piece(g_, s.beside, s.variable)), overlaps = true;
        }
      } else if (item.what == part_work::store) {
        transfer(item.part, item.of, false, true, stores);
        for (const streamed& s : part.stored[static_cast<std::size_t>(item.of)]) overlaps = overlaps || s.has_io_tiles();
      } else {
        emit(light_span<const work_item>{items_}.subspan(i, count), passes);
        if (!is_pass(item.what) || item.stores) continue;
        for (const streamed& s : part.stored[static_cast<std::size_t>(item.what)]) {
          if (s.has_io_tiles()) moved.push_back(ipu::whole_piece(g_, s.variable, s.beside));
        }
      }
    }
    ipu::step before = ipu::sequence(std::move(stores));
    ipu::step made = ipu::sequence(std::move(passes));
    ipu::step behind = ipu::sequence(std::move(loads));
    if (overlaps)
      made = ipu::sequence(std::move(before), std::move(behind), std::move(made));
    else
      made = ipu::sequence(std::move(before), std::move(made), std::move(behind));
    if (!moved.empty()) made.then(ipu::labelled(labels_.of({.work = chips_work::exchange}), ipu::copy{std::move(moved)}));
    return made;
  }

  static pass pass_of(part_work what) { return static_cast<pass>(what); }

  void copy_all(const light_vector<plan::carried>& all, const chips_label& as, light_vector<ipu::step>& steps) {
    if (all.empty()) return;
    light_vector<ipu::copy_piece> pieces;
    for (const plan::carried& c : all) pieces.push_back(ipu::whole_piece(g_, c.made, c.read));
    steps.push_back(labelled(as, {ipu::copy(std::move(pieces))}));
  }

  static bool goes_back(part_work what) { return what == part_work::backward || what == part_work::backward_inputs; }
  chips_label handing_on(const work_item& item) const { return label(chips_work::exchange, item.part, pass_of(item.what)); }

  void emit_moves(const work_item& item, bool before, light_vector<ipu::step>& steps) {
    each_move(item, before, [&](std::size_t c, way w, std::size_t reader) {
      const channel_of channel = channels(item.part)[c];
      ipu::step made = move(channel.wired, w, reader);
      steps.push_back(channel.mailed ? std::move(made) : labelled(label(item, c, w), {std::move(made)}));
    });
  }

  /// Brings what a pass reads to its place; what is there still has been moved before.
  void prepare(const work_item& item, light_vector<ipu::step>& steps) {
    emit_moves(item, true, steps);
    const chips_part& part = parts_[item.part];
    const bool forward = item.what == part_work::forward;
    if (forward) copy_all(part.staged, label(chips_work::restore, item.part, pass::forward), steps);
    if (forward) copy_all(part.arriving.taken, handing_on(item), steps);
    if (goes_back(item.what)) copy_all(part.returning.taken, handing_on(item), steps);
  }
  /// Puts what a pass has made where others fetch it.
  void post(const work_item& item, light_vector<ipu::step>& steps) {
    const chips_part& part = parts_[item.part];
    if (item.what == part_work::forward) copy_all(part.posted, handing_on(item), steps);
    if (goes_back(item.what)) copy_all(part.posted_back, handing_on(item), steps);
  }

  /// One item, or two that run together.
  void emit(light_span<const work_item> together, light_vector<ipu::step>& steps) {
    for (const work_item& item : together) prepare(item, steps);
    for (const work_item& item : together) {
      if (!is_pass(item.what)) continue;
      const chips_part& part = parts_[item.part];
      if (item.loads) transfer(item.part, item.what, true, false, steps);
      if (!part.added.empty() && item.what == part_work::backward)
        steps.push_back(labelled(label(chips_work::reduce, item.part, pass::backward), {part.added}));
      if (recomputes_first(item)) run_pass(item.part, part_work::recompute, steps);
      run_pass(item.part, item.what, steps);
      if (item.stores) transfer(item.part, item.what, false, false, steps);
      if (&item == &together.back()) {
        for (const work_item& done : together) post(done, steps);
      }
      for (const auto& [summed, what] : sums_) {
        if (summed == item.part && item.what == part_work::forward)
          steps.push_back(labelled(label(chips_work::outfeed, item.part, pass::outfeed), {what}));
      }
      emit_moves(item, false, steps);
    }
  }

  /// Everything that `emit` labels, in the same order.
  void note(const work_item& item, std::uint32_t micro_batch) {
    std::array<progress_of, 4>& moved = moved_[item.part];
    const auto noted = [&](std::size_t c, way w, std::size_t) {
      if (channels(item.part)[c].mailed) return;
      const carried_values& planned = channels(item.part)[c].planned;
      const std::uint32_t which = w == way::push   ? planned.pushed[moved[c].pushed++]
                                  : w == way::pull ? planned.pulled[moved[c].pulled++]
                                                   : micro_batch;
      labels_.note(label(item, c, w), which);
    };
    each_move(item, true, noted);
    if (!is_pass(item.what)) return;
    if (item.what == part_work::forward && !parts_[item.part].staged.empty())
      labels_.note(label(chips_work::restore, item.part, pass::forward), micro_batch);
    if (recomputes_first(item)) labels_.note(label(chips_work::pass, item.part, pass::recompute), micro_batch);
    labels_.note(label(chips_work::pass, item.part, pass_of(item.what)), micro_batch);
    for (const auto& [summed, what] : sums_) {
      if (summed == item.part && item.what == part_work::forward)
        labels_.note(label(chips_work::outfeed, item.part, pass::outfeed), micro_batch);
    }
    each_move(item, false, noted);
  }

  /// The number of values of a channel that were pushed and pulled so far.
  struct progress_of {
    std::size_t pushed = 0;
    std::size_t pulled = 0;
  };

  const chips_plan& plan_;
  ipu::graph& g_;
  light_vector<chips_part>& parts_;
  label_book& labels_;
  light_vector<std::array<progress_of, 4>> moved_;
  light_vector<light_pair<std::size_t, ipu::step>> sums_;
  light_vector<work_item> items_;
  light_vector<std::uint32_t> micro_batches_;
  ipuflow::flat_map<light_vector<work_item>, maybe<ipu::function_id>> functions_;
};
using chip_work = basic_chip_work<>;

}  // namespace ipuflow::run::impl
