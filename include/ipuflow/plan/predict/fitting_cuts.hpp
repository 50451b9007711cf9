// SPDX-License-Identifier: BSL-1.0
// The cuts of a chain with the least longest stage of all with which every chip fits, where whether a chip fits is not known before it is
// counted. The best partition is asked first; a chip that is too full forbids its stages, and all that contain them, to those that are
// asked next. So few chips are counted, and the first partition that fits is the best of all.
#pragma once

#include <ipuflow/plan/partition/chain.hpp>
#include <ipuflow/plan/partition/chain_costs.hpp>
#include <ipuflow/plan/partition/stage_search.hpp>
#include <ipuflow/plan/partition/wide_sum.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::plan {

namespace impl {

/// Blocks that are too many for a stage, and so are all that contain them.
struct too_many_blocks {
  std::size_t stage = 0;
  std::size_t first = 0;
  std::size_t end = 0;
};

/// The time of a stage's blocks, unless they are too many for it.
template <class = void>
class basic_allowed_costs {
 public:
  basic_allowed_costs(std::span<const std::size_t> work, std::size_t stages, std::span<const too_many_blocks> forbidden)
      : work_{work}, stages_{stages}, last_(stages * (blocks() + 1), blocks()) {
    for (const too_many_blocks& f : forbidden) {
      for (std::size_t first = 0; first <= f.first; ++first) {
        std::size_t& last = last_[f.stage * (blocks() + 1) + first];
        last = std::min(last, f.end - 1);
      }
    }
  }

  [[nodiscard]] std::size_t stages() const { return stages_; }
  [[nodiscard]] std::size_t blocks() const { return work_.size() - 1; }
  [[nodiscard]] std::size_t least(std::size_t, std::size_t first, std::size_t end) const { return work_[end] - work_[first]; }
  [[nodiscard]] std::size_t below(std::size_t stage, std::size_t first, std::size_t end, std::size_t bound) const {
    const std::size_t time = work_[end] - work_[first];
    return end <= last_[stage * (blocks() + 1) + first] && time < bound ? time : none;
  }

 private:
  std::span<const std::size_t> work_;  // up to each block
  std::size_t stages_;
  std::vector<std::size_t> last_;      // end that a stage with this first block may have
};
using allowed_costs = basic_allowed_costs<>;

/// The best partition that a search may still find, and what is forbidden to it.
struct possible_partition {
  std::size_t longest = 0;
  wide_sum squares{};
  std::vector<std::size_t> cuts{};
  std::vector<too_many_blocks> forbidden{};

  [[nodiscard]] auto rank() const { return std::tie(longest, squares, cuts); }
};

}  // namespace impl

/// Cuts that were found, and how.
struct fitting_cuts {
  std::vector<std::size_t> cuts{};  ///< those of the least longest stage of all if none fit
  bool fit = false;
  std::size_t longest = 0;          ///< time of the longest stage
  std::size_t tried = 0;            ///< partitions
};

namespace impl {

template <class Fits>
class fitting_search {
 public:
  fitting_search(std::span<const chain_block> blocks, std::span<const std::vector<std::size_t>> stages_of, std::size_t stages, Fits& fits)
      : stages_of_{stages_of}, stages_{stages}, fits_{fits}, work_(blocks.size() + 1) {
    for (std::size_t b = 0; b < blocks.size(); ++b) work_[b + 1] = work_[b] + blocks[b].forward + blocks[b].backward;
  }

  fitting_cuts run(std::size_t most_tried) {
    fitting_cuts made;
    add({});
    if (!open_.empty()) made.cuts = open_.front().cuts, made.longest = open_.front().longest;
    const fitting_cuts plain = made;
    while (!open_.empty() && made.tried < most_tried) {
      std::pop_heap(open_.begin(), open_.end(), worse);
      const possible_partition best = std::move(open_.back());
      open_.pop_back();
      ++made.tried;
      const std::size_t chip = first_full(best.cuts);
      if (chip == stages_of_.size()) return {best.cuts, true, best.longest, made.tried};
      forbid(best, chip);
    }
    made.cuts = plain.cuts, made.longest = plain.longest;
    return made;
  }

