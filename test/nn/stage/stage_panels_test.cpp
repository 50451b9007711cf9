// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/nn/stage/stage_panels.hpp>

#include "tile_runner.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace stage_panels_test {

using namespace ipuflow;
using nn_test::check_pipeline;

namespace {

template <class P, std::size_t Stage>
nn::impl::stage_panels panels_of(const P&, const ipu::graph& g, const plan::lowering_options& o) {
  return {g, nn::tile_stage<P, Stage>::table, o};
}

constexpr auto encoder = pipeline(input<float, 6, 40>, per_sample<"class", std::uint8_t>,
    stage(block<"one">(nn::linear<40>, keep<"x">, nn::linear<120>, nn::attention<2>, nn::linear<40>, use<"x">(nn::add), nn::layer_norm,
                       nn::linear<80>, nn::gelu, nn::linear<40>)),
    stage(block<"two">(nn::linear<20>, nn::relu, nn::flatten, nn::linear<4>, use<"class">(nn::cross_entropy))));

}  // namespace

TEST_CASE("values between layers that know panels stand in panels, with one cut of the rows; ends of a stage stand in rows") {
  ipu::graph g(ipu::mk2);
  plan::lowering_options o{.samples = 4};
  const auto all = panels_of<decltype(encoder), 0>(encoder, g, o);
  const auto& plan = nn::tile_stage<std::remove_cv_t<decltype(encoder)>, 0>::plan;
  std::size_t row_parts = 0, in_panels = 0;
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    if (!all.cut(s).fits()) continue;
    if (row_parts == 0) row_parts = all.cut(s).row_parts;
    CHECK(all.cut(s).row_parts == row_parts);
  }
  CHECK(row_parts > 0);
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    if (all[i].order.is_plain()) continue;
    ++in_panels;
    CHECK(all[i].order.rows.parts == row_parts);
    CHECK(all[i].order.elements() == plan.slots[i].elements * o.samples);
    CHECK(!ipu::verify(all[i].map, all[i].order.elements(), ipu::mk2.tiles));
  }
  CHECK(in_panels >= 8);
  for (std::size_t i = 0; i < plan.entering; ++i) CHECK(all[i].order.is_plain());
  for (const std::size_t out : plan.leaving) CHECK(all[out].order.is_plain());
}

TEST_CASE("an encoder in panels is the host's: values, gradients, in every order of passes") {
  for (const bool waits : {false, true}) {
    check_pipeline(encoder, 4, {.waits = waits});
    check_pipeline(encoder, 3, {.waits = waits, .recomputes = true});
  }
  check_pipeline(encoder, 4, {.waits = true, .splits = true});
}

TEST_CASE("and so it is where products are done in turns") {
  std::size_t most = 1;
  for (const double share : {.006, .005, .004, .003}) {
    ipu::graph g(nn_test::few_tiles());
    plan::lowering_options o{.where = {.memory_proportion = share, .first_tile = 1}, .samples = 4};
    const auto all = panels_of<decltype(encoder), 0>(encoder, g, o);
    for (std::size_t s = 0; s < nn::tile_stage<std::remove_cv_t<decltype(encoder)>, 0>::plan.steps.size(); ++s) most = std::max(most, all.cut(s).turns);
    check_pipeline(encoder, 4, {.waits = true, .recomputes = true, .memory_proportion = share});
  }
  CHECK(most > 1);
}

TEST_CASE("a head that is cut by keys, too, reads panels of them") {
  constexpr auto wide = single_stage(input<float, 40, 48>, per_sample<"class", std::uint8_t>,
                                     block<"one">(nn::linear<48>, keep<"x">, nn::linear<144>, nn::attention<1>, nn::linear<48>, use<"x">(nn::add),
                                                  nn::flatten, nn::linear<4>, use<"class">(nn::cross_entropy)));
  check_pipeline(wide, 1, {});
}

