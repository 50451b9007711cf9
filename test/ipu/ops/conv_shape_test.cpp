// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/conv_shape.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace conv_shape_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

TEST_CASE("rows touch each other both ways: by brute force") {
  for (std::size_t rows = 3; rows < 12; ++rows) {
    for (std::size_t kernel = 1; kernel <= 3; ++kernel) {
      for (std::size_t stride = 1; stride <= 3; ++stride) {
        for (std::size_t padding = 0; padding < kernel; ++padding) {
          const conv_shape s{1, 1, rows, rows, 1, kernel, kernel, stride, padding, 1, amp_precision::half_half};
          for (std::size_t begin = 0; begin < s.out_rows(); ++begin) {
            for (std::size_t end = begin; end <= s.out_rows(); ++end) {
              const auto [first, last] = s.input_rows(begin, end);
              for (std::size_t y = begin; y < end; ++y) {
                for (std::size_t k = 0; k < kernel; ++k) {
                  const std::size_t at = y * stride + k;
                  if (at >= padding && at - padding < rows) CHECK((first <= at - padding && at - padding < last));
                }
              }
            }
          }
          for (std::size_t begin = 0; begin < rows; ++begin) {
            const auto [first, last] = s.output_rows(begin, begin + 1);
            for (std::size_t y = 0; y < s.out_rows(); ++y) {
              const bool touches = y * stride <= begin + padding && begin + padding < y * stride + kernel;
              if (touches) CHECK((first <= y && y < last));
            }
            CHECK(last <= s.out_rows());
          }
        }
      }
    }
  }
}

TEST_CASE("rows seen: by brute force") {
  for (std::size_t kernel = 1; kernel <= 5; ++kernel) {
    for (std::size_t stride = 1; stride <= 3; ++stride) {
      const conv_shape s{1, 1, 40, 40, 1, kernel, kernel, stride, 0, 1, amp_precision::half_half};
      for (std::size_t count = 1; count < 5; ++count) {
        const auto [first, last] = s.input_rows(3, 3 + count);
        CHECK(s.rows_seen(count) == last - first);
        const auto [top, bottom] = s.output_rows(10, 10 + count);
        CHECK(bottom - top <= s.turned().seen_for(count));
        CHECK(s.turned().seen_for(count) <= bottom - top + 1);
      }
    }
  }
}

TEST_CASE("turned, channels change places and images do, twice is back") {
  const conv_shape s{2, 3, 17, 9, 5, 3, 3, 2, 1, 1, amp_precision::half_half};
  CHECK(s.turned().in_channels == 5);
  CHECK(s.turned().out_channels == 3);
  CHECK(s.turned().made_columns() == 9);
  CHECK(s.turned().seen_columns() == s.made_columns());
  CHECK(s.turned().turned() == s);
}

TEST_CASE("of one tap, what is left are as many places, in rows of words, without a stride") {
  for (std::size_t side = 1; side < 40; ++side) {
    for (std::size_t stride = 1; stride <= 3; ++stride) {
      const conv_shape s{2, 3, side, side + 1, 5, 1, 1, stride, 0, 1, amp_precision::half_half};
      const conv_shape t = s.simplified();
      CHECK(t.out_rows() * t.out_columns() == s.out_rows() * s.out_columns());
      CHECK(t.rows == t.out_rows());
      CHECK((t.columns % 2 == 0 || t.columns == s.out_columns()));
      CHECK(t.simplified() == t);
      CHECK(s.picks() == (stride > 1));
    }
  }
  const conv_shape padded{2, 3, 8, 8, 5, 1, 1, 2, 1, 1, amp_precision::half_half};
  CHECK(padded.simplified() == padded);
  CHECK(!padded.picks());
}

}  // namespace conv_shape_test
