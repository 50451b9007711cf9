// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/on_model.hpp>

#include <ipuflow/schedule/catalogue.hpp>
#include <ipuflow/schedule/csv.hpp>
#include <ipuflow/schedule/ramps.hpp>
#include <ipuflow/schedule/timing.hpp>

#include "model_stages.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

using namespace ipuflow;
using namespace model_stages;
using run::kept_in;
using run::model_options;
using run::model_work;

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
run::model_program modelled(const T& t, const model_options& options = {}) {
  return run::on_model(t, ipu::pod(few_tiles(), t.where.ipus * options.replicas), products(t.where.stages), options);
}

/// Runs a timetable on numbers; results and gradients must be right, and the profile that of counting.
template <class T>
void check_run(const T& t, model_options options = {}) {
  options.outputs = feed::output_mode::all;
  const std::size_t stages = t.where.stages;
  const std::size_t count = t.where.micro_batches;
  const run::model_program p = modelled(t, options);
  ipu::engine e = p.engine(true);
  for (std::size_t r = 0; r < options.replicas; ++r) prepare(p, e, count, options.runs, r);
  const run::model_profile ran = p.run(e);
  CHECK(ran.chips == p.cost().chips);
  for (std::size_t r = 0; r < options.replicas; ++r) {
    const std::size_t flows = p.outputs().size();  // each brings its part of the micro-batches, run after run
    for (std::size_t flow = 0; flow < flows; ++flow) {
      const std::vector<float> came = e.drain<float>(p.outputs()[flow].stream, r);
      const std::size_t here = count / flows;
      REQUIRE(came.size() == options.runs * here * width);
      bool right = true;
      for (std::size_t i = 0; i < options.runs * here; ++i)
        right = right && came[i * width + 3] == result(stages, input(flow * here + i % here));
      CHECK(right);
    }
    for (const run::model_parameter& one : p.parameters()) {
      if (t.run_for == mode::inference) break;
      CAPTURE(one.stage);
      CHECK(e.read<float>(one.tensor.gradient, r)[5] == gradient(stages, one.stage, count, one.tensor.first == 0));
    }
  }
}

/// Calls `use` with every kind of timetable for so many IPUs.
template <class Use>
void each_timetable(std::size_t ipus, std::size_t micro_batches, Use use) {
  for (const std::string_view name : schedule::schedule_names) {
    const schedule::setup asked{ipus, 0, micro_batches, name == "inference" ? mode::inference : mode::training};
    schedule::with_schedule(name, asked, [&](const auto& t) {
      CAPTURE(std::string{name});
      if (!t.refused) use(t);
    });
  }
  const schedule::setup asked{ipus, 0, micro_batches};
  const auto again = [&](const auto& t) {
    if (!t.refused) use(t);
  };
  again(schedule::grouped(asked, {.recompute = schedule::recomputation::automatic}));
  again(schedule::grouped(asked, {.recompute = schedule::recomputation::and_backpropagate}));
  again(schedule::interleaved(asked, schedule::recomputation::automatic));
  again(schedule::sequential(asked, schedule::recomputation::automatic));
}

/// All forwards, then the backwards of the newest first.
schedule::table last_first(std::size_t ipus, std::size_t count) {
  const schedule::grid where{ipus, ipus, count};
  return schedule::from_function(where, 2 * (ipus + count), [=](std::size_t ipu, std::size_t step) {
    using found = std::optional<schedule::op>;
    if (step >= ipu && step < ipu + count) return found{{schedule::pass::forward, ipu, step - ipu}};
    const std::size_t begin = ipus + count - 1 + (ipus - 1 - ipu);
    if (step < begin || step >= begin + count) return found{};
    return found{{schedule::pass::backward, ipu, count - 1 - (step - begin)}};
  });
}

