// SPDX-License-Identifier: BSL-1.0
// A counter gives each number once; a scale reaches every element, in float and in half.
#include <ipuflow/ipu/engine/engine.hpp>
#include <ipuflow/nn/stage/stage_scalars.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace stage_scalars_test {

using namespace ipuflow;

TEST_CASE("a counter gives the number that it has, and goes on") {
  ipu::graph g(ipu::mk2, 1);
  const ipu::variable_id counter = g.add_variable(ipu::name_from("counter"), ipu::element_type::i32, 1, ipu::on_tile(1, 3));
  const ipu::variable_id number = g.add_variable(ipu::name_from("number"), ipu::element_type::i32, 1, ipu::on_tile(1, 3));
  const ipu::step program = nn::impl::count_up(g, counter, number);
  ipu::engine e(ipu::pod(ipu::mk2, 1), g, program);
  e.write(counter, std::vector<std::int32_t>{41});
  for (std::int32_t expected = 41; expected < 44; ++expected) {
    e.run();
    CHECK(e.read<std::int32_t>(number)[0] == expected);
  }
}

TEST_CASE_TEMPLATE("every element is multiplied, on all tiles", Element, float, half) {
  ipu::graph g(ipu::mk2, 1);
  const auto type = ipu::element_type_of<Element>();
  const ipu::variable_id factor = g.add_variable(ipu::name_from("scale"), ipu::element_type::f32, 1, ipu::on_tile(1, 0));
  const ipu::variable_id slopes = g.add_variable(ipu::name_from("slopes"), type, 24, ipu::linear(24, 6, 2));
  const ipu::step program = nn::impl::scaled_by(g, factor, slopes);
  ipu::engine e(ipu::pod(ipu::mk2, 1), g, program);
  std::vector<Element> before;
  for (int i = 0; i < 24; ++i) before.push_back(static_cast<Element>(static_cast<float>(i) - 7.5f));
  e.write(slopes, before);
  e.write(factor, std::vector<float>{16});
  e.run();
  const auto after = e.read<Element>(slopes);
  for (std::size_t i = 0; i < 24; ++i) CHECK(static_cast<float>(after[i]) == 16 * static_cast<float>(before[i]));
}

}  // namespace stage_scalars_test
