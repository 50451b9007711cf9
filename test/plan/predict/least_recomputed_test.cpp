// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/predict/least_recomputed.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <vector>

namespace least_recomputed_test {

using namespace ipuflow;

TEST_CASE("of all sets of a chip's stages with which it fits the one that takes least time") {
  std::mt19937 random(3);
  std::size_t some = 0;
  for (int i = 0; i < 300; ++i) {
    const std::size_t count = 1 + random() % 5;
    std::vector<std::size_t> stages, forward(10), saved(10);
    for (std::size_t s = 0; s < count; ++s) stages.push_back(2 * s);
    for (std::size_t& f : forward) f = 1 + random() % 9;
    for (std::size_t& b : saved) b = random() % 9;
    const std::size_t needed = random() % 20;
    const schedule::stage_set already = random() % 3 == 0 ? schedule::stage_set{0} : schedule::stage_set{};
    const auto fits = [&](const schedule::stage_set& again) {
      std::size_t sum = 0;
      for (const std::size_t s : stages) sum += again.has(s) ? saved[s] : 0;
      return sum >= needed;
    };
    const auto time = [&](const schedule::stage_set& again) {
      std::size_t sum = 0;
      for (const std::size_t s : stages) sum += again.has(s) ? forward[s] : 0;
      return sum;
    };
    std::size_t least = 0;
    bool any = false;
    for (std::size_t set = 0; set < std::size_t{1} << count; ++set) {
      schedule::stage_set again = already;
      for (std::size_t k = 0; k < count; ++k) {
        if ((set >> k & 1) != 0) again.add(stages[k]);
      }
      if (fits(again) && (!any || time(again) < least)) least = time(again), any = true;
    }
    const schedule::stage_set found = plan::least_recomputed(stages, forward, already, fits);
    CHECK(fits(found) == any);
    CHECK((already.empty() || found.has(0)));
    for (std::size_t s = 1; s < 10; s += 2) CHECK(!found.has(s));
    if (any)
      CHECK(time(found) == least);
    else
      for (const std::size_t s : stages) CHECK(found.has(s));
    some += any && found != already ? 1u : 0u;
  }
  CHECK(some > 50);
}

TEST_CASE("a chip of many stages has none that recompute, or all") {
  std::vector<std::size_t> stages(40), forward(40, 1);
  for (std::size_t s = 0; s < stages.size(); ++s) stages[s] = s;
  CHECK(plan::least_recomputed(stages, forward, {}, [](const auto&) { return true; }).empty());
  const schedule::stage_set all = plan::least_recomputed(stages, forward, {}, [](const auto& again) { return again.has(39); });
  for (const std::size_t s : stages) CHECK(all.has(s));
}

}  // namespace least_recomputed_test
