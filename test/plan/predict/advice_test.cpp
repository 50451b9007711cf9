// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/predict/advice.hpp>

#include <ipuflow/core/light_vector.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace advice_test {

using namespace ipuflow;
using plan::memory_use;

namespace {

/// A made-up machine: halves take half of the bytes and of the time, recomputation a third more time and few bytes, larger micro-batches
/// less time for each sample and more bytes; bytes that come in take no time.
struct machine {
  std::size_t asked = 0;

  plan::prediction operator()(const plan::configuration& c) {
    ++asked;
    if (c.schedule == "gpipe" || c.io_tiles == 64) throw_if(plan::fits_fault{.kind = plan::fits_wrong::code_region});
    plan::prediction p{.clock = {1e9}, .samples = c.samples_per_step(), .tile_memory = {1000}, .code_region = {500}};
    const bool half = c.precision == plan::numbers::f16_16;
    const auto samples = static_cast<double>(c.samples_per_step());
    const double each = (half ? 50.0 : 100.0) * (c.recompute.all ? 1.33 : 1.0) + 200.0 / static_cast<double>(c.micro_batch);
    p.total = {static_cast<std::uint64_t>(each * samples)};
    p.busy.assign(c.ipus, p.total);
    p.memory.resize(c.ipus);
    for (plan::chip_memory& m : p.memory) {
      m.bytes[memory_use::weights] = half ? 200 : 400;
      m.bytes[memory_use::activations] = static_cast<std::uint32_t>(c.recompute.all ? 40 : 100 * c.micro_batch);
    }
    return p;
  }
};

bool has(const ipuflow::light_vector<plan::advice>& all, std::string_view change) {
  return std::any_of(all.begin(), all.end(), [&](const plan::advice& a) { return a.change.find(change) != a.change.npos; });
}

}  // namespace

TEST_CASE("a plan that does not fit is helped by what makes it fit, the fastest first") {
  machine m;
  const plan::configuration c{.micro_batch = 8, .accumulation = 4};
  REQUIRE(plan::verify_fits(m(c)));
  const auto found = plan::advise(m, c);
  REQUIRE(!found.empty());
  CHECK(found.front().fits);
  for (std::size_t i = 1; i < found.size(); ++i) {
    CHECK((found[i - 1].fits || !found[i].fits));
    if (found[i].fits) CHECK(found[i - 1].speedup >= found[i].speedup);
  }
  CHECK(has(found, "recomputation"));
  CHECK(has(found, "half precision (16.16)"));  // does not fit yet, but lacks less
  CHECK(!has(found, "gpipe"));                    // was refused
  for (const plan::advice& a : found) {
    CHECK(a.with.samples_per_step() / a.with.device_iterations == c.samples_per_step());  // the batch stays
    CHECK(a.then.total == m(a.with).total);
  }
}

TEST_CASE("a prediction that knows nothing of memory is helped by what is faster") {
  machine m;
  const auto of_time_alone = [&](const plan::configuration& c) {
    plan::prediction p = m(c);
    p.memory.clear();
    return p;
  };
  const auto found = plan::advise(of_time_alone, plan::configuration{.micro_batch = 2, .accumulation = 8});
  CHECK(has(found, "half precision"));
  for (const plan::advice& a : found) CHECK((a.fits && a.speedup >= 1.01 && a.bytes == 0));
}

TEST_CASE("a plan that fits is helped by what is faster and still fits") {
  machine m;
  const plan::configuration c{.micro_batch = 2, .accumulation = 8};
  REQUIRE(!plan::verify_fits(m(c)));
  const auto found = plan::advise(m, c);
  CHECK(has(found, "half precision"));
  CHECK(has(found, "micro-batches of 4"));
  CHECK(!has(found, "recomputation"));
  for (const plan::advice& a : found) CHECK((a.fits && a.speedup >= 1.01));
  CHECK(!has(plan::advise(m, c, {.keeps_numbers = true}), "half precision"));
  CHECK(plan::advise(m, c, {.headroom = 0.3}).size() < found.size());
}

TEST_CASE("the stage of a chip that is too full recomputes alone, and one of a chip that works most keeps its activations") {
  const auto predict = [](const plan::configuration& c) {
    plan::prediction p{.clock = {1e9}, .samples = c.samples_per_step(), .busiest = 1, .tile_memory = {1000}, .code_region = {500}};
    p.total = {static_cast<std::uint64_t>(1000 + (c.recompute.has(1) ? 300 : 0) + (c.recompute.has(0) ? 1 : 0))};
    p.busy.assign(2, p.total);
    p.memory.resize(2);
    for (std::size_t s = 0; s < 2; ++s) p.memory[s].bytes[memory_use::activations] = s == 0 && !c.recompute.has(0) ? 1200 : 100;
    return p;
  };
  const auto full = plan::advise(predict, {.cuts = {4}, .ipus = 2, .accumulation = 4});
  REQUIRE(!full.empty());
  CHECK(full.front().change == "recomputation of stage 0");
  CHECK(full.front().with.recompute == schedule::stage_set{0});
  const auto slow = plan::advise(predict, {.cuts = {4}, .ipus = 2, .accumulation = 4, .recompute = schedule::all_stages});
  const auto found = std::find_if(slow.begin(), slow.end(), [](const plan::advice& a) { return a.change == "stage 1 keeps its activations"; });
  REQUIRE(found != slow.end());
  CHECK(found->fits);
  CHECK(found->with.recompute == schedule::stage_set{0});
  CHECK(!has(slow, "stage 0 keeps"));
}

