// SPDX-License-Identifier: BSL-1.0
// Costs of every run of blocks as a stage: its time, its load with copies, its bytes, and the time that is left for
// recomputation below a bound. Sums are made once, so that each is answered in constant time.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/plan/partition/chain.hpp>

#include <cstddef>

namespace ipuflow::plan::impl {

/// A time or a number of bytes that there is not.
inline constexpr std::size_t none = static_cast<std::size_t>(-1);

/// A quotient, rounded up.
[[nodiscard]] constexpr std::size_t rounded_up(std::size_t a, std::size_t by) { return a / by + (a % by == 0 ? 0 : 1); }

/// The costs of stages with blocks from `first` up to `end`, for one number of stages.
template <class = void>
class basic_chain_costs {
 public:
  constexpr basic_chain_costs(light_span<const chain_block> blocks, const balance_options& rules, std::size_t stages,
                              const dynamic_array<std::size_t>& depths)
      : blocks_{blocks}, rules_{rules}, stages_{stages}, depths_{depths}, work_{blocks.size() + 1},
        parameters_{blocks.size() + 1}, activations_{blocks.size() + 1}, gains_{blocks.size() + 1} {
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const chain_block& block = blocks[b];
      work_[b + 1] = work_[b] + block.forward + block.backward;
      parameters_[b + 1] = parameters_[b] + block.parameter_bytes * rules.parameter_copies;
      activations_[b + 1] = activations_[b] + block.activation_bytes;
      gains_[b + 1] = gains_[b] + gain(b);
    }
    if (rules.load == load_kind::compute) return;
    const std::size_t rows = rules.links.empty() ? 1 : stages - 1;
    copies_ = dynamic_array<std::size_t>{rows * blocks.size()};
    for (std::size_t at = 0; at < copies_.size() && stages > 1; ++at) {
      const chain_link& link = link_of(rules, at / blocks.size());
      copies_[at] = rounded_up(blocks[at % blocks.size()].cut_bytes * rules.directions, link.rate) + link.fixed;
    }
  }

  [[nodiscard]] constexpr std::size_t blocks() const { return blocks_.size(); }
  [[nodiscard]] constexpr std::size_t stages() const { return stages_; }
  [[nodiscard]] constexpr const chain_block& block(std::size_t b) const { return blocks_[b]; }

  /// The bytes that a block frees for each micro-batch in the stash by recomputing.
  [[nodiscard]] constexpr std::size_t gain(std::size_t b) const {
    const std::size_t kept = kept_by(blocks_, b, rules_.entry_bytes);
    return rules_.recompute && kept < blocks_[b].activation_bytes ? blocks_[b].activation_bytes - kept : 0;
  }

  /// The work of blocks, in time of the chip that they were measured on.
  [[nodiscard]] constexpr std::size_t work(std::size_t first, std::size_t end) const { return work_[end] - work_[first]; }

  /// The time of work on the chip of a stage.
  [[nodiscard]] constexpr std::size_t time(std::size_t stage, std::size_t work) const {
    const std::size_t speed = chip_of(rules_, stage).speed;
    return speed == rules_.measured_at ? work : rounded_up(work * rules_.measured_at, speed);
  }

  /// The time of the copies behind a stage that ends before block `end`.
  [[nodiscard]] constexpr std::size_t copy(std::size_t stage, std::size_t end) const {
    return copies_[(rules_.links.empty() ? 0 : stage * blocks()) + end - 1];
  }

  /// The load of a stage whose passes take this time.
  [[nodiscard]] constexpr std::size_t load(std::size_t stage, std::size_t first, std::size_t end, std::size_t time) const {
    if (rules_.load == load_kind::compute) return time;
    const std::size_t in = stage == 0 ? 0 : copy(stage - 1, first);
    const std::size_t out = stage + 1 == stages_ ? 0 : copy(stage, end);
    if (rules_.load == load_kind::copies) return time + in + out;
    const std::size_t longer = in < out ? out : in;
    return time < longer ? longer : time;
  }

  /// The work that is left for recomputation if the load is to stay below a bound; `none` if it is not below without.
  [[nodiscard]] constexpr std::size_t work_left(std::size_t stage, std::size_t first, std::size_t end, std::size_t below) const {
    const std::size_t asked = work(first, end);
    if (load(stage, first, end, time(stage, asked)) >= below) return none;
    std::size_t longest = below - 1;
    if (rules_.load == load_kind::copies) longest -= load(stage, first, end, 0);
    const std::size_t all = time(stage, 2 * work_[blocks()]);
    if (longest > all) longest = all;
    return longest * chip_of(rules_, stage).speed / rules_.measured_at - asked;
  }

  /// The bytes of a stage in which no block recomputes.
  [[nodiscard]] constexpr std::size_t bytes(std::size_t stage, std::size_t first, std::size_t end) const {
    return parameters_[end] - parameters_[first] + depths_[stage] * (activations_[end] - activations_[first]);
  }
  /// The least bytes of a stage: those if all its blocks recompute that free any.
  [[nodiscard]] constexpr std::size_t least_bytes(std::size_t stage, std::size_t first, std::size_t end) const {
    return bytes(stage, first, end) - depths_[stage] * (gains_[end] - gains_[first]);
  }
  [[nodiscard]] constexpr std::size_t memory(std::size_t stage) const { return chip_of(rules_, stage).memory; }

  /// The bytes that recomputation has to free for each micro-batch in the stash; `none` if that is more than there is.
  [[nodiscard]] constexpr std::size_t needed_gain(std::size_t stage, std::size_t first, std::size_t end) const {
    const std::size_t needed = bytes(stage, first, end);
    if (needed <= memory(stage)) return 0;
    if (least_bytes(stage, first, end) > memory(stage)) return none;
    return rounded_up(needed - memory(stage), depths_[stage]);
  }

  [[nodiscard]] constexpr std::size_t depth(std::size_t stage) const { return depths_[stage]; }

 private:
  light_span<const chain_block> blocks_;
  const balance_options& rules_;
  std::size_t stages_;
  const dynamic_array<std::size_t>& depths_;
  dynamic_array<std::size_t> work_;         // each up to a block
  dynamic_array<std::size_t> parameters_;
  dynamic_array<std::size_t> activations_;
  dynamic_array<std::size_t> gains_;
  dynamic_array<std::size_t> copies_{};     // of each cut, for each link if they differ
};

using chain_costs = basic_chain_costs<>;

}  // namespace ipuflow::plan::impl
