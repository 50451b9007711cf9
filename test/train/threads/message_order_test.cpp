// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/threads/message_order.hpp>

#include "small_network.hpp"

#include <ipuflow/schedule/generators/catalogue.hpp>
#include <ipuflow/train/session.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace message_order_test {

using namespace ipuflow;
using schedule::schedule_wrong;

namespace {

schedule::table four_of_four() { return schedule::tabulate(schedule::gpipe(test::small_network, micro_batches<4>)); }

/// The passes of a kind of two micro-batches of a stage change places.
void swap(schedule::table& t, schedule::pass kind, std::size_t stage, std::size_t a, std::size_t b) {
  auto& row = t.rows[stage];
  const auto find = [&](std::size_t m) {
    return std::find_if(row.begin(), row.end(), [&](const schedule::placed& o) { return o.kind == kind && o.stage == stage && o.micro_batch == m; });
  };
  std::swap(find(a)->micro_batch, find(b)->micro_batch);
}

std::string said_of(const schedule::table& t) {
  CHECK_FALSE(schedule::verify(t));
  try {
    train::session session{test::small_network, t, train::sgd{}, test::small_options()};
    return "";
  } catch (const rejected<schedule::schedule_fault>& no) {
    return no.what();
  }
}

}  // namespace

TEST_CASE("Stages of every schedule of the catalogue take micro-batches in one order, each direction by itself") {
  std::size_t looked_at = 0;
  for (const auto name : schedule::schedule_names) {
    for (const std::size_t per_ipu : {1u, 2u}) {
      schedule::with_schedule(name, {.ipus = 4, .stages_per_ipu = per_ipu, .micro_batches = 16}, [&](const auto& t) {
        if (schedule::verify(t)) return;
        CHECK_FALSE(train::impl::verify_message_order(t));
        ++looked_at;
      });
    }
  }
  CHECK(looked_at >= 18);
}

TEST_CASE("A table whose neighbouring stages have another order is refused by a session on threads, with the place") {
  schedule::table forwards = four_of_four();
  swap(forwards, schedule::pass::forward, 1, 1, 2);
  CHECK(train::impl::verify_message_order(forwards) ==
        schedule::schedule_fault{schedule_wrong::channel_order, 0, 1, {1, schedule::nowhere, 1, 2, schedule::pass::forward}});
  CHECK(said_of(forwards) == "ipuflow: reads its channel out of order: forward of micro-batch 2 in stage 1 on IPU 1; IPU 0 sends micro-batch 1 first");

  schedule::table backwards = four_of_four();
  swap(backwards, schedule::pass::backward, 1, 0, 1);
  CHECK(said_of(backwards) == "ipuflow: reads its channel out of order: backward of micro-batch 0 in stage 0 on IPU 0; IPU 1 sends micro-batch 1 first");
}

TEST_CASE("Stages that all have one order may have any, and forwards another than backwards") {
  schedule::table t = four_of_four();
  for (std::size_t stage = 0; stage < 4; ++stage) swap(t, schedule::pass::backward, stage, 0, 3);
  CHECK(said_of(t).empty());
  for (std::size_t stage = 0; stage < 4; ++stage) swap(t, schedule::pass::forward, stage, 1, 2);
  CHECK(said_of(t).empty());
}

}  // namespace message_order_test
