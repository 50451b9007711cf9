// SPDX-License-Identifier: BSL-1.0
// State of one type is a span of runs, state of several types a span of each; both lie in one block of bytes.
#include <ipuflow/train/optimisers/state.hpp>

#include <ipuflow/core/half.hpp>
#include <ipuflow/train/optimisers/adam.hpp>
#include <ipuflow/train/optimisers/sgd.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace state_test {

using namespace ipuflow;
using namespace ipuflow::train::impl;

using mixed = train::basic_adam<train::decay::decoupled, half, float>;

static_assert(std::is_same_v<train::adam::state_type, float>);
static_assert(std::is_same_v<mixed::state_type, train::mixed_state<half, float>>);
static_assert(state_layout_of<train::adam>::bytes == 8 && state_layout_of<mixed>::bytes == 6);
static_assert(rounded_count(0) == 0 && rounded_count(8) == 8 && rounded_count(9) == 16);

TEST_CASE("Runs of one type follow each other; runs of several types begin aligned, each behind all of the one before") {
  std::vector<std::byte> bytes(rounded_count(11) * 8);
  const auto plain = state_at<train::adam>({bytes.data(), 11, 3}, 5);
  CHECK(plain.size() == 10);
  CHECK(reinterpret_cast<std::byte*>(plain.data()) == bytes.data() + 3 * 8);
  CHECK(run_of<1>(plain, 5).data() == plain.data() + 5);
  const auto two = state_at<mixed>({bytes.data(), 11, 3}, 5);
  CHECK(run_of<0>(two, 5).size() == 5);
  CHECK(reinterpret_cast<std::byte*>(run_of<0>(two, 5).data()) == bytes.data() + 3 * 2);
  CHECK(reinterpret_cast<std::byte*>(run_of<1>(two, 5).data()) == bytes.data() + 16 * 2 + 3 * 4);
  CHECK(reinterpret_cast<std::uintptr_t>(run_of<1>(two, 5).data()) % alignof(float) == 0);
}

/// Remembers nothing.
struct plain_descent {
  using state_type = float;
  static constexpr std::size_t states = 0;
};

TEST_CASE("An optimiser that remembers nothing has an empty span") { CHECK(state_at<plain_descent>({}, 5).empty()); }

}  // namespace state_test