/// Bytes of a chip's variables whose names begin like that.
std::uint64_t bytes_of(const run::model_profile& p, std::size_t chip, std::string_view prefix) {
  std::uint64_t sum = 0;
  for (const ipu::variable_memory& v : p.chips.memory.variables) {
    if (v.chip == chip && v.name.view().starts_with(prefix)) sum += v.size;
  }
  return sum;
}

}  // namespace

TEST_CASE("whatever the schedule: every micro-batch comes out once and in order, and each gradient meets its own value") {
  for (const std::size_t ipus : {2u, 4u}) {
    for (const std::size_t count : {8u, 16u, 24u}) each_timetable(ipus, count, [](const auto& t) { check_run(t); });
  }
  check_run(last_first(3, 5));
}

TEST_CASE("stages that share chips, and timetables from files") {
  check_run(schedule::grouped(schedule::devices(0, 1, 1, 0), micro_batches<16>));
  check_run(schedule::sharded(schedule::devices(0, 0, 0), micro_batches<3>));
  check_run(schedule::looped_bfs(schedule::setup{2, 3, 4}));
  const schedule::table t = schedule::tabulate(schedule::zb1p(schedule::setup{3, 0, 6}));
  check_run(schedule::read_csv(schedule::to_csv(t)));
}

TEST_CASE("runs after runs, replicas beside replicas, activations and weights off chip: the same numbers") {
  each_timetable(2, 8, [](const auto& t) {
    check_run(t, {.runs = 3});
    check_run(t, {.replicas = 2});
    check_run(t, {.activations = kept_in::streaming_memory});
    check_run(t, {.runs = 2, .weights = kept_in::streaming_memory});
  });
}

TEST_CASE("the stash of each stage is as deep as the schedule says, and one set of values each: entries if they are recomputed") {
  constexpr std::size_t one = width * sizeof(float);
  each_timetable(4, 16, [](const auto& t) {
    if (t.run_for == mode::inference) return;
    const run::model_profile p = modelled(t).cost();
    const schedule::table written = schedule::tabulate(t);
    bool recomputes = false;
    if constexpr (requires { t.recompute; }) recomputes = t.recompute == schedule::recomputation::and_backpropagate;
    for (const auto& row : written.rows)
      for (const schedule::placed& o : row) recomputes = recomputes || o.kind == schedule::pass::recompute;
    const schedule::counts depths = schedule::fifo_depths(t);
    for (std::size_t chip = 0; chip < t.where.ipus; ++chip) {
      CAPTURE(chip);
      std::uint64_t expected = 0;
      for (std::size_t stage = 0; stage < t.where.stages; ++stage) {
        const bool here = t.where.ipu_of(stage, 0) == chip || t.where.ipu_of(stage, t.where.micro_batches - 1) == chip;
        if (!here) continue;
        const bool last = stage + 1 == t.where.stages;
        expected += depths[stage] * one * (last ? 3 : recomputes ? 1 : 2);
      }
      const std::uint64_t slopes = bytes_of(p, chip, "stash of d");
      CHECK(bytes_of(p, chip, "stash of ") - slopes == expected);
    }
  });
}

TEST_CASE("stashes off chip leave the tiles, and their bytes are streamed") {
  const auto t = schedule::grouped(schedule::setup{4, 0, 16});
  const run::model_profile here = modelled(t).cost();
  const run::model_profile away = modelled(t, {.activations = kept_in::streaming_memory}).cost();
  CHECK(bytes_of(here, 0, "stash of ") > 0);
  CHECK(bytes_of(away, 0, "stash of ") == 0);
  CHECK(away.chips.chips[0].moved.streaming_out == 15 * 2 * width * sizeof(float));  // the last one is not overtaken
  CHECK(away.chips.chips[0].moved.streaming_in == 15 * 2 * width * sizeof(float));
  CHECK(away.chips.chips[3].moved.streaming_in == 0);
  CHECK(away.chips.chips[0][ipu::phase::streaming] > cycles{});
}

