// SPDX-License-Identifier: BSL-1.0
// The cuts of a chain with the least longest stage of all with which every chip fits, where whether a chip fits is not known before it is
// counted. The best partition is asked first; a chip that is too full forbids its stages, and all that contain them, to those that are
// asked next. So few chips are counted, and the first partition that fits is the best of all; none is where it is known before that a chip
// is too full. A stage that may recompute where its chip is too full is asked for again with its forward passes twice in its time.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/heap.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/plan/partition/chain.hpp>
#include <ipuflow/plan/partition/chain_costs.hpp>
#include <ipuflow/plan/partition/stage_search.hpp>
#include <ipuflow/plan/partition/wide_sum.hpp>
#include <ipuflow/schedule/forms/stage_set.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::plan {

/// The stages that make activations again: those of the configuration, or also those whose chip is too full without.
enum class recomputing : unsigned char { as_configured, where_full };

namespace impl {

/// Blocks that are too many for a stage, and so are all that contain them. `again`: even if it recomputes.
struct too_many_blocks {
  std::size_t stage = 0;
  std::size_t first = 0;
  std::size_t end = 0;
  bool again = false;
};

/// Times of blocks, as sums up to each one.
struct chain_times {
  light_vector<std::size_t> once{};   ///< forward and backward
  light_vector<std::size_t> again{};  ///< and forward once more

  [[nodiscard]] std::size_t of(bool recomputes, std::size_t first, std::size_t end) const {
    const light_vector<std::size_t>& up_to = recomputes ? again : once;
    return up_to[end] - up_to[first];
  }
  [[nodiscard]] std::size_t blocks() const { return once.size() - 1; }
};

/// The time of a stage's blocks, unless they are too many for it: with a recomputation where they are too many without.
template <class = void>
class basic_allowed_costs {
 public:
  basic_allowed_costs(const chain_times& times, std::size_t stages, light_span<const too_many_blocks> forbidden, const schedule::stage_set& recompute,
                      bool where_full)
      : times_{times}, stages_{stages}, recompute_{recompute}, last_{light_vector<std::size_t>(size(), blocks()), {}} {
    last_[1].assign(size(), where_full ? blocks() : 0);
    for (const too_many_blocks& f : forbidden) {
      for (std::size_t first = 0; first <= f.first; ++first) {
        std::size_t& last = last_[f.again ? 1 : 0][at(f.stage, first)];
        last = algorithms::min(last, f.end - 1);
      }
    }
  }

  [[nodiscard]] std::size_t stages() const { return stages_; }
  [[nodiscard]] std::size_t blocks() const { return times_.blocks(); }
  [[nodiscard]] std::size_t least(std::size_t stage, std::size_t first, std::size_t end) const { return times_.of(recompute_.has(stage), first, end); }
  [[nodiscard]] std::size_t below(std::size_t stage, std::size_t first, std::size_t end, std::size_t bound) const {
    if (end > last_[0][at(stage, first)] && (recompute_.has(stage) || end > last_[1][at(stage, first)])) return none;
    const std::size_t time = times_.of(recomputes(stage, first, end), first, end);
    return time < bound ? time : none;
  }
  /// True if a stage with these blocks makes activations again.
  [[nodiscard]] bool recomputes(std::size_t stage, std::size_t first, std::size_t end) const {
    return recompute_.has(stage) || end > last_[0][at(stage, first)];
  }

 private:
  [[nodiscard]] std::size_t size() const { return stages_ * (blocks() + 1); }
  [[nodiscard]] std::size_t at(std::size_t stage, std::size_t first) const { return stage * (blocks() + 1) + first; }

  const chain_times& times_;
  std::size_t stages_;
  const schedule::stage_set& recompute_;
  light_vector<std::size_t> last_[2];  // end that a stage with this first block may have: as configured, and recomputing
};
using allowed_costs = basic_allowed_costs<>;

/// The best partition that a search may still find, and what is forbidden to it.
struct possible_partition {
  std::size_t longest = 0;
  wide_sum squares{};
  light_vector<std::size_t> cuts{};
  schedule::stage_set recompute{};
  light_vector<too_many_blocks> forbidden{};

