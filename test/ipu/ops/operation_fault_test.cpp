// SPDX-License-Identifier: BSL-1.0
// Every operation says what its shape lacks, and which variable is not of that shape, where it is made.
#include <ipuflow/ipu/ops/operation_fault.hpp>

#include "said.hpp"

#include <ipuflow/ipu/ops/convolution.hpp>
#include <ipuflow/ipu/ops/gather.hpp>
#include <ipuflow/ipu/ops/pooling.hpp>
#include <ipuflow/ipu/ops/softmax.hpp>
#include <ipuflow/ipu/ops/stencil.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace operation_fault_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

struct bench {
  graph g{mk2};

  variable_id of(std::size_t elements) { return g.add_variable<float>("v", elements, linear(elements, 16)); }
  variable_id indices(std::size_t elements) { return g.add_variable<std::int32_t>("i", elements, linear(elements, 16)); }
};

TEST_CASE("Pooling: a size of 0, windows that are larger than images or lie in their padding, other elements") {
  const auto told = [](const pool_shape& s, std::size_t in = 32, std::size_t out = 8) {
    bench b;
    const variable_id x = b.of(in), y = b.of(out);
    const std::string forward = said_by([&] { pool(b.g, pooling::max, s, x, y); });
    std::string back = said_by([&] { pool_gradient(b.g, pooling::max, s, x, y, x); });
    if (const std::size_t at = back.find("_gradient"); at != std::string::npos) back.erase(at, 9);
    CHECK(back == forward);
    return forward;
  };
  CHECK(told({2, 4, 4, 2, 2}) == "nothing");
  CHECK(told({0, 4, 4, 2, 2}) == "ipuflow: ipu::pool is given 0 as planes; give at least 1");
  CHECK(told({2, 0, 4, 2, 2}, 0, 0) == "ipuflow: ipu::pool is given 0 as rows; give at least 1");
  CHECK(told({2, 4, 0, 2, 2}, 0, 0) == "ipuflow: ipu::pool is given 0 as columns; give at least 1");
  CHECK(told({2, 4, 4, 0, 2}) == "ipuflow: ipu::pool is given 0 as kernel; give at least 1");
  CHECK(told({2, 4, 4, 2, 0}) == "ipuflow: ipu::pool is given 0 as stride; give at least 1");
  CHECK(told({2, 4, 4, 5, 1}) ==
        "ipuflow: ipu::pool has windows of 5 rows, but images have 4 with their padding; make windows no larger");
  CHECK(told({2, 5, 2, 5, 1, 1}) ==
        "ipuflow: ipu::pool has windows of 5 columns, but images have 4 with their padding; make windows no larger");
  CHECK(told({2, 4, 4, 3, 2, 2}) ==
        "ipuflow: ipu::pool has 2 pixels of padding on each side, so windows of 3 may hold nothing else; pad by at most half a "
        "window");
  CHECK(told({2, 4, 4, 2, 2, std::numeric_limits<std::size_t>::max() / 2}).find("pixels of padding") != std::string::npos);
  CHECK(told({2, 4, 4, 2, 2}, 33) == "ipuflow: ipu::pool is given 'v' of 33 elements, but by its shape that has 32; give both alike");
  CHECK(told({2, 4, 4, 2, 2}, 32, 1) == "ipuflow: ipu::pool is given 'v' of 1 element, but by its shape that has 8; give both alike");
  bench b;  // the mean's gradient does not look at its input
  const variable_id none = b.of(1), y = b.of(8), dx = b.of(32);
  CHECK(said_by([&] { pool_gradient(b.g, pooling::mean, {2, 4, 4, 2, 2}, none, y, dx); }) == "nothing");
}

TEST_CASE("Convolutions: sizes of 0, groups that do not divide channels, large windows, other elements") {
  const auto told = [](const conv_shape& s, std::size_t in = 16, std::size_t weights = 4, std::size_t out = 9) {
    bench b;
    const variable_id x = b.of(in), w = b.of(weights), y = b.of(out);
    const std::string first = said_by([&] { convolution(b.g, s, x, w, y); });
    const auto same = [&](std::string other) {
      for (const char* more : {"_of_input_gradient", "_of_weight_gradient"}) {
        if (const std::size_t at = other.find(more); at != std::string::npos) other.erase(at, std::string(more).size());
      }
      CHECK(other == first);
    };
    same(said_by([&] { convolution_of_input_gradient(b.g, s, y, w, x); }));
    same(said_by([&] { convolution_of_weight_gradient(b.g, s, x, y, w); }));
    return first;
  };
  constexpr auto type = amp_precision::float_float;
  CHECK(told({1, 1, 4, 4, 1, 2, 2, 1, 0, 1, type}) == "nothing");
  const conv_shape right{1, 1, 4, 4, 1, 2, 2, 1, 0, 1, type};
  for (const auto& [member, name] : {std::pair{&conv_shape::batch, "batch"}, {&conv_shape::in_channels, "in_channels"},
                                     {&conv_shape::rows, "rows"}, {&conv_shape::columns, "columns"},
                                     {&conv_shape::out_channels, "out_channels"}, {&conv_shape::kernel_rows, "kernel_rows"},
                                     {&conv_shape::kernel_columns, "kernel_columns"}, {&conv_shape::stride, "stride"},
                                     {&conv_shape::groups, "groups"}}) {
    conv_shape wrong = right;
    wrong.*member = 0;
    CHECK(told(wrong) == std::string("ipuflow: ipu::convolution is given 0 as ") + name + "; give at least 1");
  }
  CHECK(told({1, 3, 4, 4, 2, 2, 2, 1, 0, 2, type}) ==
        "ipuflow: ipu::convolution has 3 in_channels, no multiple of 2 groups; give whole ones");
  CHECK(told({1, 2, 4, 4, 3, 2, 2, 1, 0, 2, type}) ==
        "ipuflow: ipu::convolution has 3 out_channels, no multiple of 2 groups; give whole ones");
  CHECK(told({1, 1, 4, 4, 1, 5, 2, 1, 0, 1, type}) ==
        "ipuflow: ipu::convolution has windows of 5 rows, but images have 4 with their padding; make windows no larger");
  CHECK(told(right, 17) == "ipuflow: ipu::convolution is given 'v' of 17 elements, but by its shape that has 16; give both alike");
  CHECK(told(right, 16, 3) == "ipuflow: ipu::convolution is given 'v' of 3 elements, but by its shape that has 4; give both alike");
  CHECK(told(right, 16, 4, 10) == "ipuflow: ipu::convolution is given 'v' of 10 elements, but by its shape that has 9; give both alike");
}

