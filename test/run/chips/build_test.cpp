// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/chips/build.hpp>

#include <ipuflow/ipu/program/program_walk.hpp>
#include <ipuflow/run/on_chips.hpp>
#include <ipuflow/schedule/generators/catalogue.hpp>

#include "chips_stages.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace build_test {

using namespace ipuflow;
using namespace ipuflow::run;
using namespace ipuflow::run::impl;

namespace {

/// Steps of a kind in a program, each turn and call counted.
template <class Kind>
std::size_t count(const ipu::graph& g, const ipu::step& s) {
  std::size_t found = s.is<Kind>() ? 1 : 0;
  if (const auto* called = s.get_if<ipu::call>())
    return found + count<Kind>(g, g.functions()[called->function.index]);
  const auto* loop = s.get_if<ipu::impl::repeat_of>();
  ipu::for_each_inner(
      s, [&](const ipu::step& inner) { found += count<Kind>(g, inner) * (loop == nullptr ? 1 : loop->count); });
  return found;
}

/// What a chip, and the host for it, does between two exchanges of a run, in order: letters of passes; { and } for what
/// is restored and stashed, < and > for transfers from the host and to it.
template <class T>
std::string a_step_of(const T& t, std::size_t chip, std::size_t step) {
  const chips_program p = on_chips(t, ipu::pod(chips_stages::few_tiles(), t.where.ipus),
                                   chips_stages::products(t.where.stages), {.outputs = feed::output_mode::all});
  std::vector<chips_activity> all;
  p.cost().for_each([&](const chips_activity& a) {
    if (a.what.chip == chip || a.what.work == chips_work::exchange) all.push_back(a);
    return true;
  });
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::pair{a.start, a.finish} < std::pair{b.start, b.finish};
  });
  std::string seen;
  std::size_t exchanges = 0;
  cycles before;
  for (const chips_activity& a : all) {
    CHECK(a.start >= before);  // one after the other, the exchange between them
    before = a.finish;
    if (a.what.work == chips_work::exchange) ++exchanges;
    if (exchanges != step || !of_micro_batch(a.what.work)) continue;
    const auto kind = static_cast<std::size_t>(a.what.work);
    seen += a.what.work == chips_work::pass ? schedule::letter(a.what.pass) : "?}{<>"[kind];
  }
  return seen;
}

}  // namespace

TEST_CASE("the order of work inside a step is the vendor's") {
  const schedule::setup asked{3, 0, 12};
  const auto grouped = schedule::grouped(asked);
  CHECK(a_step_of(grouped, 0, 8) == "<BF{}");  // from the host, backward before forward, then what the next step reads
  CHECK(a_step_of(grouped, 1, 8) == "BF{}");
  CHECK(a_step_of(grouped, 2, 8) == ">B{F");  // to the host behind the exchange; what came early goes to its place
  CHECK(a_step_of(grouped, 0, 1) == "<F}");
  const auto again = schedule::grouped(asked, {.recompute = schedule::recomputation::automatic});
  CHECK(a_step_of(again, 0, 8) == "<BF{}R");  // a step before the backward
  CHECK(a_step_of(again, 2, 8) == ">B{F");
  const auto interleaved = schedule::interleaved(asked);
  CHECK(a_step_of(interleaved, 0, 7) == "B");
  CHECK(a_step_of(interleaved, 0, 8) == "<F{}");
  CHECK(a_step_of(interleaved, 2, 7) == ">B");
}

TEST_CASE(
    "every program may be run: nothing side by side shares a chip, every push has its pull, every input its transfer") {
  for (const std::string_view name : schedule::schedule_names) {
    CAPTURE(std::string{name});
    const schedule::setup asked{4, 0, 16, name == "inference" ? mode::inference : mode::training};
    schedule::with_schedule(name, asked, [](const auto& t) {
      const chips_program p = on_chips(t, ipu::pod(chips_stages::few_tiles(), t.where.ipus),
                                       chips_stages::products(t.where.stages), {.runs = 2});
      CHECK(!ipu::verify_program(p.graph(), p.program()));
      CHECK(count<ipu::stream_in>(p.graph(), p.program()) == 32);
      CHECK(count<ipu::stream_out>(p.graph(), p.program()) == (t.run_for == mode::inference ? 32 : 2));
      const std::size_t pushes = count<ipu::push>(p.graph(), p.program());
      const std::size_t pulls = count<ipu::pull>(p.graph(), p.program());
      CHECK(pulls >= pushes);
      CHECK(pulls <= 2 * pushes);
      const chips_shape& s = p.shape();
      const schedule::table written = schedule::tabulate(t);
      std::size_t steps = 0;
      for (step_reader r(written); r.next();) ++steps;
      CHECK(s.ramp_up + s.body * s.repeats + s.ramp_down == steps);
    });
  }
}

}  // namespace build_test