  [[nodiscard]] auto rank() const { return std::tie(longest, squares, cuts); }
};

}  // namespace impl

/// Cuts that were found, and how.
struct fitting_cuts {
  light_vector<std::size_t> cuts{};   ///< those of the least longest stage of all if none fit
  schedule::stage_set recompute{};   ///< stages that make activations again
  bool fit = false;
  std::size_t longest = 0;          ///< time of the longest stage
  std::size_t tried = 0;            ///< partitions
};

namespace impl {

template <class MayFit, class Fits>
class fitting_search {
 public:
  fitting_search(light_span<const chain_block> blocks, light_span<const light_vector<std::size_t>> stages_of, std::size_t stages, MayFit& may_fit, Fits& fits,
                 const schedule::stage_set& recompute, recomputing how)
      : stages_of_{stages_of}, stages_{stages}, may_fit_{may_fit}, fits_{fits}, recompute_{recompute}, where_full_{how == recomputing::where_full} {
    times_.once.push_back(0), times_.again.push_back(0);
    for (const chain_block& b : blocks) {
      times_.once.push_back(times_.once.back() + b.forward + b.backward);
      times_.again.push_back(times_.again.back() + 2 * b.forward + b.backward);
    }
  }

  fitting_cuts run(std::size_t most_tried) {
    fitting_cuts made;
    add({});
    if (!open_.empty()) made = {open_.front().cuts, open_.front().recompute, false, open_.front().longest, 0};
    fitting_cuts plain = made;
    while (!open_.empty() && made.tried < most_tried) {
      algorithms::pop_heap(open_.begin(), open_.end(), worse);
      const possible_partition best = std::move(open_.back());
      open_.pop_back();
      ++made.tried;
      if (const std::size_t chip = first_full(best, may_fit_); chip < stages_of_.size()) {
        forbid(best, chip, may_fit_);
      } else if (const std::size_t counted = first_full(best, fits_); counted < stages_of_.size()) {
        forbid(best, counted, fits_);
      } else {
        return {best.cuts, best.recompute, true, best.longest, made.tried};
      }
    }
    plain.tried = made.tried;
    return plain;
  }

 private:
  static bool worse(const possible_partition& a, const possible_partition& b) { return a.rank() > b.rank(); }

  template <class Asked>
  [[nodiscard]] std::size_t first_full(const possible_partition& of, Asked& fits) const {
    std::size_t chip = 0;
    while (chip < stages_of_.size() && fits(of.cuts, of.recompute, chip)) ++chip;
    return chip;
  }

  [[nodiscard]] too_many_blocks blocks_of(const light_vector<std::size_t>& cuts, std::size_t stage) const {
    return {stage, stage == 0 ? 0 : cuts[stage - 1], stage < cuts.size() ? cuts[stage] : times_.blocks()};
  }

  /// One of the chip's stages must have less, or recompute: a search goes on for each that may be the one.
  template <class Asked>
  void forbid(const possible_partition& of, std::size_t chip, Asked& fits) {
    for (const std::size_t stage : stages_of_[chip]) {
      light_vector<too_many_blocks> forbidden = of.forbidden;
      forbidden.push_back(stages_of_[chip].size() == 1 ? fewer(of, chip, stage, fits) : blocks_of(of.cuts, stage));
      forbidden.back().again = of.recompute.has(stage) && !recompute_.has(stage);
      add(std::move(forbidden));
    }
  }

  /// The blocks of a chip that is too full, or fewer of them that still are: twice as many are left out after each time that this was so,
  /// so that a chip that is far too full is not asked block by block.
  template <class Asked>
  [[nodiscard]] too_many_blocks fewer(const possible_partition& of, std::size_t chip, std::size_t stage, Asked& fits) {
    light_vector<std::size_t> cuts = of.cuts;
    leave_out_.resize(stages_, 1);
    too_many_blocks found = blocks_of(cuts, stage);
    std::size_t& less = leave_out_[stage];
    while (found.end - found.first > less && !cuts.empty()) {
      if (stage < cuts.size())
        cuts[stage] -= less;
      else
        cuts[stage - 1] += less;
      if (fits(std::as_const(cuts), of.recompute, chip)) {
        less = 1;
        break;
      }
      less *= 2;
      found = blocks_of(cuts, stage);
    }
    return found;
  }