TEST_CASE("where no cut fits, a product is planned by itself and its values stand in rows") {
  ipu::graph g(ipu::mk2);
  plan::lowering_options o{.samples = 4};
  o.where.memory_proportion = 1e-6;
  const auto all = panels_of<decltype(encoder), 0>(encoder, g, o);
  const auto& plan = nn::tile_stage<std::remove_cv_t<decltype(encoder)>, 0>::plan;
  for (std::size_t s = 0; s < plan.steps.size(); ++s) CHECK(!all.cut(s).fits());
  for (std::size_t i = 0; i < plan.slots.size(); ++i) CHECK(all[i].order.is_plain());
}

TEST_CASE("where no cut fits in a share, products are done in turns of rows, within it; in panels as all others") {
  constexpr auto wide = single_stage(input<half, 128, 768>, block<"one">(nn::linear<3072>, nn::gelu, nn::linear<768>, nn::linear<768>));
  const auto& plan = nn::tile_stage<std::remove_cv_t<decltype(wide)>, 0>::plan;
  ipu::graph g(ipu::mk2);
  plan::lowering_options o{.samples = 32};
  o.where.half_partials = true;
  std::size_t before = 16;
  for (const double share : {.1, .2, .25, .3, .4, .5, .6}) {
    o.where.memory_proportion = share;
    const auto all = panels_of<decltype(wide), 0>(wide, g, o);
    std::size_t products = 0, turns = 1, parts = 0;
    bytes most{};
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
      if (!all.cut(s).fits()) continue;
      ++products, turns = std::max(turns, all.cut(s).turns);
      CHECK((parts == 0 || parts == all.cut(s).all_row_parts()));
      parts = all.cut(s).all_row_parts();
      for (const ipu::product_pass pass : {ipu::product_pass::forward, ipu::product_pass::to_inputs, ipu::product_pass::to_weights}) {
        const ipu::planned_product p = all.cut(s).of(pass);
        if (pass != ipu::product_pass::to_inputs || plan.steps[s].computes_inputs) most = std::max(most, ipu::estimated(ipu::mk2, p.shape, p.plan).temporary);
      }
    }
    CHECK(products == 3);
    CHECK(most <= ipu::memory_for(g, o.where));
    CHECK((turns > 1) == (share < .35));
    CHECK(turns <= before);
    before = turns;
  }
}

TEST_CASE("an image that pixels are picked of has whole picks on each tile, and so has all that is as large") {
  constexpr auto shortcut = single_stage(input<half, 16, 14, 14>, block<"one">(nn::relu, keep<"x">, nn::conv2d<16, 3, 1, 1>, nn::relu,
                                                                               use<"x">(nn::add), nn::conv2d<32, 1, 2>, nn::relu));
  ipu::graph g(ipu::mk2);
  const plan::lowering_options o{.samples = 18};
  const auto all = panels_of<decltype(shortcut), 0>(shortcut, g, o);
  const auto& plan = nn::tile_stage<std::remove_cv_t<decltype(shortcut)>, 0>::plan;
  constexpr std::size_t picks = 2 * 14 * 2;  // two picked rows of 7, with the rows between them
  std::size_t images = 0;
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    if (plan.slots[i].elements != 16 * 14 * 14) {
      CHECK(all[i].map.empty());
      continue;
    }
    ++images;
    CHECK(!ipu::verify(all[i].map, plan.slots[i].elements * o.samples, ipu::mk2.tiles));
    for (const ipu::mapped_interval& held : all[i].map) CHECK(held.begin % picks == 0);
  }
  CHECK(images >= 4);
}

TEST_CASE("but not where few tiles would then hold all of it: planes of odd rows, of one sample") {
  constexpr auto few = single_stage(input<half, 64, 57, 57>, block<"one">(nn::conv2d<64, 1>, nn::conv2d<32, 1, 2>));
  ipu::graph g(ipu::mk2);
  const auto all = panels_of<decltype(few), 0>(few, g, {.samples = 1});
  const auto& plan = nn::tile_stage<std::remove_cv_t<decltype(few)>, 0>::plan;
  for (std::size_t i = 0; i < plan.slots.size(); ++i) CHECK(all[i].map.empty());
}

}  // namespace stage_panels_test
