// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/threads/gradient_sums.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace gradient_sums_test {

using namespace ipuflow;
using train::accumulator_type;
using train::impl::accumulator_run;
using enum train::accumulator_type;

namespace {

using runs = ipuflow::light_vector<accumulator_run>;

/// Neighbouring tensors of so many numbers, in groups with these types.
ipuflow::light_vector<train::impl::piece> tensors(const ipuflow::light_vector<std::pair<std::size_t, accumulator_type>>& of) {
  ipuflow::light_vector<train::impl::piece> made;
  std::size_t begin = 0;
  for (const auto& [count, type] : of) {
    made.push_back({.begin = begin, .count = count, .accumulators = type});
    begin += count;
  }
  return made;
}

/// What becomes of equal gradients in three micro-batches of which each counts a quarter.
ipuflow::light_vector<float> sums_of(const runs& of, const ipuflow::light_vector<float>& gradient) {
  train::impl::gradient_sums sums{of};
  sums.add({1, 1}, light_span{gradient});
  sums.clear();
  for (int m = 0; m < 3; ++m) sums.add({1, 0.25f}, light_span{gradient});
  ipuflow::light_vector<float> made(gradient.size(), 1);
  sums.read(0, made);
  return made;
}

}  // namespace

TEST_CASE("Neighbouring tensors of one type are one run; a group's own type comes before that of the precision") {
  const auto all = tensors({{5, of_precision}, {3, f32}, {2, f16}, {4, f16}, {1, of_precision}});
  CHECK(train::impl::accumulator_runs(all, f32) == runs{{0, 8, f32}, {8, 6, f16}, {14, 1, f32}});
  CHECK(train::impl::accumulator_runs(all, f16) == runs{{0, 5, f16}, {5, 3, f32}, {8, 7, f16}});
  CHECK(train::impl::runs_within({{0, 8, f32}, {8, 6, f16}, {14, 1, f32}}, 6, 4) == runs{{0, 2, f32}, {2, 2, f16}});
  CHECK(train::impl::runs_within({{0, 8, f32}}, 3, 0).empty());
  CHECK(train::impl::runs_within({}, 3, 7) == runs{{0, 7, f32}});
}

TEST_CASE("Each run is added up in its type, whatever stands beside it") {
  constexpr float fine = 1 + 0x1p-12f;  // between two halves
  const ipuflow::light_vector<float> gradient(9, 4 * fine);
  const auto made = sums_of({{0, 3, f16}, {3, 1, f32}, {4, 3, f64}, {7, 2, f16}}, gradient);
  for (const std::size_t i : {0u, 1u, 2u, 7u, 8u}) CHECK(made[i] == 3);
  for (const std::size_t i : {3u, 4u, 5u, 6u}) CHECK(made[i] == 3 * fine);
}

TEST_CASE("A part of the totals is read where it is asked for, and sums over copies are rounded to their type") {
  train::impl::gradient_sums sums{{{0, 3, f16}, {3, 3, f32}}};
  sums.add({1, 1}, light_span<const float>{ipuflow::light_vector<float>{1, 2, 3, 4, 5, 6}});
  ipuflow::light_vector<float> two(2, 9);
  sums.read(2, two);
  CHECK(two == ipuflow::light_vector<float>{3, 4});
  for (float& x : two) x += 0x1p-12f;
  sums.round(2, two);
  CHECK(two == ipuflow::light_vector<float>{3, 4 + 0x1p-12f});
}

}  // namespace gradient_sums_test