TEST_CASE("counting costs the same for any number of micro-batches, and a run as much as all its micro-batches") {
  for (const std::string_view name : {"grouped", "interleaved", "1f1b", "gpipe", "zb1p", "sequential", "inference"}) {
    CAPTURE(std::string{name});
    const auto program = [&](std::size_t count) {
      std::optional<run::model_program> made;
      const schedule::setup asked{4, 0, count, name == "inference" ? mode::inference : mode::training};
      schedule::with_schedule(name, asked, [&](const auto& t) { made.emplace(modelled(t)); });
      return std::move(*made);
    };
    const run::model_program few = program(48);
    const run::model_program some = program(96);
    const run::model_program many = program(1536);
    CHECK(few.graph().functions().size() == many.graph().functions().size());
    const std::uint64_t a = few.cost().chips.total.value;
    const std::uint64_t b = some.cost().chips.total.value;
    const run::model_profile counted = many.cost();
    CHECK(counted.chips.total.value == a + (b - a) * (1536 - 48) / 48);
    CHECK(counted.shape.ramp_up == few.shape().ramp_up);
    CHECK(counted.shape.body == few.shape().body);
    for (const run::label_total& l : counted.totals()) {
      if (l.what.work == model_work::pass) CHECK(l.times == 1536);
    }
  }
}

TEST_CASE("ramps of grouped and interleaved are no longer than the vendor's") {
  const auto grouped = schedule::grouped(schedule::setup{4, 0, 64});
  const schedule::step_program vendors = schedule::program_of(grouped);
  const run::model_shape mine = modelled(grouped).shape();
  CHECK(mine.ramp_up <= vendors.ramp_up);
  CHECK(mine.ramp_down <= vendors.ramp_down);
  CHECK(mine.body == 1);  // which the vendor's compiler compresses its 2 S steps to
  const run::model_shape other = modelled(schedule::interleaved(schedule::setup{4, 0, 64})).shape();
  CHECK(other.body == 2);
  CHECK(other.ramp_up + other.ramp_down <= 16);
}

TEST_CASE("activities: one for each pass of each micro-batch, after what it reads, one at a time on a chip") {
  each_timetable(4, 16, [](const auto& t) {
    const run::model_profile p = modelled(t, {.runs = 2}).cost();
    std::map<std::tuple<std::size_t, schedule::pass, std::size_t>, cycles> finished;  // of stage, pass, micro-batch
    std::vector<cycles> busy_until(t.where.ipus);
    std::size_t passes = 0;
    std::size_t last = schedule::nowhere;
    bool right = true;
    p.for_each([&](const run::model_activity& a) {
      if (a.what.work != model_work::pass) return true;
      ++passes;
      right = right && a.start >= busy_until[a.what.chip] && a.finish >= a.start && a.finish <= p.chips.total;
      busy_until[a.what.chip] = a.finish;
      if (a.what.pass == schedule::pass::forward && a.what.stage == 0 && a.micro_batch == 0) finished.clear();
      if (a.what.pass == schedule::pass::forward && a.what.stage > 0) {
        const auto before = finished.find({a.what.stage - 1, schedule::pass::forward, a.micro_batch});
        right = right && before != finished.end() && before->second <= a.start;
      }
      finished[{a.what.stage, a.what.pass, a.micro_batch}] = a.finish;
      last = a.micro_batch;
      return true;
    });
    CHECK(right);
    std::uint64_t counted = 0;
    for (const run::label_total& l : p.totals()) counted += l.what.work == model_work::pass ? l.times : 0;
    CHECK(passes == counted);
    std::size_t operations = 0;
    const schedule::table written = schedule::tabulate(t);
    bool within = false;
    if constexpr (requires { t.recompute; }) within = t.recompute == schedule::recomputation::and_backpropagate;
    for (const auto& row : written.rows) {
      for (const schedule::placed& o : row) {
        operations += o.kind <= schedule::pass::recompute ? 1u : 0u;
        operations += within && o.kind == schedule::pass::backward ? 1u : 0u;
      }
    }
    CHECK(passes == 2 * operations);
    CHECK(last < t.where.micro_batches);
  });
}
