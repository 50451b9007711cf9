// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/row_codelets.hpp>

#include "row_maps.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace row_codelets_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

TEST_CASE("Numbers that elements are given add up to the number times the elements of the row") {
  for (const row_order order : {row_order{24, 10}, row_order{1, 24}}) {
    for (const mapping& map : row_maps::all(240, 24, 7)) {
      const auto found = find_rows(map, element_type::f32, order, 6);
      for (const tile_rows& t : *found) {
        std::vector<float> numbers(t.slots * 2), spread(t.elements), ones(t.slots), sums(t.slots);
        std::iota(numbers.begin(), numbers.end(), 1.0f);
        spread_over_elements(t, order, std::span<const float>{numbers}, {2, 1}, spread.data());
        add_up_rows(t, order, std::span<float>{ones}, {}, [](std::size_t, std::size_t) { return 1.0f; });
        add_up_rows(t, order, std::span<float>{sums}, {}, [&](std::size_t i, std::size_t) { return spread[i]; });
        for (std::size_t s = 0; s < t.slots; ++s) CHECK(sums[s] == ones[s] * numbers[2 * s + 1]);
      }
    }
  }
}

TEST_CASE("Moments of parts, put together, are those of the whole, far from zero too") {
  std::vector<float> x;
  for (std::size_t i = 0; i < 700; ++i) x.push_back(4096.0f + static_cast<float>(i * 37 % 64) / 8);
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / 700;
  double squares = 0;
  for (const float v : x) squares += (static_cast<double>(v) - mean) * (static_cast<double>(v) - mean);
  std::array<float, 2> all{};
  float count = 0;
  for (const std::size_t length : {3u, 0u, 200u, 1u, 496u}) {
    const auto begin = static_cast<std::size_t>(count);
    if (length == 0) {
      const std::array<float, 2> none{};
      ipu::impl::add_moments(all.data(), count, none.data(), 0);
      continue;
    }
    const row_order order{length, 1};
    const auto t = find_rows(linear(length, 1), element_type::f32, order, 6);
    std::array<float, 2> part{};
    ipu::impl::moments_of_rows(t->front(), order, std::span<const float>{x}.subspan(begin, length), std::span<float>{part}, 1);
    ipu::impl::add_moments(all.data(), count, part.data(), static_cast<float>(length));
    count += static_cast<float>(length);
  }
  CHECK(std::abs(static_cast<double>(all[0]) - mean) < 1e-3);
  CHECK(std::abs(static_cast<double>(all[1]) - squares) < 1e-4 * squares);
}

TEST_CASE("A codelet for rows and one for columns, each counted once") {
  CHECK(ipu::impl::name_of_pass(binary::add, {8, 2}) == name_from("row add"));
  CHECK(ipu::impl::name_of_pass(binary::add, {1, 2}) == name_from("column add"));
}

}  // namespace row_codelets_test
