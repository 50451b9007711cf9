// SPDX-License-Identifier: BSL-1.0
// The search itself: greedy orders by random keys, in both directions of time, each made better by the times of the other
// direction (forward-backward improvement, Li and Willis 1992), the best of them by local search, until the bound is met.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/schedule/search/evaluation.hpp>
#include <ipuflow/schedule/search/greedy.hpp>
#include <ipuflow/schedule/search/heads.hpp>
#include <ipuflow/schedule/search/improvement.hpp>
#include <ipuflow/schedule/search/instance.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::schedule::impl {

class search_engine {
 public:
  constexpr search_engine(const search_instance& of, std::uint64_t seed)
      : of_{of},
        back_{mirrored(of_)},
        heads_{of_},
        tails_{back_},
        forward_{of_},
        backward_{back_},
        times_{of_},
        back_times_{back_},
        improvement_{of_},
        random_{seed} {
    heads_.run(20);
    tails_.run(20);
    for (const amount o : of_.offset) latest_ = o > latest_ ? o : latest_;
    bound = bound_of(of_, heads_, tails_, latest_);
  }

  template <class Stop>
  constexpr void run(std::size_t iterations, Stop stop) {
    for (std::size_t round = 0; spent < iterations && value.longest > bound && !stop(); ++round) {
      one_start(round);
      if (found_.longest >= endless) continue;
      for (std::size_t again = 0, idle = 0; again < 12 && idle < 4 && value.longest > bound; ++again) {
        const search_value before = found_;
        there_and_back(again);
        idle = before.worse_than(found_) ? 0 : idle + 1;
      }
      if (round % 8 == 7) polish(stop);
    }
  }

  search_value value{};
  search_orders best{};
  amount bound = 0;
  std::size_t spent = 0;

 private:
  /// Orders of random keys, forward or backward.
  constexpr void one_start(std::size_t round) {
    const bool mirror = round % 2 == 1;
    const search_instance& of = mirror ? back_ : of_;
    greedy_orders& greedy = mirror ? backward_ : forward_;
    if (round < 2) {
      urgent_keys(greedy, mirror ? heads_ : tails_);
    } else {
      random_keys(greedy, of);
    }
    decode(mirror, choice_of(of));
    since_ = found_;
  }

  constexpr greedy_choice choice_of(const search_instance& of) {
    greedy_choice by;
    if (random_(2) == 0) by.patience = static_cast<amount>(random_(256));
    if (of.adds[0].size() > 1 && random_(2) == 0) {
      const std::size_t units = static_cast<std::size_t>(of.limit[0] / (of.adds[0][0] > 0 ? of.adds[0][0] : 1));
      by.first_chunk = of.adds[0][0] * static_cast<amount>(1 + random_(1 + units * 3 / 4));
    }
    return by;
  }

  /// What has most behind it comes first.
  constexpr void urgent_keys(greedy_orders& greedy, const search_heads& behind) const {
    const std::size_t last = of_.operations() - 1;
    for (std::size_t id = 0; id <= last; ++id) greedy.key[id] = -behind.start[last - id];
  }

  /// The order of a repeating block: in a chunk the pass of each stage is a random time behind that of the one before.
  constexpr void random_keys(greedy_orders& greedy, const search_instance& of) {
    amount period = 0;
    for (const auto& mine : of.of_ipu) {
      amount work = 0;
      for (const std::size_t l : mine) work += of.lanes[l].time;
      if (work > period) period = work;
    }
    dynamic_array<amount> at(of.lanes.size());
    const std::size_t span = static_cast<std::size_t>(period);
    amount gap[2][8] = {};
    for (auto& kind : gap) {
      for (amount& g : kind) g = random_(3) == 0 ? 0 : static_cast<amount>(random_(span * 2 / 3 + 1));
    }
    const amount late = static_cast<amount>(random_(span * (random_(2) == 0 ? 1 : of.ipus) + 1));
    const amount turn = random_(2) == 0 ? 0 : static_cast<amount>(random_(span * 2 + 1));
    for (std::size_t l = 0; l < of.lanes.size(); ++l) {
      const search_lane& lane = of.lanes[l];
      const bool weights = lane.kind == pass::backward_weights;
      std::size_t b = lane.before[0];
      if (b != nowhere && of.lanes[b].kind == pass::backward_weights) b = lane.before[1];
      if (weights) continue;
      if (b != nowhere) {
        const search_lane& from = of.lanes[b];
        at[l] = at[b] + from.time + lane.lag[0];
        at[l] += lane.ipu == from.ipu ? turn : gap[lane.kind == pass::forward ? 0 : 1][lane.chunk % 8];
      }
    }
    for (std::size_t l = 0; l < of.lanes.size(); ++l) {
      const search_lane& lane = of.lanes[l];
      if (lane.kind != pass::backward_weights) continue;
      const std::size_t b = lane.before[0];
      at[l] = b != nowhere ? at[b] + of.lanes[b].time + late : at[lane.after[0]] - lane.time - late;
    }
    for (std::size_t l = 0; l < of.lanes.size(); ++l) {
      for (std::size_t m = 0; m < of.micro_batches; ++m) greedy.key[l * of.micro_batches + m] = at[l] + period * static_cast<amount>(m);
    }
  }

  /// Runs the greedy rule in a direction, and keeps what it found in `orders_` and `found_`.
  constexpr void decode(bool mirror, const greedy_choice& by) {
    ++spent;
    found_ = {};
    greedy_orders& greedy = mirror ? backward_ : forward_;
    search_orders& to = mirror ? reversed_ : orders_;
    if (!greedy.run(to, by)) return;
    if (mirror) reverse(reversed_, orders_);
    found_ = times_.run(orders_);
    if (value.worse_than(found_)) {
      value = found_;
      best = orders_;
    }
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
    const std::size_t noise = again < 3 ? 1 : static_cast<std::size_t>(of_.lanes[random_(of_.lanes.size())].time) + 1;
    if (found_.longest >= endless) return;
    for (std::size_t id = 0; id <= last; ++id) backward_.key[last - id] = -times_.end[id] + static_cast<amount>(random_(noise));
    decode(true, {.patience = random_(2) == 0 ? 0 : static_cast<amount>(random_(256))});
    if (found_.longest >= endless) return;
    reverse(orders_, reversed_);
    back_times_.run(reversed_);
    for (std::size_t id = 0; id <= last; ++id) forward_.key[id] = -back_times_.end[last - id] + static_cast<amount>(random_(noise));
    decode(false, {.patience = random_(2) == 0 ? 0 : static_cast<amount>(random_(256))});
  }

  template <class Stop>
  constexpr void polish(Stop& stop) {
    if (value.longest >= endless) return;
    orders_ = best;
    const amount threshold = of_.lanes[0].time / 2;
    const std::size_t moves = 20000;
    found_ = improvement_.run(orders_, moves, threshold, bound, random_, stop);
    spent += moves / 4;
    if (value.worse_than(found_)) {
      value = found_;
      best = orders_;
    }
  }

  search_instance of_;
  search_instance back_;
  search_heads heads_;
  search_heads tails_;
  greedy_orders forward_;
  greedy_orders backward_;
  search_times times_;
  search_times back_times_;
  search_improvement improvement_;
  search_random random_;
  search_orders orders_{};
  search_orders reversed_{};
  search_value found_{};
  search_value since_{};
  amount latest_ = 0;
};

}  // namespace ipuflow::schedule::impl
