// SPDX-License-Identifier: BSL-1.0
// Plans that are made up: the search finds what a planner takes that tries all of them, in any order.
#include <ipuflow/ipu/bounds/plan_search.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace plan_search_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

struct made_up {
  cycles estimate{static_cast<std::uint64_t>(-1)};
  bytes temporary{static_cast<std::uint64_t>(-1)};
  std::size_t pieces = 0;
};

/// Rows of plans with bounds that are a little short and rise.
struct space {
  using plan = made_up;
  std::vector<std::vector<made_up>> rows;
  std::size_t arrays = 0;  // share of the time, in hundredths, from which on a plan is passed over

  std::size_t cuts() const { return rows.size(); }
  std::size_t least_of(std::size_t cut) const { return least({0, cut, 0, 0, 0}, 0); }
  template <class Visit>
  void each_row(std::size_t cut, const Visit& visit) const {
    visit(plan_row{least_of(cut), cut, 0, 0, rows[cut].size()});
  }
  std::size_t least(const plan_row& row, std::size_t i) const {
    std::uint64_t made = static_cast<std::uint64_t>(-1);
    for (std::size_t k = i; k < rows[row.cut].size(); ++k) made = std::min(made, rows[row.cut][k].estimate.value);
    return made * 9 / 10;
  }
  std::size_t more(const plan_row&, std::size_t) const { return 0; }
  std::size_t held(const plan_row& row, std::size_t i) const {
    std::uint64_t made = static_cast<std::uint64_t>(-1);
    for (std::size_t k = i; k < rows[row.cut].size(); ++k) made = std::min(made, rows[row.cut][k].temporary.value);
    return made;
  }
  std::size_t pieces(const plan_row& row, std::size_t i) const { return rows[row.cut][i].pieces; }
  made_up plan_of(const plan_row& row, std::size_t i) const { return rows[row.cut][i]; }
  std::uint64_t passed_over(const made_up& p) const { return p.estimate.value * arrays / 100; }
  operation_bound bound_of(const made_up& p) const { return {p.temporary.value, p.pieces}; }
};

TEST_CASE("whatever a planner takes takes no more than what is found, and if few plans are passed over, just that") {
  std::mt19937 random(1);
  const auto below = [&](std::size_t end) { return random() % end; };
  std::size_t same = 0, fitted = 0;
  for (std::size_t round = 0; round < 2000; ++round) {
    space s;
    s.arrays = below(101);
    const bytes memory{below(4) == 0 ? 5u : 90u};
    std::vector<made_up> all;
    s.rows.resize(1 + below(6));
    for (auto& row : s.rows) {
      row.resize(1 + below(8));
      for (made_up& p : row) p = {{1000 + below(300)}, {1 + below(100)}, 1 + below(30)};
      all.insert(all.end(), row.begin(), row.end());
    }
    std::shuffle(all.begin(), all.end(), random);
    plan_choice<made_up> choice(memory);
    for (const made_up& p : all)
      if (s.passed_over(p) < choice.fastest().value) choice.offer(p);
    made_up taken = choice.best();
    if (taken.temporary > memory)
      for (const made_up& p : all)
        if (p.temporary < taken.temporary) taken = p;
    const operation_bound b = plan_search<space>(s, memory).taken();
    CHECK(taken.temporary.value <= b.temporary);
    CHECK((taken.temporary > memory || taken.pieces <= b.pieces));
    same += taken.temporary.value == b.temporary ? 1u : 0u;
    fitted += taken.temporary <= memory ? 1u : 0u;
  }
  CHECK(same > 1800);
  CHECK(fitted > 1000);
}

}  // namespace plan_search_test
