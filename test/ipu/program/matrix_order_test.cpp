// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/matrix_order.hpp>

#include <doctest/doctest.h>

#include <algorithm>
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

TEST_CASE("an order of no elements is plain, and has one part at least along each dimension that is cut") {
  for (std::size_t rows = 0; rows < 3; ++rows) {
    for (std::size_t columns = 0; columns < (rows == 0 ? 3u : 1u); ++columns) {
      for (const matrix_order& o : {in_panels(rows, columns, 0), in_panels(rows, columns, rows), by_columns(rows, columns)}) {
        CHECK(o.is_plain());
        CHECK(o.elements() == 0);
        CHECK(o.block(0, 0) == 0);
        CHECK(o.block(o.rows.parts, o.columns.parts) == 0);
        CHECK(o.rows.most() <= rows);
        CHECK(o.columns.most() <= columns);
        CHECK(o.place(0) == 0);
        CHECK(o.together(0, 7) == 7);
        CHECK(o.whole_rows(0, 1) == 0);
        for_each_block(o, 0, 0, [](std::size_t, std::size_t, std::size_t) { CHECK(false); });
      }
    }
  }
}

TEST_CASE("parts cover a dimension in whole grains, and each element knows its part") {
  for (const dimension_cut& c : {dimension_cut{100, 7}, {100, 6, 16}, {3, 1, 16}, {33, 3, 16}, {16, 16}}) {
    std::size_t end = 0, largest = 0;
    for (std::size_t p = 0; p < c.parts; ++p) {
      CHECK(c.begin(p) == end);
      largest = std::max(largest, c.size(p));
      CHECK(c.begin(p) % c.grain == 0);
      CHECK(c.size(p) > 0);
      end += c.size(p);
      for (std::size_t i = c.begin(p); i < end; ++i) CHECK(c.part_of(i) == p);
    }
    CHECK(end == c.count);
    CHECK(largest <= c.most());
    CHECK(largest + c.grain > c.most());
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

TEST_CASE("whole rows of a block follow each other where they are stored") {
  constexpr matrix_order o = in_panels(8, 40, 3);  // panels of 16, 16 and 8 columns
  for (std::size_t index = 0; index < o.elements(); ++index) {
    for (const std::size_t width : {std::size_t{8}, std::size_t{16}}) {
      const std::size_t rows = o.whole_rows(index, width), column = index % 40;
      CHECK((rows > 0) == (width == 16 ? column == 0 || column == 16 : column == 32));
      for (std::size_t i = 0; i < rows * width; ++i) CHECK(o.place(index + i / width * 40 + i % width) == o.place(index) + i);
      CHECK((rows == 0 || o.whole_rows(index + rows * 40 - 40, width) == 1));
    }
  }
}

}  // namespace matrix_order_test
