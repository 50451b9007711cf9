// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/validation.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace ipuflow;
using namespace ipuflow::ipu;

TEST_CASE("the rows that the model is held to") {
  const auto all = validation();
  const auto row = [&](std::string_view what) {
    for (const validation_row& r : all) {
      if (r.what == what) return r;
    }
    FAIL("no such row");
    return validation_row{};
  };
  const auto within = [&](std::string_view what, double limit) {
    const validation_row r = row(what);
    CHECK_MESSAGE(std::abs(r.error()) <= limit, std::string(what), " ", r.measured, " ", r.predicted);
  };
  within("on-tile matmul, N = 16, bow", 0.05);
  within("on-tile matmul, N = 64, bow", 0.02);
  within("on-tile matmul, N = 256, bow", 0.02);
  within("on-tile matmul, N = 1024, bow", 0.02);
  within("STREAM triad, best, float, mk2", 0.03);
  within("20 halo supersteps, compute, mk1", 0.10);
  within("  exchange", 0.10);
  within("  sync", 0.10);
  within("  total", 0.05);
  within("heat equation 8000^2, 1000 steps, mk2", 0.25);
  within("halo exchange of a stencil, one chip", 1e-9);
  within("reads, assembly loop, mk1", 0.03);
}

TEST_CASE("rows that constants are fitted to say so, and they are few") {
  std::size_t fitted = 0;
  for (const validation_row& r : validation()) {
    CHECK(r.measured > 0);
    CHECK(r.predicted > 0);
    if (r.from == basis::fitted) ++fitted;
  }
  CHECK(fitted == 7);  // four points of the matmul curve; sync, exchange and total of the halo run
}

TEST_CASE("without the fitted sync the halo run stays within its limits") {
  architecture chip = mk1;
  chip.sync = mk2.sync;
  chip.exchange_latency = mk2.exchange_latency;
  const profile p = halo_run(chip, 100, 10);
  CHECK(static_cast<double>(p.chips[0][phase::exchange].value) == doctest::Approx(5682).epsilon(0.10));
  CHECK(static_cast<double>(p.chips[0][phase::sync].value) == doctest::Approx(3328).epsilon(0.10));
  CHECK(static_cast<double>(p.total.value) == doctest::Approx(21010).epsilon(0.05));
}
