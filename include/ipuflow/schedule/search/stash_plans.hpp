// SPDX-License-Identifier: BSL-1.0
// Plans of which stages keep, recompute or offload their activations, searched together with the orders: some are tried for a short
// while, that which keeps all first, and the best is changed stage by stage. Then the best is searched for ever longer, and between
// plans that are drawn at random near it. The bound is over all plans: by branching on one stage after the other, those that are open as
// if they held the least and took the least.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/search/bound.hpp>
#include <ipuflow/schedule/search/engine.hpp>
#include <ipuflow/schedule/search/heads.hpp>
#include <ipuflow/schedule/search/instance.hpp>
#include <ipuflow/schedule/search/problem.hpp>
#include <ipuflow/schedule/search/search_memory.hpp>
#include <ipuflow/schedule/search/search_random.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

/// The plan that keeps least in each stage.
constexpr stash_plan least_plan(const search_memory& memory, std::size_t stages) {
  stash_plan plan{dynamic_array<stash_choice>(stages)};
  for (std::size_t stage = 0; stage < stages; ++stage) {
    for (const stash_choice how : {stash_choice::recomputed, stash_choice::offloaded}) {
      if (memory.allows(how, stage) && memory.kept(how, stage) < memory.kept(plan.stages[stage], stage)) plan.stages[stage] = how;
    }
  }
  return plan;
}

/// The orders that an engine ended with, and their plan.
struct search_outcome {
  stash_plan plan{};
  search_orders orders{};
  search_value value{};
  search_bound bound{};
  std::size_t spent = 0;
};

/// `make(plan)` gives the instance of a plan; `known` may be schedules to begin with.
template <class Make, class Stop>
class stash_search {
 public:
  constexpr stash_search(const search_memory& memory, std::size_t stages, Make make, Stop& stop, std::uint64_t seed, bool repeating,
                         const dynamic_array<table>* known)
      : memory_{memory}, stages_{stages}, make_{make}, stop_{stop}, seed_{seed}, random_{seed}, repeating_{repeating}, known_{known} {}

  constexpr search_outcome run(std::size_t iterations) {
    best_.bound = bound_of_plan({.decided = 0}).bound;
    short_ = iterations / 32 < 20 ? 20 : iterations / 32 > 120 ? 120 : iterations / 32;
    most_ = iterations / 2;
    start(iterations / 3);
    improve();
    branch();
    most_ = iterations;
    go_on();
    if (best_.bound.least > best_.value.longest) best_.bound.least = best_.value.longest;  // the best of closed branches
    return best_;
  }

 private:
  static constexpr std::size_t little_effort = 4'000'000;
  static constexpr std::size_t moment_of_operations = std::size_t{1} << 20;  // in orders that are made one after the other

  constexpr bool over() const { return best_.value.longest <= best_.bound.least || (best_.spent > 0 && (best_.spent >= most_ || stop_())); }

  /// Searches with a plan, unless its bound says that it is no better, and keeps what is better.
  constexpr bool attempt(const stash_plan& plan, std::size_t iterations, std::size_t effort) {
    const search_instance of = make_(plan);
    ++best_.spent;  // so that this ends where no plan is worth an order
    if (verify_room(of)) return false;
    search_engine engine{of, seed_++, repeating_, effort};
    if (best_.value.longest < endless && engine.bound.least >= best_.value.longest) return false;
    if (known_ != nullptr) {
      for (const table& known : *known_) engine.begin_with(known);
    }
    engine.run(iterations, [&] { return stop_(); });
    if (engine.spent > 0) best_.spent += engine.spent - 1;
    if (!best_.value.worse_than(engine.value)) return false;
    best_.value = engine.value;
    best_.orders = engine.best;
    best_.plan = plan;
    return true;
  }

  /// The plan that keeps all, the one that keeps least, and those between: the first stages wait longest for their backward.
  constexpr void start(std::size_t third) {
    const std::size_t moment = moment_of_operations / (1 + make_(all_kept()).operations());
    const std::size_t first = third < moment ? third : moment;  // what may be done is no loss, and large ones try something, too
    attempt(all_kept(), first < short_ ? short_ : first, search_heads::usual_effort);
    if (best_.value.longest < endless && over()) return;
    attempt(least_plan(memory_, stages_), short_, little_effort);
    const std::size_t by = stages_ <= 8 ? 1 : stages_ / 8;
    for (std::size_t treated = by; treated <= stages_; treated += by) {
      for (const stash_choice how : {stash_choice::recomputed, stash_choice::offloaded}) {
        if (over()) return;
        stash_plan plan{dynamic_array<stash_choice>(stages_)};
        bool changed = false;
        for (std::size_t stage = 0; stage < treated; ++stage) {
          if (!memory_.allows(how, stage)) continue;
          plan.stages[stage] = how;
          changed = true;
        }
        if (changed) attempt(plan, short_, little_effort);
      }
    }
  }

