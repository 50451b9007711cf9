// SPDX-License-Identifier: BSL-1.0
// Traces are JSON, keep to the trace event format, hold each slice once, and say when they hold not all. Perfetto drops
// slices that overlap after it has cut their times to nanoseconds; its arithmetic is repeated here.
#include <ipuflow/report/runs/chips_trace_json.hpp>
#include <ipuflow/report/runs/trace_json.hpp>
#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>

#include "../run/chips_stages.hpp"
#include "hand_made.hpp"
#include "json.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <locale>
#include <string>
#include <utility>
#include <vector>

namespace trace_json_test {

using namespace ipuflow;
using namespace ipuflow::report;

namespace {

template <class Run>
json::value written(const Run& run, const trace_options& options = {}) {
  std::ostringstream out;
  trace_json(out, run, options);
  return json::parsed(out.str());
}

using track = std::pair<double, double>;

/// The rules of the format; returns the complete events.
std::vector<json::value> check_format(const json::value& trace) {
  REQUIRE(trace.is == json::type::object);
  CHECK((trace["displayTimeUnit"].text == "ms" || trace["displayTimeUnit"].text == "ns"));
  std::map<track, std::string> names;
  std::set<double> processes;
  std::map<track, std::vector<std::int64_t>> open;
  std::vector<json::value> slices;
  double last = 0;
  for (const json::value& e : trace["traceEvents"].items) {
    REQUIRE(e.is == json::type::object);
    CHECK(e["name"].is == json::type::text);
    CHECK(e["pid"].is == json::type::number);
    CHECK(e["tid"].is == json::type::number);
    const track at{e["pid"].number, e["tid"].number};
    const std::string& ph = e["ph"].text;
    if (ph == "M") {
      const std::string& what = e["name"].text;
      CHECK((what == "process_name" || what == "thread_name" || what == "thread_sort_index"));
      if (what == "process_name") CHECK(processes.insert(at.first).second);
      if (what == "thread_name") CHECK(names.emplace(at, e["args"]["name"].text).second);
      if (what == "thread_sort_index") CHECK(e["args"]["sort_index"].is == json::type::number);
      continue;
    }
    CHECK(e["ts"].is == json::type::number);
    CHECK(e["ts"].number >= last);  // in order of time
    last = e["ts"].number;
    if (ph == "i") {
      CHECK(e["s"].text == "g");
      continue;
    }
    REQUIRE(ph == "X");
    CHECK(e["dur"].number >= 0);
    CHECK(names.count(at) == 1);
    CHECK(processes.count(at.first) == 1);
    const auto start = static_cast<std::int64_t>(e["ts"].number * 1000.0);  // as Perfetto reads it
    const auto finish = start + static_cast<std::int64_t>(e["dur"].number * 1000.0);
    std::vector<std::int64_t>& around = open[at];
    while (!around.empty() && around.back() <= start) around.pop_back();
    if (!around.empty()) CHECK(finish <= around.back());
    around.push_back(finish);
    slices.push_back(e);
  }
  return slices;
}

}  // namespace

TEST_CASE("of a host run: a row for each IPU and one for the host, each operation once") {
  const auto t = schedule::one_f_one_b({.ipus = 4, .micro_batches = 8});
  for (const std::uint64_t unit : {1ull, 7ull, 200ull, 1'000'003ull}) {
    const run::trace traced = hand_made::on_host(t, 3, 100'000, unit);
    const std::vector<json::value> slices = check_format(written(traced));
    CHECK(slices.size() == 3 * operations(t) + 3);
    std::set<std::vector<double>> seen;
    for (const json::value& e : slices) {
      if (e["cat"].text == "run") continue;
      CHECK(seen.insert({e["tid"].number, e["args"]["stage"].number, e["args"]["micro_batch"].number,
                         e["args"]["run"].number, e["name"].text.starts_with("forward") ? 1.0 : 0.0})
                .second);
      CHECK(e["args"]["thread"].number < 2);
      CHECK(std::fmod(e["dur"].number * 1000.0 + 0.5, static_cast<double>(unit)) == doctest::Approx(0.5));
    }
  }
}

TEST_CASE("of a run on chips: every slice of every row with its cycles, whatever the clock") {
  const auto t = schedule::grouped({.ipus = 3, .micro_batches = 12});
  for (const double clock : {1.325e9, 1.85e9, 1e9, 1e12, 3e6}) {
    run::chips_profile p = hand_made::on_chips(t, 2);
    p.chips.clock = hertz{clock};
    const json::value trace = written(p);
    const std::vector<json::value> slices = check_format(trace);
    const timeline all = timeline_of(p);
    REQUIRE(slices.size() == all.slices.size());
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const slice& s = all.slices[i];
      CHECK(slices[i]["name"].text == name_of(s));
      CHECK(slices[i]["tid"].number == static_cast<double>(s.row + 1));
      CHECK(slices[i]["args"]["first_cycle"].number == static_cast<double>(s.start));
      CHECK(slices[i]["args"]["cycles"].number == static_cast<double>(s.finish - s.start));
      CHECK(std::abs(slices[i]["dur"].number - 1e6 * static_cast<double>(s.finish - s.start) / clock) <= 0.001001);
      CHECK((slices[i]["args"].find("micro_batch") != nullptr) == (s.micro_batch != schedule::nowhere));
    }
    CHECK(trace["otherData"]["cycles"].text == std::to_string(p.chips.total.value));
  }
}

TEST_CASE("a trace is the same in every stream, however its locale and its flags write numbers") {
  struct grouped_numbers : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\1"; }
  };
  const run::chips_profile p = hand_made::on_chips(schedule::grouped({.ipus = 12, .micro_batches = 48}), 2);
  std::ostringstream plain, other;
  other.imbue(std::locale{std::locale::classic(), new grouped_numbers});
  other << std::hex << std::showbase << std::showpos;
  trace_json(plain, p);
  trace_json(other, p);
  CHECK(plain.str() == other.str());
}

