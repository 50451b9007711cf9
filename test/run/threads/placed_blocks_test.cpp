// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/threads/placed_blocks.hpp>

#include <doctest/doctest.h>

#include "streams.hpp"

#include <cstddef>
#include <string_view>
#include <type_traits>

namespace placed_blocks_test {

using namespace ipuflow;

TEST_CASE("the blocks that begin a branch are on the IPUs of their stage, in the order of its branches") {
  streams::pipelines([](std::string_view name, const auto& p) {
    CAPTURE(name);
    using P = std::remove_cvref_t<decltype(p)>;
    const auto places = run::impl::places_of(p);
    CHECK(places.stages() == P::stage_count);
    std::size_t block = 0;
    for (std::size_t stage = 0; stage < P::stage_count; ++stage) {
      for (const std::size_t ipu : p.ipus_of(stage)) {
        while (block < P::block_count && !places.begins_branch(block)) ++block;
        REQUIRE(block < P::block_count);
        CHECK(places.stage[block] == stage);
        CHECK(places.ipu[block] == ipu);
        ++block;
      }
    }
    while (block < P::block_count) CHECK_FALSE(places.begins_branch(block++));
  });
}

}  // namespace placed_blocks_test
