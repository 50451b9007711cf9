// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/page/chips_part.hpp>

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/report/page/document.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>

#include <doctest/doctest.h>

#include "report/hand_made.hpp"
#include "report/page_reader.hpp"
#include "report/printed.hpp"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>

namespace chips_part_test {

using namespace ipuflow;

template <class Profile>
page_reader::container page_of(const Profile& p) {
  std::ostringstream out;
  report::page(out, {}, report::part("chips", p));
  return page_reader::data_of(out.str());
}

TEST_CASE("phases of each chip add up to the total, and operations to all cycles, as the summary has them") {
  const ipu::profile p = printed::some_profile(3, 1);
  const page_reader::container read = page_of(p);
  const json::value& part = read.part(0);
  CHECK(part["total"].number == static_cast<double>(p.total.value));
  for (std::size_t c = 0; c < p.chips.size(); ++c) {
    double sum = 0;
    for (const json::value& cycles : part["chips"].items[c]["phases"].members) sum += cycles.number;
    CHECK(sum == part["total"].number);
    CHECK(part["chips"].items[c]["flops"].number == static_cast<double>(p.chips[c].flops));
    CHECK(part["chips"].items[c]["balance"].number == doctest::Approx(p.balance(c)));
  }
  double sum = 0, alone = 0, all = 0;
  for (const json::value& b : part["breakdown"].items) sum += b["value"].number;
  CHECK(sum == part["total"].number);
  for (const json::value& o : part["operations"].items) alone += o["cycles"].number;
  for (const ipu::codelet_profile& c : p.codelets) all += static_cast<double>(c.alone.value);
  CHECK(alone == all);
  const std::string verdict = report::impl::time_verdict<>(p);
  CHECK(part["bound"].text == std::string(verdict).replace(verdict.find('\n'), 1, " ").substr(0, verdict.size() - 1));
  CHECK(read.numbers(part["tiles_busy"]).size() == p.tile_busy.size());
}

/// Cycles of all labelled work inside of a node, each of its turns.
double cycles_of(const json::value& node, const std::string& name, double times) {
  double sum = node["name"].text == name ? times * node["cycles"].number : 0;
  if (const json::value* inside = node.find("inside")) {
    for (const json::value& n : inside->items) sum += cycles_of(n, name, times * node["times"].number);
  }
  return sum;
}

TEST_CASE("loops stay loops in the program, and its cycles by label are those of the table") {
  const run::chips_profile p = hand_made::on_chips(schedule::grouped({.ipus = 2, .micro_batches = 16}), 2);
  const page_reader::container read = page_of(p);
  const json::value& program = read.part(0)["program"];
  CHECK(program["cycles"].number == static_cast<double>(p.chips.total.value));
  CHECK(program["inside"].items.size() == p.chips.activities.size());
  for (const run::label_total& t : p.totals()) CHECK(cycles_of(program, report::name_of(t.what), 1) == static_cast<double>(t.busy.value));
}

TEST_CASE("the timeline has all activities; idle times on chips that end steps together have the slowest for a cause") {
  const run::chips_profile p = hand_made::on_chips(schedule::grouped({.ipus = 4, .micro_batches = 16}));
  const page_reader::container read = page_of(p);
  const json::value& line = read.part(0)["timeline"];
  CHECK(read.numbers(line["columns"]["start"]).size() == report::timeline_of(p).slices.size());
  CHECK(line["complete"].boolean);
  bool waits_for_step = false;
  for (const double r : read.numbers(line["idle"]["reason"])) waits_for_step = waits_for_step || r == static_cast<double>(report::impl::idle_reason::step);
  CHECK(waits_for_step);
}

/// Gives all labelled work one of two lists of phases.
void give_phases(ipuflow::light_vector<ipu::activity>& all, std::size_t& next) {
  for (ipu::activity& a : all) {
    if (a.label != ipu::no_label && a.length.value >= 3) a.phases = 1 + next++ % 2;
    give_phases(a.inside, next);
  }
}

TEST_CASE("supersteps stand where their work is, each list once") {
  run::chips_profile p = hand_made::on_chips(schedule::grouped({.ipus = 2, .micro_batches = 16}), 2);
  p.chips.phases = {{}, {{0, ipu::phase::sync, {0}, {1}}, {0, ipu::phase::compute, {1}, {2}, {3}, 0}}, {{1, ipu::phase::exchange, {0}, {2}}}};
  std::size_t given = 0;
  give_phases(p.chips.activities, given);
  const page_reader::container read = page_of(p);
  const json::value& line = read.part(0)["timeline"];
  const json::value& steps = line["supersteps"];
  const auto column = [&](const char* name) { return read.numbers(steps[name]); };
  const ipuflow::light_vector<double> first = column("first"), list = column("list"), at = column("at"), row = column("row"), start = column("start"), length = column("length"),
                            phase = column("phase");
  CHECK(first.size() == p.chips.phases.size() + 1);
  double all = 0, spread = 0, last = 0;
  for (std::size_t n = 0; n < list.size(); ++n) {
    const auto l = static_cast<std::size_t>(list[n]);
    for (auto k = static_cast<std::size_t>(first[l]); k < static_cast<std::size_t>(first[l + 1]); ++k) {
      spread += length[k];
      last = std::max(last, at[n] + start[k] + length[k]);
    }
  }
  p.for_each_phases([&](std::size_t which, cycles) {
    for (const ipu::phase_run& r : p.chips.phases[which]) all += static_cast<double>(r.length.value);
    return true;
  });
  CHECK(given > 0);
  CHECK(all > 0);
  CHECK(spread == all);
  CHECK(last <= line["length"].number);
}

TEST_CASE("operations have their flops and code") {
  const ipu::profile p = printed::some_profile(1, 1);
  const json::value operations = page_of(p).part(0)["operations"];
  for (const ipu::codelet_profile& c : p.codelets) {
    bool found = false;
    for (const json::value& o : operations.items)
      found = found || (o["name"].text == c.name.view() && o["flops"].number == static_cast<double>(c.flops) && o["code_bytes"].number == static_cast<double>(c.code.value));
    CHECK(found);
  }
}

}  // namespace chips_part_test
