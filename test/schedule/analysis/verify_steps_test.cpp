// SPDX-License-Identifier: BSL-1.0
// What the steps of a table prove is right when it is run, and every table of the catalogue is proven by its steps.
#include "every_schedule.hpp"

#include <ipuflow/schedule/analysis/run_order.hpp>
#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/analysis/verify_steps.hpp>
#include <ipuflow/schedule/generators/dualpipe.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>
#include <ipuflow/schedule/generators/zbv.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string_view>

namespace verify_steps_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

static_assert(proven_by_steps(tabulate(one_f_one_b({.ipus = 4, .micro_batches = 8}))));
static_assert(!proven_by_steps(tabulate(one_f_one_b({.ipus = 4, .micro_batches = 0}))));  // refused

TEST_CASE("tables of schedules with forwards and backwards alone are proven") {
  for (const std::string_view name : {"gpipe", "1f1b", "interleaved_1f1b", "zb1p", "zb2p", "zbv", "v_half", "v_min", "looped_bfs"}) {
    every::schedule_of(name, {.ipus = 6, .chunks = 3, .micro_batches = 13}, [](auto, const setup&, const auto& t) {
      CHECK(proven_by_steps(tabulate(t)));
    });
  }
}

TEST_CASE("not proven, though right: stages on two IPUs, steps that are too early, what is not a pass") {
  const auto not_proven = [](const table& t) {
    CHECK_FALSE(proven_by_steps(t));
    CHECK_FALSE(verify(t));
  };
  not_proven(tabulate(dualpipe({.ipus = 4, .micro_batches = 8})));
  table t = tabulate(one_f_one_b({.ipus = 3, .micro_batches = 4}));
  for (auto& row : t.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) row[i].step = i;
  }
  not_proven(t);
  table with_update = tabulate(one_f_one_b({.ipus = 2, .micro_batches = 2}));
  with_update.rows[0].push_back({{pass::update, 0, 0}, 99, false});
  not_proven(with_update);
}

TEST_CASE("a step behind which there is no other proves nothing") {
  table t{grid{1, 1, 2, layout::loop}, mode::training};
  for (const op& o : {op{pass::backward, 0, 0}, op{pass::backward, 0, 1}}) t.rows[0].push_back({o, t.rows[0].size(), false});
  for (int twice = 0; twice < 2; ++twice) t.rows[0].push_back({{pass::forward, 0, 0}, nowhere, false});
  CHECK_FALSE(proven_by_steps(t));
  CHECK(verify(t));
}

TEST_CASE("of tables with one operation changed, none is proven that does not run to its end") {
  const auto change_all = [](const table& good) {
    REQUIRE(proven_by_steps(good));
    for (std::size_t ipu = 0; ipu < good.rows.size(); ++ipu) {
      for (std::size_t i = 0; i < good.rows[ipu].size(); ++i) {
        for (int how = 0; how < 8; ++how) {
          table t = good;
          auto& row = t.rows[ipu];
          const std::size_t other = (i + 1) % row.size();
          switch (how) {
            case 0: ++row[i].micro_batch; break;
            case 1: ++row[i].stage; break;
            case 2: row[i].kind = pass::backward; break;
            case 3: row[i].kind = pass::backward_weights; break;
            case 4: row[i].kind = pass::forward; break;
            case 5: row[i].step += 3; break;
            case 6: row[i].with_next = true; break;
            default: {
              const op kept = row[i];
              static_cast<op&>(row[i]) = row[other];
              static_cast<op&>(row[other]) = kept;
            }
          }
          const bool right = !verify_order(t);
          if (proven_by_steps(t)) CHECK(right);
          CHECK(static_cast<bool>(verify(t)) == !right);
        }
      }
    }
  };
  change_all(tabulate(one_f_one_b({.ipus = 3, .micro_batches = 4})));
  change_all(tabulate(zbv({.ipus = 2, .micro_batches = 3})));
}

}  // namespace verify_steps_test
