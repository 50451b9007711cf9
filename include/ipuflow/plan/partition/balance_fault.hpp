// SPDX-License-Identifier: BSL-1.0
// Faults of a chain of blocks that is to be cut into stages, and the sentence for each. A partition that does not fit is a
// fault of the stage that is in the way in the partition that comes closest.
#pragma once

#include <ipuflow/core/fault.hpp>

#include <cstddef>

namespace ipuflow::plan {

/// A place in a partition: a stage, the blocks from `first` up to but not including `end`, and the number of stages.
struct partition_place {
  std::size_t stage = 0;
  std::size_t first = 0;
  std::size_t end = 0;
  std::size_t stages = 0;

  friend constexpr bool operator==(const partition_place&, const partition_place&) = default;
};

enum class balance_wrong : unsigned char {
  nothing,
  no_blocks,
  too_many_blocks,
  no_stages,
  too_few_blocks,
  other_chips,
  other_links,
  other_depths,
  no_speed,
  no_rate,
  time_too_large,
  bytes_too_large,
  does_not_fit,
  stage_does_not_fit,
  search_too_long,
  misplaced_cut,
  other_pipeline,
  has_branches
};

using balance_fault = fault<balance_wrong, partition_place>;

constexpr const char* wording(balance_wrong wrong) {
  switch (wrong) {
    case balance_wrong::nothing:
      break;
    case balance_wrong::no_blocks:
      return "ipuflow: a chain without blocks is to be balanced; give at least one";
    case balance_wrong::too_many_blocks:
      return "ipuflow: a chain of {got} block{s} is to be balanced; join blocks until there are at most {limit}";
    case balance_wrong::no_stages:
      return "ipuflow: a chain is to be cut into no stages; ask for at least one";
    case balance_wrong::too_few_blocks:
      return "ipuflow: {got} block{s} {is|are} to fill {limit} stage{s}; ask for fewer stages, or give smaller blocks";
    case balance_wrong::other_chips:
      return "ipuflow: {got} chip{s} {is|are} listed for {limit} stage{s}; list one for each, or none if all are alike";
    case balance_wrong::other_links:
      return "ipuflow: {got} link{s} {is|are} listed for {limit} cut{s}; list one for each, or none if all are alike";
    case balance_wrong::other_depths:
      return "ipuflow: depths of the stash are listed for {got} stage{s}, not for {limit}; take those of a schedule of as many stages";
    case balance_wrong::no_speed:
      return "ipuflow: the chip of stage {stage} has the speed {got} where times are measured at {limit}; give both from 1 to below 2 to the 62";
    case balance_wrong::no_rate:
      return "ipuflow: the link behind stage {stage} carries no bytes; give its rate, in bytes for a unit of time";
    case balance_wrong::time_too_large:
      return "ipuflow: times up to block {first} are too large to be added up; take a larger unit";
    case balance_wrong::bytes_too_large:
      return "ipuflow: bytes up to block {first} are too large to be added up; look whether they are bytes";
    case balance_wrong::does_not_fit:
      return "ipuflow: no partition into {stages} stage{s} fits: the closest one has stage {stage}, blocks {first} to {last}, which needs {got} byte{s} "
             "of {limit}, {beyond} too many; give more memory or stages, recompute, or cut these blocks";
    case balance_wrong::stage_does_not_fit:
      return "ipuflow: stage {stage} of blocks {first} to {last} needs {got} byte{s} of {limit}, {beyond} too many; cut elsewhere, recompute, or ask "
             "balance for the cuts";
    case balance_wrong::misplaced_cut:
      return "ipuflow: stage {stage} is to begin with block {got}, the stage before with block {first}, of {limit} block{s}; give the "
             "first block of each stage but the first, in order";
    case balance_wrong::search_too_long:
      return "ipuflow: the least recomputation was not found within {limit} set{s} of blocks; raise search_limit, or round times and bytes";
    case balance_wrong::other_pipeline:
      return "ipuflow: a partition of {got} block{s} is asked of a pipeline of {limit}; balance its own blocks, one by one in order";
    case balance_wrong::has_branches:
      return "ipuflow: stage {stage} of the pipeline has branches, which no chain of blocks has; regroup it by names";
  }
  return "";
}

constexpr message_text sentence(const balance_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"stage", f.where.stage}, {"first", f.where.first},
                 {"stages", f.where.stages}, {"last", f.where.end - 1}, {"beyond", f.got - f.limit}});
}

}  // namespace ipuflow::plan
