// SPDX-License-Identifier: BSL-1.0
// Messages are the crossings between IPUs; buffers are what waits, counted by looking at every moment.
#include "every_schedule.hpp"
#include "reference_times.hpp"

#include <ipuflow/schedule/analysis/traffic.hpp>
#include <ipuflow/schedule/lowering/csv_read.hpp>
#include <ipuflow/schedule/lowering/lower.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

namespace traffic_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

// Each of 4 micro-batches crosses 2 gaps twice. Constant evaluation refuses what reads or writes outside of anything.
static_assert(messages(one_f_one_b({.ipus = 3, .micro_batches = 4})).total() == 16);
static_assert(receive_buffers(one_f_one_b({.ipus = 3, .micro_batches = 4})).forward[0] == 0);

/// Eight values for stage 1 of two on the second IPU, of which the first `uses` are used.
constexpr std::size_t waiting_of_eight(std::size_t uses) {
  impl::arrivals all{2, 2};
  for (std::size_t m = 0; m < 8; ++m) all.made(false, 1, 1, 2 * m + 1);
  for (std::size_t m = 0; m < uses; ++m) all.used(false, 1, 1, 2 * m + 2);
  return all.most(false, 1);
}
static_assert(waiting_of_eight(8) == 1 && waiting_of_eight(5) == 3 && waiting_of_eight(0) == 8);

TEST_CASE("as many messages as lowering sends") {
  every::schedule({.ipus = 4, .chunks = 3, .micro_batches = 8}, [](auto, const setup&, const auto& t) {
    const pair_counts found = messages(t);
    std::size_t sends = 0;
    const action_rows rows = lower(t);
    for (std::size_t ipu = 0; ipu < rows.size(); ++ipu) {
      std::size_t here = 0;
      for (const action& a : rows[ipu]) here += a.kind == act::send_forward || a.kind == act::send_backward ? 1u : 0u;
      std::size_t counted = 0;
      for (std::size_t to = 0; to < rows.size(); ++to) counted += found(ipu, to);
      CHECK(here == counted);
      CHECK(found(ipu, ipu) == 0);
      sends += here;
    }
    CHECK(found.total() == sends);
  });
}

TEST_CASE("of an odd number of micro-batches that run both ways, the second half is the larger one") {
  const table t = read_csv("0F0,1F1,1F2\n,1F0,0F1,0F2");
  REQUIRE(!verify(t));
  CHECK(messages(t)(0, 1) == 1);
  CHECK(messages(t)(1, 0) == 2);
  CHECK(bytes_sent(t, [](std::size_t) { return 8_B; })(1, 0) == 16);
}

TEST_CASE("bytes of activations and of their gradients") {
  const auto t = one_f_one_b({.ipus = 3, .micro_batches = 5});
  const auto sent = bytes_sent(t, [](std::size_t stage) { return bytes{10 + stage}; });
  CHECK(sent(0, 1) == 50);
  CHECK(sent(1, 0) == 50);
  CHECK(sent(1, 2) == 55);
  CHECK(sent(0, 2) == 0);
  const auto joined = grouped(devices(0, on_ipus(1, 2), 0), micro_batches<6>);
  CHECK(messages(joined)(0, 1) == 12);  // forwards in, gradients of what comes back
  CHECK(messages(joined)(2, 0) == 12);
}

constexpr costs unequal{.forward = 2, .backward_inputs = 1, .backward_weights = 2};

/// Looks at every moment: the values that another IPU has made and the stage is not using yet.
template <class T>
void check_receive_buffers(const T& t, const costs& c) {
  const buffers found = receive_buffers(t, c);
  const auto all = reference::relaxed_times(t, c);
  for (std::size_t stage = 0; stage < t.where.stages; ++stage) {
    for (const bool back : {false, true}) {
      std::size_t most = 0;
      for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
        for (const auto& moment : all) {
          const std::size_t now = moment.start + moment.time;
          std::size_t waiting = 0;
          for (const auto& user : all) {
            const bool reads = back ? is_backward(user.what.kind) : user.what.kind == pass::forward;
            if (user.ipu != ipu || !reads || user.what.stage != stage || user.start < now) continue;
            for (const auto& maker : all) {
              const bool makes = back ? is_backward(maker.what.kind) && maker.what.stage == stage + 1
                                      : maker.what.kind == pass::forward && maker.what.stage + 1 == stage;
              if (!makes || maker.ipu == ipu || maker.what.micro_batch != user.what.micro_batch) continue;
              waiting += maker.start + maker.time <= now ? 1u : 0u;
            }
          }
          most = waiting > most ? waiting : most;
        }
      }
      CHECK((back ? found.backward : found.forward)[stage] == most);
    }
  }
}

TEST_CASE("receive buffers hold what has been made and is not yet used") {
  every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 8}, [&](auto, const setup&, const auto& t) {
    if (t.goes != pace::in_turn) check_receive_buffers(t, unequal);
  });
}

TEST_CASE("a stage that reads several IPUs takes a value of each, in whatever order they were made") {
  static constexpr device_map<6> where[] = {devices(2, on_ipus(0, 1), 2, 3, 3), devices(on_ipus(2, 3), 1, 2, 0, 0), devices(0, 1, 0, on_ipus(2, 3), 1)};
  for (const device_map<6>& d : where) {
    for (const std::size_t count : {10u, 20u}) {
      for (const mode run_for : {mode::training, mode::inference}) check_receive_buffers(grouped(d, count, run_for), unequal);
    }
  }
  CHECK(receive_buffers(grouped(where[0], 1000)).forward == receive_buffers(grouped(where[0], 100)).forward);
}

}  // namespace traffic_test
