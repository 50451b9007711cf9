// SPDX-License-Identifier: BSL-1.0
// A program runs its phases in order, numbers micro-batches for each pass and chunk, and finds the oldest weights.
#include "reference_orders.hpp"

#include <ipuflow/schedule/forms/program.hpp>
#include <ipuflow/schedule/generators/zbv.hpp>

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

TEST_CASE("whole repeats that are passed over are as if they had been walked") {
  const program t = zbv({.ipus = 3, .micro_batches = 40});
  for (std::size_t ipu = 0; ipu < 3; ++ipu) {
    for (auto w = t.walk(ipu); w; ++w) {
      if (w.position().beat > 0) continue;
      const std::size_t left = w.phase().times - w.position().time;
      for (std::size_t repeats = 1; repeats <= left; ++repeats) {
        auto passed = w;
        auto walked = w;
        passed.pass_over(repeats);
        for (std::size_t i = repeats * w.phase().beats.size(); i > 0; --i) ++walked;
        for (std::size_t i = 0; i < 10; ++i, ++passed, ++walked) {
          REQUIRE(static_cast<bool>(passed) == static_cast<bool>(walked));
          if (!passed) break;
          CHECK(*passed == *walked);
        }
      }
    }
  }
}

namespace {

phase_list weights_at_the_end(const grid& where, std::size_t) {
  phase_list phases;
  phases.push_back({where.micro_batches / 2, {{beat{pass::forward, 0}, beat{pass::backward, 0}}, 2}});
  phases.push_back({where.micro_batches - where.micro_batches / 2, {{beat{pass::forward, 0}, beat{pass::backward_inputs, 0}}, 2}});
  phases.push_back({where.micro_batches - where.micro_batches / 2, {{beat{pass::backward_weights, oldest}}, 1}});
  return phases;
}

}  // namespace

TEST_CASE("the oldest weights are found behind backwards that are whole, however many these are") {
  constexpr std::size_t many = 100'000'000'000;
  const program t{.where = {1, 1, many, layout::loop}, .phases = &weights_at_the_end};
  auto w = t.walk(0);
  w.pass_over(many / 2);
  CHECK(w->kind == pass::forward);
  CHECK(w->micro_batch == many / 2);
  w.pass_over(many / 2);
  CHECK(*w == placed{{pass::backward_weights, 0, many / 2}, 2 * many, false});
  ++w;
  CHECK(*w == placed{{pass::backward_weights, 0, many / 2 + 1}, 2 * many + 1, false});
}

}  // namespace program_test
