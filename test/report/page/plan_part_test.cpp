// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/page/plan_part.hpp>

#include <ipuflow/report/page/document.hpp>

#include <doctest/doctest.h>

#include "report/page_reader.hpp"
#include "report/plans/planned.hpp"

#include <sstream>
#include <string>

namespace plan_part_test {

using namespace ipuflow;

TEST_CASE("a plan: its step by use, the fullest tile of each chip by use with known errors, and advice with its effects") {
  report::page_plan plan{.predicted = planned::prediction(), .with = planned::choice(), .names = {.network = "a net", .stages = {"a, b", "c"}}};
  plan::advice one{.change = "half of it", .with = plan.with, .then = plan.predicted, .fits = true, .speedup = 2, .bytes = -5000};
  one.then.total = {500'000};
  plan.advice.push_back(one);
  std::ostringstream out;
  report::page(out, {}, report::part("plan", plan));
  const page_reader::container read = page_reader::data_of(out.str());
  const json::value& part = read.part(0);
  CHECK(part["kind"].text == "plan");
  CHECK(part["bound"].text == "IPU 1 bounds the time, with 70.0 % of it in compute.");
  double sum = 0;
  for (const json::value& b : part["breakdown"].items) sum += b["value"].number;
  CHECK(sum == 1'000'000);
  for (std::size_t chip = 0; chip < 2; ++chip) {
    double bytes = 0;
    for (const json::value& b : part["memory"]["fullest"].items[chip].items) bytes += b.number;
    CHECK(bytes == static_cast<double>(plan.predicted.memory[chip].bytes.total()));
  }
  CHECK(part["memory"]["categories"].items.size() == plan::memory_uses);
  CHECK(part["memory"]["errors"].items.size() == plan::memory_uses);
  const json::value& advice = part["advice"].items.at(0);
  CHECK(advice["samples_per_second"].number == doctest::Approx(2 * advice["before"]["samples_per_second"].number));
  CHECK(advice["cycles"].number == 500'000);
  CHECK(advice["sentence"].text == "half of it: 2.00 times the samples a second, 5,000 bytes fewer on the fullest tile; fits.");
  CHECK(part["configuration"]["schedule"].text == "popart");
  CHECK(out.str().find("Known errors of predictions") != std::string::npos);
  CHECK(part["facts"].items[0]["value"].number == doctest::Approx(plan.predicted.samples_per_second()));
}

}  // namespace plan_part_test
