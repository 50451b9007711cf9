// SPDX-License-Identifier: BSL-1.0
// The fastest configuration that fits, out of all that a list of choices allows: numbers of stages and replicas for the chips that
// there are, schedules, micro-batches, recomputation, places of tensors. All are planned but those that could not be among the
// fastest.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/plan/predict/fits_fault.hpp>
#include <ipuflow/plan/predict/fitting_cuts.hpp>
#include <ipuflow/plan/predict/moved_blocks.hpp>
#include <ipuflow/plan/predict/prediction.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <utility>

namespace ipuflow::plan {

/// The values that each choice may have; all that is not listed is that of `like`.
struct choices {
  configuration like{};
  std::size_t chips = 1;                    ///< in all
  std::size_t batch = 1;                    ///< samples between two updates
  light_vector<std::size_t> ipus{1};         ///< of a replica: those that divide the chips
  light_vector<std::size_t> stages_per_ipu{0};  ///< 0: the schedule's own number
  light_vector<std::string> schedules{"1f1b"};
  light_vector<std::size_t> micro_batches{1};
  light_vector<numbers> precisions{numbers::f32_32};
  light_vector<recomputing> recompute{recomputing::as_configured, recomputing::where_full};
  light_vector<bool> optimiser_off_chip{false};
  light_vector<std::size_t> io_tiles{0};
  light_vector<ipu::memory_proportions> memory_proportions{0.6};
  light_vector<std::size_t> io_tiles_of_best{};  ///< with which the best are tried as well, by steps and waiting for neighbours
  double headroom = 0.05;                   ///< of each tile's memory, to be kept free
  std::size_t most = 10;                    ///< that are returned
};

/// Options of cutting a network into stages.
struct staging {
  std::size_t stages_per_ipu = 0;  ///< 0: the schedule's own number
  double headroom = 0.05;          ///< of each tile's memory, to be kept free
  recomputing recompute = recomputing::as_configured;
};

/// The stages of a network: where they begin, and which of them make activations again.
struct chosen_stages {
  light_vector<std::size_t> cuts{};    ///< first block of each stage but the first
  schedule::stage_set recompute{};
  bool fit = true;                     ///< false if some chip is too full
};

/// The fastest ones, the fastest first, and how many there were.
struct best_found {
  light_vector<ranked> best{};
  std::size_t planned = 0;  ///< configurations in all
  std::size_t fit = 0;
  std::size_t refused = 0;  ///< by their schedule or their sizes
  std::size_t slower = 0;   ///< than these, as was known before they were planned
};

namespace impl {

/// A configuration that is not planned yet, and samples a second that it does not exceed.
struct candidate {
  configuration with{};
  staging how{};
  double at_most = std::numeric_limits<double>::infinity();
};

/// Calls `visit(configuration, how it is cut)` for each combination; cuts are not chosen yet.
template <class Visit>
void each_configuration(const choices& of, const Visit& visit) {
  configuration c = of.like;
  for (const std::size_t ipus : of.ipus) {
    if (ipus == 0 || of.chips % ipus != 0) continue;
    const std::size_t replicas = of.chips / ipus;
    c.ipus = ipus;
    for (const std::size_t samples : of.micro_batches) {
      if (samples == 0 || samples > of.batch / replicas || of.batch % (samples * replicas) != 0) continue;
      c.host_time = of.like.host_time, c.micro_batch = of.like.micro_batch, c.replicas = of.like.replicas;
      c.resize(samples, replicas), c.accumulation = of.batch / (samples * replicas);
      for (const numbers precision : of.precisions) {
        c.precision = precision;
        for (const recomputing recompute : of.recompute) {
          for (const bool off : of.optimiser_off_chip) {
            c.optimiser_off_chip = off;
            for (const std::size_t io : of.io_tiles) {
              c.io_tiles = io;
              for (const ipu::memory_proportions& proportion : of.memory_proportions) {
                c.memory_proportion = proportion;
                for (const std::string& schedule : of.schedules) {
                  c.schedule = ipus > 1 ? schedule : c.run_for == mode::inference ? "inference" : "1f1b";
                  for (const std::size_t stages : of.stages_per_ipu) {
                    visit(c, staging{ipus == 1 ? 0 : stages, of.headroom, recompute});
                    if (ipus == 1) break;
                  }
                  if (ipus == 1) break;  // the others hold more there, and are no faster
                }
              }
            }
          }
        }
      }
    }
  }
}

/// True if all of some stages are among others.
[[nodiscard]] constexpr bool are_among(const schedule::stage_set& these, const schedule::stage_set& others) {
  bool all = others.all || !these.all;
  for (std::size_t s = 0; s < these.end; ++s) all = all && (!these.has(s) || others.has(s));
  return all;
}

/// True if a list has a configuration, or one that differs in the name of its schedule alone and has the same plan.
template <class = void>
[[nodiscard]] bool is_among(light_span<const ranked> list, const ranked& one) {
  return algorithms::any_of(list.begin(), list.end(), [&](const ranked& other) {
    if (!(other.then == one.then)) return false;
    configuration with = one.with;
    with.schedule = other.with.schedule;
    return other.with == with;
  });
}

/// A configuration, or if that is faster and fits the same one with I/O tiles, whose chips end steps together or wait for their
/// neighbours alone.
template <class Predict>
[[nodiscard]] ranked with_io_tiles(Predict&& predict, const ranked& one, const choices& of) {
  ranked best = one;
  if (one.with.schedule == search) return best;  // each of its plans is a search
  for (const std::size_t tiles : of.io_tiles_of_best) {
    for (const bool neighbours : {false, true}) {
      ranked other{.with = one.with};
      other.with.io_tiles = tiles, other.with.waits_for_neighbours = neighbours;
      if (other.with == one.with || (neighbours && other.with.ipus == 1)) continue;
      try {
        other.then = predict(std::as_const(other.with));
      } catch (const error&) {
        continue;
      }
      const bool faster = other.then.samples_per_second() > best.then.samples_per_second();
      if (faster && !verify_fits(other.then, of.headroom)) best = std::move(other);
    }
  }
  return best;
}

}  // namespace impl

/// Plans the combinations, those first that may be the fastest, until no other can be among the best.
/// `stages_of(configuration, staging)` says where stages begin and which of them recompute, `predict(configuration)` plans that,
/// and `at_most(configuration, staging)` has samples a second that it does not exceed in any stages. What they refuse is
/// counted. Configurations stand once where no chip is too full, and schedules with the same plan stand under the first name.
/// The best are given I/O tiles, and blocks of theirs go to other stages, where that makes them faster still.
template <class Predict, class StagesOf, class AtMost>
[[nodiscard]] best_found best(Predict&& predict, StagesOf&& stages_of, AtMost&& at_most, const choices& of) {
  if (of.chips == 0) throw_if(configuration_fault{configuration_wrong::none, 0, 1, fixed_string<32>{std::string_view{"chips"}}});
  if (of.batch == 0) throw_if(configuration_fault{configuration_wrong::none, 0, 1, fixed_string<32>{std::string_view{"batch"}}});
  best_found made;
  const auto faster = [](const ranked& a, const ranked& b) { return a.then.samples_per_second() > b.then.samples_per_second(); };
  const bool has_both = algorithms::count(of.recompute.begin(), of.recompute.end(), recomputing::as_configured) > 0;
  const auto look_at = [&](const configuration& asked, const staging& how) {
    ranked one{.with = asked};
    try {
      chosen_stages found = stages_of(asked, how);
      if (has_both && how.recompute == recomputing::where_full && impl::are_among(found.recompute, asked.recompute)) return;
      if (!found.fit) return;
      one.with.cuts = std::move(found.cuts), one.with.recompute = found.recompute;
      one.then = predict(std::as_const(one.with));
    } catch (const error&) {
      ++made.refused;
      return;
    }
    if (verify_fits(one.then, of.headroom)) return;
    ++made.fit;
    // Lists may say the same twice, as 0 and 1 stages do of a schedule that has one on each chip
    if (impl::is_among(made.best, one)) return;
    const auto at = algorithms::upper_bound(made.best.begin(), made.best.end(), one, faster);
    if (at == made.best.end() && made.best.size() >= of.most) return;
    made.best.insert(at, std::move(one));
    if (made.best.size() > of.most) made.best.pop_back();
  };
  light_vector<impl::candidate> all;
  impl::each_configuration(of, [&](const configuration& asked, const staging& how) {
    all.push_back({asked, how});
    try {
      all.back().at_most = at_most(asked, how);
    } catch (const error&) {  // what is refused is counted when its stages are asked for
    }
  });
  light_vector<std::size_t> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  algorithms::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return all[a].at_most != all[b].at_most ? all[a].at_most > all[b].at_most : a < b;
  });
  made.planned = all.size();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const impl::candidate& next = all[order[i]];
    if (made.best.size() == of.most && (of.most == 0 || next.at_most < made.best.back().then.samples_per_second())) {
      made.slower = order.size() - i;
      break;
    }
    look_at(next.with, next.how);
  }
  light_vector<ranked> moved;
  for (ranked& one : made.best) {
    ranked better = with_moved_blocks(predict, impl::with_io_tiles(predict, one, of), of.headroom);
    if (impl::is_among(moved, better)) continue;
    const auto at = algorithms::upper_bound(moved.begin(), moved.end(), better, faster);
    moved.insert(at, std::move(better));
  }
  made.best = std::move(moved);
  return made;
}

/// The same where nothing is known of a configuration before it is planned.
template <class Predict, class StagesOf>
[[nodiscard]] best_found best(Predict&& predict, StagesOf&& stages_of, const choices& of) {
  const auto unknown = [](const configuration&, const staging&) { return std::numeric_limits<double>::infinity(); };
  return best(predict, stages_of, unknown, of);
}

}  // namespace ipuflow::plan
