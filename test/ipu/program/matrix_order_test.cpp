// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/matrix_order.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace matrix_order_test {

using namespace ipuflow::ipu;

TEST_CASE("every element has one place, and a place knows its element") {
  const std::vector<matrix_order> orders{{},
                                         in_panels(10, 50, 3),
                                         in_panels(7, 16, 7),
                                         in_panels(5, 3, 2),
                                         by_columns(6, 11),
                                         {{40, 2, 16}, {70, 3, 16}},
                                         {{33, 3, 16}, {16, 1, 16}}};
  for (const matrix_order& o : orders) {
    const std::size_t elements = o.is_plain() ? 100 : o.elements();
    std::vector<bool> taken(elements, false);
    for (std::size_t i = 0; i < elements; ++i) {
      const std::size_t at = o.place(i);
      REQUIRE(at < elements);
      CHECK(!taken[at]);
      taken[at] = true;
      CHECK(o.index_of(at) == i);
      const std::size_t run = o.together(i, 7);
      REQUIRE(run > 0);
      for (std::size_t k = 1; k < run && i + k < elements; ++k) CHECK(o.place(i + k) == at + k);
    }
  }
}

TEST_CASE("parts cover a dimension in whole grains, and each element knows its part") {
  for (const dimension_cut& c : {dimension_cut{100, 7}, {100, 6, 16}, {3, 1, 16}, {33, 3, 16}, {16, 16}}) {
    std::size_t end = 0;
    for (std::size_t p = 0; p < c.parts; ++p) {
      CHECK(c.begin(p) == end);
      CHECK(c.begin(p) % c.grain == 0);
      CHECK(c.size(p) > 0);
      end += c.size(p);
      for (std::size_t i = c.begin(p); i < end; ++i) CHECK(c.part_of(i) == p);
    }
    CHECK(end == c.count);
  }
}

TEST_CASE("columns of a matrix by columns stand one after the other") {
  constexpr matrix_order o = by_columns(3, 4);
  static_assert(o.place(0) == 0 && o.place(4) == 1 && o.place(1) == 3 && o.place(11) == 11);
}

TEST_CASE("a run of panels is a run: any columns of a part of the rows, at multiples of sixteen") {
  constexpr matrix_order o = in_panels(8, 64, 2);
  for (std::size_t row = 4; row < 8; ++row) {
    for (std::size_t column = 16; column < 48; ++column) {
      const std::size_t at = o.place(row * 64 + column);
      CHECK(at >= o.block(1, 1));
      CHECK(at < o.block(1, 3));
    }
  }
}

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

}  // namespace matrix_order_test
