// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/model_build.hpp>

#include <ipuflow/ipu/program_walk.hpp>
#include <ipuflow/run/on_model.hpp>
#include <ipuflow/schedule/catalogue.hpp>

#include "model_stages.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

using namespace ipuflow;
using namespace ipuflow::run;

namespace {

/// Steps of a kind in a program, each turn and call counted.
std::size_t count(const ipu::graph& g, const ipu::step& s, ipu::step_kind kind) {
  std::size_t found = s.kind == kind ? 1 : 0;
  if (s.kind == ipu::step_kind::call) return found + count(g, g.functions()[s.index], kind);
  for (const ipu::step& inner : s.body)
    found += count(g, inner, kind) * (s.kind == ipu::step_kind::repeat ? s.count : 1);
  return found;
}

}  // namespace

TEST_CASE(
    "every program may be run: nothing side by side shares a chip, every push has its pull, every input its transfer") {
  for (const std::string_view name : schedule::schedule_names) {
    CAPTURE(std::string{name});
    const schedule::setup asked{4, 0, 16, name == "inference" ? mode::inference : mode::training};
    schedule::with_schedule(name, asked, [](const auto& t) {
      const model_program p = on_model(t, ipu::pod(model_stages::few_tiles(), t.where.ipus),
                                       model_stages::products(t.where.stages), {.runs = 2});
      CHECK(!ipu::verify_program(p.graph(), p.program()));
      CHECK(count(p.graph(), p.program(), ipu::step_kind::stream_in) == 32);
      CHECK(count(p.graph(), p.program(), ipu::step_kind::stream_out) == (t.run_for == mode::inference ? 32 : 2));
      const std::size_t pushes = count(p.graph(), p.program(), ipu::step_kind::push);
      const std::size_t pulls = count(p.graph(), p.program(), ipu::step_kind::pull);
      CHECK(pulls >= pushes);
      CHECK(pulls <= 2 * pushes);
      const model_shape& s = p.shape();
      const schedule::table written = schedule::tabulate(t);
      std::size_t steps = 0;
      for (step_reader r(written); r.next();) ++steps;
      CHECK(s.ramp_up + s.body * s.repeats + s.ramp_down == steps);
    });
  }
}
