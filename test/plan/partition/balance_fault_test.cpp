// SPDX-License-Identifier: BSL-1.0
// Every fault has one sentence of its own, with its place and its numbers.
#include <ipuflow/plan/partition/balance_fault.hpp>

#include <doctest/doctest.h>

#include <string>

namespace balance_fault_test {

using namespace ipuflow;
using namespace ipuflow::plan;
using enum balance_wrong;

namespace {

std::string said(balance_wrong kind) { return std::string{sentence({kind, 9, 7, {1, 2, 5, 4}}).view()}; }

}  // namespace

TEST_CASE("sentences") {
  CHECK(said(nothing).empty());
  CHECK(said(no_blocks) == "ipuflow: a chain without blocks is to be balanced; give at least one");
  CHECK(said(too_many_blocks) == "ipuflow: a chain of 9 blocks is to be balanced; join blocks until there are at most 7");
  CHECK(said(no_stages) == "ipuflow: a chain is to be cut into no stages; ask for at least one");
  CHECK(said(too_few_blocks) == "ipuflow: 9 blocks are to fill 7 stages; ask for fewer stages, or give smaller blocks");
  CHECK(said(other_chips) == "ipuflow: 9 chips are listed for 7 stages; list one for each, or none if all are alike");
  CHECK(said(other_links) == "ipuflow: 9 links are listed for 7 cuts; list one for each, or none if all are alike");
  CHECK(said(other_depths) ==
        "ipuflow: depths of the stash are listed for 9 stages, not for 7; take those of a schedule of as many stages");
  CHECK(said(no_speed) ==
        "ipuflow: the chip of stage 1 has the speed 9 where times are measured at 7; give both from 1 to below 2 to the 62");
  CHECK(said(no_rate) ==
        "ipuflow: the link behind stage 1 carries no bytes; give its rate, in bytes for a unit of time");
  CHECK(said(time_too_large) == "ipuflow: times up to block 2 are too large to be added up; take a larger unit");
  CHECK(said(bytes_too_large) == "ipuflow: bytes up to block 2 are too large to be added up; look whether they are bytes");
  CHECK(said(does_not_fit) ==
        "ipuflow: no partition into 4 stages fits: the closest one has stage 1, blocks 2 to 4, which needs 9 bytes of 7, 2 too "
        "many; give more memory or stages, recompute, or cut these blocks");
  CHECK(said(stage_does_not_fit) ==
        "ipuflow: stage 1 of blocks 2 to 4 needs 9 bytes of 7, 2 too many; cut elsewhere, recompute, or ask balance for the cuts");
  CHECK(said(misplaced_cut) ==
        "ipuflow: stage 1 is to begin with block 9, the stage before with block 2, of 7 blocks; give the first block of "
        "each stage but the first, in order");
  CHECK(said(search_too_long) ==
        "ipuflow: the least recomputation was not found within 7 sets of blocks; raise search_limit, or round times and "
        "bytes");
  CHECK(said(other_pipeline) ==
        "ipuflow: a partition of 9 blocks is asked of a pipeline of 7; balance its own blocks, one by one in order");
  CHECK(said(has_branches) ==
        "ipuflow: stage 1 of the pipeline has branches, which no chain of blocks has; regroup it by names");
}

}  // namespace balance_fault_test
