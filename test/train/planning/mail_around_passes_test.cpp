// SPDX-License-Identifier: BSL-1.0
#include "small_network.hpp"

#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/chips/cut_network.hpp>
#include <ipuflow/train/planning/mail_around_passes.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace mail_around_passes_test {

using namespace planning_test;
using schedule::pass;
using train::impl::leaves_chip;

TEST_CASE("values leave a chip where the next stage is on another one or the host takes them, gradients where the one before is") {
  const schedule::roster in_turn = schedule::tabulate(schedule::one_f_one_b({.ipus = 2, .micro_batches = 4})).where;
  CHECK(leaves_chip(in_turn, 0, 0, pass::forward));
  CHECK(!leaves_chip(in_turn, 0, 0, pass::backward));
  CHECK(leaves_chip(in_turn, 1, 1, pass::forward));
  CHECK(leaves_chip(in_turn, 1, 1, pass::backward));
  CHECK(leaves_chip(in_turn, 1, 1, pass::backward_inputs));
  CHECK(!leaves_chip(in_turn, 1, 1, pass::backward_weights));
  const schedule::roster folded = schedule::tabulate(schedule::zbv({.ipus = 2, .stages_per_ipu = 2, .micro_batches = 4})).where;
  CHECK(!leaves_chip(folded, 1, 1, pass::forward));  // stage 2 is on the same chip
  CHECK(leaves_chip(folded, 1, 1, pass::backward_inputs));
  CHECK(leaves_chip(folded, 1, 2, pass::forward));
  const schedule::roster crossed = schedule::tabulate(schedule::chimera({.ipus = 2, .micro_batches = 4})).where;
  for (const std::size_t chip : {0u, 1u}) {
    CHECK(leaves_chip(crossed, chip, 0, pass::forward));
    CHECK(leaves_chip(crossed, chip, 1, pass::backward));
  }
}

TEST_CASE("all copies from and to I/O tiles are of a pass, and those of a value have a beginning and an end") {
  const nn::network_on_tiles whole(network);
  const train::cut_network cut{whole, {3}};
  const schedule::table t = schedule::tabulate(schedule::one_f_one_b({.ipus = 2, .micro_batches = 6}));
  on::chips where{.system = ipu::pod(ipu::mk2, 2)};
  where.io_tiles = 16, where.sync = run::waits_for::neighbours;
  const run::chips_profile seen = train::count_step(cut, t, train::sgd{}, {.micro_batch = 2}, where);
  for (const std::size_t chip : {0u, 1u}) {
    const train::impl::mail_times mail = train::impl::mail_around_passes(seen, chip, {chip}, t);
    REQUIRE(mail.taken.size() == 1);
    const auto onwards = static_cast<std::size_t>(pass::forward), back = static_cast<std::size_t>(pass::backward);
    CHECK(mail.posted[0][onwards] > 0);  // to the next chip, or results to the host
    CHECK((mail.posted[0][back] > 0) == (chip == 1));
    CHECK((mail.taken[0][back] > 0) == (chip == 0));
    CHECK(mail.taken[0][onwards] > 0);  // from the host, or the chip before
    std::uint64_t copies = 0;
    for (const run::label_total& l : seen.totals()) {
      if (l.what.work == run::chips_work::exchange && l.what.chip == chip) copies += l.busy.value;
    }
    CHECK(mail.taken[0][onwards] + mail.taken[0][back] + mail.posted[0][onwards] + mail.posted[0][back] == copies);
  }
}

TEST_CASE("what a stage hands to another one of its chip at the end of a step is of its pass; other chips hand nothing on so") {
  const nn::network_on_tiles whole(network);
  const train::cut_network cut{whole, {1, 3, 5}};
  const schedule::table t = schedule::tabulate(schedule::zbv({.ipus = 2, .stages_per_ipu = 2, .micro_batches = 8}));
  const run::chips_profile seen = train::count_step(cut, t, train::sgd{}, {.micro_batch = 2}, {.system = ipu::pod(ipu::mk2, 2)});
  std::uint64_t all = 0, between = 0;  // of all exchanges on the second chip
  seen.for_each([&](const run::chips_activity& a) {
    if (a.what.work != run::chips_work::exchange) return true;
    for (const ipu::phase_run& r : seen.chips.phases[a.phases]) (r.what == ipu::phase::inter_chip ? between : all) += r.chip == 1 ? r.length.value : 0;
    return true;
  });
  const auto last = train::impl::handed_on_chip(seen, 1, {1, 2}, t), first = train::impl::handed_on_chip(seen, 0, {0, 3}, t);
  const auto onwards = static_cast<std::size_t>(pass::forward), back = static_cast<std::size_t>(pass::backward_inputs);
  CHECK(last[0][onwards] > 0);
  CHECK(last[1][back] > 0);
  CHECK(last[0][onwards] + last[1][back] == all);
  CHECK(between > 0);
  for (const train::impl::pass_counts& of : first)
    for (const std::uint64_t time : of) CHECK(time == 0);
}

}  // namespace mail_around_passes_test
