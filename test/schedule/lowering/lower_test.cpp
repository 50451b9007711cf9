// SPDX-License-Identifier: BSL-1.0
// Lowered programs are those of the published passes, and each send has its receive.
#include "every_schedule.hpp"

#include <ipuflow/schedule/lowering/csv.hpp>
#include <ipuflow/schedule/lowering/lower.hpp>

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <tuple>

namespace lower_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

TEST_CASE("1F1B on two IPUs") {
  CHECK(to_csv(lower(one_f_one_b({.ipus = 2, .micro_batches = 3}))) ==
        "0UNSHARD,0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0F2,0SEND_F2,0RECV_B1,0B1,0RECV_B2,0B2,0REDUCE_GRAD,"
        "0RESHARD\r\n"
        "1UNSHARD,1RECV_F0,1F0,1RECV_F1,1B0,1SEND_B0,1F1,1RECV_F2,1B1,1SEND_B1,1F2,1B2,1SEND_B2,"
        "1REDUCE_GRAD,1RESHARD\r\n");
  CHECK(to_csv(lower(gpipe({.ipus = 2, .micro_batches = 1}), {.gathered = 0})) ==
        "0F0,0SEND_F0,0RECV_B0,0B0,0REDUCE_GRAD\r\n1RECV_F0,1F0,1B0,1SEND_B0,1REDUCE_GRAD\r\n");
}

TEST_CASE("weights come before their use and leave when others are nearer") {
  const auto row = actions_of(looped_bfs({.ipus = 1, .stages_per_ipu = 4, .micro_batches = 1}))[0];
  std::string text;
  for (const action& a : with_weights(row, 2)) text += to_text(a) + " ";
  CHECK(text ==
        "0UNSHARD 1UNSHARD 0F0 0RESHARD 2UNSHARD 1F0 1RESHARD 3UNSHARD 2F0 3F0 3B0 3RESHARD 1UNSHARD "
        "2B0 2RESHARD 0UNSHARD 1B0 1RESHARD 0B0 0RESHARD ");
}

TEST_CASE("of every schedule: weights are there, sends and receives pair up in order, computations keep theirs") {
  every::schedule({.ipus = 4, .chunks = 4, .micro_batches = 8}, [](auto, const setup&, const auto& t) {
    const action_rows rows = lower(t, {.gathered = 2});
    std::map<std::tuple<bool, std::size_t, std::size_t>, int> sent, received;
    for (std::size_t ipu = 0; ipu < rows.size(); ++ipu) {
      std::map<std::size_t, bool> here;
      std::size_t reductions = 0;
      auto w = t.walk(ipu);
      for (const action& a : rows[ipu]) {
        if (a.kind == act::gather_weights || a.kind == act::release_weights)
          here[a.stage] = a.kind == act::gather_weights;
        reductions += a.kind == act::reduce_gradients ? 1u : 0u;
        if (a.kind == act::send_forward) ++sent[{true, a.stage + 1, a.micro_batch}];
        if (a.kind == act::send_backward) ++sent[{false, a.stage - 1, a.micro_batch}];
        if (a.kind == act::receive_forward) ++received[{true, a.stage, a.micro_batch}];
        if (a.kind == act::receive_backward) ++received[{false, a.stage, a.micro_batch}];
        if (!is_compute(a.kind)) continue;
        while (w && !has_word(w->kind)) ++w;
        CHECK(a.stage == w->stage);
        CHECK(a.micro_batch == w->micro_batch);
        CHECK(a.kind == act_of(w->kind));
        CHECK(here[a.stage]);  // also those of the second of two that run together
        ++w;
      }
      for (const auto& [stage, still] : here) CHECK_FALSE(still);
      CHECK(reductions == (t.run_for == mode::training ? here.size() : 0));
    }
    CHECK(sent == received);
  });
}

TEST_CASE("a backward for inputs with its weights behind it becomes whole") {
  std::string text;
  for (const action& a : with_whole_backwards(read_actions("0F0,0I0,0W0,0I1,1W1,0W1")[0])) text += to_text(a) + " ";
  CHECK(text == "0F0 0B0 0I1 1W1 0W1 ");
}

TEST_CASE("nothing comes between two that run together") {
  std::string text;
  for (const action& a : with_weights(read_actions("0F0,0F1,0F2,(0F3;1B0)OVERLAP_F_B,0F4")[0], 1))
    text += to_text(a) + " ";
  CHECK(text == "0UNSHARD 0F0 0F1 0F2 1UNSHARD 0F3 1B0 1RESHARD 0F4 0RESHARD ");
  text.clear();
  for (const action& a : with_reductions(read_actions("0F0,0F1,0B0,(0B1;1F0)OVERLAP_F_B,1B0")[0], 2))
    text += to_text(a) + " ";
  CHECK(text == "0F0 0F1 0B0 0B1 1F0 0REDUCE_GRAD 1B0 1REDUCE_GRAD ");
}

TEST_CASE("the weights of both that run together are gathered, even where that is one stage more than allowed") {
  std::string text;
  for (const action& a : with_weights(read_actions("0F0,1F0,(2F0;3B0)OVERLAP_F_B")[0], 3)) text += to_text(a) + " ";
  CHECK(text == "0UNSHARD 1UNSHARD 2UNSHARD 3UNSHARD 0F0 0RESHARD 1F0 1RESHARD 2F0 3B0 2RESHARD 3RESHARD ");
}

/// Lowering takes time in proportion to the operations: looking through the rest of the row at each of them would pass
/// the limit of a constant expression here.
static_assert(lower(one_f_one_b({.ipus = 1, .micro_batches = 1000}))[0].size() == 2003);

}  // namespace lower_test
