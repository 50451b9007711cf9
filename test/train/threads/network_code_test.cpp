// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/threads/network_code.hpp>

#include "forked_network.hpp"

#include <ipuflow/train/tensors.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <type_traits>

namespace network_code_test {

using namespace ipuflow;

namespace {

using network = std::remove_cvref_t<decltype(test::forked_network)>;

}  // namespace

TEST_CASE("Every branch has its code, its parameters and its place") {
  constexpr const auto& code = train::impl::network_of<network, float>;
  CHECK(code.code.size() == code.seats.count());
  CHECK(code.seats.stages() == network::stage_count);
  CHECK(code.seats.all_values() == train::impl::offsets_of<network>.all_values());
  CHECK(code.seats.all_state() == train::impl::offsets_of<network>.all_state());
  for (std::size_t seat = 0; seat < code.seats.count(); ++seat) {
    CHECK(code.code[seat].plan.parameters == code.seats.values[seat + 1] - code.seats.values[seat]);
    CHECK(code.code[seat].plan.steps.size() == code.code[seat].steps.size());
    CHECK(code.code[seat].plan.leaving.size() == code.code[seat].leaves_at.size());
    CHECK(code.seats.first[code.seats.stage[seat]] + code.seats.branch[seat] == seat);
  }
}

TEST_CASE("Each value that leaves the pipeline leaves one branch of the last stage") {
  constexpr const auto& code = train::impl::network_of<network, float>;
  std::size_t found = 0;
  for (std::size_t seat = code.seats.first[code.seats.stages() - 1]; seat < code.seats.count(); ++seat) {
    for (std::size_t i = 0; i < code.code[seat].leaves_at.size(); ++i) {
      const nn::slot_plan& slot = code.code[seat].plan.slots[code.code[seat].plan.leaving[i]];
      const train::impl::output_code& out = code.outputs[code.code[seat].leaves_at[i]];
      CHECK(out.elements == slot.elements);
      CHECK(out.loss == slot.single);
      ++found;
    }
  }
  CHECK(found == code.outputs.size());
}

TEST_CASE("What does not train has the same places and no backward passes") {
  constexpr const auto& code = train::impl::network_of<network, float, false>;
  CHECK(code.seats.all_values() == train::impl::offsets_of<network>.all_values());
  for (const auto& seat : code.code) {
    for (const auto& step : seat.steps) CHECK((step.backward_inputs == nullptr && step.backward_weights == nullptr));
  }
}

}  // namespace network_code_test
