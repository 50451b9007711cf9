// SPDX-License-Identifier: BSL-1.0
// The n-th pass of a stage, by arithmetic, is the one that a walk comes to.
#include "../every_schedule.hpp"

#include <ipuflow/schedule/analysis/closed_times.hpp>
#include <ipuflow/schedule/analysis/nth_op.hpp>

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>

namespace nth_op_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

TEST_CASE("every operation of every schedule in closed form") {
  std::size_t checked = 0;
  every::schedule({.ipus = 6, .chunks = 3, .micro_batches = 26}, [&](std::string_view name, const setup&, const auto& t) {
    if constexpr (impl::runs_in_rounds<std::decay_t<decltype(t)>>) {
      std::size_t differ = 0;
      for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
        std::map<std::pair<std::size_t, pass>, std::size_t> done;
        std::size_t position = 0;
        for (auto w = t.walk(ipu); w; ++w, ++position) {
          const pass counted = w->kind == pass::backward_inputs ? pass::backward : w->kind;
          placed found = impl::nth_op(t, ipu, w->kind, w->stage, done[{w->stage, counted}]++, position);
          found.with_next = w->with_next;
          differ += found == *w ? 0u : 1u;
          ++checked;
        }
      }
      INFO(std::string{name}, " ", t.where.ipus, " ", t.where.micro_batches);
      CHECK(differ == 0);
    }
  });
  CHECK(checked > 100'000);
}

}  // namespace nth_op_test
