// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/nn/stage/stage_notes.hpp>
#include <ipuflow/nn/stage/tile_stage.hpp>

#include <algorithm>
#include <cstddef>

namespace stage_notes_test {

using namespace nn_test;

namespace {

constexpr auto network = single_stage(input<half, 4, 6, 6>, per_sample<"label", std::uint8_t>,
                                      block<"A">(nn::conv2d<4, 3, 1, 1>, nn::batch_norm, nn::relu, nn::group_norm<2>, nn::relu),
                                      block<"B">(nn::flatten, nn::linear<3>, use<"label">(nn::cross_entropy)));

std::size_t carried_notes(const plan::lowering_options& o) {
  ipu::graph g{few_tiles()};
  const plan::lowered made = nn::lower_stage<0>(network, g, o);
  return static_cast<std::size_t>(std::count_if(made.values.begin(), made.values.end(), [&](const plan::carried& v) {
    const bool is_note = g[v.made].name().view().find("statistics") != std::string_view::npos;
    if (is_note) CHECK((v.made.index != v.read.index) == o.values_wait);
    if (is_note) CHECK(g[v.made].type() == ipu::element_type::f32);
    return is_note;
  }));
}

}  // namespace

TEST_CASE("the statistics of norms wait with the values that backward passes read, unless they are made again") {
  plan::lowering_options o{.samples = 2, .training = true};
  CHECK(carried_notes(o) == 2);
  o.values_wait = true;
  CHECK(carried_notes(o) == 2);
  o.recomputes = true;
  CHECK(carried_notes(o) == 0);
  o.training = false;
  CHECK(carried_notes(o) == 0);
}

}  // namespace stage_notes_test
