// SPDX-License-Identifier: BSL-1.0
// Programs over channels of finite capacity: what stops, what does not, and that room never hurts.
#include "every_schedule.hpp"

#include <ipuflow/schedule/lowering/channels.hpp>
#include <ipuflow/schedule/lowering/csv.hpp>

#include <doctest/doctest.h>

namespace channels_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using enum schedule_wrong;

// Constant evaluation refuses what reads or writes outside of anything.
static_assert(!verify_channels(gpipe({.ipus = 2, .micro_batches = 3}), 0));
static_assert(verify_channels(one_f_one_b({.ipus = 2, .micro_batches = 3}), 0).kind == channel_deadlock);
static_assert(!verify_channels(gpipe({.ipus = 2, .micro_batches = 2}), 1));  // 8 actions per IPU, and room for no more

TEST_CASE("a rendezvous stops 1F1B where forward and backward meet") {
  const auto found = verify_channels(one_f_one_b({.ipus = 2, .micro_batches = 3}), 0);
  CHECK(found == schedule_fault{.kind = channel_deadlock, .where = {0, 3, 0, 1, pass::forward}});
  CHECK_FALSE(verify_channels(gpipe({.ipus = 4, .micro_batches = 8}), 0));
  CHECK_FALSE(verify_channels(inference({.ipus = 4, .micro_batches = 8}), 0));
  CHECK_FALSE(verify_channels(sequential({.ipus = 4, .micro_batches = 8}), 0));
}

TEST_CASE("receives posted when their sender runs pass a rendezvous too") {
  every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 8},
                  [](auto, const setup&, const auto& t) { CHECK_FALSE(verify_channels(t, 0, receives::early)); });
}

TEST_CASE("what runs over channels of some capacity runs over larger ones, and all run over large ones") {
  every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 8}, [](auto name, const setup&, const auto& t) {
    bool runs = false;
    for (const std::size_t capacity : {0u, 1u, 2u, 4u, 16u}) {
      const schedule_fault found = verify_channels(t, capacity);
      CHECK((!runs || !found));
      runs = runs || !found;
    }
    CAPTURE(name);
    CHECK(runs);
  });
}

TEST_CASE("what is sent in another order than it is read") {
  const action_rows rows = read_actions("0F0,0F1,0SEND_F1,0SEND_F0\n1RECV_F0,1F0,1RECV_F1,1F1");
  const grid where{2, 2, 2};
  CHECK(verify_channels(where, rows, 2) == schedule_fault{channel_order, 0, 1, {1, 0, 1, 0, pass::forward}});
}

TEST_CASE("a receive without a send, and the reverse") {
  const grid where{2, 2, 1};
  CHECK(verify_channels(where, read_actions("0F0\n1RECV_F0,1F0"), 4).kind == channel_deadlock);
  CHECK(verify_channels(where, read_actions("0F0,0SEND_F0\n1F0"), 0).kind == channel_deadlock);
  CHECK_FALSE(verify_channels(where, read_actions("0F0,0SEND_F0\n1F0"), 1));
}

TEST_CASE("what is of no stage or micro-batch, or has no row, is refused before anything is sent") {
  const table right = tabulate(one_f_one_b({.ipus = 2, .micro_batches = 2}));
  for (const receives when : {receives::just_in_time, receives::early}) {
    for (std::size_t ipu = 0; ipu < 2; ++ipu) {
      for (std::size_t i = 0; i < right.rows[ipu].size(); ++i) {
        for (const std::size_t number : {std::size_t{2}, std::size_t{77}, static_cast<std::size_t>(-1)}) {
          table t = right;
          op& o = t.rows[ipu][i];
          o.stage = number;
          CHECK(verify_channels(t, 1, when) == schedule_fault{schedule_wrong::stage_out_of_range, number, 2, {ipu, i, number, o.micro_batch, o.kind}});
          o.stage = ipu, o.micro_batch = number;
          CHECK(verify_channels(t, 1, when) == schedule_fault{schedule_wrong::micro_batch_out_of_range, number, 2, {ipu, i, ipu, number, o.kind}});
        }
      }
    }
    table less = right;
    less.rows.pop_back();
    CHECK(verify_channels(less, 1, when) == schedule_fault{schedule_wrong::other_rows, 1, 2});
  }
  for (const char* const program : {"2F0", "0F0,7SEND_F0\n1RECV_F0,1F0", "0F0,0SEND_F0\n2RECV_F0", "0F0\n1F0,2SEND_B0", "3RECV_B0"}) {
    CAPTURE(program);
    CHECK(verify_channels(right.where, read_actions(program), 1).kind == schedule_wrong::stage_out_of_range);
  }
  CHECK(verify_channels(grid{2, 2, 1}, read_actions("0F0,0SEND_F1\n1RECV_F1"), 1).kind == schedule_wrong::micro_batch_out_of_range);
}

TEST_CASE("concurrent stages") {
  const auto t = grouped(devices(0, on_ipus(1, 2), 3), micro_batches<12>);
  CHECK_FALSE(verify_channels(t, 1));
  CHECK(verify_channels(t, 0).kind == channel_deadlock);
}

}  // namespace channels_test
