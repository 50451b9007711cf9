// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/on_chips.hpp>

#include <ipuflow/schedule/analysis/program_shape.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/catalogue.hpp>
#include <ipuflow/schedule/lowering/csv.hpp>

#include "chips_runs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace on_chips_test {

using namespace ipuflow;
using namespace chips_runs;
using namespace chips_stages;
using chips_stages::input;
using run::kept_in;
using run::chips_options;
using run::chips_work;

namespace {

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

std::string said_by_running(const schedule::table& t) {
  try {
    simulated(t);
  } catch (const error& e) {
    return e.what();
  }
  return "nothing";
}

/// Bytes of a chip's variables whose names begin like that.
std::uint64_t bytes_of(const run::chips_profile& p, std::size_t chip, std::string_view prefix) {
  std::uint64_t sum = 0;
  for (const ipu::variable_memory& v : p.chips.memory.variables) {
    if (v.chip == chip && v.name.view().starts_with(prefix)) sum += v.size;
  }
  return sum;
}

}  // namespace

TEST_CASE(
    "whatever the schedule: every micro-batch comes out once and in order, and each gradient meets its own value") {
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
    check_run(t, {.runs = 2, .accumulators = kept_in::streaming_memory});
  });
}

TEST_CASE("phases, whatever leaves the chip and when, on chips of their own or on one: the same numbers") {
  using enum schedule::liveness;
  for (const auto live : {always_live, off_chip_after_forward, off_chip_after_forward_no_overlap, off_chip_after_each_phase}) {
    for (const auto& [ipus, stages_each] : {std::pair{1u, 4u}, {2u, 2u}, {4u, 1u}, {3u, 1u}}) {
      for (const mode run_for : {mode::training, mode::inference}) {
        CAPTURE(ipus);
        const auto t = schedule::phased({ipus, stages_each, 5, run_for}, {.live = live});
        check_run(t, {.runs = 2});
        if (live == always_live) continue;
        check_run(t, {.activations = kept_in::tiles});
        check_run(t, {.weights = kept_in::tiles, .accumulators = kept_in::tiles});
        if (ipus == 1) check_run(t, {.io_tiles = 4});
      }
    }
  }
}

TEST_CASE(
    "the stash of each stage is as deep as the schedule says, and one set of values each: entries if they are "
    "recomputed") {
  constexpr std::size_t one = width * sizeof(float);
  each_timetable(4, 16, [](const auto& t) {
    if (t.run_for == mode::inference) return;
    const run::chips_profile p = simulated(t).cost();
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
  const run::chips_profile here = simulated(t).cost();
  const run::chips_profile away = simulated(t, {.activations = kept_in::streaming_memory}).cost();
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
      std::optional<run::chips_program> made;
      const schedule::setup asked{4, 0, count, name == "inference" ? mode::inference : mode::training};
      schedule::with_schedule(name, asked, [&](const auto& t) { made.emplace(simulated(t)); });
      return std::move(*made);
    };
    const run::chips_program few = program(48);
    const run::chips_program some = program(96);
    const run::chips_program many = program(1536);
    CHECK(few.graph().functions().size() == many.graph().functions().size());
    const std::uint64_t a = few.cost().chips.total.value;
    const std::uint64_t b = some.cost().chips.total.value;
    const run::chips_profile counted = many.cost();
    CHECK(counted.chips.total.value == a + (b - a) * (1536 - 48) / 48);
    CHECK(counted.shape.ramp_up == few.shape().ramp_up);
    CHECK(counted.shape.body == few.shape().body);
    for (const run::label_total& l : counted.totals()) {
      if (l.what.work == chips_work::pass) CHECK(l.times == 1536);
    }
  }
}

