// SPDX-License-Identifier: BSL-1.0
// All copies between stages at the end of a step, as one exchange or each by itself: what a stage made goes to all branches of the next,
// its gradients go back; gradients of several branches are added up where they arrive.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/maybe.hpp>
#include <ipuflow/ipu/program/arrange.hpp>
#include <ipuflow/run/chips/labels.hpp>
#include <ipuflow/run/chips/parts.hpp>

#include <compare>
#include <cstddef>
#include <utility>

namespace ipuflow::run::impl {

/// The arrivals at a part at the end of a step: values from the stage before, or gradients from the one behind.
struct arrival {
  std::size_t part = 0;
  part_work what = part_work::arrival;
  std::size_t half = 0;

  friend constexpr auto operator<=>(const arrival&, const arrival&) = default;
};

template <class = void>
class basic_chips_exchange {
 public:
  basic_chips_exchange(const chips_plan& plan, ipu::graph& g, const light_vector<chips_part>& parts)
      : plan_{plan}, g_{g}, parts_{parts} {}

  /// True if it comes by I/O tiles.
  [[nodiscard]] bool mailed(const arrival& a) const {
    const part_plan& p = plan_.parts()[a.part];
    return a.what == part_work::arrival ? p.mailed : p.mailed_back;
  }

  /// One copy for everything that arrives.
  ipu::copy copy(const light_vector<arrival>& all) {
    light_vector<ipu::copy_piece> pieces;
    for (const arrival& a : all) {
      if (a.what == part_work::arrival)
        bring_values(a, pieces);
      else
        bring_gradients(a, pieces);
    }
    return {std::move(pieces)};
  }

  /// The same by way of streaming memory, for all of a timetable in one direction: what a part hands on is stored there after
  /// its pass, and loaded before the pass of the part that takes it.
  void by_memory(light_vector<chips_part>& parts) {
    for (std::size_t to = 0; to < parts.size(); ++to) {
      const std::size_t stage = plan_.parts()[to].stage;
      if (stage > 0) hand_over({{to, part_work::arrival}}, part_work::forward, parts);
      if (stage + 1 == plan_.timetable().where.stages || plan_.timetable().run_for != mode::training) continue;
      hand_over({{to, part_work::return_}}, part_work::backward, parts);
      for (auto& [part, sum] : sums({{to, part_work::return_}})) parts[part].added = std::move(sum);
    }
  }

  /// Everything as one copy, for which all chips wait; or for itself what arrives at each part.
  void add(const light_vector<arrival>& all, waits_for sync, label_book& labels, light_vector<ipu::step>& steps) {
    if (all.empty()) return;
    if (sync == waits_for::all_chips) {
      steps.push_back(ipu::labelled(labels.of({.work = chips_work::exchange}), copy(all)));
      return;
    }
    for (const arrival& a : all) {
      const part_plan& p = plan_.parts()[a.part];
      ipu::step copies = copy({a});
      if (!mailed(a)) copies = ipu::labelled(labels.of({.work = chips_work::exchange, .chip = p.chip, .stage = p.stage}), std::move(copies));
      steps.push_back(std::move(copies));
    }
  }

  /// The steps that add up gradients from several branches, for each part that gets any.
  light_vector<light_pair<std::size_t, ipu::step>> sums(const light_vector<arrival>& all) {
    light_vector<light_pair<std::size_t, ipu::step>> made;
    for (const arrival& a : all) {
      if (a.what == part_work::arrival) continue;
      light_vector<ipu::step> adds;
      each_gradient(a, [&](std::size_t number, ipu::variable_id, ipu::variable_id place) {
        if (number > 0) adds.push_back(ipu::scaled_add(g_, place, 1, beside(place, number)));
      });
      if (!adds.empty()) made.emplace_back(a.part, ipu::sequence(std::move(adds)));
    }
    return made;
  }

 private:
  using variable_id = ipu::variable_id;

  void hand_over(const light_vector<arrival>& all, part_work by, light_vector<chips_part>& parts) {
    const auto pass = static_cast<std::size_t>(by);
    for (const ipu::copy_piece& piece : copy(all).pieces) {
      const variable_id from = piece.from.variable;
      const auto [home, added] = handed_over_.try_emplace(from.index);
      if (added) {
        home->second = add_home(g_, "handed over ", from);
        parts[maker_of(from)].stored[pass].push_back(home->second);
      }
      parts[all.front().part].loaded[pass].push_back({piece.to.variable, home->second.home, piece.to.variable});
    }
  }

