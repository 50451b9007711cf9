// SPDX-License-Identifier: BSL-1.0
// A program runs its phases in order, numbers micro-batches for each pass and chunk, and finds the oldest weights.
#include "reference_orders.hpp"

#include <ipuflow/schedule/forms/program.hpp>

#include <doctest/doctest.h>

namespace program_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

namespace {

phase_list two_chunks(const grid&, std::size_t) {
  constexpr beat f0{pass::forward, 0}, f1{pass::forward, 1};
  phase_list phases;
  phases.push_back({2, {{f0, f1}, 2}});
  phases.push_back({0, {{f0}, 1}});
  phases.push_back({1, {{beat{pass::backward, 1}, beat{pass::backward_inputs, 1}, beat{pass::backward_inputs, 0}}, 3}});
  phases.push_back({2, {{beat{pass::backward_weights, oldest}}, 1}});
  return phases;
}

program made(std::size_t micro_batches) {
  return {.where = {1, 2, micro_batches, layout::loop}, .phases = &two_chunks};
}

}  // namespace

TEST_CASE("phases, numbering, and weights by age") {
  const reference::order expected{
      {pass::forward, 0, 0},         {pass::forward, 1, 0},          {pass::forward, 0, 1},
      {pass::forward, 1, 1},         {pass::backward, 1, 0},         {pass::backward_inputs, 1, 1},
      {pass::backward_inputs, 0, 0}, {pass::backward_weights, 1, 1}, {pass::backward_weights, 0, 0}};
  CHECK(reference::order_of(made(2), 0) == expected);
  CHECK(made(2).count(0) == 9);
  std::size_t position = 0;
  for (auto w = made(2).walk(0); w; ++w) CHECK(w->step == position++);
}

TEST_CASE("micro-batches beyond the schedule's are left out") {
  for (const op& o : reference::order_of(made(1), 0)) CHECK(o.micro_batch == 0);
  CHECK(made(1).count(0) == 5);
}

}  // namespace program_test
