// SPDX-License-Identifier: BSL-1.0
// What a stage computes is tested in stage_program_test; here, how code without types finds its way through the steps.
#include <ipuflow/nn/stage/host_stage.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace host_stage_test {

using namespace ipuflow;

namespace {

std::string seen;

template <char Name>
void note(const nn::impl::step_pass<float>& pass) {
  seen += Name;
  seen += pass.at.count == 1 ? static_cast<char>('0' + pass.at.first) : '*';
}

/// Steps that look at a group, or at the whole batch, over one slot.
struct made_up {
  std::vector<nn::slot_plan> slots{1};
  std::vector<nn::impl::step_plan> steps;
  std::vector<nn::step_kernels<float>> kernels;

  template <char Forward, char Weights>
  void add(bool whole, std::size_t segment) {
    nn::impl::step_plan step;
    step.facts.whole_batch = whole;
    step.segment = segment;
    step.runs_again = !whole;
    steps.push_back(step);
    kernels.push_back({&note<Forward>, nullptr, &note<Weights>});
  }
  nn::host_stage<float> stage(std::size_t samples, nn::stage_code<float>& code) const {
    code = {{.slots = slots, .steps = steps, .segments = steps.back().segment + 1}, kernels, {}};
    return {code, samples};
  }
};

template <class Pass>
std::string order_of(Pass pass) {
  seen.clear();
  pass();
  return seen;
}

}  // namespace

TEST_CASE("Steps run group by group between those that want the whole batch, and backwards the other way round") {
  made_up all;
  all.add<'a', 'A'>(false, 0);
  all.add<'b', 'B'>(false, 0);
  all.add<'c', 'C'>(true, 0);
  all.add<'d', 'D'>(false, 1);
  nn::stage_code<float> code;
  const auto stage = all.stage(2 * nn::lane_count, code);
  const nn::stage_memory memory{};
  float gradient = 0;
  CHECK(order_of([&] { stage.forward(memory, {}, {}); }) == "a0b0a1b1c*d0d1");
  CHECK(order_of([&] { stage.recompute(memory, {}, {}); }) == "a0b0a1b1d0d1");
  CHECK(order_of([&] { stage.backward_weights(memory, {}, {}, &gradient); }) == "D0D1C*B0A0B1A1");
  CHECK(order_of([&] { stage.backward(memory, {}, {}, &gradient); }) == "D0D1C*B0A0B1A1");
  CHECK(order_of([&] { stage.backward_by_segment(memory, {}, {}, &gradient); }) == "d0d1D0D1a0b0a1b1C*B0A0B1A1");
}

TEST_CASE("The parts found from behind are those found from the front") {
  for (unsigned pattern = 0; pattern < 64; ++pattern) {
    made_up all;
    for (unsigned i = 0; i < 6; ++i) all.add<'x', 'X'>((pattern >> i & 1) != 0, 0);
    std::vector<std::size_t> from_front, from_behind;
    for (std::size_t from = 0; from < 6; from = nn::impl::end_of_part(all, from, 6)) from_front.push_back(from);
    for (std::size_t end = 6; end > 0;) {
      end = nn::impl::begin_of_part(all, end, 0);
      from_behind.insert(from_behind.begin(), end);
    }
    CHECK(from_front == from_behind);
  }
}

}  // namespace host_stage_test