TEST_CASE("advice is taken until none helps") {
  machine m;
  plan::configuration c{.micro_batch = 8, .accumulation = 4};
  const auto taken = plan::improve(m, c);
  REQUIRE(taken.size() >= 2);
  CHECK(taken.back().fits);
  CHECK(plan::advise(m, taken.back().with).empty());
  CHECK(taken.back().then.samples_per_second() > m(c).samples_per_second());
}

TEST_CASE("blocks go from a chip that works most to its neighbours") {
  machine m;
  ipuflow::light_vector<ipuflow::light_vector<std::size_t>> cuts;
  const auto look = [&](const plan::configuration& c) {
    cuts.push_back(c.cuts);
    plan::prediction p = m(c);
    p.busiest = 1;
    return p;
  };
  (void)plan::advise(look, {.cuts = {3, 6}, .ipus = 3});
  CHECK(std::find(cuts.begin(), cuts.end(), ipuflow::light_vector<std::size_t>{4, 6}) != cuts.end());
  CHECK(std::find(cuts.begin(), cuts.end(), ipuflow::light_vector<std::size_t>{3, 5}) != cuts.end());
}

TEST_CASE("replicas keep the batch if they are asked to, and are no advice where that cannot be halved") {
  machine m;
  const auto batch = [](const plan::configuration& c) { return c.micro_batch * c.accumulation * c.replicas; };
  for (const std::size_t accumulation : {4u, 3u}) {
    const plan::configuration c{.micro_batch = 2, .accumulation = accumulation};
    std::size_t with_replicas = 0;
    plan::impl::each_change(c, {.keeps_chips = false}, m(c), [&](const std::string&, const auto& change) {
      plan::configuration n = c;
      change(n);
      CHECK(batch(n) == batch(c));
      with_replicas += n.replicas == 2 ? 1u : 0u;
    });
    CHECK(with_replicas == (accumulation == 4 ? 1 : 0));
  }
}

TEST_CASE("a host takes as long for a sample whatever the size of micro-batches and the number of replicas") {
  machine m;
  const plan::configuration c{.micro_batch = 4, .accumulation = 8, .host_time = seconds{1e-3}};
  std::size_t others = 0;
  plan::impl::each_change(c, {.keeps_batch = false, .keeps_chips = false}, m(c), [&](const std::string&, const auto& change) {
    plan::configuration n = c;
    change(n);
    CHECK(n.host_time.value * 4 == doctest::Approx(1e-3 * static_cast<double>(n.micro_batch * n.replicas)));
    others += n.micro_batch != 4 || n.replicas != 1 ? 1u : 0u;
  });
  CHECK(others == 3);
}

TEST_CASE("blocks go from the chip that works most, whichever of its stages has them") {
  const auto predict = [](const plan::configuration& c) {
    plan::prediction p{.clock = {1e9}, .samples = c.samples_per_step(), .tile_memory = {1000}, .code_region = {500}};
    std::size_t most = 0;
    for (std::size_t chip = 0; chip < 2; ++chip) {
      std::size_t blocks = 0;
      for (std::size_t s = chip; s <= c.cuts.size(); s += 2) blocks += (s < c.cuts.size() ? c.cuts[s] : 8) - (s > 0 ? c.cuts[s - 1] : 0);
      if (blocks > most) most = blocks, p.busiest = chip;
      p.busy.push_back({blocks});
    }
    p.total = {most * 1000};
    p.memory.resize(2);
    return p;
  };
  const plan::configuration c{.cuts = {1, 2, 3}, .schedule = "interleaved_1f1b", .ipus = 2, .accumulation = 4};
  const auto found = plan::advise(predict, c);
  const auto moved = std::find_if(found.begin(), found.end(), [](const plan::advice& a) { return a.with.cuts == ipuflow::light_vector<std::size_t>{1, 2, 4}; });
  REQUIRE(moved != found.end());
  CHECK(moved->change == "stage 3 begins one block later");
  CHECK(moved->speedup == doctest::Approx(6.0 / 5));
}