  /// The part that hands a variable on, or back.
  std::size_t maker_of(variable_id v) const {
    const auto same = [v](const auto& other) { return other.index == v.index; };
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const plan::lowered& with = parts_[i].with;
      if (algorithms::any_of(with.exit.begin(), with.exit.end(), same)) return i;
      for (const maybe<variable_id>& gradient : with.entry_gradients) {
        if (gradient && same(*gradient)) return i;
      }
    }
    return parts_.size();
  }

  /// A micro-batch of that half.
  std::size_t one_of(std::size_t half) const { return half == 0 ? 0 : plan_.timetable().where.micro_batches - 1; }

  /// The variable from which a value is fetched: where it was made, or where it was put on I/O tiles.
  static variable_id leaves_from(const light_vector<plan::carried>& posted, const wired_channel& arrives, variable_id made) {
    for (const plan::carried& one : posted) {
      if (!arrives.taken.empty() && one.made.index == made.index) return one.read;
    }
    return made;
  }

  void bring_values(const arrival& a, light_vector<ipu::copy_piece>& pieces) const {
    const chips_part& to = parts_[a.part];
    std::size_t entry = 0;
    plan_.each_branch(plan_.parts()[a.part].stage - 1, one_of(a.half), [&](std::size_t from) {
      for (const variable_id made : parts_[from].with.exit) {
        const variable_id leaves = leaves_from(parts_[from].posted, to.arriving, made);
        pieces.push_back(ipu::whole_piece(g_, leaves, to.arriving.arrives_at(to.with.entry[entry++])));
      }
    });
  }

  static bool goes_back(const light_vector<maybe<variable_id>>& gradients, std::size_t i) {
    return i < gradients.size() && gradients[i].has_value();
  }

  /// Calls `visit(number, gradient, place)` for the gradients of what a part hands on, from each branch that took it.
  template <class Visit>
  void each_gradient(const arrival& a, Visit visit) const {
    const part_plan& p = plan_.parts()[a.part];
    const chips_part& to = parts_[a.part];
    std::size_t first = 0;  // of the part's values among those of its stage
    plan_.each_branch(p.stage, one_of(a.half), [&](std::size_t branch) {
      if (plan_.parts()[branch].branch < p.branch) first += parts_[branch].with.exit.size();
    });
    for (std::size_t e = 0; e < to.with.exit.size(); ++e) {
      if (!goes_back(to.with.exit_gradients, e)) continue;
      std::size_t number = 0;
      plan_.each_branch(p.stage + 1, one_of(a.half), [&](std::size_t from) {
        const auto& gradients = parts_[from].with.entry_gradients;
        if (!goes_back(gradients, first + e)) return;
        visit(number++, leaves_from(parts_[from].posted_back, to.returning, *gradients[first + e]),
              to.returning.arrives_at(*to.with.exit_gradients[e]));
      });
    }
  }

  void bring_gradients(const arrival& a, light_vector<ipu::copy_piece>& pieces) {
    each_gradient(a, [&](std::size_t number, variable_id gradient, variable_id place) {
      pieces.push_back(ipu::whole_piece(g_, gradient, number == 0 ? place : beside(place, number)));
    });
  }

  /// Room for the gradient from another branch.
  variable_id beside(variable_id place, std::size_t number) {
    const auto [found, added] = beside_.try_emplace({place.index, number});
    if (added) {
      const ipu::name_text name = g_[place].name();
      found->second = g_.add_temporary(name, g_[place].type(), g_[place].elements(), g_[place].map());
    }
    return found->second;
  }

  const chips_plan& plan_;
  ipu::graph& g_;
  const light_vector<chips_part>& parts_;
  ipuflow::flat_map<light_pair<std::size_t, std::size_t>, variable_id> beside_;
  ipuflow::flat_map<std::size_t, streamed> handed_over_;  // by variable
};
using chips_exchange = basic_chips_exchange<>;

}  // namespace ipuflow::run::impl
