// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/codelet.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>

namespace codelet_test {

using namespace ipuflow;
using namespace ipuflow::ipu;

TEST_CASE("a codelet says what its operands are, runs on them, and states its cost") {
  const codelet c(
      name_from("axpy"), 120_B,
      [](std::span<const float> x, inout<float> y, std::span<half> z) {
        for (std::size_t i = 0; i < x.size(); ++i) z[i] = half{y[i] += 2 * x[i]};
      },
      [](const architecture& chip, lengths n) { return vertex_cost{.bundles = n[0] * chip.workers}; });
  REQUIRE(c.operands().size() == 3);
  CHECK(c.operands()[0] == operand_kind{element_type::f32, true, false});
  CHECK(c.operands()[1] == operand_kind{element_type::f32, true, true});
  CHECK(c.operands()[2] == operand_kind{element_type::f16, false, true});
  std::array<float, 3> x{1, 2, 3};
  std::array<float, 3> y{10, 10, 10};
  std::array<half, 3> z{};
  vertex_memory memory;
  memory.data = {reinterpret_cast<std::byte*>(x.data()), reinterpret_cast<std::byte*>(y.data()),
                 reinterpret_cast<std::byte*>(z.data())};
  memory.elements = {3, 3, 3};
  c.run(memory);
  CHECK(y[2] == 16);
  CHECK(float{z[1]} == 14);
  CHECK(c.cost(mk2, std::array<std::size_t, 1>{5}) == vertex_cost{.bundles = 30});
  CHECK(c.code() == 120_B);
  CHECK(c.state() == 28_B);
}

TEST_CASE("a codelet may ask which vertex it is") {
  const codelet c(
      name_from("iota"), 40_B,
      [](std::size_t vertex, std::span<std::int32_t> out) { out[0] = static_cast<std::int32_t>(vertex); },
      [](const architecture&, lengths) { return vertex_cost{}; });
  std::int32_t out = 0;
  vertex_memory memory;
  memory.data[0] = reinterpret_cast<std::byte*>(&out);
  memory.elements[0] = 1;
  memory.index = 42;
  c.run(memory);
  CHECK(out == 42);
}

}  // namespace codelet_test