TEST_CASE("what is off the chip comes back where that is faster and fits, and replicas share out all that they can") {
  const auto predict = [](const plan::configuration& c) {
    plan::prediction p{.clock = {1e9}, .samples = c.samples_per_step(), .tile_memory = {1000}, .code_region = {500}};
    p.total = {c.optimiser_off_chip ? 1200u : 1000u};
    p.busy.assign(1, p.total);
    p.memory.resize(1);
    p.memory[0].bytes[memory_use::weights] = c.shard_weights ? 100 : 400;
    p.memory[0].bytes[memory_use::gradients] = c.shard_gradients ? 100 : 300;
    p.memory[0].bytes[memory_use::optimiser_state] = c.optimiser_off_chip ? 0 : 300;
    return p;
  };
  const auto back = plan::advise(predict, {.device_iterations = 16, .optimiser_off_chip = true}, {.headroom = 0});
  REQUIRE(back.size() == 1);
  CHECK(back[0].change == "the optimiser's state on the chip");
  CHECK(!back[0].with.optimiser_off_chip);
  CHECK(!has(plan::advise(predict, {.device_iterations = 16, .optimiser_off_chip = true}), "on the chip"));  // with 5 % free it would not fit
  const plan::configuration full{.replicas = 2};
  CHECK(has(plan::advise(predict, full), "sums of gradients shared out over replicas"));
  CHECK(has(plan::advise(predict, full), "weights shared out over replicas"));
  CHECK(!has(plan::advise(predict, plan::configuration{}), "shared out"));  // there is one
}

namespace {

/// The changes that are tried for a configuration, on a machine on which it fits or does not.
ipuflow::light_vector<std::string> changes_of(const plan::configuration& c, bool fits) {
  plan::prediction now{.total = {1}, .clock = {1e9}, .samples = 1, .tile_memory = {1000}, .code_region = {500}};
  now.memory.resize(c.ipus);
  for (plan::chip_memory& m : now.memory) m.bytes[memory_use::weights] = fits ? 100 : 2000;
  ipuflow::light_vector<std::string> made;
  plan::impl::each_change(c, {}, now, [&](const std::string& what, const auto& change) {
    plan::configuration n = c;
    change(n);
    CHECK_MESSAGE(!(n == c), what);
    made.push_back(what);
  });
  return made;
}

bool is_in(const ipuflow::light_vector<std::string>& all, const std::string& one) { return std::find(all.begin(), all.end(), one) != all.end(); }

}  // namespace

TEST_CASE("what only saves memory is tried where a plan does not fit, and what only takes more where it does") {
  const plan::configuration plain{.cuts = {4}, .ipus = 2, .replicas = 2, .accumulation = 4};
  plan::configuration saving = plain;
  saving.recompute = schedule::all_stages;
  saving.optimiser_off_chip = saving.shard_optimiser = saving.shard_gradients = saving.shard_weights = true;
  for (const char* saves : {"recomputation: stages keep what entered and make the rest again", "weights off the chip", "the optimiser's state off the chip",
                            "recomputation of stage 0", "half the memory proportion", "schedule sequential"}) {
    CHECK_MESSAGE(is_in(changes_of(plain, false), saves), saves);
    CHECK_MESSAGE(!is_in(changes_of(plain, true), saves), saves);
  }
  for (const char* takes : {"no recomputation: stages keep their activations", "stage 0 keeps its activations", "the optimiser's state whole on each replica",
                            "sums of gradients whole on each replica", "weights whole on each replica", "a memory proportion of 1"}) {
    CHECK_MESSAGE(is_in(changes_of(saving, true), takes), takes);
    CHECK_MESSAGE(!is_in(changes_of(saving, false), takes), takes);
    CHECK_MESSAGE((!is_in(changes_of(plain, true), takes) || std::string_view{takes}.ends_with("of 1")), takes);
  }
  for (const bool fits : {false, true}) CHECK(is_in(changes_of(saving, fits), "the optimiser's state on the chip"));
}

TEST_CASE("every choice that may make a step shorter is tried both ways") {
  plan::configuration c{.cuts = {4}, .ipus = 2, .accumulation = 4, .host_time = seconds{1e-3}};
  CHECK(is_in(changes_of(c, true), "prefetch of 6 micro-batches"));
  CHECK(is_in(changes_of(c, true), "asynchronous loading"));
  CHECK(is_in(changes_of(c, true), "32 I/O tiles, and chips wait for their neighbours alone"));
  CHECK(!is_in(changes_of(c, true), "no I/O tiles"));
  c.prefetch = 0, c.io_tiles = 64;
  CHECK(is_in(changes_of(c, true), "prefetch of 3 micro-batches"));
  CHECK(is_in(changes_of(c, true), "no I/O tiles"));
  CHECK(is_in(changes_of(c, true), "32 I/O tiles"));
  CHECK(is_in(changes_of(c, true), "chips wait for their neighbours alone"));
  c.waits_for_neighbours = true;
  CHECK(is_in(changes_of(c, true), "steps that all chips end together"));
  c.host_time = {};
  CHECK(!is_in(changes_of(c, true), "prefetch of 3 micro-batches"));  // data take no time
}

TEST_CASE("every schedule is tried, of chips with one stage and with several") {
  for (const std::size_t stages : {2u, 4u}) {
    plan::configuration c{.schedule = "zbv", .ipus = 2, .accumulation = 4};
    for (std::size_t s = 1; s < stages; ++s) c.cuts.push_back(s);
    for (const std::string_view name : plan::planned_schedules) CHECK(is_in(changes_of(c, true), "schedule " + std::string(name)) == (name != "zbv"));
    CHECK(!is_in(changes_of({}, true), "schedule grouped"));  // one chip
  }
}

}  // namespace advice_test
