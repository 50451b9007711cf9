// SPDX-License-Identifier: BSL-1.0
// A profiled network in four stages: the cuts with the least longest stage, worked out by the compiler; with copies that the
// stages wait for; and in the memory of chips, where layers recompute. It prints the stages of the last.
// begin: whole
#include <ipuflow/core/per_stage.hpp>
#include <ipuflow/plan/partition/balance.hpp>

#include <cstdio>

using namespace ipuflow;

// GNMT as PipeDream profiled it: forward and backward in us; bytes behind the block, of its parameters and activations
constexpr plan::chain_block gnmt[]{
    {73, 6949, 6291456, 132382720, 6291456},     {5247, 16, 12582912, 67174400, 12582912},
    {77, 196, 12582912, 0, 12582912},            {3190, 5348, 6291456, 50364416, 12976128},
    {2555, 4331, 6291456, 33587200, 25559040},   {2551, 4322, 6291456, 33587200, 25559040},
    {4612, 6469, 12871680, 174362624, 19163136}, {9619, 27025, 6160384, 151093248, 100007936},
    {5609, 1227, 0, 132512000, 194437120}};

constexpr auto best = plan::balance(gnmt, {.stages = 4});
static_assert(best.cuts == per_stage(4, 7, 8));     // stages 1 to 3 begin with these blocks
static_assert(best.bottleneck == 9619 + 27025);     // one block is the longest stage: no partition is better
static_assert(best.bottleneck == best.lower_bound);

// Each stage waits for the copies at its cuts, at 10 GB/s: 10,000 bytes in a microsecond.
constexpr auto waiting = plan::balance(gnmt, {.stages = 4, .load = plan::load_kind::copies, .link = {.rate = 10'000}});
static_assert(waiting.bottleneck == 40'452);

// Chips have a memory: parameters are there four times, and the stash of stage s of 1F1B holds 4 - s micro-batches.
constexpr plan::balance_options small{.stages = 4, .chip = {.memory = 900'000'000}};
static_assert(plan::verify_balance(gnmt, small).kind == plan::balance_wrong::does_not_fit);
constexpr plan::balance_options enough{.stages = 4, .chip = {.memory = 1'170'000'000}, .recompute = true};
static_assert(accept<plan::verify_balance(gnmt, enough)>());
constexpr auto tight = plan::balance(gnmt, enough);

int main() {
  for (const plan::partition_stage& s : tight.stages) {
    std::printf("blocks %zu to %zu: %5zu us, %4zu of them recomputing, %4zu MB\n", s.first, s.end - 1, s.load, s.recompute,
                s.bytes / 1'000'000);
  }
}
// end: whole
