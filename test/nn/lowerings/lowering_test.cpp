// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

namespace lowering_test {

using namespace nn_test;

TEST_CASE("Reals stand on tiles as halves or floats, whole numbers as 32 bits") {
  CHECK(std::is_same_v<nn::impl::tiled<tensor<half, 2, 3>>::type, tensor<half, 2, 3>>);
  CHECK(std::is_same_v<nn::impl::tiled<tensor<double, 2>>::type, tensor<float, 2>>);
  CHECK(std::is_same_v<nn::impl::tiled<std::uint8_t>::type, std::int32_t>);
  CHECK(std::is_same_v<nn::impl::tiled<float>::type, float>);
}

TEST_CASE("Values are spread over the tiles of their plan, a tile at least 128 bytes, in grains of 8") {
  const ipu::graph g{few_tiles()};
  const ipu::plan_options where{.first_tile = 3, .tiles = 20};
  CHECK(nn::spread(g, ipu::element_type::f32, 5, where) == ipu::on_tile(5, 3));
  CHECK(nn::spread(g, ipu::element_type::f32, 64, where) == ipu::linear(64, 2, 3));
  CHECK(nn::spread(g, ipu::element_type::f16, 64, where) == ipu::on_tile(64, 3));
  const ipu::mapping all = nn::spread(g, ipu::element_type::f16, 12'345, where);
  CHECK(all.size() == 20);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].tile == 3 + i);
    CHECK(all[i].begin % 4 == 0);
  }
}

TEST_CASE("Trained numbers come in the type that a layer computes with, for nothing where they have it") {
  tile_bench t;
  const ipu::variable_id v = t.variable(ipu::element_type::f32, 40);
  CHECK(t.l.as(v, ipu::element_type::f32).variable.index == v.index);
  const ipu::arranged made = t.l.as(v, ipu::element_type::f16);
  CHECK(t.g[made.variable].type() == ipu::element_type::f16);
  t.l.name = ipu::name_from("B1 conv2d");
  CHECK(t.l.name_of("weights").view() == "B1 conv2d weights");
  CHECK(t.g[t.l.temporary("sums", ipu::element_type::f32, 9)].name().view() == "B1 conv2d sums");
}

}  // namespace lowering_test
