// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/chips/profile.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string_view>
#include <vector>

namespace profile_test {

using namespace ipuflow;
using namespace ipuflow::run;

namespace {

/// Two labels in a loop of five turns, the second one three times in each; a third one before it.
chips_profile looped(std::size_t micro_batches) {
  chips_profile p;
  p.labels = {{chips_work::pass, 0, 0, schedule::pass::forward},
              {chips_work::restore, 0, 0, schedule::pass::backward},
              {chips_work::update, 0, 0, schedule::pass::update},
              {chips_work::pass, 1, 1, schedule::pass::forward}};
  p.order = {{}, {4, 3, 2, 1, 0}, {}, {}};
  p.micro_batches = micro_batches;
  ipu::activity loop{ipu::no_label, 10_cycles, 100_cycles, 5, {}};
  loop.inside = {{0, 1_cycles, 5_cycles, 1, {}}, {1, 20_cycles, 7_cycles, 3, {}}};
  p.chips.activities = {{2, {}, 10_cycles, 1, {}}, loop};
  return p;
}

}  // namespace

TEST_CASE("every kind of work has a name of its own") {
  std::vector<std::string_view> seen;
  for (int w = 0; w <= static_cast<int>(chips_work::update); ++w) {
    const std::string_view name = name_of(static_cast<chips_work>(w));
    CHECK(!name.empty());
    for (const std::string_view other : seen) CHECK(name != other);
    seen.push_back(name);
  }
}

TEST_CASE("totals are the sums of single activities") {
  const chips_profile p = looped(5);
  std::vector<label_total> sums(p.labels.size());
  p.for_each([&](const chips_activity& a) {
    for (std::size_t l = 0; l < p.labels.size(); ++l) {
      if (!(p.labels[l] == a.what)) continue;
      ++sums[l].times;
      sums[l].busy += a.finish - a.start;
    }
    return true;
  });
  const std::vector<label_total> totals = p.totals();
  REQUIRE(totals.size() == 3);  // the fourth never ran
  for (std::size_t l = 0; l < 3; ++l) {
    CHECK(totals[l].what == p.labels[l]);
    CHECK(totals[l].times == sums[l].times);
    CHECK(totals[l].busy == sums[l].busy);
  }
  CHECK(totals[1].times == 15);
}

TEST_CASE(
    "single activities: in order, where their turns put them, on the micro-batches of their lists, again in each run") {
  const chips_profile p = looped(3);
  std::vector<chips_activity> all;
  p.for_each([&](const chips_activity& a) {
    all.push_back(a);
    return true;
  });
  REQUIRE(all.size() == 1 + 5 * 4);
  CHECK(all[0].micro_batch == schedule::nowhere);
  for (std::size_t i = 1; i < all.size(); ++i) CHECK(all[i].start >= all[i - 1].start);
  for (std::size_t turn = 0; turn < 5; ++turn) {
    const chips_activity& first = all[1 + 4 * turn];
    CHECK(first.start == cycles{10 + 100 * turn + 1});
    CHECK(first.finish == first.start + 5_cycles);
    CHECK(first.micro_batch == turn % 3);
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(all[2 + 4 * turn + k].micro_batch == 4 - (3 * turn + k) % 5);
      CHECK(all[2 + 4 * turn + k].start == cycles{10 + 100 * turn + 20 + 7 * k});
    }
  }
}

TEST_CASE("whoever has seen enough is asked no more") {
  std::size_t calls = 0;
  looped(5).for_each([&](const chips_activity&) { return ++calls < 4; });
  CHECK(calls == 4);
}

}  // namespace profile_test
