// SPDX-License-Identifier: BSL-1.0
// The search itself: greedy orders by keys, in both directions of time, each made better by the times of the other direction
// (forward-backward improvement, Li and Willis 1992), the best of them by local search, until the bound is met.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/forms/repeating.hpp>
#include <ipuflow/schedule/search/bound.hpp>
#include <ipuflow/schedule/search/evaluation.hpp>
#include <ipuflow/schedule/search/drawn_choice.hpp>
#include <ipuflow/schedule/search/greedy.hpp>
#include <ipuflow/schedule/search/heads.hpp>
#include <ipuflow/schedule/search/improvement.hpp>
#include <ipuflow/schedule/search/instance.hpp>
#include <ipuflow/schedule/search/keys.hpp>
#include <ipuflow/schedule/search/known_orders.hpp>
#include <ipuflow/schedule/search/search_random.hpp>
#include <ipuflow/schedule/search/starts.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

/// The state of a search, which can be stopped and go on.
class search_engine {
 public:
  /// `repeating`: only orders that repeat a body are kept. `effort`: what the bound may look at.
  constexpr search_engine(const search_instance& of, std::uint64_t seed, bool repeating = false, std::size_t effort = search_heads::usual_effort)
      : of_{of},
        back_{mirrored(of_)},
        heads_{of_, effort},
        tails_{back_, effort},
        forward_{of_},
        backward_{back_},
        block_{of_},
        back_block_{back_},
        times_{of_},
        back_times_{back_},
        improvement_{of_},
        random_{seed},
        repeating_{repeating} {
    heads_.run(20);
    tails_.run(20);
    amount latest = 0;
    for (const amount o : of_.offset) latest = o > latest ? o : latest;
    bound = bound_of(of_, heads_, tails_, latest);
    orders_ = in_groups(of_, 1);
    take_found();
  }
  search_engine(const search_engine&) = delete;
  search_engine& operator=(const search_engine&) = delete;

  /// A schedule to begin with: it is kept if it fits, and made better like what is found.
  constexpr void begin_with(const table& known) {
    search_orders orders = orders_of(known, of_);
    if (!orders.lanes.empty()) known_.push_back(orders);
  }

  /// Goes on for `iterations` greedy orders, or moves that take as long, until the bound is met or `stop()`, which is not asked
  /// before the first of them.
  template <class Stop>
  constexpr void run(std::size_t iterations, Stop stop) {
    const auto over = [&] { return spent >= iterations || !above_bound() || (spent > 0 && stop()); };
    plain_starts(over);
    if (of_.capacity != nowhere) grouped_starts(over);
    const search_value before = value;
    for_each_filling(of_, over, [&](search_orders orders) { orders_ = static_cast<search_orders&&>(orders), take_found(); });
    if (before.worse_than(value)) {
      orders_ = best;
      take_found();
      improve(over);
    }
    for (const search_orders& known : known_) {
      orders_ = known;
      take_found();
      improve(over);
    }
    orders_ = best;
    take_found();
    for (std::size_t round = 0; !over(); ++round) {
      if (round == 1 && iterations >= worth_equal_times_) equal_times(iterations, stop);
      if (round > 1) one_start(round - 2);
      improve(over);
      if (round == 24) fewer_micro_batches(iterations, stop);
      if (round == next_polish_ && !repeating_) {  // moves of single operations break a body
        polish(iterations, stop);
        next_polish_ = 3 * next_polish_ / 2 + 4;
      }
    }
  }

  [[nodiscard]] constexpr bool above_bound() const { return value.longest > bound.least; }

  search_value value{};
  search_orders best{};
  search_bound bound{};
  std::size_t spent = 0;  ///< greedy orders made so far

 private:
  /// Takes the best orders of the same instance with equal times and no messages as a start: there the published patterns are exact.
  template <class Stop>
  constexpr void equal_times(std::size_t iterations, Stop& stop) {
    search_instance equal = of_;
    bool already = true;
    for (search_lane& lane : equal.lanes) {
      already = already && lane.time == of_.lanes[0].time && lane.lag[0] == 0 && lane.lag[1] == 0;
      lane.time = lane.kind == pass::backward ? 2 : 1;
      lane.lag[0] = lane.lag[1] = 0;
    }
    if (already || !of_.chunked()) return;
    for (std::size_t ipu = 0, first = 0; ipu < of_.ipus; ++ipu, first = 0) {
      while (first < of_.lanes.size() && equal.lanes[first].ipu != ipu) ++first;  // stages take 1 each: its first forward is as late
      equal.offset[ipu] = of_.offset[ipu] > 0 ? static_cast<amount>(first) : 0;
    }
    search_engine other{equal, random_(1 << 20), repeating_};
    other.worth_equal_times_ = nowhere;
    other.run(iterations / 4 < 150 ? iterations / 4 : 150, stop);  // the same type of `stop`, or this would be instantiated for ever
    spent += other.spent;
    orders_ = other.best;
    take_found();
  }

