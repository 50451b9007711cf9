// SPDX-License-Identifier: BSL-1.0
// The begin and the end of a run, around its micro-batches: gradients are cleared before the first and, after the last, parameters are
// updated, each stage on its chip. What lives in streaming memory is brought for it. A tensor that other parts have copies of gets their
// gradients before, and gives them its numbers behind.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/program/arrange.hpp>
#include <ipuflow/run/chips/collectives.hpp>
#include <ipuflow/run/chips/labels.hpp>
#include <ipuflow/run/chips/parts.hpp>

#include <cstddef>
#include <utility>

namespace ipuflow::run::impl {

template <class = void>
ipu::step abreast(light_vector<ipu::step> steps) {
  return steps.size() == 1 ? std::move(steps[0]) : ipu::parallel(std::move(steps));
}

/// Steps of several parts, those of each chip in order, chips side by side.
template <class = void>
class basic_chips_abreast {
 public:
  basic_chips_abreast(const chips_plan& plan, label_book& labels) : plan_{plan}, labels_{labels} {}

  void add(std::size_t part, chips_work work, ipu::step what) {
    const part_plan& p = plan_.parts()[part];
    const bool updates = work == chips_work::update;
    const bool streams = work == chips_work::load || work == chips_work::store;  // once in a run, for the update: no pass brings them
    const schedule::pass kind = updates || streams ? schedule::pass::update : schedule::pass::backward_weights;
    if (updates) what = labelled_collectives(what, [&] { return labels_.of({chips_work::all_reduce, p.chip, p.stage, kind}); });
    chips_[p.chip].push_back(ipu::labelled(labels_.of({work, p.chip, p.stage, kind}), std::move(what)));
  }
  [[nodiscard]] bool empty() const { return chips_.empty(); }
  ipu::step take() {
    light_vector<ipu::step> all;
    for (auto& [chip, steps] : chips_) all.push_back(ipu::sequence(std::move(steps)));
    return abreast(std::move(all));
  }

 private:
  const chips_plan& plan_;
  label_book& labels_;
  ipuflow::flat_map<std::size_t, light_vector<ipu::step>> chips_;
};
using chips_abreast = basic_chips_abreast<>;

template <class = void>
class basic_chips_updates {
 public:
  basic_chips_updates(const chips_plan& plan, ipu::graph& g, light_vector<chips_part>& parts, label_book& labels)
      : plan_{plan}, g_{g}, parts_{parts}, labels_{labels} {}

  /// Adds what each part does before the first micro-batch.
  void clear(chips_abreast& to) const {
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      if (!parts_[part].with.clear.empty()) to.add(part, chips_work::clear, parts_[part].with.clear);
      if (!parts_[part].sums.empty()) to.add(part, chips_work::store, stores(parts_[part].sums));
    }
  }

