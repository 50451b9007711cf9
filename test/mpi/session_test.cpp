// SPDX-License-Identifier: BSL-1.0
// What processes learn together is what one learns, bit for bit.
#include <ipuflow/mpi/session.hpp>

#include "all_processes.hpp"
#include "train/small_gpt.hpp"
#include "train/small_network.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace session_test {

using namespace ipuflow;

namespace {

/// What a session has learned after so many updates.
template <class Session, class Data>
train::model<> learned(Session& session, const Data& data, std::size_t updates) {
  while (session.updates() < updates) session(data);
  return *session.parameters();
}

/// Compares what all processes learn together, with so many threads each, with what each of them learns alone.
template <class Data, class P, class T>
void learns_the_same(const P& pipeline, const T& timetable, const train::options& o, std::size_t updates, std::initializer_list<std::size_t> threads = {1}) {
  mpi::world& all = test::all_processes();
  if (all.processes() > o.replicas * timetable.where.ipus) return;
  train::session alone{pipeline, timetable, train::adamw{.rate = 1e-2f}, o, on::threads{.count = 1}};
  const Data data{alone.samples_per_step()};
  const train::model<> wanted = learned(alone, data, updates);
  for (const std::size_t count : threads) {
    train::session together{pipeline, timetable, train::adamw{.rate = 1e-2f}, o, on::processes{.world = all, .inner = {.count = count}}};
    CHECK(learned(together, data, updates) == wanted);
    CHECK(together.state().optimiser_numbers == alone.state().optimiser_numbers);
  }
}

}  // namespace

TEST_CASE("8 replicas over processes and threads, with state that is sharded and without") {
  auto o = test::small_options(3);
  o.replicas = 8;
  for (const bool sharded : {false, true}) {
    o.shard_optimiser = sharded;
    learns_the_same<test::made_up>(test::small_network, schedule::gpipe(test::small_network, micro_batches<2>), o, 20, {1, 2, 3, 4});
    learns_the_same<test::made_up_texts>(test::small_gpt, schedule::gpipe(test::small_gpt, micro_batches<1>), o, 20, {1, 2, 3, 4});
  }
}

TEST_CASE("a pipeline over processes, and replicas of it, by all schedules of the catalogue") {
  constexpr auto eight = pipeline(
      input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>, block<"a">(nn::flatten, nn::linear<8>), block<"b">(nn::linear<7>, nn::tanh), block<"c">(nn::linear<6>),
      block<"d">(nn::linear<8>, nn::gelu), block<"e">(nn::dropout<0.25>, nn::linear<7>), block<"f">(nn::linear<6>, nn::relu), block<"g">(nn::linear<5>),
      block<"h">(nn::linear<4>, use<"label">(nn::cross_entropy)));
  std::size_t checked = 0;
  const auto check_all = [&](const auto& pipeline, const schedule::setup& asked) {
    for (const std::string_view name : schedule::schedule_names) {
      CAPTURE(std::string{name});
      schedule::with_schedule(name, asked, [&](const auto& t) {
        if (t.refused || t.run_for == mode::inference || t.where.stages != pipeline.stage_count) return;
        auto o = test::small_options(2);
        learns_the_same<test::made_up>(pipeline, t, o, 5);
        o.replicas = 2;
        if (test::all_processes().processes() == 4) learns_the_same<test::made_up>(pipeline, t, o, 5);
        ++checked;
      });
    }
  };
  check_all(test::small_network, schedule::setup{4, 1, 8});
  check_all(eight, schedule::setup{4, 2, 8});
  MESSAGE(checked, " sessions");
}

}  // namespace session_test
