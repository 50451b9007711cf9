// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/in_orders.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace in_orders_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

TEST_CASE("a copy between orders moves each element to its place, in as few pieces as there are runs") {
  const matrix_order from = in_panels(6, 40, 2), to = in_panels(6, 40, 3);
  const auto moved = [](const matrix_order& a, const matrix_order& b, std::vector<copy_piece> pieces) {
    std::vector<std::size_t> made(240, 1000);
    const std::vector<copy_piece> runs = in_orders(a, b, std::move(pieces));
    for (const copy_piece& p : runs)
      for (std::size_t c = 0; c < p.count; ++c)
        for (std::size_t i = 0; i < p.length; ++i) made[p.to.begin + c * p.to.step + i] = p.from.begin + c * p.from.step + i;
    return std::pair{made, runs.size()};
  };
  const auto [places, pieces] = moved(from, to, {{.length = 240}});
  for (std::size_t i = 0; i < 240; ++i) CHECK(places[to.place(i)] == from.place(i));
  CHECK(moved(from, from, {{.length = 240}}).second == 1);
  const auto [window, runs] = moved(from, {}, {{.from = {{}, 16, 40}, .to = {{}, 0, 16}, .length = 16, .count = 3}});
  CHECK(runs == 1);  // a panel of a part of the rows
  for (std::size_t i = 0; i < 48; ++i) CHECK(window[i] == from.place(i / 16 * 40 + 16 + i % 16));
}

}  // namespace in_orders_test
