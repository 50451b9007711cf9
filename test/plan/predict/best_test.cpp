// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/predict/best.hpp>
#include <ipuflow/core/light_vector.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace best_test {

using namespace ipuflow;

namespace {

/// More stages have less on each chip and a longer bubble; large micro-batches are quicker and take more.
plan::prediction made_up(const plan::configuration& c) {
  plan::prediction p{.clock = {1e9}, .samples = c.samples_per_step(), .tile_memory = {1000}, .code_region = {500}};
  const auto stages = static_cast<double>(c.ipus), m = static_cast<double>(c.accumulation);
  const double each = (100 + 40.0 * static_cast<double>(c.micro_batch)) / stages * (c.recompute.all ? 1.3 : 1.0);
  p.total = {static_cast<std::uint64_t>(each * (m + stages - 1))};
  p.memory.resize(c.ipus);
  for (plan::chip_memory& chip : p.memory)
    chip.bytes[plan::memory_use::weights] = static_cast<std::uint32_t>(2000 / c.ipus + (c.recompute.all ? 20 : 100) * c.micro_batch);
  return p;
}

plan::chosen_stages evenly(const plan::configuration& c, const plan::staging& how) {
  ipuflow::light_vector<std::size_t> cuts;
  const std::size_t stages = c.ipus * std::max<std::size_t>(how.stages_per_ipu, 1);
  for (std::size_t s = 1; s < stages; ++s) cuts.push_back(4 * s);
  return {cuts, how.recompute == plan::recomputing::where_full ? schedule::all_stages : c.recompute};
}

constexpr std::size_t chips = 8, batch = 256;

}  // namespace

TEST_CASE("the best configuration is the best of all that fit") {
  const plan::choices of{.chips = chips, .batch = batch, .ipus = {1, 2, 3, 4, 8}, .schedules = {"1f1b", "grouped"}, .micro_batches = {1, 2, 4, 8, 512}, .most = 5};
  const plan::best_found found = plan::best(made_up, evenly, of);
  REQUIRE(found.best.size() == 5);
  double most = 0;
  std::size_t fit = 0, all = 0;
  for (const std::size_t ipus : {1u, 2u, 4u, 8u}) {  // 3 does not divide
    for (const std::size_t samples : {1u, 2u, 4u, 8u}) {
      for (const bool recompute : {false, true}) {
        plan::configuration c{.ipus = ipus, .replicas = chips / ipus, .micro_batch = samples, .recompute = recompute ? schedule::all_stages : schedule::stage_set{}};
        c.accumulation = batch / (samples * c.replicas);
        const std::size_t schedules = ipus == 1 ? 1 : 2;
        all += schedules;
        if (plan::verify_fits(made_up(c))) continue;
        fit += schedules;
        most = std::max(most, made_up(c).samples_per_second());
      }
    }
  }
  CHECK(found.planned == all);
  CHECK(found.fit == fit);
  CHECK(found.refused == 0);
  CHECK(found.best.front().then.samples_per_second() == most);
  for (std::size_t i = 1; i < found.best.size(); ++i) CHECK(found.best[i - 1].then.samples_per_second() >= found.best[i].then.samples_per_second());
  for (const plan::ranked& r : found.best) {
    CHECK(r.with.cuts == evenly(r.with, {}).cuts);
    CHECK(r.with.chips() == chips);
    CHECK(r.with.samples_per_step() == batch);
  }
}

TEST_CASE("stages on each chip are a choice where there are several chips") {
  const plan::choices of{.chips = 4, .batch = 64, .ipus = {1, 4}, .stages_per_ipu = {1, 2, 3}, .micro_batches = {1}, .recompute = {plan::recomputing::where_full}, .headroom = 0.2};
  ipuflow::light_vector<std::size_t> stages;
  const plan::best_found found = plan::best(
      made_up,
      [&](const plan::configuration& c, const plan::staging& how) {
        CHECK(how.headroom == 0.2);
        stages.push_back(how.stages_per_ipu);
        return evenly(c, how);
      },
      of);
  CHECK(stages == ipuflow::light_vector<std::size_t>{0, 1, 2, 3});  // one chip is one stage
  CHECK(found.planned == 4);
}

TEST_CASE("a host takes as long for a sample in all configurations") {
  const plan::choices of{.like = {.micro_batch = 2, .host_time = seconds{1e-3}}, .chips = 4, .batch = 64, .ipus = {1, 2, 4}, .micro_batches = {1, 2, 8}};
  std::size_t seen = 0;
  plan::impl::each_configuration(of, [&](const plan::configuration& c, const plan::staging&) {
    CHECK(c.host_time.value == doctest::Approx(5e-4 * static_cast<double>(c.micro_batch * c.replicas)));
    ++seen;
  });
  CHECK(seen == 18);
}

