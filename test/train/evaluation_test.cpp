// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/evaluation.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <span>

namespace evaluation_test {

using namespace ipuflow;

namespace {

const train::result_column predictions{{0, 2, 1, 5, 4, 3, -3, -2, -1}, 3};  // the largest are 1, 0, 2

std::size_t right(std::span<const std::uint8_t> labels) { return train::count_right(predictions, labels, 3); }

}  // namespace

TEST_CASE("a prediction is right if its largest number is at the label") {
  CHECK(right(std::array<std::uint8_t, 3>{1, 0, 2}) == 3);
  CHECK(right(std::array<std::uint8_t, 3>{1, 1, 2}) == 2);
}

TEST_CASE("predictions of the last samples alone are compared with the last labels") {
  CHECK(right(std::array<std::uint8_t, 5>{0, 0, 1, 0, 2}) == 3);
}

TEST_CASE("scores add up; a step counts by its samples, its loss by its steps") {
  train::score s;
  CHECK(s.accuracy() == 0);
  CHECK(s.mean_loss() == 0);
  s.add(2, 3, 4);
  s.add(1, 6, 8);
  CHECK(s.accuracy() == 75);
  CHECK(s.mean_loss() == 1.5);
  CHECK(train::mean_of({{1, 2, 6}, 1}) == 3);
  CHECK(train::mean_of({}) == 0);
}

}  // namespace evaluation_test