  /// Changes one stage at a time for as long as one of them makes it better.
  constexpr void improve() {
    for (bool better = true; better && !over();) {
      better = false;
      for (std::size_t stage = 0; stage < stages_; ++stage) {
        for (const stash_choice how : {stash_choice::kept, stash_choice::recomputed, stash_choice::offloaded}) {
          if (how == best_.plan.of(stage) || !memory_.allows(how, stage)) continue;
          if (over()) return;
          stash_plan plan = best_.plan;
          plan.stages[stage] = how;
          better = attempt(plan, short_, little_effort) || better;
        }
      }
    }
  }

  /// The best plan for ever longer, the one that keeps all as long, so that what may be done is no loss, and others between.
  constexpr void go_on() {
    for (std::size_t longer = 4 * short_; !over(); longer *= 2) {
      bool other = false;
      for (const stash_choice how : best_.plan.stages) other = other || how != stash_choice::kept;
      attempt(best_.plan, left(longer), search_heads::usual_effort);
      if (other && !over()) attempt(all_kept(), left(longer), search_heads::usual_effort);
      for (std::size_t i = 0; i < 8 && !over(); ++i) {
        if (attempt(drawn_plan(), left(longer / 4), little_effort)) improve();
      }
    }
  }
  constexpr stash_plan all_kept() const { return {dynamic_array<stash_choice>(stages_)}; }
  constexpr std::size_t left(std::size_t asked) const { return best_.spent + asked < most_ ? asked : most_ - best_.spent; }

  /// A plan that differs from the best in a few stages.
  constexpr stash_plan drawn_plan() {
    stash_plan plan = best_.plan;
    for (std::size_t n = 2 + random_(3); n-- > 0;) {
      const std::size_t stage = random_(stages_);
      const auto how = static_cast<stash_choice>(random_(3));
      if (memory_.allows(how, stage)) plan.stages[stage] = how;
    }
    return plan;
  }

  struct branch_node {
    stash_plan plan{};
    search_bound bound{};
  };

  /// The bound of all plans that agree with one in its decided stages; it is the largest of all where none of them has room.
  constexpr branch_node bound_of_plan(const stash_plan& plan) const {
    const search_instance of = make_(plan);
    const search_instance back = mirrored(of);
    search_heads heads{of, little_effort};
    search_heads tails{back, little_effort};
    heads.run(20);
    tails.run(20);
    if (!heads.feasible || !tails.feasible) return {plan, {endless, limited_by::path}};
    amount latest = 0;
    for (const amount o : of.offset) latest = o > latest ? o : latest;
    return {plan, bound_of(of, heads, tails, latest)};
  }

  /// Raises the bound: the least of all open branches is divided by what is done with its next stage.
  constexpr void branch() {
    dynamic_array<branch_node> open;
    open.push_back({{dynamic_array<stash_choice>(stages_), 0}, best_.bound});
    const std::size_t size = best_.orders.lanes.size() * stages_ + 1;
    std::size_t left = (std::size_t{1} << 22) / size;  // nodes that take a part of a second
    if (left > most_ / 4) left = most_ / 4;
    while (best_.value.longest > best_.bound.least && !stop_()) {
      std::size_t least = 0;
      for (std::size_t i = 1; i < open.size(); ++i) {
        if (open[i].bound.least < open[least].bound.least) least = i;
      }
      best_.bound = open.empty() ? search_bound{best_.value.longest, best_.bound.kind} : open[least].bound;
      if (open.empty() || open[least].plan.decided == stages_ || left < 3) return;
      const branch_node node = open[least];
      open[least] = open.back();
      open.pop_back();
      for (const stash_choice how : {stash_choice::kept, stash_choice::recomputed, stash_choice::offloaded}) {
        if (!memory_.allows(how, node.plan.decided)) continue;
        branch_node next = node;
        next.plan.stages[next.plan.decided++] = how;
        next = bound_of_plan(next.plan);
        if (next.bound.least < node.bound.least) next.bound = node.bound;
        if (next.bound.least < best_.value.longest) open.push_back(next);
        --left;
      }
    }
  }

  const search_memory& memory_;
  std::size_t stages_;
  Make make_;
  Stop& stop_;
  std::uint64_t seed_;
  search_random random_;
  bool repeating_;
  const dynamic_array<table>* known_;
  std::size_t short_ = 0;  ///< iterations of an attempt
  std::size_t most_ = 0;   ///< iterations of all of them
  search_outcome best_{};
};

}  // namespace ipuflow::schedule::impl
