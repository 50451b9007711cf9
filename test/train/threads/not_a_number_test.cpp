// SPDX-License-Identifier: BSL-1.0
// Sessions that look are in loss_fault_test.cpp; here it is what is looked at.
#include <ipuflow/train/threads/not_a_number.hpp>

#include "small_network.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace not_a_number_test {

using namespace ipuflow;

TEST_CASE("padding between samples is no number of theirs") {
  using program = nn::stage_program<decltype(single_stage(input<float, 1>, block<"b">(nn::relu))), 0>;
  const program stage{1};
  alignas(128) nn::lanes<float> values[2]{};
  nn::stage_memory memory{};
  for (auto& area : memory.values) area = reinterpret_cast<std::byte*>(values);
  CHECK(!train::impl::slot_has_nan(stage, 0, memory));
  if (nn::lane_count > 1) values[0].set(1, std::numeric_limits<float>::quiet_NaN());
  CHECK(!train::impl::slot_has_nan(stage, 0, memory));
  values[0].set(0, std::numeric_limits<float>::quiet_NaN());
  CHECK(train::impl::slot_has_nan(stage, 0, memory));
}

}  // namespace not_a_number_test