  /// Starts from what the same search finds for fewer micro-batches, with its middle repeated: a pattern of few is found sooner.
  template <class Stop>
  constexpr void fewer_micro_batches(std::size_t iterations, Stop& stop) {
    search_instance few = of_;
    few.micro_batches = of_.ipus + of_.ipus / 2;
    if (of_.ipus == 1 || of_.capacity != nowhere || 2 * few.micro_batches > of_.micro_batches || spent >= iterations) return;
    const std::size_t as_long = of_.micro_batches / few.micro_batches;
    const std::size_t most = (iterations - spent) / 4;
    search_engine other{few, random_(1 << 20), repeating_};
    other.run((spent < most ? spent : most) * as_long, stop);
    spent += other.spent / as_long;
    const repeated_middle keys{few, other.best};
    for (std::size_t n = 0; n < 64 && spent < iterations && above_bound() && !stop(); ++n) {
      const std::size_t quarter = few.micro_batches < 4 ? 1 : few.micro_batches / 4;
      const std::size_t cut = quarter + random_(few.micro_batches / 2);
      keys.write(forward_, of_, cut, 1 + (n % 2 == 0 ? 0 : random_(cut)));
      if (decode(false, drawn_patience(of_, random_))) there_and_back(n % 8);
    }
  }

  /// Goes there and back in time, for as long as that helps.
  template <class Over>
  constexpr void improve(Over& over) {
    for (std::size_t again = 0, idle = 0; again < 8 && idle < 3 && found_.longest < endless && !over(); ++again) {
      const search_value before = found_;
      there_and_back(again);
      idle = before.worse_than(found_) ? 0 : idle + 1;
    }
  }

  template <class Over>
  constexpr void plain_starts(Over& over) {
    constexpr amount waits[] = {256, 0, 128};
    const amount unit = of_.largest();
    const amount rooms[] = {unit, 0, 2 * unit, of_.most_room() / 8};
    for (std::size_t how = 0; how < 108 && !over(); ++how) {
      plain_keys(forward_, of_, heads_, how % 3);
      decode(false, {.patience = waits[how / 3 % 3], .weights = waits[how / 9 % 3], .room = rooms[how / 27]});
    }
  }

  /// Groups of micro-batches, with gradients for weights where an IPU would be idle. Any of them passes through channels without room.
  template <class Over>
  constexpr void grouped_starts(Over& over) {
    for (std::size_t each = 1; each <= of_.micro_batches && !over(); ++each) {
      const search_orders groups = in_groups(of_, each);
      orders_ = groups;
      if (within_limits(of_, orders_)) take_found();
      plain_keys(forward_, of_, heads_, 0);
      bool made = false;
      for (std::size_t how = 0; how < 3 && !over(); ++how) {
        made = decode(false, {.weights = how == 0 ? 0 : 256, .room = how < 2 ? 0 : of_.largest()}, &groups) || made;
      }
      if (!made) return;  // nor do larger groups fit
    }
  }

  /// Orders of random keys, forward or backward.
  constexpr void one_start(std::size_t round) {
    const bool mirror = round % 2 == 1;
    const search_instance& of = mirror ? back_ : of_;
    greedy_orders& greedy = mirror ? backward_ : forward_;
    search_block& block = mirror ? back_block_ : block_;
    const bool chunks = of.chunked();
    if (round < 2) {
      urgent_keys(greedy, mirror ? heads_ : tails_);
    } else if (random_(chunks ? 4 : 2) == 0) {
      plain_keys(greedy, of, mirror ? tails_ : heads_, random_(mirror ? 2 : 3));
    } else if (chunks && random_(2) == 0) {
      block.draw_even(random_);
      block.write(greedy);
    } else if (random_(3) == 0) {
      ranked_keys(greedy, of, random_);
    } else {
      block.draw(random_);
      block.write(greedy);
    }
    greedy_choice by = drawn_choice(of_, random_);
    if (repeating_ || (chunks && random_(3) == 0)) by.spare = drawn_spare(of_, random_);
    decode(mirror, by);
  }

