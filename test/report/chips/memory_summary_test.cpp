// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/chips/memory_summary.hpp>

#include "printed.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

namespace memory_summary_test {

using namespace ipuflow;
using namespace ipuflow::report;
using namespace ipuflow::report::impl;

TEST_CASE("categories add up to the total, those that are always live to their sum; on all tiles and on the fullest") {
  const ipu::profile p = printed::some_profile(3, 1);
  printed::table t{memory_summary{p}.by_category()};
  const ipu::tile_memory& fullest = p.memory.tiles[p.memory.fullest];
  for (const std::size_t column : {0u, 2u}) {
    double sum = 0;
    for (std::size_t c = 0; c < ipu::memory_categories; ++c) {
      const auto which = static_cast<ipu::memory_category>(c);
      const double printed = t[std::string(name_of(which))][column];
      CHECK(printed == static_cast<double>(column == 0 ? p.memory.total(which) : fullest[which]));
      sum += printed;
      if (which == ipu::memory_category::always_live) CHECK(t["always live"][column] == sum);
    }
    CHECK(t["total"][column] == sum);
    CHECK(t["total"][column + 1] == 100.0);
  }
  CHECK(static_cast<double>(always_live(fullest)) == t["always live"][2]);
}

TEST_CASE("the fullest tile has a name and a limit, the fullest step a number") {
  ipu::profile p = printed::some_profile(3, 1);
  p.memory.fullest = 4;
  p.memory.live_by_step = {5, 1'000'000, 7};
  const std::string text = memory_summary{p}.by_category();
  CHECK(text.find("fullest: tile 1 of IPU 1, ") != std::string::npos);
  CHECK(text.find(" % of its 638,976 bytes\n") != std::string::npos);
  CHECK(text.find("at most 1,000,000 bytes at once, in step 1 of 3\n") != std::string::npos);
  p.tile_memory = {};
  CHECK(memory_summary{p}.by_category().find("638,976") == std::string::npos);
}

TEST_CASE("chips add up to all tiles, and the fullest of them is the fullest") {
  const ipu::profile p = printed::some_profile(5, 1);
  printed::table t{memory_summary{p}.by_chip()};
  double sum = 0;
  double most = 0;
  for (std::size_t c = 0; c < 5; ++c) {
    sum += t["all tiles"][c];
    most = std::max(most, t["fullest tile"][c]);
  }
  CHECK(sum == static_cast<double>(p.memory.total()));
  CHECK(most == static_cast<double>(p.memory.tiles[p.memory.fullest].total()));
}

TEST_CASE("variables: the largest first, and no byte gets lost") {
  const ipu::profile p = printed::some_profile(2, 1);
  double all = 0;
  for (const ipu::variable_memory& v : p.memory.variables) all += static_cast<double>(v.size);
  for (const std::size_t lines : {0u, 1u, 5u, 40u, 60u}) {
    printed::table t{memory_summary{p}.largest_variables(lines)};
    double sum = 0;
    double before = 1e9;
    for (const printed::row& r : t.rows) {
      sum += r.numbers.back();
      if (r.name.find("others") != std::string::npos) continue;
      CHECK(r.numbers.back() <= before);
      before = r.numbers.back();
    }
    CHECK(sum == all);
  }
}

TEST_CASE("nothing is known") {
  const ipu::profile none;
  CHECK(memory_summary{none}.by_category().empty());
  CHECK(memory_summary{none}.by_chip().empty());
  CHECK(memory_summary{none}.largest_variables(3).empty());
}

}  // namespace memory_summary_test
