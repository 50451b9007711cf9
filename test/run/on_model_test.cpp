// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/on_model.hpp>

#include <ipuflow/schedule/catalogue.hpp>

#include "model_stages.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

using namespace ipuflow;
using namespace model_stages;

namespace {

/// What y = v * w * x of all stages makes of an input.
float result(std::size_t stages, float x) {
  for (std::size_t s = 0; s < stages; ++s) x *= weight(s) * factor(s);
  return x;
}

/// The gradient of the weights of a stage over some micro-batches, for a loss of y * y / 2.
float gradient(std::size_t stages, std::size_t stage, std::size_t micro_batches, bool of_weight) {
  float sum = 0;
  for (std::size_t m = 0; m < micro_batches; ++m) {
    float x = input(m);
    for (std::size_t s = 0; s < stage; ++s) x *= weight(s) * factor(s);
    float dy = result(stages, input(m));
    for (std::size_t s = stages - 1; s > stage; --s) dy *= weight(s) * factor(s);
    sum += of_weight ? dy * factor(stage) * x : dy * weight(stage) * x;
  }
  return sum;
}

template <class T>
void check_values(const T& t, const run::model_options& options = {}) {
  const std::size_t stages = t.where.stages;
  const std::size_t count = t.where.micro_batches;
  const ipu::chip_system system = ipu::pod(few_tiles(), t.where.ipus);
  const run::model_program p = run::on_model(t, system, products(stages), options);
  ipu::engine e = p.engine(true);
  prepare(p, e, count);
  const run::model_profile ran = p.run(e);
  CHECK(ran.chips == p.cost().chips);
  std::vector<float> results;
  for (const run::host_end& out : p.outputs()) {
    const std::vector<float> drained = e.drain<float>(out.stream);
    results.insert(results.end(), drained.begin(), drained.end());
  }
  REQUIRE(results.size() == count * width);
  for (std::size_t m = 0; m < count; ++m) {
    CAPTURE(m);
    CHECK(results[m * width + 3] == result(stages, input(m)));
  }
  if (t.run_for == mode::inference) return;
  for (const run::model_parameter& one : p.parameters()) {
    CAPTURE(one.stage);
    CHECK(e.read<float>(one.tensor.gradient)[5] == gradient(stages, one.stage, count, one.tensor.first == 0));
  }
}

}  // namespace

TEST_CASE("whatever the schedule: every micro-batch comes out once and in order, and each gradient meets its own value") {
  for (const std::string_view name : schedule::schedule_names) {
    CAPTURE(std::string{name});
    const schedule::setup asked{4, 0, 16, name == "inference" ? mode::inference : mode::training};
    schedule::with_schedule(name, asked, [](const auto& t) {
      REQUIRE(!t.refused);
      check_values(t, {.outputs = feed::output_mode::all});
    });
  }
}
