// SPDX-License-Identifier: BSL-1.0
// The numbers that are printed are those of the profile, chip for chip, and add up as theirs do.
#include <ipuflow/report/chips/chip_summary.hpp>

#include "printed.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace chip_summary_test {

using namespace ipuflow;
using namespace ipuflow::report;
using namespace ipuflow::report::impl;

namespace {

constexpr double one = 1;

}  // namespace

TEST_CASE("phases of each chip, their means and percentages; they add up to the total") {
  for (const std::size_t chips : {1u, 3u, 7u}) {
    const ipu::profile p = printed::some_profile(chips, 3000);
    printed::table t{chip_summary{p}.cycles_by_phase()};
    std::vector<double> sums(chips, 0);
    const auto check = [&](const std::string& name, std::size_t c, double wanted, bool adds) {
      const std::vector<double>& cells = t[name];
      REQUIRE(cells.size() == 2 + 2 * chips);
      CHECK(cells[2 + 2 * c] == doctest::Approx(wanted).epsilon(1e-6));
      CHECK(std::abs(cells[3 + 2 * c] - 100 * wanted / static_cast<double>(p.total.value)) < 0.051);
      if (adds) sums[c] += cells[2 + 2 * c];
    };
    for (std::size_t c = 0; c < chips; ++c) {
      for (std::size_t which = 0; which < ipu::impl::phase_count; ++which) {
        const auto phase = static_cast<ipu::phase>(which);
        check(std::string(name_of(phase)), c, static_cast<double>(p.chips[c][phase].value), true);
        CHECK(t[std::string(name_of(phase))][0] == doctest::Approx(p.average(phase)).epsilon(one / 1000));
      }
      check("waiting", c, static_cast<double>(p.waiting(c).value), true);
      check("with idle", c, static_cast<double>(p.chips[c].tile_busy.value) / 3, false);
      check("without idle", c, static_cast<double>(p.chips[c].tile_issued.value) / 3, false);
      check("total", c, static_cast<double>(p.total.value), false);
      CHECK(sums[c] == static_cast<double>(p.total.value));
    }
  }
}

TEST_CASE("bytes and work of each chip, and of all") {
  const ipu::profile p = printed::some_profile(5, 17);
  printed::table bytes{chip_summary{p}.bytes_by_stream()};
  printed::table work{chip_summary{p}.work()};
  const auto check = [&](printed::table& t, const std::string& name, auto of) {
    REQUIRE(t[name].size() == 6);
    double sum = 0;
    for (std::size_t c = 0; c < 5; ++c) {
      CHECK(t[name][1 + c] == static_cast<double>(of(p.chips[c])));
      sum += t[name][1 + c];
    }
    CHECK(t[name][0] == sum);
  };
  check(bytes, "from the host", [](const auto& c) { return c.moved.host_in; });
  check(bytes, "to the host", [](const auto& c) { return c.moved.host_out; });
  check(bytes, "from streaming memory", [](const auto& c) { return c.moved.streaming_in; });
  check(bytes, "to streaming memory", [](const auto& c) { return c.moved.streaming_out; });
  check(bytes, "from other IPUs", [](const auto& c) { return c.moved.chip_in; });
  check(bytes, "to other IPUs", [](const auto& c) { return c.moved.chip_out; });
  check(bytes, "exchanged by tiles", [](const auto& c) { return c.moved.exchanged; });
  check(work, "supersteps", [](const auto& c) { return c.supersteps; });
  check(work, "vertices", [](const auto& c) { return c.vertices; });
  check(work, "flops", [](const auto& c) { return c.flops; });
}

TEST_CASE("balance and utilisation in percent") {
  const ipu::profile p = printed::some_profile(3, 5);
  printed::table t{chip_summary{p}.tiles()};
  for (std::size_t c = 0; c < 3; ++c) {
    CHECK(std::abs(t["balance, %"][1 + c] - 100 * p.balance(c)) < 0.051);
    CHECK(std::abs(t["utilisation, %"][1 + c] - 100 * p.utilisation(c)) < 0.051);
  }
}

TEST_CASE("operations: the largest first, and nothing gets lost however few lines there are") {
  const ipu::profile p = printed::some_profile(2, 9);
  double vertices = 0;
  double cycles = 0;
  for (const ipu::codelet_profile& c : p.codelets) {
    vertices += static_cast<double>(c.vertices);
    cycles += static_cast<double>(c.alone.value);
  }
  for (const std::size_t lines : {0u, 1u, 2u, 16u, 39u, 40u, 100u}) {
    printed::table t{chip_summary{p}.cycles_by_operation(lines)};
    CHECK(t.rows.size() == std::min<std::size_t>(std::max<std::size_t>(lines, 1), 40));
    double seen[2]{};
    for (std::size_t i = 0; i < t.rows.size(); ++i) {
      seen[0] += t.rows[i].numbers[0];
      seen[1] += t.rows[i].numbers[1];
      if (i > 0 && t.rows[i].name.find("others") == std::string::npos)
        CHECK(t.rows[i].numbers[1] <= t.rows[i - 1].numbers[1]);
    }
    CHECK(seen[0] == vertices);
    CHECK(seen[1] == cycles);
  }
}

TEST_CASE("the head says time, size and speed") {
  ipu::profile p = printed::some_profile(4, 1);
  p.total = 2'650'000_cycles;
  p.replicas = 2;
  p.tiles_per_chip = 1472;
  for (ipu::chip_profile& c : p.chips) c.flops = 1'000'000'000;
  CHECK(chip_summary{p}.head(64'000) ==
        "2,650,000 cycles, 2.000 ms at 1.325 GHz\n"
        "4 IPUs of 1,472 tiles, in 2 replicas; one is shown\n"
        "32,000,000 samples/s, 4.000 TFLOPS\n");
}

}  // namespace chip_summary_test
