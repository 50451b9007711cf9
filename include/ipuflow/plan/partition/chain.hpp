// SPDX-License-Identifier: BSL-1.0
// A chain of blocks as its measured times and bytes, the chips and links that it is to be spread over, and the rules by which
// a partition of it is judged. Times are whole numbers of any one unit.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/plan/partition/balance_fault.hpp>

#include <cstddef>

namespace ipuflow::plan {

/// The bytes that a block keeps if it recomputes, unless it says otherwise: those that entered it.
inline constexpr std::size_t as_entered = static_cast<std::size_t>(-1);

/// The memory of a chip that has no limit.
inline constexpr std::size_t unlimited = static_cast<std::size_t>(-1);

/// A block of a chain: its times, and its bytes for one micro-batch.
struct chain_block {
  std::size_t forward = 0;                ///< time of the forward pass
  std::size_t backward = 0;               ///< time of the whole backward pass
  std::size_t cut_bytes = 0;              ///< that go on to the next block, and as gradients come back
  std::size_t parameter_bytes = 0;        ///< for any number of micro-batches
  std::size_t activation_bytes = 0;       ///< that wait for its backward pass
  std::size_t kept_bytes = as_entered;    ///< of these if it recomputes; as many as all for a block that may not

  friend constexpr bool operator==(const chain_block&, const chain_block&) = default;
};

/// The chip of a stage.
struct chain_chip {
  std::size_t memory = unlimited;  ///< bytes that a stage may need
  std::size_t speed = 1;           ///< relative to `balance_options::measured_at`, such as its clock
};

/// The link between a stage and the next.
struct chain_link {
  std::size_t rate = 0;   ///< bytes in a unit of time, each way
  std::size_t fixed = 0;  ///< time of a copy beside its bytes
};

/// The kinds of load that a stage can have.
enum class load_kind : unsigned char {
  compute,  ///< the passes of a stage
  copies,   ///< passes and the copies at both of its cuts: the chip waits for them
  overlap   ///< the longer of passes and any copy at its cuts
};

/// The rules by which a chain is cut.
struct balance_options {
  std::size_t stages = 2;                 ///< to cut the chain into
  bool fewer_stages = false;              ///< any number up to `stages`, if the longest stage is no longer then
  load_kind load = load_kind::compute;    ///< that is to be least where it is most
  chain_chip chip{};                      ///< of every stage
  chain_link link{};                      ///< behind every stage
  light_span<const chain_chip> chips{};    ///< one for each of `stages`, in the place of `chip`
  light_span<const chain_link> links{};    ///< one for each cut between `stages`, in the place of `link`
  std::size_t measured_at = 1;            ///< the speed of the chip that the blocks' times are of
  std::size_t directions = 2;             ///< of the bytes at a cut: activations go on, gradients come back
  std::size_t parameter_copies = 4;       ///< in memory, for each parameter: itself, its gradient, two of an optimiser
  bool recompute = false;                 ///< blocks may run forward again before backward, so that stages fit
  std::size_t entry_bytes = 0;            ///< that enter the first block
  std::size_t search_limit = 100'000'000;  ///< sets of recomputing blocks that are looked at before the search gives up
};

/// The depth of the stash of 1F1B: as many micro-batches as there are stages from this one on.
struct depth_of_1f1b {
  constexpr std::size_t operator()(std::size_t stage, std::size_t stages) const { return stages - stage; }
};

namespace impl {

/// The most blocks of a chain.
inline constexpr std::size_t most_blocks = 4096;

/// Bounds of sums, so that twice one of them is a number.
inline constexpr std::size_t largest_sum = std::size_t{1} << 62;

/// A sum of products that stays at `largest_sum` once it is there.
struct bounded_sum {
  std::size_t value = 0;