TEST_CASE("Products, sums, rows, tables and grids") {
  bench b;
  const variable_id none = b.of(0), two = b.of(2), six = b.of(6), eight = b.of(8), twelve = b.of(12), i = b.indices(3);
  const auto matrix = [&](variable_id a, variable_id c, variable_id out) {
    return said_by([&] { matmul(b.g, {2, 3, 4, amp_precision::float_float}, a, c, out); });
  };
  CHECK(matrix(six, twelve, eight) == "nothing");
  CHECK(matrix(eight, twelve, eight) == "ipuflow: ipu::matmul is given 'v' of 8 elements, but by its shape that has 6; give both alike");
  CHECK(matrix(six, six, eight) == "ipuflow: ipu::matmul is given 'v' of 6 elements, but by its shape that has 12; give both alike");
  CHECK(matrix(six, twelve, six) == "ipuflow: ipu::matmul is given 'v' of 6 elements, but by its shape that has 8; give both alike");
  const auto sum = [&](const reduce_shape& s, variable_id in, variable_id out) {
    return said_by([&] { static_cast<void>(reduce(b.g, reduce_operation::sum, s, in, out)); });
  };
  CHECK(sum({2, 3, 1}, six, two) == "nothing");
  CHECK(sum({2, 0, 1}, none, two) == "nothing");
  CHECK(sum({0, 3, 1}, none, none) == "ipuflow: ipu::reduce is given 0 as outer; give at least 1");
  CHECK(sum({2, 3, 0}, none, none) == "ipuflow: ipu::reduce is given 0 as inner; give at least 1");
  CHECK(sum({2, 3, 1}, six, six) == "ipuflow: ipu::reduce is given 'v' of 6 elements, but by its shape that has 2; give both alike");
  const auto rows = [&](std::size_t count, variable_id in, variable_id out) {
    const std::string back = said_by([&] { softmax_gradient(b.g, count, in, out, in); });
    CHECK((back == "nothing") == (said_by([&] { softmax(b.g, count, in, out); }) == "nothing"));
    return said_by([&] { softmax(b.g, count, in, out); });
  };
  CHECK(rows(2, eight, eight) == "nothing");
  CHECK(rows(0, eight, eight) == "ipuflow: ipu::softmax is given 0 as rows; give at least 1");
  CHECK(rows(9, eight, eight) == "ipuflow: ipu::softmax has 8 elements, no multiple of 9 rows; give whole ones");
  CHECK(rows(2, eight, six) == "ipuflow: ipu::softmax is given 'v' of 6 elements, but by its shape that has 8; give both alike");
  const auto table = [&](const gather_shape& s, variable_id t, variable_id out) {
    CHECK((said_by([&] { scatter_add(b.g, s, t, i, out, 1); }) == "nothing") == (said_by([&] { gather(b.g, s, t, i, out); }) == "nothing"));
    return said_by([&] { gather(b.g, s, t, i, out); });
  };
  CHECK(table({4, 2, 3}, eight, six) == "nothing");
  CHECK(table({0, 2, 3}, none, six) == "ipuflow: ipu::gather is given 0 as rows; give at least 1");
  CHECK(table({4, 0, 3}, none, none) == "ipuflow: ipu::gather is given 0 as width; give at least 1");
  CHECK(table({4, 2, 0}, eight, none) == "ipuflow: ipu::gather is given 0 as indices; give at least 1");
  CHECK(table({4, 2, 3}, eight, eight) == "ipuflow: ipu::gather is given 'v' of 8 elements, but by its shape that has 6; give both alike");
  CHECK(said_by([&] { add_to_rows(b.g, eight, none, eight); }) ==
        "ipuflow: ipu::add_to_rows is given 0 as elements of the bias; give at least 1");
  CHECK(said_by([&] { add_to_rows(b.g, eight, six, eight); }) ==
        "ipuflow: ipu::add_to_rows has 8 elements of the result, no multiple of 6 of the bias; give whole ones");
  CHECK(said_by([&] { five_point_step(b.g, {4, 4, 0, 1}, {}, eight, eight); }) ==
        "ipuflow: ipu::five_point_step is given 0 as grid_rows; give at least 1");
  CHECK(said_by([&] { five_point_step(b.g, {4, 4, 1, 1}, {}, eight, eight); }) ==
        "ipuflow: ipu::five_point_step is given 'v' of 8 elements, but by its shape that has 36; give both alike");
}

TEST_CASE("without a fault nothing is said") { CHECK(message(operation_fault{}).view() == ""); }

}  // namespace operation_fault_test
