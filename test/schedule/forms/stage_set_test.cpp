// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/forms/stage_set.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace stage_set_test {

using namespace ipuflow::schedule;

static_assert(stage_set{}.empty() && !stage_set{}.has(0));
static_assert(stage_set{0, 2} == stage_set{2, 0, 2} && stage_set{0, 2} != stage_set{0} && stage_set{2}.end == 3);
static_assert(all_stages.has(0) && all_stages.has(most_stages) && !all_stages.empty() && all_stages.end == 0);

TEST_CASE("a set has what was added, at the ends of its words too, and remembers a stage that no pipeline has") {
  stage_set some;
  for (const std::size_t s : {std::size_t{0}, std::size_t{63}, std::size_t{64}, most_stages - 1}) some.add(s);
  std::size_t count = 0;
  for (std::size_t s = 0; s < most_stages; ++s) count += some.has(s) ? 1u : 0u;
  CHECK(count == 4);
  CHECK(some.end == most_stages);
  const stage_set beyond{most_stages + 7};
  CHECK(!beyond.has(most_stages + 7));
  CHECK(beyond.end == most_stages + 8);
  CHECK(!beyond.empty());
  CHECK(!verify_stages(beyond, most_stages + 8));
  CHECK(!verify_stages(all_stages, 1));
  CHECK(message(verify_stages({1, 4}, 4)).view() == "ipuflow: stage 4 is named of 4 stages; name stages from 0 on, or all_stages");
}

TEST_CASE("the stage before the first one is named, too, and refused") {
  const std::size_t none = 0;
  for (const stage_set& before : {stage_set{none - 1}, stage_set{0, none - 1}, stage_set{none - 1, 0}}) {
    CHECK(!before.empty());
    CHECK(verify_stages(before, 4));
    CHECK(before.has(0) == (before != stage_set{none - 1}));
  }
}

}  // namespace stage_set_test