  [[nodiscard]] constexpr bool full() const { return value >= largest_sum; }
  constexpr bounded_sum& add(std::size_t number, std::size_t times = 1) {
    const bool fits = times == 0 || number == 0 || number < (largest_sum - value) / times;
    value = fits ? value + number * times : largest_sum;
    return *this;
  }
};

[[nodiscard]] constexpr std::size_t kept_by(light_span<const chain_block> blocks, std::size_t b, std::size_t entry_bytes) {
  const std::size_t kept = blocks[b].kept_bytes;
  return kept != as_entered ? kept : b == 0 ? entry_bytes : blocks[b - 1].cut_bytes;
}

[[nodiscard]] constexpr const chain_chip& chip_of(const balance_options& o, std::size_t stage) {
  return o.chips.empty() ? o.chip : o.chips[stage];
}
/// The stages and cuts to look at for all chips and links: where none are listed, the first is like all.
[[nodiscard]] constexpr std::size_t unlike_chips(const balance_options& o) { return o.chips.empty() && o.stages > 0 ? 1 : o.chips.size(); }
[[nodiscard]] constexpr std::size_t unlike_links(const balance_options& o) { return o.links.empty() && o.stages > 1 ? 1 : o.links.size(); }

[[nodiscard]] constexpr const chain_link& link_of(const balance_options& o, std::size_t cut) {
  return o.links.empty() ? o.link : o.links[cut];
}

/// The first fault of numbers that could not be added up. Depths are bounded by the deepest stash.
constexpr balance_fault verify_sums(light_span<const chain_block> blocks, const balance_options& o, std::size_t deepest) {
  chain_link slowest{largest_sum, 0};
  for (std::size_t cut = 0; cut < unlike_links(o); ++cut) {
    const chain_link& link = link_of(o, cut);
    if (link.rate < slowest.rate) slowest.rate = link.rate;
    if (link.fixed > slowest.fixed) slowest.fixed = link.fixed;
  }
  bounded_sum work, copies, memory, moved;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const chain_block& block = blocks[b];
    work.add(block.forward, o.measured_at).add(block.forward, o.measured_at).add(block.backward, o.measured_at);
    moved.add(block.cut_bytes, o.directions);
    memory.add(block.parameter_bytes, o.parameter_copies).add(block.activation_bytes, deepest);
    if (moved.full() || memory.full()) return {balance_wrong::bytes_too_large, 0, 0, {.first = b}};
    if (o.load != load_kind::compute && o.stages > 1)
      copies.add(block.cut_bytes * o.directions / slowest.rate + 1, 2).add(slowest.fixed, 2);
    if (work.full() || copies.full()) return {balance_wrong::time_too_large, 0, 0, {.first = b}};
  }
  return {};
}

/// The most stages that a chain is to be cut into: each has a block, and there may be fewer if the rules say so.
constexpr std::size_t most_stages_of(const balance_options& o, std::size_t blocks) { return o.fewer_stages && blocks < o.stages ? blocks : o.stages; }

/// The first fault of a chain and its rules that can be seen before it is cut.
constexpr balance_fault verify_chain(light_span<const chain_block> blocks, const balance_options& o) {
  if (blocks.empty()) return {balance_wrong::no_blocks};
  if (blocks.size() > most_blocks) return {balance_wrong::too_many_blocks, blocks.size(), most_blocks};
  if (o.stages == 0) return {balance_wrong::no_stages};
  if (most_stages_of(o, blocks.size()) > blocks.size()) return {balance_wrong::too_few_blocks, blocks.size(), o.stages};
  if (!o.chips.empty() && o.chips.size() != o.stages) return {balance_wrong::other_chips, o.chips.size(), o.stages};
  if (!o.links.empty() && o.links.size() + 1 != o.stages) return {balance_wrong::other_links, o.links.size(), o.stages - 1};
  for (std::size_t stage = 0; stage < unlike_chips(o) || stage < unlike_links(o); ++stage) {
    const std::size_t speed = chip_of(o, stage).speed;
    if (speed - 1 >= largest_sum - 1 || o.measured_at - 1 >= largest_sum - 1)  // 0 is the largest, less 1
      return {balance_wrong::no_speed, speed, o.measured_at, {.stage = stage}};
    if (stage < unlike_links(o) && o.load != load_kind::compute && link_of(o, stage).rate == 0)
      return {balance_wrong::no_rate, 0, 1, {.stage = stage}};
  }
  return {};
}

}  // namespace impl

}  // namespace ipuflow::plan
