// SPDX-License-Identifier: BSL-1.0
// Every field of the back end changes what a step takes, as it says: none is ignored.
#include <ipuflow/train/chips/back_end.hpp>

#include "chips_check.hpp"

namespace chips_back_end_test {

using namespace ipuflow;

namespace {

run::chips_profile cost(on::chips where, bool io = false) {
  where.system = test::small_system(4);
  const auto t = schedule::grouped(test::small_network, micro_batches<16>, {.io_tiles = io});
  return train::session{test::small_network, t, train::adamw{}, test::small_options(2), where}.cost();
}

}  // namespace

TEST_CASE("What stands off the chips takes cycles and gives memory back; what the host does not send takes none") {
  const run::chips_profile plain = cost({});
  const auto always = [](const run::chips_profile& p) { return p.chips.memory.total(ipu::memory_category::always_live); };
  for (const on::chips& away : {on::chips{.weights = run::kept_in::streaming_memory},
                                on::chips{.optimiser_state = run::kept_in::streaming_memory},
                                on::chips{.accumulators = run::kept_in::streaming_memory}}) {
    CHECK(cost(away).chips.total > plain.chips.total);
    CHECK(always(cost(away)) < always(plain));
  }
  const run::chips_profile brought = cost({.activations = run::kept_in::streaming_memory});
  CHECK(always(brought) < always(plain));
  CHECK_FALSE(brought.chips.total == plain.chips.total);
  CHECK(cost({.synthetic = true}).chips.total < plain.chips.total);
}

TEST_CASE("Chips with synthetic data are counted and take no step: nothing would come there, and no result back") {
  const auto t = schedule::grouped(test::small_network, micro_batches<16>);
  const on::chips where{.system = test::small_system(4), .synthetic = true};
  train::session session{test::small_network, t, train::adamw{}, test::small_options(2), where};
  const train::model<> before = *session.parameters();
  const test::made_up data{session.samples_per_step()};
  CHECK_THROWS_WITH(session(data),
                    "ipuflow: chips with synthetic data take no step, as nothing comes there and no result back; ask for cost(), or leave "
                    "synthetic out");
  CHECK(session.updates() == 0);
  CHECK(*session.parameters() == before);
}

TEST_CASE("A session that names no system is on as many whole Mk2 chips as it needs") {
  const auto t = schedule::grouped(test::small_network, micro_batches<16>);
  const auto cycles = [&](const on::chips& where) {
    return train::session{test::small_network, t, train::adamw{}, test::small_options(2), where}.cost().chips.total;
  };
  CHECK(cycles({}) == cycles({.system = ipu::pod(ipu::mk2, 4)}));
  CHECK(train::impl::system_for({.system = test::small_system(4)}, 8) == test::small_system(4));
}

TEST_CASE("A host that makes samples ready slowly is waited for, where it holds none ready") {
  const seconds slow{1e-3};
  CHECK(cost({.prefetch = 0, .host_time = slow}).chips.total > cost({.prefetch = 3, .host_time = slow}).chips.total);
}

TEST_CASE("I/O tiles are set aside") {
  CHECK_FALSE(cost({.io_tiles = 4}, true).chips.total == cost({}, true).chips.total);
}

}  // namespace chips_back_end_test