TEST_CASE("what is refused is counted and left out") {
  const auto refuses = [](const plan::configuration& c) {
    if (c.schedule == "grouped") throw_if(plan::fits_fault{.kind = plan::fits_wrong::code_region});
    return made_up(c);
  };
  const plan::best_found found = plan::best(refuses, evenly, {.chips = 8, .batch = 64, .ipus = {4}, .schedules = {"1f1b", "grouped"}, .recompute = {plan::recomputing::as_configured}});
  CHECK(found.planned == 2);
  CHECK(found.refused == 1);
  for (const plan::ranked& r : found.best) CHECK(r.with.schedule == "1f1b");
}

TEST_CASE("no chips and no batch are refused; micro-batches larger than the batch are none") {
  CHECK_THROWS_WITH((void)plan::best(made_up, evenly, {.chips = 0}), "ipuflow: a plan with chips 0 runs nothing; give it at least 1");
  CHECK_THROWS_WITH((void)plan::best(made_up, evenly, {.chips = 2, .batch = 0}), "ipuflow: a plan with batch 0 runs nothing; give it at least 1");
  CHECK(plan::best(made_up, evenly, {.chips = 2, .batch = 8, .micro_batches = {std::size_t{1} << 63, 16}}).planned == 0);
}

TEST_CASE("a configuration that lists of choices name twice stands once") {
  const plan::choices of{.chips = 4, .batch = 64, .ipus = {4}, .stages_per_ipu = {0, 1}, .schedules = {"1f1b", "1f1b"}, .micro_batches = {2}};
  const plan::best_found found = plan::best(made_up, evenly, of);
  REQUIRE(!found.best.empty());
  for (std::size_t i = 0; i < found.best.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) CHECK(found.best[i].with != found.best[j].with);
  }
}

TEST_CASE("the best are given I/O tiles, by steps or waiting for neighbours, where that is faster and fits") {
  std::size_t refused = 0;
  const auto predict = [&](const plan::configuration& c) {
    if (c.waits_for_neighbours && c.io_tiles == 64) {
      ++refused;
      throw_if(plan::fits_fault{.kind = plan::fits_wrong::code_region});
    }
    plan::prediction p = made_up(c);
    const double times = c.io_tiles == 0 ? 1 : c.io_tiles == 16 ? 0.5 : c.waits_for_neighbours ? 0.7 : 0.9;
    p.total = {static_cast<std::uint64_t>(static_cast<double>(p.total.value) * times)};
    if (c.io_tiles == 16) p.memory[0].bytes[plan::memory_use::buffers] = 2000;
    return p;
  };
  plan::choices of{.chips = 4, .batch = 64, .ipus = {2, 4}, .recompute = {plan::recomputing::as_configured}, .most = 3};
  const plan::best_found before = plan::best(predict, evenly, of);
  of.io_tiles_of_best = {0, 16, 32, 64};
  const plan::best_found found = plan::best(predict, evenly, of);
  REQUIRE(!found.best.empty());
  CHECK(refused > 0);
  CHECK(found.planned == before.planned);
  for (const plan::ranked& r : found.best) {
    CHECK(r.with.io_tiles == 32);
    CHECK(r.with.waits_for_neighbours);
    CHECK(!plan::verify_fits(r.then, of.headroom));
  }
  of.chips = 1, of.ipus = {1}, of.micro_batches = {1}, of.headroom = 0;
  const auto alone = [&](const plan::configuration& c) {
    CHECK(!c.waits_for_neighbours);  // there are none
    plan::prediction p = predict(c);
    if (c.io_tiles != 16) p.memory[0].bytes = {};
    return p;
  };
  const plan::best_found one = plan::best(alone, evenly, of);
  REQUIRE(one.best.size() == 1);
  CHECK(one.best[0].with.io_tiles == 32);
}

TEST_CASE("schedules with the same plan stand once, under the first name") {
  const auto predict = [](const plan::configuration& c) {
    plan::prediction p = made_up(c);
    if (c.schedule == "gpipe") p.total += cycles{1};
    return p;
  };
  const plan::best_found found = plan::best(
      predict, evenly, {.chips = 4, .batch = 64, .ipus = {4}, .schedules = {"grouped", "popart", "gpipe"}, .recompute = {plan::recomputing::as_configured}, .most = 3});
  CHECK(found.planned == 3);
  CHECK(found.fit == 3);
  REQUIRE(found.best.size() == 2);
  CHECK(found.best[0].with.schedule == "grouped");
  CHECK(found.best[1].with.schedule == "gpipe");
}