  /// Runs the greedy rule in a direction, and keeps what it found in `orders_` and `found_`; false if it got stuck.
  constexpr bool decode(bool mirror, const greedy_choice& by, const search_orders* kept = nullptr) {
    ++spent;
    found_ = {};
    greedy_orders& greedy = mirror ? backward_ : forward_;
    search_orders& to = mirror ? reversed_ : orders_;
    if (!greedy.run(to, by, kept)) return false;
    if (mirror) reverse(reversed_, orders_);
    take_found();
    return true;
  }

  constexpr void take_found() {
    found_ = times_.run(orders_);
    if (!value.worse_than(found_)) return;
    if (repeating_ && value.longest < endless && !repeats()) return;
    value = found_;
    best = orders_;
  }

  /// True if the orders at hand repeat a body on every IPU.
  constexpr bool repeats() const {
    dynamic_array<dynamic_array<std::size_t>> lists(of_.ipus);
    dynamic_array<std::size_t> passes(of_.ipus);
    for (std::size_t ipu = 0; ipu < of_.ipus; ++ipu) {
      dynamic_array<std::size_t> place(of_.lanes.size());
      passes[ipu] = of_.of_ipu[ipu].size();
      for (std::size_t i = 0; i < passes[ipu]; ++i) place[of_.of_ipu[ipu][i]] = i;
      lists[ipu].reserve(orders_.first[ipu + 1] - orders_.first[ipu]);
      for (std::size_t i = orders_.first[ipu]; i < orders_.first[ipu + 1]; ++i) lists[ipu].push_back(place[orders_.lanes[i]]);
    }
    return body_of(lists, passes, of_.micro_batches) > 0;
  }

  constexpr void reverse(const search_orders& from, search_orders& to) const {
    if (to.lanes.size() != from.lanes.size()) to.lanes = dynamic_array<std::size_t>(from.lanes.size());
    to.first = from.first;
    for (std::size_t ipu = 0; ipu < of_.ipus; ++ipu) {
      for (std::size_t i = from.first[ipu], j = from.first[ipu + 1]; i < from.first[ipu + 1]; ++i) {
        to.lanes[--j] = of_.lanes.size() - 1 - from.lanes[i];
      }
    }
  }

  /// Takes the ends of what was found as keys of the mirrored instance, and the other way round.
  constexpr void there_and_back(std::size_t again) {
    const std::size_t last = of_.operations() - 1;
    const amount time = of_.lanes[random_(of_.lanes.size())].time;
    const std::size_t noise = again < 3 ? 1 : 1 + static_cast<std::size_t>(time < 1'000'000'000 ? time : 1'000'000'000);
    for (std::size_t id = 0; id <= last; ++id) backward_.key[last - id] = -times_.end[id] + static_cast<amount>(random_(noise));
    if (!decode(true, drawn_patience(of_, random_))) return;
    reverse(orders_, reversed_);
    back_times_.run(reversed_);
    for (std::size_t id = 0; id <= last; ++id) {
      forward_.key[id] = -back_times_.end[last - id] + static_cast<amount>(random_(noise));
    }
    decode(false, drawn_patience(of_, random_));
  }

  /// Local search from the best so far, for as long as it took to find it.
  template <class Stop>
  constexpr void polish(std::size_t iterations, Stop& stop) {
    orders_ = best;
    std::size_t rounds = spent - polished_;
    if (spent + rounds > iterations) rounds = spent < iterations ? iterations - spent : 0;
    improvement_.run(orders_, rounds * 8, of_.lanes[0].time / 2, bound.least, random_, stop);
    take_found();
    spent += rounds;
    polished_ = spent;
  }

  search_instance of_;
  search_instance back_;
  search_heads heads_;
  search_heads tails_;
  greedy_orders forward_;
  greedy_orders backward_;
  search_block block_;
  search_block back_block_;
  search_times times_;
  search_times back_times_;
  search_improvement improvement_;
  search_random random_;
  bool repeating_;
  dynamic_array<search_orders> known_{};
  search_orders orders_{};
  search_orders reversed_{};
  search_value found_{};
  std::size_t worth_equal_times_ = 256;  ///< iterations from which on they are tried
  std::size_t polished_ = 0;
  std::size_t next_polish_ = 23;
};

}  // namespace ipuflow::schedule::impl
