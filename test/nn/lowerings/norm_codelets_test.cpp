// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/lowerings/norm_codelets.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace norm_codelets_test {

using namespace ipuflow;
using namespace ipuflow::nn::impl;

namespace {

/// Twelve rows of 64 halves, of 64 columns, on four tiles.
norm_tables twelve_rows() {
  const ipu::mapping map = ipu::linear(12 * 64, 4, 0, 64);
  const ipu::row_order rows{64, 12}, columns{1, 64};
  return {ipu::find_rows(map, ipu::element_type::f16, rows, 6), rows, ipu::find_rows(map, ipu::element_type::f16, columns, 6), columns};
}

}  // namespace

TEST_CASE("What is fused costs the passes of the vendor's programs, one after the other") {
  const norm_tables of = twelve_rows();
  const auto busy = [](const ipu::vertex_cost& c) { return ipu::alone(c, ipu::mk2).value; };
  const ipu::tile_rows& t = (*of.tiles)[1];
  const ipu::tile_rows& columns = (*of.scale_tiles)[1];
  const std::uint64_t by_rows = busy(ipu::row_pass_cost(ipu::mk2, ipu::element_type::f16, t, of.order));
  const std::uint64_t by_columns = busy(ipu::row_pass_cost(ipu::mk2, ipu::element_type::f16, columns, of.scale_order));
  const std::uint64_t product = busy(ipu::binary_cost(ipu::mk2, ipu::binary::mul, ipu::element_type::f16, 3 * 64));
  const std::uint64_t row_sum = busy(ipu::row_reduce_cost(ipu::mk2, ipu::element_type::f16, t, of.order));
  const std::uint64_t column_sum = busy(ipu::row_reduce_cost(ipu::mk2, ipu::element_type::f16, columns, of.scale_order));
  const auto cost = [&](const ipu::codelet& c) {
    const std::uint32_t tile = 1;
    return busy(c.cost(ipu::mk2, {}, reinterpret_cast<const std::byte*>(&tile)));
  };
  CHECK(cost(norm_slopes_codelet<half, half>(of, 1)) == 2 * by_rows + by_columns + product + 2 * row_sum);
  CHECK(cost(norm_gradient_codelet<half, half>(of)) == 3 * by_rows + busy(ipu::scaled_add_cost(ipu::mk2, ipu::element_type::f16, 3 * 64)));
  CHECK(cost(norm_weights_codelet<half>(of)) == 2 * by_rows + product + 2 * column_sum);
}

TEST_CASE("The mean stays, the variance becomes one over the deviation") {
  std::array<float, 4> in{3, 4, -1, 0.25f}, out{};
  ipu::impl::vertex_memory memory;
  memory.data = {reinterpret_cast<std::byte*>(in.data()), reinterpret_cast<std::byte*>(out.data())};
  memory.elements = {4, 4};
  inverse_deviation_codelet().run(memory);
  CHECK(out[0] == 3);
  CHECK(out[1] == doctest::Approx(0.5).epsilon(1e-4));
  CHECK(out[2] == -1);
  CHECK(out[3] == doctest::Approx(2).epsilon(1e-4));
}

}  // namespace norm_codelets_test