TEST_CASE("what a run on chips really does keeps to the format, I/O tiles, streaming memory and all") {
  const auto check = [](const auto& t, const run::chips_options& options) {
    const ipu::chip_system system = ipu::pod(chips_stages::few_tiles(), t.where.ipus);
    const run::chips_profile p = run::on_chips(t, system, chips_stages::products(t.where.stages), options).cost();
    const std::vector<json::value> slices = check_format(written(p));
    CHECK(slices.size() == timeline_of(p).slices.size());
    std::map<std::string, std::uint64_t> passes;
    for (const json::value& e : slices) passes[e["name"].text.substr(0, 8)] += e["cat"].text == "pass" ? 1u : 0u;
    CHECK(passes["forward "] == t.where.stages * t.where.micro_batches * options.runs);
    CHECK(passes["backward"] == t.where.stages * t.where.micro_batches * options.runs);
  };
  check(schedule::grouped({.ipus = 3, .micro_batches = 12}), {.samples = 2, .runs = 2});
  check(schedule::grouped({.ipus = 2, .micro_batches = 8}, {.io_tiles = true}), {.io_tiles = 4});
  check(schedule::one_f_one_b({.ipus = 4, .micro_batches = 6}),
        {.runs = 3, .activations = run::kept_in::streaming_memory, .weights = run::kept_in::streaming_memory});
}

TEST_CASE("streams beside compute have a row of their own, below the IPU's") {
  run::chips_profile p;
  p.chips.chips.resize(1);
  p.chips.clock = hertz{1e9};
  p.chips.total = 30_cycles;
  p.labels = {{run::chips_work::pass, 0, 0, schedule::pass::forward}, {run::chips_work::infeed, 0, 0, {}}};
  p.order.resize(2);
  p.chips.activities = {{.label = 0, .begin = {0}, .length = {20}}, {.label = 1, .begin = {10}, .length = {20}}};
  const std::vector<json::value> slices = check_format(written(p));
  REQUIRE(slices.size() == 3);
  CHECK(slices[0]["tid"].number == 1);
  CHECK(slices[1]["tid"].number == 2);
  CHECK(slices[2]["tid"].number == 3);
  CHECK(slices[2]["pid"].number == 2);
}

TEST_CASE("a trace that is cut says so, in words and in time") {
  const auto t = schedule::grouped({.ipus = 2, .micro_batches = 40});
  const json::value model = written(hand_made::on_chips(t), {.most = 50});
  CHECK(check_format(model).size() <= 50);
  CHECK(model["traceEvents"].items.back()["ph"].text == "i");
  CHECK(model["otherData"]["note"].text.starts_with("cut at "));
  const json::value host = written(hand_made::on_host(t, 1, operations(t) - 3));
  CHECK(check_format(host).size() == operations(t) - 3);
  CHECK(host["otherData"]["note"].text.find(": 3 operations are missing") != std::string::npos);
  const json::value whole = written(hand_made::on_host(t));
  CHECK(whole["otherData"]["note"].text.starts_with("the whole run of "));
  CHECK(whole["traceEvents"].items.back()["ph"].text == "X");
}

TEST_CASE("names are whatever they are") {
  std::string name;
  for (int c = 1; c < 128; ++c) name += static_cast<char>(c);
  name += "\xc3\xa4";
  const json::value trace = written(run::chips_profile{}, {.name = name});
  CHECK(check_format(trace).empty());
  CHECK(trace["traceEvents"].items[0]["args"]["name"].text == name);
  CHECK(json_text("a\"b\\\n") == R"("a\"b\\\u000a")");
  CHECK(check_format(written(run::trace{0})).empty());
}

}  // namespace trace_json_test
