// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/codelet.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstring>

namespace codelet_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

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

TEST_CASE("a codelet may read the fields of its vertex, and its cost, too") {
  struct line {
    std::int32_t begin, step;
  };
  const codelet c(
      name_from("line"), 40_B,
      [](const line& f, std::span<std::int32_t> out) {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = f.begin + f.step * static_cast<std::int32_t>(i);
      },
      [](const architecture&, lengths n, const line& f) {
        return vertex_cost{.bundles = n[0] * static_cast<std::size_t>(f.step)};
      });
  const vertex_fields fields = ipuflow::light_vector<line>{{1, 1}, {40, 2}};
  CHECK(fields.bytes() == 16);
  CHECK(c.field_size() == 8);
  CHECK(c.cost_varies());
  CHECK(c.cost(mk2, std::array<std::size_t, 1>{5}, fields.of(0)) == vertex_cost{.bundles = 5});
  CHECK(c.cost(mk2, std::array<std::size_t, 1>{5}, fields.of(1)) == vertex_cost{.bundles = 10});
  std::array<std::int32_t, 2> out{};
  vertex_memory memory;
  memory.data[0] = reinterpret_cast<std::byte*>(out.data());
  memory.elements[0] = out.size();
  memory.fields = fields.of(1);
  c.run(memory);
  CHECK(out == std::array<std::int32_t, 2>{40, 42});
}

TEST_CASE("fields are the same if their values are, whatever their padding holds") {
  struct padded {
    std::size_t rows = 0;
    bool turned = false;  // and seven bytes of nothing
    bool operator==(const padded&) const = default;
  };
  struct by_hand {
    std::size_t rows = 0;
    bool turned = false;
  };
  const auto repeats = []<class Field>(Field, std::size_t rows) {
    ipuflow::light_vector<Field> two(2);
    std::memset(static_cast<void*>(&two[0]), 0xff, sizeof(Field));
    std::memset(static_cast<void*>(&two[1]), 0, sizeof(Field));
    two[0].rows = 3, two[0].turned = true;
    two[1].rows = rows, two[1].turned = true;
    return vertex_fields{two}.repeats(1);
  };
  CHECK(repeats(padded{}, 3));
  CHECK_FALSE(repeats(padded{}, 4));
  CHECK_FALSE(repeats(by_hand{}, 4));  // nothing compares them, so each is costed
  const vertex_fields real = std::array{0.5f, 0.5f, 0.25f};
  CHECK(real.repeats(1));
  CHECK_FALSE(real.repeats(2));
}

}  // namespace codelet_test
