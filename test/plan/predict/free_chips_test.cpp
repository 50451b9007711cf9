// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/predict/free_chips.hpp>

#include <ipuflow/schedule/generators/catalogue.hpp>
#include <ipuflow/schedule/generators/gpipe.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

namespace free_chips_test {

using namespace ipuflow;
using schedule::pass;

TEST_CASE("what is moved behind a pass is told by the two that follow, and the last of its kind has less; if it is not known, it is as on the average") {
  const schedule::table t = schedule::tabulate(schedule::gpipe({.ipus = 1, .micro_batches = 5}));
  plan::free_stage stage;
  stage.behind[static_cast<std::size_t>(pass::forward)] = 4, stage.behind[static_cast<std::size_t>(pass::backward)] = 7;
  const auto moved = [&] { return plan::moved_behind(t.rows[0], [&](const schedule::placed&) -> const plan::free_stage& { return stage; }); };
  using times = light_vector<std::uint64_t>;
  CHECK(moved() == times{4, 4, 4, 4, 4, 7, 7, 7, 7, 7});
  const plan::following_pass forward{0, pass::forward}, backward{0, pass::backward}, none{};
  stage.between = {{pass::forward, {forward, forward}, {1}, {2}}, {pass::forward, {forward, backward}, {3}, {5}}, {pass::backward, {backward, backward}, {9}, {8}}, {pass::backward, {none, none}, {6}, {0}}};
  CHECK(moved() == times{1, 1, 2, 5, 4, 9, 9, 8, 7, 0});
}

TEST_CASE("stages by their number on a chip are where a row's passes are alike on two chips") {
  const schedule::table t = schedule::tabulate(schedule::gpipe({.ipus = 2, .micro_batches = 3}));
  for (std::size_t i = 0; i < t.rows[0].size(); ++i) {
    const plan::counted_moves one = plan::moves_behind(t.rows[0], i, [](std::size_t s) { return s; }), other = plan::moves_behind(t.rows[1], i, [](std::size_t s) { return s - 1; });
    CHECK(one.is_where(other));
    CHECK((one.before[1].stage == schedule::nowhere) == (i + 2 >= t.rows[0].size()));
  }
}

}  // namespace free_chips_test