 private:
  static bool worse(const possible_partition& a, const possible_partition& b) { return a.rank() > b.rank(); }

  [[nodiscard]] std::size_t first_full(const std::vector<std::size_t>& cuts) {
    std::size_t chip = 0;
    while (chip < stages_of_.size() && fits_(std::as_const(cuts), chip)) ++chip;
    return chip;
  }

  [[nodiscard]] too_many_blocks blocks_of(const std::vector<std::size_t>& cuts, std::size_t stage) const {
    return {stage, stage == 0 ? 0 : cuts[stage - 1], stage < cuts.size() ? cuts[stage] : work_.size() - 1};
  }

  /// One of the chip's stages must have less: a search goes on for each that may be the one.
  void forbid(const possible_partition& of, std::size_t chip) {
    for (const std::size_t stage : stages_of_[chip]) {
      std::vector<too_many_blocks> forbidden = of.forbidden;
      forbidden.push_back(stages_of_[chip].size() == 1 ? fewer(of.cuts, chip, stage) : blocks_of(of.cuts, stage));
      add(std::move(forbidden));
    }
  }

  /// The blocks of a chip that is too full, or fewer of them that still are: twice as many are left out after each time that this was so,
  /// so that a chip that is far too full is not asked block by block.
  [[nodiscard]] too_many_blocks fewer(std::vector<std::size_t> cuts, std::size_t chip, std::size_t stage) {
    leave_out_.resize(stages_, 1);
    too_many_blocks found = blocks_of(cuts, stage);
    std::size_t& less = leave_out_[stage];
    while (found.end - found.first > less && !cuts.empty()) {
      if (stage < cuts.size())
        cuts[stage] -= less;
      else
        cuts[stage - 1] += less;
      if (fits_(std::as_const(cuts), chip)) {
        less = 1;
        break;
      }
      less *= 2;
      found = blocks_of(cuts, stage);
    }
    return found;
  }

  void add(std::vector<too_many_blocks> forbidden) {
    allowed_costs cost(work_, stages_, forbidden);
    possible_partition made;
    made.longest = least_longest(cost, none);
    if (made.longest == none) return;
    const dynamic_array<std::size_t> begins = least_squares(cost, made.longest + 1);
    for (std::size_t s = 0; s < stages_; ++s) {
      const std::size_t time = work_[begins[s + 1]] - work_[begins[s]];
      made.squares = made.squares + product(time, time);
      if (s > 0) made.cuts.push_back(begins[s]);
    }
    made.forbidden = std::move(forbidden);
    open_.push_back(std::move(made));
    std::push_heap(open_.begin(), open_.end(), worse);
  }

  std::span<const std::vector<std::size_t>> stages_of_;
  std::size_t stages_;
  Fits& fits_;
  std::vector<std::size_t> work_;
  std::vector<std::size_t> leave_out_{};
  std::vector<possible_partition> open_{};  // a heap, the best in front
};

}  // namespace impl

/// The cuts with the least longest stage of those with which all chips fit; of several those with the least sum of squares, then the
/// earliest. `stages_of` has the stages of each chip, and `fits(cuts, chip)` says whether a chip with these stages fits: it looks at
/// nothing else, and a chip that does not fit fits no better with more blocks. The search gives up after `most_tried` partitions.
template <class Fits>
[[nodiscard]] fitting_cuts cuts_that_fit(std::span<const chain_block> blocks, std::span<const std::vector<std::size_t>> stages_of, Fits&& fits,
                                         std::size_t most_tried = 1000) {
  std::size_t stages = 0;
  for (const std::vector<std::size_t>& chip : stages_of) {
    for (const std::size_t s : chip) stages = std::max(stages, s + 1);
  }
  throw_if(impl::verify_chain(blocks, {.stages = stages}));
  throw_if(impl::verify_sums(blocks, {.stages = stages}, 1));
  return impl::fitting_search<std::remove_reference_t<Fits>>(blocks, stages_of, stages, fits).run(most_tried);
}

}  // namespace ipuflow::plan