TEST_CASE("a configuration counts once where full chips make no more stages recompute than were named, or fewer because they cannot") {
  for (const schedule::stage_set& named : {schedule::stage_set{}, schedule::stage_set{0, 2}, schedule::all_stages}) {
    for (const schedule::stage_set& again : {schedule::stage_set{}, schedule::stage_set{2}, schedule::stage_set{0, 2}, schedule::stage_set{1, 2}, schedule::all_stages}) {
      const auto stages_of = [&](const plan::configuration& c, const plan::staging& how) {
        plan::chosen_stages made = evenly(c, how);
        made.recompute = how.recompute == plan::recomputing::where_full ? again : schedule::stage_set{};
        return made;
      };
      const plan::best_found found = plan::best(made_up, stages_of, {.like = {.recompute = named}, .chips = 4, .batch = 64, .ipus = {4}});
      bool more = again.all && !named.all;
      for (std::size_t s = 0; s < 4; ++s) more = more || (again.has(s) && !named.has(s));
      CHECK(found.fit == (more ? 2 : 1));
    }
  }
}

TEST_CASE("what could not be among the best is not planned, and the best are the same") {
  for (const std::size_t most : {1u, 3u, 1000u}) {
    const plan::choices of{.chips = chips, .batch = batch, .ipus = {1, 2, 4, 8}, .schedules = {"1f1b", "grouped"}, .micro_batches = {1, 2, 4, 8}, .most = most};
    std::size_t planned = 0;
    const auto counts = [&](const plan::configuration& c, const plan::staging& how) { return ++planned, evenly(c, how); };
    const auto at_most = [](const plan::configuration& c, const plan::staging&) {
      plan::configuration without = c;
      without.recompute = {};
      return 1.1 * made_up(without).samples_per_second();
    };
    const plan::best_found all = plan::best(made_up, evenly, of), found = plan::best(made_up, counts, at_most, of);
    CHECK(found.planned == all.planned);
    CHECK(planned + found.slower + found.refused == found.planned);
    CHECK((found.slower > 0) == (most < 1000));
    REQUIRE(found.best.size() == all.best.size());
    for (std::size_t i = 0; i < all.best.size(); ++i) CHECK(found.best[i].then.total == all.best[i].then.total);
  }
}

TEST_CASE("blocks of the best go to other stages where that makes them faster, and what comes to the same stands once") {
  const auto best_at_two = [](const plan::configuration& c) {
    plan::prediction p = made_up(c);
    p.total.value += 10 * (c.cuts[0] > 2 ? c.cuts[0] - 2 : 2 - c.cuts[0]);
    return p;
  };
  using cut_list = ipuflow::light_vector<std::size_t>;
  plan::choices of{.chips = 4, .batch = 64, .ipus = {4}, .micro_batches = {1}, .recompute = {plan::recomputing::as_configured}};
  const auto found = [&](std::size_t first, std::size_t second) {  // the same configuration, cut in two ways
    of.stages_per_ipu = {0, 1};
    return plan::best(best_at_two, [&](const plan::configuration&, const plan::staging& how) { return plan::chosen_stages{{how.stages_per_ipu == 0 ? first : second, 8, 12}, {}}; }, of);
  };
  const plan::best_found once = found(4, 4);
  REQUIRE(once.best.size() == 1);
  CHECK(once.best.front().with.cuts == cut_list{2, 8, 12});
  CHECK(once.best.front().then.total == best_at_two(once.best.front().with).total);
  const plan::best_found twice = found(4, 3);
  REQUIRE(twice.best.size() == 1);
  CHECK(twice.best.front().with.cuts == cut_list{2, 8, 12});
  const plan::best_found other = found(4, 1);  // its first stage has one block
  REQUIRE(other.best.size() == 2);
  CHECK(other.best.front().with.cuts == cut_list{2, 8, 12});
  CHECK(other.best.back().with.cuts == cut_list{1, 8, 12});
}

TEST_CASE("a configuration of which it is not known how fast it may be is planned, and refused where others are; what is known not to fit is not") {
  const auto knows_none = [](const plan::configuration&, const plan::staging&) -> double { throw_if(plan::fits_fault{.kind = plan::fits_wrong::code_region}), std::abort(); };
  const plan::choices of{.chips = 8, .batch = 64, .ipus = {4}, .schedules = {"1f1b", "grouped"}, .recompute = {plan::recomputing::as_configured}};
  CHECK(plan::best(made_up, evenly, knows_none, of).best.size() == plan::best(made_up, evenly, of).best.size());
  const auto full = [](const plan::configuration& c, const plan::staging& how) {
    plan::chosen_stages made = evenly(c, how);
    made.fit = false;
    return made;
  };
  std::size_t planned = 0;
  const plan::best_found none = plan::best([&](const plan::configuration& c) { return ++planned, made_up(c); }, full, of);
  CHECK(planned == 0);
  CHECK(none.best.empty());
  CHECK(none.fit + none.refused == 0);
}

}  // namespace best_test