  /// After the last one, if the timetable trains.
  void add_to(light_vector<ipu::step>& run) {
    if (plan_.timetable().run_for != mode::training) return;
    const light_vector<tied> ties = all_ties();
    const bool meet = plan_.timetable().where.crossed || !ties.empty() ||
                      algorithms::any_of(parts_.begin(), parts_.end(), [](const chips_part& p) { return !p.with.told.empty(); });
    if (meet) bring_gradients(run);
    add_crossed_sums(run);
    add_tied_sums(ties, run);
    add_told(run);
    chips_abreast updates(plan_, labels_), stored(plan_, labels_);
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      chips_part& p = parts_[part];
      ipu::step before = weights(p, true);
      if (!meet) before.then(loads(p.sums));
      if (!before.empty()) updates.add(part, chips_work::load, std::move(before));
      updates.add(part, chips_work::update, p.with.update);
      if (!p.homes.empty()) (ties.empty() ? updates : stored).add(part, chips_work::store, weights(p, false));
    }
    run.push_back(updates.take());
    if (!ties.empty()) give_copies(ties, run);
    if (!stored.empty()) run.push_back(stored.take());
  }

 private:
  static ipu::step loads(const light_vector<streamed>& all) {
    ipu::step made;
    for (const streamed& s : all) made.then(ipu::load{s.home, s.variable});
    return made;
  }
  static ipu::step stores(const light_vector<streamed>& all) {
    ipu::step made;
    for (const streamed& s : all) made.then(ipu::store{s.variable, s.home});
    return made;
  }
  static ipu::step weights(const chips_part& p, bool loaded) {
    ipu::step made;
    for (std::size_t i = 0; i < p.homes.size(); ++i) {
      const ipu::variable_id v = p.with.parameters[i].kept();
      if (loaded && p.with.parameters[i].copy_of) continue;  // its table's numbers come
      made.then(loaded ? ipu::step{ipu::load{p.homes[i], v}} : ipu::step{ipu::store{v, p.homes[i]}});
    }
    return made;
  }

  /// Brings all gradients to the chips, where they stay up to the update: those of several stages are looked at together.
  void bring_gradients(light_vector<ipu::step>& run) {
    chips_abreast brought(plan_, labels_);
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      if (!parts_[part].sums.empty()) brought.add(part, chips_work::load, loads(parts_[part].sums));
    }
    if (!brought.empty()) run.push_back(brought.take());
  }

  /// Adds the exchange of what every stage wants to know of all others before its update.
  void add_told(light_vector<ipu::step>& run) {
    chips_abreast made(plan_, labels_);
    light_vector<ipu::copy_piece> pieces;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      const plan::lowered& p = parts_[part].with;
      if (p.told.empty()) continue;
      made.add(part, chips_work::update, p.before_update);
      for (std::size_t seat = 0; seat < plan_.timetable().where.seats(); ++seat) {
        const light_vector<plan::carried>& from = parts_[plan_.part_of(seat, 0)].with.told;
        for (std::size_t i = 0; i < from.size(); ++i) pieces.push_back({.from = {from[i].made}, .to = {p.told[i].read, seat}, .length = 1});
      }
    }
    if (pieces.empty()) return;
    run.push_back(made.take());
    run.push_back(exchanged({.work = chips_work::reduce, .pass = schedule::pass::update}, std::move(pieces)));
  }

  /// Adds sums for stages that have a chip for each half of the micro-batches: both get the sum of their gradients.
  void add_crossed_sums(light_vector<ipu::step>& run) {
    light_vector<ipu::copy_piece> pieces;
    chips_abreast sums(plan_, labels_);
    const auto& where = plan_.timetable().where;
    for (std::size_t seat = 0; where.crossed && seat < where.seats(); ++seat) {
      const std::size_t both[] = {plan_.part_of(seat, 0), plan_.part_of(seat, where.micro_batches - 1)};
      for (std::size_t side = 0; side < 2 && both[0] != both[1]; ++side) {
        const auto& mine = parts_[both[side]].with.parameters;
        const auto& other = parts_[both[1 - side]].with.parameters;
        light_vector<ipu::step> adds;
        for (std::size_t i = 0; i < mine.size(); ++i) {
          const ipu::variable& v = g_[mine[i].gradient];
          const ipu::variable_id came =
              g_.add_temporary(ipu::name_from("gradient of the other half"), v.type(), v.elements(), v.map());
          pieces.push_back(ipu::whole_piece(g_, other[i].gradient, came));
          adds.push_back(ipu::scaled_add(g_, mine[i].gradient, 1, came));
        }
        sums.add(both[side], chips_work::reduce, ipu::sequence(std::move(adds)));
      }
    }
    if (pieces.empty()) return;
    run.push_back(exchanged({.work = chips_work::reduce}, std::move(pieces)));
    run.push_back(sums.take());
  }

  /// A tensor of one part and a copy of it in another one.
  struct tied {
    std::size_t table_part = 0;
    std::size_t table = 0;  // which of its parameters
    std::size_t copy_part = 0;
    std::size_t copy = 0;
    bool adds = true;  // the table's part gets the gradient: a part that runs both halves gets the sum of them once
    bool gets = true;  // and so the copy's part gets the numbers
  };

  /// Those of parts for one half of the micro-batches, then those for the other.
  light_vector<tied> all_ties() const {
    const auto& where = plan_.timetable().where;
    light_vector<tied> made;
    for (std::size_t half = 0; half < where.directions(); ++half) {
      const auto part_of = [&](std::size_t seat, std::size_t of_half) {
        return plan_.part_of(seat, of_half == 0 ? 0 : where.micro_batches - 1);
      };
      const auto is_new = [&](std::size_t seat) { return half == 0 || part_of(seat, 0) != part_of(seat, 1); };
      const auto each = [&](auto visit) {
        for (std::size_t seat = 0; seat < where.seats(); ++seat) {
          const auto& all = parts_[part_of(seat, half)].with.parameters;
          for (std::size_t i = 0; i < all.size(); ++i) visit(seat, all[i], i);
        }
      };
      each([&](std::size_t seat, const plan::trained_tensor& copy, std::size_t i) {
        each([&](std::size_t of, const plan::trained_tensor& table, std::size_t k) {
          if (copy.copy_of && table.number == copy.copy_of)
            made.push_back({part_of(of, half), k, part_of(seat, half), i, is_new(of), is_new(seat)});
        });
      });
    }
    return made;
  }

  /// Adds the gradients of copies to those of their tables.
  void add_tied_sums(const light_vector<tied>& ties, light_vector<ipu::step>& run) {
    light_vector<ipu::copy_piece> pieces;
    chips_abreast sums(plan_, labels_);
    for (const tied& t : ties) {
      if (!t.adds) continue;
      const ipu::variable_id sum = parts_[t.table_part].with.parameters[t.table].gradient;
      ipu::variable_id more = parts_[t.copy_part].with.parameters[t.copy].gradient;
      if (plan_.parts()[t.table_part].chip != plan_.parts()[t.copy_part].chip) {
        const ipu::variable_id came =
            g_.add_temporary(ipu::name_from("gradient of a copy"), g_[more].type(), g_[sum].elements(), g_[sum].map());
        pieces.push_back(ipu::whole_piece(g_, more, came));
        more = came;
      }
      sums.add(t.table_part, chips_work::reduce, ipu::scaled_add(g_, sum, 1, more));
    }
    if (!pieces.empty()) run.push_back(exchanged({.work = chips_work::reduce}, std::move(pieces)));
    if (!sums.empty()) run.push_back(sums.take());
  }

  /// Copies get the numbers of their tables.
  void give_copies(const light_vector<tied>& ties, light_vector<ipu::step>& run) {
    light_vector<ipu::copy_piece> pieces;
    for (const tied& t : ties) {
      const ipu::variable_id from = parts_[t.table_part].with.parameters[t.table].kept();
      if (t.gets) pieces.push_back(ipu::whole_piece(g_, from, parts_[t.copy_part].with.parameters[t.copy].kept()));
    }
    run.push_back(exchanged({.work = chips_work::update, .pass = schedule::pass::update}, std::move(pieces)));
  }

  /// Part of an update as the rest of it, and not of the exchange between stages.
  ipu::step exchanged(const chips_label& as, light_vector<ipu::copy_piece> pieces) {
    return ipu::labelled(labels_.of(as), ipu::copy{std::move(pieces)});
  }

  const chips_plan& plan_;
  ipu::graph& g_;
  light_vector<chips_part>& parts_;
  label_book& labels_;
};
using chips_updates = basic_chips_updates<>;

}  // namespace ipuflow::run::impl
