// SPDX-License-Identifier: BSL-1.0
#include "stage_pipelines.hpp"

#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/plan.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace block_chain_test {

using namespace nn_test;

namespace {

constexpr auto one = regroup(small, stage<"B1", "B2", "B3", "B4">());
constexpr auto skips = regroup(residual, stage<"A", "B", "C", "D">());
constexpr auto wide = single_stage(input<half, 8, 16, 16>, per_sample<"label", std::uint8_t>,
                                   block<"a">(nn::conv2d<16, 3, 1, 1>, nn::relu), block<"b">(nn::conv2d<32, 3, 2, 1>, nn::relu),
                                   block<"c">(nn::conv2d<32, 3, 1, 1>, nn::relu), block<"d">(nn::flatten, nn::linear<64>, nn::relu),
                                   block<"e">(nn::linear<10>, use<"label">(nn::cross_entropy)));

/// Sums over the blocks of a stage are what the stage takes, to a twentieth and the calls of copies that one of the two has more.
template <class P>
void check(const P& network, std::size_t samples, double calls) {
  const plan::lowering_options how{.samples = samples};
  const std::vector<plan::chain_block> chain = nn::block_chain(network, ipu::mk2, how);
  REQUIRE(chain.size() == P::block_count);
  for (std::size_t first = 0; first < chain.size(); ++first) {
    for (std::size_t last = first + 1; last <= chain.size(); ++last) {
      ipu::graph g(ipu::mk2);
      const plan::lowered part = nn::network_on_tiles(network).lower(g, {first, last}, how);
      const auto counted = [&](const ipu::step& program) { return static_cast<double>(ipu::cost(ipu::pod(ipu::mk2, 1), g, program).total.value); };
      double forward = 0, backward = 0;
      std::size_t parameters = 0, all = 0, kept = 0, waits = 0;
      for (std::size_t b = first; b < last; ++b) {
        forward += static_cast<double>(chain[b].forward), backward += static_cast<double>(chain[b].backward);
        parameters += chain[b].parameter_bytes, kept += chain[b].activation_bytes;
      }
      for (const plan::carried& c : part.values) waits += g[c.made].elements() * ipu::size_of(g[c.made].type());
      for (const plan::trained_tensor& t : part.parameters) all += g[t.value].elements() * 4;
      CAPTURE(first);
      CAPTURE(last);
      waits -= 4 * part.counters.size();  // the number of the micro-batch, which waits with its values
      CHECK(parameters == all);
      CHECK(kept >= waits);
      if (last == first + 1) CHECK(kept == waits);
      CHECK(std::abs(counted(part.forward) - forward) < 0.05 * forward + calls);
      CHECK(std::abs(counted(part.backward) - backward) < 0.05 * backward + 3 * calls);
    }
  }
}

}  // namespace

TEST_CASE("the blocks of a chain add up to the stages that are cut out of it") {
  check(one, 5, 700);
  check(skips, 3, 2000);  // short ones, with copies of all that passes
  check(wide, 16, 700);
}

TEST_CASE("bytes at a cut are those of the values that cross it") {
  const auto chain = nn::block_chain(one, ipu::mk2, {.samples = 5});
  CHECK(chain[0].cut_bytes == (3 * 3 * 3 + 1) * 5 * 4);  // 27 numbers and a label
  CHECK(chain[1].cut_bytes == (4 * 2 * 2 + 1) * 5 * 4);
  CHECK(chain[3].cut_bytes == 0);
  CHECK(chain[0].activation_bytes > 0);
}

TEST_CASE("a network is balanced by its counted cycles, and the bottleneck is that of the stage that is counted") {
  const auto chain = nn::block_chain(wide, ipu::mk2, {.samples = 16});
  const auto best = plan::balance(chain, {.stages = 2});
  CHECK(best.stages.size() == 2);
  for (const plan::partition_stage& s : best.stages) {
    ipu::graph g(ipu::mk2);
    const plan::lowered part = nn::network_on_tiles(wide).lower(g, {s.first, s.end}, {.samples = 16});
    const auto counted = [&](const ipu::step& program) { return static_cast<double>(ipu::cost(ipu::pod(ipu::mk2, 1), g, program).total.value); };
    CHECK(counted(part.forward) + counted(part.backward) == doctest::Approx(static_cast<double>(s.load)).epsilon(0.05));
  }
}

}  // namespace block_chain_test