TEST_CASE("ramps of grouped and interleaved are no longer than the vendor's") {
  const auto grouped = schedule::grouped(schedule::setup{4, 0, 64});
  const schedule::step_program vendors = schedule::program_of(grouped);
  const run::impl::chips_shape mine = simulated(grouped).shape();
  CHECK(mine.ramp_up <= vendors.ramp_up);
  CHECK(mine.ramp_down <= vendors.ramp_down);
  CHECK(mine.body == 1);  // which the vendor's compiler compresses its 2 S steps to
  const run::impl::chips_shape other = simulated(schedule::interleaved(schedule::setup{4, 0, 64})).shape();
  CHECK(other.body == 2);
  CHECK(other.ramp_up + other.ramp_down <= 16);
}

TEST_CASE("activities: one for each pass of each micro-batch, after what it reads, one at a time on a chip") {
  each_timetable(4, 16, [](const auto& t) {
    const run::chips_profile p = simulated(t, {.runs = 2}).cost();
    std::map<std::tuple<std::size_t, schedule::pass, std::size_t>, cycles> finished;  // of stage, pass, micro-batch
    std::vector<cycles> busy_until(t.where.ipus);
    std::size_t passes = 0;
    std::size_t last = schedule::nowhere;
    bool right = true;
    p.for_each([&](const run::chips_activity& a) {
      if (a.what.work != chips_work::pass) return true;
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
    for (const run::label_total& l : p.totals()) counted += l.what.work == chips_work::pass ? l.times : 0;
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

namespace {

/// Cycles of a stage's forward and backward.
struct work_of_stage {
  std::size_t forward;
  std::size_t backward;
};

template <class T>
run::chips_profile timed(const T& t, const std::vector<work_of_stage>& work) {
  const auto lower = [&](ipu::graph& g, std::size_t stage, const plan::lowering_options& o) {
    return spender(g, work[stage].forward / 6, work[stage].backward / 6, o);
  };
  return run::on_chips(t, ipu::pod(few_tiles(), t.where.ipus), lower, {.synthetic = true}).cost();
}

/// Cycles that a micro-batch more takes.
template <class Make>
std::uint64_t steady(Make make, const std::vector<work_of_stage>& work) {
  return (timed(make(96), work).chips.total.value - timed(make(48), work).chips.total.value) / 48;
}

}  // namespace

TEST_CASE("a micro-batch more takes the longest chip, the copies between chips, and their syncs: by hand") {
  const ipu::architecture chip = few_tiles();
  const ipu::chip_system system = ipu::pod(chip, 4);
  const std::vector<work_of_stage> work{{600, 1200}, {900, 1500}, {600, 3000}, {1200, 1800}};
  const std::uint64_t sync = chip.sync.value;
  const bytes tile{width / 8 * sizeof(float)};
  const std::uint64_t local = ipu::alone(ipu::impl::local_copy_cost(chip, tile), chip).value;
  const std::uint64_t ring = local + 48;
  const auto between = [&](std::vector<ipu::chip_transfer> all) {
    for (ipu::chip_transfer& t : all)  // each chip beside the next
      t = {ipu::impl::place_of(ipu::chip_order::snake, t.from, 4), ipu::impl::place_of(ipu::chip_order::snake, t.to, 4), bytes{width * sizeof(float)}};
    return ipu::transfer_time(system, all).value;
  };
  {  // In each step every chip runs both passes, of which all but the last pull a value and push one.
    std::uint64_t longest = 0;
    for (std::size_t s = 0; s < 4; ++s) {
      const std::uint64_t kept = s < 3 ? 2 * ring : local;  // the last one brings what came early to its place
      longest = std::max(longest, 2 * sync + work[s].forward + work[s].backward + kept);
    }
    const std::uint64_t copies = between({{0, 1, {}}, {1, 2, {}}, {2, 3, {}}, {3, 2, {}}, {2, 1, {}}, {1, 0, {}}});
    const auto grouped = [](std::size_t m) { return schedule::grouped(schedule::setup{4, 0, m}); };
    CHECK(steady(grouped, work) == longest + copies);
  }
  {  // Chips take turns: at even steps 0 and 2 go forward and 1 and 3 back, at odd ones the reverse.
    const auto forward = [&](std::size_t s) { return sync + work[s].forward + (s < 3 ? 2 * ring : 0); };
    const auto backward = [&](std::size_t s) { return sync + work[s].backward; };
    const std::uint64_t even = std::max({forward(0), backward(1), forward(2), backward(3)});
    const std::uint64_t odd = std::max({backward(0), forward(1), backward(2), forward(3)});
    const std::uint64_t copies =
        between({{0, 1, {}}, {2, 3, {}}, {1, 0, {}}, {3, 2, {}}}) + between({{1, 2, {}}, {2, 1, {}}});
    const auto interleaved = [](std::size_t m) { return schedule::interleaved(schedule::setup{4, 0, m}); };
    CHECK(steady(interleaved, work) == even + odd + copies);
  }
}

TEST_CASE("the bubble of equal stages is the schedule's, but for what copies and syncs take") {
  constexpr std::size_t much = 6'000'000;
  for (const std::string_view name :
       {"grouped", "interleaved", "1f1b", "gpipe", "zb1p", "zbv", "inference", "sequential"}) {
    CAPTURE(std::string{name});
    const schedule::setup asked{4, 0, 16, name == "inference" ? mode::inference : mode::training};
    schedule::with_schedule(name, asked, [&](const auto& t) {
      const run::chips_profile p = timed(t, std::vector<work_of_stage>(t.where.stages, {much, much}));
      std::uint64_t busy = 0;
      for (const run::label_total& l : p.totals()) busy += l.what.work == chips_work::pass ? l.busy.value : 0;
      const double measured = 1 - static_cast<double>(busy) / static_cast<double>(p.chips.total.value * t.where.ipus);
      double expected = schedule::bubble(t, schedule::impl::one_step_each{});
      if (t.goes == schedule::pace::in_step) {
        if constexpr (schedule::closed_form<std::remove_cvref_t<decltype(t)>>) {
          const std::size_t longest = schedule::lock_step_makespan(t, schedule::impl::one_step_each{});
          expected = 1 - static_cast<double>(schedule::operations(t)) / static_cast<double>(longest * t.where.ipus);
        }
      }
      CHECK(measured == doctest::Approx(expected).epsilon(0.002));
    });
  }
}

TEST_CASE("outputs: the last, all, every n, a sum; none with synthetic data") {
  const auto t = schedule::grouped(schedule::setup{2, 0, 8});
  const auto outputs = [&](const chips_options& options) {
    const run::chips_program p = simulated(t, options);
    ipu::engine e = p.engine();
    prepare(p, e, 8, options.runs);
    CHECK(p.run(e).chips == p.cost().chips);
    std::vector<float> firsts;
    const std::vector<float> all = e.drain<float>(p.outputs()[0].stream);
    for (std::size_t i = 0; i < all.size(); i += width) firsts.push_back(all[i]);
    return firsts;
  };
  std::vector<float> every;
  for (std::size_t m = 0; m < 8; ++m) every.push_back(result(2, input(m)));
  float sum = 0;
  for (const float y : every) sum += y;
  using feed::output_mode;
  CHECK(outputs({}) == std::vector<float>{every[7]});
  CHECK(outputs({.outputs = output_mode::final}) == std::vector<float>{every[7]});
  CHECK(outputs({.outputs = output_mode::all}) == every);
  CHECK(outputs({.outputs = output_mode::every_n, .period = 4}) == std::vector<float>{every[3], every[7]});
  CHECK(outputs({.outputs = output_mode::sum}) == std::vector<float>{sum});
  CHECK(outputs({.runs = 2, .outputs = output_mode::sum}) == std::vector<float>{sum, sum});
  CHECK_THROWS_WITH(
      simulated(t, {.outputs = output_mode::every_n, .period = 3}),
      "ipuflow: outputs come every 3 micro-batches, which does not divide the 8 device iterations of a step; "
      "choose a period that does");
  const run::chips_program without = simulated(t, {.synthetic = true});
  CHECK(without.inputs().empty());
  CHECK(without.outputs().empty());
  CHECK(without.cost().chips.chips[0][ipu::phase::host] == cycles{});
  CHECK(without.cost().chips.total < simulated(t).cost().chips.total);
}

TEST_CASE("I/O tiles: transfers run beside compute, the numbers are the same") {
  using schedule::setup;
  const auto check = [](const auto& t, std::size_t tiles) {
    for (const feed::output_mode outputs : {feed::output_mode::all, feed::output_mode::sum}) {
      const run::chips_program p = simulated(t, {.outputs = outputs, .io_tiles = tiles});
      ipu::engine e = p.engine();
      prepare(p, e, t.where.micro_batches);
      CHECK(p.run(e).chips == p.cost().chips);
      const std::vector<float> came = e.drain<float>(p.outputs()[0].stream);
      float sum = 0;
      for (std::size_t m = 0; m < t.where.micro_batches; ++m) {
        sum += result(t.where.stages, input(m));
        if (outputs == feed::output_mode::all) CHECK(came.at(m * width + 1) == result(t.where.stages, input(m)));
      }
      if (outputs == feed::output_mode::sum) CHECK(came.at(1) == sum);
      for (const run::chips_parameter& one : p.parameters()) {
        if (t.run_for == mode::inference) break;
        CHECK(e.read<float>(one.tensor.gradient)[5] ==
              gradient(t.where.stages, one.stage, t.where.micro_batches, one.tensor.first == 0));
      }
    }
    // What the host needs a long time for is hidden behind compute, as far as that is long enough.
    const auto beside = [&](std::size_t io) {
      const auto lower = [&](ipu::graph& g, std::size_t, const plan::lowering_options& o) {
        return spender(g, 6000, 6000, o);
      };
      return run::on_chips(
                 t, ipu::pod(few_tiles(), t.where.ipus), lower,
                 {.outputs = feed::output_mode::all, .prefetch = 0, .host_time = seconds{5e-6}, .io_tiles = io})
          .cost();
    };
    CHECK(beside(tiles).chips.total < beside(0).chips.total);
  };
  check(schedule::grouped(setup{3, 0, 12}, {.io_tiles = true}), 4);
  check(schedule::grouped(setup{3, 0, 12, mode::inference}, {.io_tiles = true}), 4);
  check(schedule::sharded(setup{1, 3, 4}), 4);
  check(schedule::inference(setup{1, 2, 9}), 2);
  check(schedule::grouped(setup{2, 0, 8}), 4);
  check(schedule::zb1p(setup{3, 0, 8}), 4);
  CHECK_THROWS_WITH(simulated(schedule::sharded(setup{1, 2, 8}), {.synthetic = true, .host_time = seconds{1e-3}}),
                    "ipuflow: a run on chips has synthetic data, which no host makes, but a host that takes time for them; leave "
                    "synthetic out, or host_time and host_times");
  CHECK_THROWS_WITH(simulated(schedule::sharded(setup{1, 2, 8}), {.host_time = seconds{1e-3}, .host_times = {{1e-3}, {2e-3}}}),
                    "ipuflow: the host of a run on chips takes one time for each micro-batch, and 2 that differ; give host_time or "
                    "host_times");
  CHECK_NOTHROW((void)simulated(schedule::sharded(setup{1, 2, 8}), {.prefetch = 1 << 20, .host_time = seconds{1e-3}}).cost());
  CHECK_THROWS_WITH(simulated(schedule::sharded(setup{1, 2, 8}), {.prefetch = (1 << 20) + 1}),
                    "ipuflow: the host of a run on chips is to make 1048577 micro-batches ahead; choose a prefetch of at most 1048576");
  CHECK_THROWS_WITH(simulated(schedule::sharded(setup{1, 2, 8}), {.io_tiles = 16}),
                    "ipuflow: 16 I/O tiles leave no tile of 16 to compute on; set fewer aside");
}

TEST_CASE(
    "concurrent stages: all branches get what enters, the next stage gets what all make, gradients are added up") {
  constexpr std::size_t count = 12;
  const auto t = schedule::grouped(schedule::devices(0, schedule::on_ipus(1, 2), 3), micro_batches<count>);
  const run::chips_program p = run::on_chips(t, ipu::pod(few_tiles(), 4), forked, {.outputs = feed::output_mode::all, .checked = true});
  ipu::engine e = p.engine();
  prepare(p, e, count);
  CHECK(p.run(e).chips == p.cost().chips);
  const std::vector<float> came = e.drain<float>(p.outputs()[0].stream);
  float of_first = 0;
  float of_branch = 0;
  for (std::size_t m = 0; m < count; ++m) {
    const float x = input(m) * weight(0) * factor(0);
    const float y = 2 * weight(1) * factor(1) * x;
    CHECK(came.at(m * width) == y);
    of_branch += y * factor(1) * x;
    of_first += 2 * y * weight(1) * factor(1) * factor(0) * input(m);
  }
  for (const run::chips_parameter& one : p.parameters()) {
    if (one.tensor.first == 0) CHECK(e.read<float>(one.tensor.gradient)[2] == (one.stage == 0 ? of_first : of_branch));
  }
  CHECK(p.places().size() == 4);
}

TEST_CASE("what the host feeds to a later stage meets its micro-batch there, too") {
  each_timetable(4, 16, [](const auto& t) {
    const std::size_t stages = t.where.stages;
    const std::size_t count = t.where.micro_batches;
    if (t.run_for == mode::inference || t.where.ipu_of(0, 0) != t.where.ipu_of(0, count - 1)) return;
    const auto lower = [&](ipu::graph& g, std::size_t stage, const plan::lowering_options& o) {
      return stage + 1 == stages ? aimed(g, o) : product(g, false, o);
    };
    const run::chips_program p = run::on_chips(t, ipu::pod(few_tiles(), t.where.ipus), lower, {.checked = true});
    ipu::engine e = p.engine();
    REQUIRE(p.inputs().size() == 2);
    const auto target = [](std::size_t m) { return static_cast<float>(m % 7 + 1); };
    float expected = 0;
    for (const run::chips_parameter& one : p.parameters()) {
      e.write(one.tensor.value, all(one.tensor.first == 0 ? weight(one.stage) : factor(one.stage)));
    }
    for (std::size_t m = 0; m < count; ++m) {
      for (const run::host_end& in : p.inputs()) {
        const float x = p.places()[in.part].stage == 0 ? input(m) : target(m);
        e.feed(in.stream, std::span<const float>{all(x)});
      }
      expected += target(m) * result(stages, input(m)) / weight(0);
    }
    CHECK(p.run(e).chips == p.cost().chips);
    for (const run::chips_parameter& one : p.parameters()) {
      if (one.stage == 0 && one.tensor.first == 0) CHECK(e.read<float>(one.tensor.gradient)[7] == expected);
    }
  });
}

TEST_CASE("each chip's stages are lowered with its own proportion of memory") {
  const auto t = schedule::interleaved_1f1b(schedule::setup{2, 2, 8});
  std::vector<double> given;
  const auto lower = [&](ipu::graph& g, std::size_t stage, const plan::lowering_options& o) {
    given.push_back(o.where.memory_proportion);
    return product(g, stage == 3, o);
  };
  (void)run::on_chips(t, ipu::pod(few_tiles(), 2), lower, {.memory_proportion = {0.25, 0.5}});
  CHECK(given == std::vector{0.25, 0.5, 0.25, 0.5});
  given.clear();
  (void)run::on_chips(t, ipu::pod(few_tiles(), 2), lower, {.memory_proportion = 0.5});
  CHECK(given == std::vector(4, 0.5));
}

TEST_CASE("what cannot be run says so") {
  using schedule::setup;
  const auto t = schedule::grouped(setup{2, 0, 8});
  const ipu::chip_system two = ipu::pod(few_tiles(), 2);
  for (const chips_options& none :
       {chips_options{.samples = 0}, chips_options{.replicas = 0}, chips_options{.runs = 0}}) {
    CHECK_THROWS_WITH(
        simulated(t, none),
        "ipuflow: a timetable is run on chips no times, or with no samples or replicas; give at least 1 "
        "of each");
  }
  CHECK_THROWS_WITH(simulated(t, {.memory_proportion = {0.1, 0.2, 0.3}}),
                    "ipuflow: memory_proportion has 3 numbers for a replica of 2 chips; give one for all, or one for each of at most 64");
  CHECK_THROWS_WITH((void)run::on_chips(t, ipu::chip_system{}, [](ipu::graph& g, std::size_t stage, const auto& o) {
                      return product(g, stage == 1, o);
                    }),
                    "ipuflow: a timetable is run on chips that have no tiles; give a system, as ipu::pod(ipu::mk2, 2)");
  CHECK_THROWS_WITH(simulated(schedule::grouped(setup{2, 0, 7})),
                    "ipuflow: 7 micro-batches do not fill the rounds of this schedule; the next number it allows is 8");
  const auto no_entry = [](ipu::graph& g, std::size_t stage, const plan::lowering_options& o) {
    plan::lowered made = product(g, stage == 1, o);
    if (stage == 1) made.entry.clear();
    return made;
  };
  CHECK_THROWS_WITH(
      (void)run::on_chips(t, two, no_entry),
      "ipuflow: stage 1 takes 0 values on chips, but the stage before hands on 1; lower both from the "
      "same pipeline");
  const auto longer = [](ipu::graph& g, std::size_t stage, const plan::lowering_options& o) {
    plan::lowered made = product(g, stage == 1, o);
    if (stage == 0) made.exit = {g.add_temporary<float>("long", 99, ipu::linear(99, 4))};
    return made;
  };
  CHECK_THROWS_WITH(
      (void)run::on_chips(t, two, longer),
      "ipuflow: value 0 that stage 1 takes has 32 elements on chips, but the stage before makes 99; lower "
      "both for the same samples, in the same type");
  schedule::table twice = schedule::tabulate(schedule::gpipe(setup{1, 1, 2}));
  twice.alone = false;
  twice.goes = schedule::pace::in_step;
  for (schedule::placed& o : twice.rows[0]) o.step = o.kind == schedule::pass::forward ? 0 : 1;
  CHECK(said_by_running(twice).find("comes twice in step 0") != std::string::npos);
  CHECK_THROWS_WITH((void)run::on_chips(t, ipu::pod(few_tiles(), 1), products(2)).cost(),
                    "ipuflow: a program of 1 replica needs 2 chips but the system has 1; use a larger system or fewer "
                    "replicas");
}

TEST_CASE("the example of the page") {
  const std::vector<float> image = all(3);
  // begin: run
  const auto timetable = schedule::grouped(schedule::setup{.ipus = 4, .micro_batches = 2048});
  const auto lower = [](ipu::graph& g, std::size_t stage, const plan::lowering_options& o) {
    return product(g, stage == 3, o);  // y = v * (w * x) on the tiles of `o.where`
  };
  const run::chips_program program = run::on_chips(timetable, ipu::pod(ipu::mk2, 4), lower);
  const run::chips_profile counted = program.cost();

  ipu::engine chips = program.engine();
  for (const run::chips_parameter& p : program.parameters()) chips.write(p.tensor.value, all(1));
  for (int m = 0; m < 2048; ++m) chips.feed(program.inputs()[0].stream, std::span<const float>{image});
  const run::chips_profile ran = program.run(chips);
  const std::vector<float> last = chips.drain<float>(program.outputs()[0].stream);
  // end: run
  CHECK(ran.chips == counted.chips);
  CHECK(last == image);
  CHECK(counted.shape == run::impl::chips_shape{7, 1, 2048 - 8, 8});
}

namespace {

/// Any order of all operations in which each finds what it reads; backward passes whole or in halves as it comes.
schedule::table any_order(std::mt19937& random) {
  const std::size_t ipus = 1 + random() % 3;
  const std::size_t chunks = 1 + random() % 2;
  const std::size_t count = 2 + random() % 7;
  const bool vee = chunks == 2 && random() % 2 == 0;
  const schedule::grid where{ipus, ipus * chunks, count, vee ? schedule::layout::vee : schedule::layout::loop};
  schedule::table t{where, mode::training};
  std::vector<std::vector<int>> done(where.stages, std::vector<int>(count, 0));  // 1 forward, 2 inputs, 3 weights
  const std::size_t eager = 1 + random() % 4;
  for (std::size_t left = where.stages * count; left > 0;) {
    const std::size_t s = random() % where.stages;
    const std::size_t m = random() % count;
    int& at = done[s][m];
    schedule::op o{schedule::pass::forward, s, m};
    if (at == 0) {
      if (s > 0 && done[s - 1][m] == 0) continue;
      if (random() % eager != 0 && random() % 2 == 0) continue;
      at = 1;
    } else if (at == 1) {
      if (s + 1 < where.stages && done[s + 1][m] < 2) continue;
      const bool whole = random() % 3 == 0;
      o.kind = whole ? schedule::pass::backward : schedule::pass::backward_inputs;
      at = whole ? 3 : 2;
      left -= whole ? 1u : 0u;
    } else if (at == 2) {
      o.kind = schedule::pass::backward_weights;
      at = 3;
      --left;
    } else {
      continue;
    }
    dynamic_array<schedule::placed>& row = t.rows[where.ipu_of(s, m)];
    row.push_back({o, row.size(), false});
  }
  return t;
}

}  // namespace

TEST_CASE("any order that can be run at all: the same numbers, in the memory that its depths say") {
  std::mt19937 random(11);
  for (int trial = 0; trial < 150; ++trial) {
    CAPTURE(trial);
    const schedule::table t = any_order(random);
    REQUIRE(!schedule::verify(t));
    const schedule::table steps = schedule::tabulate(t);
    const run::impl::chips_plan plan(steps);
    const schedule::counts depths = schedule::fifo_depths(steps);
    for (const run::impl::part_plan& part : plan.parts()) CHECK(part.values.plan.depth == depths[part.stage]);
    const run::chips_program p = simulated(t, {.outputs = feed::output_mode::all});
    ipu::engine e = p.engine();
    prepare(p, e, t.where.micro_batches);
    CHECK(p.run(e).chips == p.cost().chips);
    for (const run::chips_parameter& one : p.parameters()) {
      // Micro-batches come in the order of the first stage's forwards, and each stage has its own order.
      CHECK(e.read<float>(one.tensor.gradient)[5] ==
            gradient(t.where.stages, one.stage, t.where.micro_batches, one.tensor.first == 0));
    }
  }
}

TEST_CASE("Chips stand in the order that brings neighbours nearest, unless another is asked for; only the links differ") {
  using ipu::chip_order;
  const auto made = [](const auto& t, chip_order order, std::size_t chips) {
    ipu::chip_system system = ipu::pod(few_tiles(), chips);
    system.order = order;
    return run::on_chips(t, system, products(t.where.stages));
  };
  const auto grouped = schedule::grouped(schedule::setup{4, 0, 8});
  CHECK(made(grouped, chip_order::automatic, 4).system().order == chip_order::snake);
  CHECK(made(grouped, chip_order::hoof, 4).system().order == chip_order::hoof);
  const auto round = schedule::interleaved_1f1b(schedule::setup{8, 2, 32});  // from the last IPU back to the first
  CHECK(made(round, chip_order::automatic, 16).system().order == chip_order::hoof);
  CHECK(made(schedule::zbv(schedule::setup{8, 2, 16}), chip_order::automatic, 16).system().order == chip_order::snake);

  const ipu::profile near = made(grouped, chip_order::automatic, 4).cost().chips, far = made(grouped, chip_order::zigzag, 4).cost().chips;
  CHECK(near.total < far.total);
  for (std::size_t chip = 0; chip < 4; ++chip) {
    CHECK(near.chips[chip][ipu::phase::inter_chip] < far.chips[chip][ipu::phase::inter_chip]);
    for (const ipu::phase same : {ipu::phase::compute, ipu::phase::exchange, ipu::phase::sync, ipu::phase::host})
      CHECK(near.chips[chip][same] == far.chips[chip][same]);
    CHECK(near.chips[chip].moved == far.chips[chip].moved);
  }
}

}  // namespace on_chips_test