  void add(light_vector<too_many_blocks> forbidden) {
    allowed_costs cost(times_, stages_, forbidden, recompute_, where_full_);
    possible_partition made;
    made.longest = least_longest(cost, none);
    if (made.longest == none) return;
    const dynamic_array<std::size_t> begins = least_squares(cost, made.longest + 1);
    for (std::size_t s = 0; s < stages_; ++s) {
      const bool again = cost.recomputes(s, begins[s], begins[s + 1]);
      const std::size_t time = times_.of(again, begins[s], begins[s + 1]);
      if (again && !recompute_.all) made.recompute.add(s);
      made.squares = made.squares + product(time, time);
      if (s > 0) made.cuts.push_back(begins[s]);
    }
    if (recompute_.all) made.recompute = recompute_;
    made.forbidden = std::move(forbidden);
    open_.push_back(std::move(made));
    algorithms::push_heap(open_.begin(), open_.end(), worse);
  }

  light_span<const light_vector<std::size_t>> stages_of_;
  std::size_t stages_;
  MayFit& may_fit_;
  Fits& fits_;
  const schedule::stage_set& recompute_;
  bool where_full_;
  chain_times times_{};
  light_vector<std::size_t> leave_out_{};
  light_vector<possible_partition> open_{};  // a heap, the best in front
};

}  // namespace impl

/// The cuts with the least longest stage of those with which all chips fit; of several those with the least sum of squares, then the
/// earliest. `stages_of` has the stages of each chip, and `fits(cuts, recomputing stages, chip)` says whether a chip with these stages fits:
/// it looks at nothing else, and a chip that does not fit fits no better with more blocks. `may_fit` is asked before it, of all chips: one of
/// which it is false does not fit, and is not counted. `recompute` are stages that run forward twice anyway; with `where_full` others do, too, where that
/// makes their chip fit, and so take longer. The search gives up after `most_tried` partitions.
template <class MayFit, class Fits>
  requires std::is_invocable_v<Fits&, const light_vector<std::size_t>&, const schedule::stage_set&, std::size_t>
[[nodiscard]] fitting_cuts cuts_that_fit(light_span<const chain_block> blocks, light_span<const light_vector<std::size_t>> stages_of, MayFit&& may_fit, Fits&& fits,
                                         const schedule::stage_set& recompute = {}, recomputing how = recomputing::as_configured,
                                         std::size_t most_tried = 1000) {
  std::size_t stages = 0;
  for (const light_vector<std::size_t>& chip : stages_of) {
    for (const std::size_t s : chip) stages = algorithms::max(stages, s + 1);
  }
  throw_if(impl::verify_chain(blocks, {.stages = stages}));
  throw_if(impl::verify_sums(blocks, {.stages = stages}, 1));
  using search_of = impl::fitting_search<std::remove_reference_t<MayFit>, std::remove_reference_t<Fits>>;
  return search_of(blocks, stages_of, stages, may_fit, fits, recompute, how).run(most_tried);
}

/// The same where nothing is known of a chip before it is counted.
template <class Fits>
[[nodiscard]] fitting_cuts cuts_that_fit(light_span<const chain_block> blocks, light_span<const light_vector<std::size_t>> stages_of, Fits&& fits,
                                         const schedule::stage_set& recompute = {}, recomputing how = recomputing::as_configured,
                                         std::size_t most_tried = 1000) {
  const auto may_fit = [](const light_vector<std::size_t>&, const schedule::stage_set&, std::size_t) { return true; };
  return cuts_that_fit(blocks, stages_of, may_fit, fits, recompute, how, most_tried);
}

}  // namespace ipuflow::plan
