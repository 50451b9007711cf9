// SPDX-License-Identifier: BSL-1.0
// The path of trains is the walk's, operation by operation, and in closed form where it repeats.
#include "../every_schedule.hpp"
#include "../random_costs.hpp"

#include <ipuflow/schedule/analysis/critical_path.hpp>
#include <ipuflow/schedule/analysis/train_path.hpp>

#include <doctest/doctest.h>

#include <string>

namespace train_path_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

/// False if the timetable is not made of trains.
template <timetable T, pricing Costs>
bool equal_to_walk(const T& t, const Costs& c, std::size_t ipu, times_and_path& found) {
  if (!path_in_trains(t, c, found, ipu)) return false;
  const times_and_path walked = walked_path(t, c, ipu);
  INFO("the path to ", ipu);
  CHECK(found.time == walked.time);
  REQUIRE(found.path.size() == walked.path.size());
  auto other = walked.path.begin();
  bool same = true;
  for (const timed_op& o : found.path) {
    same = same && o == *other;
    ++other;
  }
  CHECK(same);
  return true;
}

}  // namespace

TEST_CASE("the step before another one is that of the walk") {
  for (const modular<>& t : {interleaved_1f1b({.ipus = 3, .micro_batches = 20}), zb1p({.ipus = 4, .micro_batches = 9}), chimera({.ipus = 4, .micro_batches = 12})}) {
    for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
      step_number before = -1;
      for (auto w = t.walk(ipu); w; ++w) {
        CHECK(last_step_before(t, ipu, number(w->step)) == before);
        before = number(w->step);
      }
      CHECK(last_step_before(t, ipu, number(t.steps())) == before);
    }
  }
}

TEST_CASE("equal to the walk to the end of every IPU") {
  reference::random_costs draw{11};
  std::size_t compared = 0;
  std::size_t bodies = 0;
  for (const std::string_view name : {"gpipe", "1f1b", "eager_1f1b", "interleaved_1f1b", "zb1p", "zb2p", "v_min", "chimera", "inference"}) {
    for (const std::size_t ipus : {1u, 2u, 4u, 6u}) {
      for (const std::size_t count : {2u, 12u, 120u, 600u}) {
        with_schedule(name, {.ipus = ipus, .micro_batches = count}, [&](const auto& t) {
          if constexpr (requires { train_lines{t, costs{}}; }) {
            const auto c = draw.below(3) == 0 ? draw.nearly_equal<32>(t.where.stages) : draw.of_stages<32>(t.where.stages);
            for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
              INFO(std::string{name}, " ", ipus, " ", count);
              times_and_path found;
              if (!equal_to_walk(t, c, ipu, found)) return;
              ++compared;
              for (const path_piece& piece : found.path.pieces()) bodies += piece.times > 1 ? 1 : 0;
            }
          }
        });
      }
    }
  }
  CHECK(compared > 200);
  CHECK(bodies > 100);
}

TEST_CASE("where few rounds repeat, what a train does is written once") {
  reference::random_costs draw{5};
  const modular<> t = interleaved_1f1b({.ipus = 64, .stages_per_ipu = 16, .micro_batches = 3 * 64});
  times_and_path found;
  REQUIRE(equal_to_walk(t, draw.nearly_equal<1024>(t.where.stages), 63, found));
  std::size_t written = 0;
  for (const path_piece& piece : found.path.pieces()) written += piece.ops.size();
  CHECK(2 * written < found.path.size());
}

}  // namespace train_path_test
