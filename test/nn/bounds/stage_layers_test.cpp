// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/graph.hpp>
#include <ipuflow/nn/bounds/layer_bounds.hpp>
#include <ipuflow/nn/bounds/stage_layers.hpp>
#include <ipuflow/nn.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace stage_layers_test {

using namespace ipuflow;

constexpr auto network = single_stage(input<half, 64>, per_sample<"label", std::uint8_t>,
    block<"A">(nn::linear<64>, nn::relu, nn::linear<64>, nn::gelu, nn::relu, nn::linear<10>, use<"label">(nn::cross_entropy)));
using P = std::remove_cvref_t<decltype(network)>;
using tables = nn::impl::bound_tables<nn::impl::steps_of_stage<P, 0>>;

TEST_CASE("layers that are alike have one bound, unless one alone computes gradients of its inputs") {
  const auto all = tables::layers({.samples = 32}, nn::planned<P, 0, float>, {});
  REQUIRE(all.size() == 7);
  CHECK(all[1].forward == all[4].forward);
  CHECK(all[0].product == all[2].product);
  CHECK(all[0].product.outputs == 64);
  CHECK(all[5].product.outputs == 10);
  CHECK(all[3].code[0].name != all[1].code[0].name);
  CHECK(tables::unknown(all).empty());
}

TEST_CASE("a layer that shares its weights has a bound of its own, though another one is alike") {
  std::array<nn::impl::shared_step, tables::steps> shared{};
  shared[2] = {.is_shared = true};
  const auto all = tables::layers({.samples = 32}, nn::planned<P, 0, float>, shared);
  CHECK(all[0].is_product());
  CHECK_FALSE(all[2].is_product());
  CHECK(all[2].forward.temporary > 0);
}

TEST_CASE("values have their sizes and types") {
  CHECK(tables::elements[0] == 64);
  CHECK(tables::types[0] == ipu::element_type::f16);
  CHECK(tables::types[1] == ipu::element_type::f32);  // a label
}

TEST_CASE("an unknown layer is named") {
  auto all = tables::layers({}, nn::planned<P, 0, float>, {});
  all[3].is_known = false;
  CHECK(tables::unknown(all).view().find("gelu") != std::string_view::npos);
}

}  // namespace stage_layers_test
