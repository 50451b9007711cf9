// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/chips/tile_scale.hpp>

#include <ipuflow/ipu/engine/engine.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace tile_scale_test {

using namespace ipuflow;
using namespace ipuflow::train::impl;

namespace {

ipu::architecture chip_of_four() {
  ipu::architecture chip = ipu::mk2;
  chip.tiles = 4;
  return chip;
}

struct decided {
  float factor = 0;
  std::vector<std::int32_t> counts{};
  std::int32_t updates = 0;
  std::int32_t number = 0;
};

/// What comes of a factor of 8 after two good updates of four, if these stages have told that.
decided decide(const std::vector<float>& told) {
  ipu::graph g{chip_of_four()};
  const auto keep = [&](const char* name, ipu::element_type type, std::size_t n) {
    return g.add_variable(ipu::name_from(name), type, n, ipu::on_tile(n, 0));
  };
  const ipu::variable_id all = keep("told", ipu::element_type::f32, told.size()), updates = keep("updates", ipu::element_type::i32, 1),
                         number = keep("number", ipu::element_type::i32, 1);
  const tile_scale scale = add_tile_scale(g, {}, {});
  const ipu::step program = ipu::on_each_tile(
      g, "decide", decide_codelet({.factor = 1, .automatic = true, .patience = 3}), number,
      {ipu::whole(all), ipu::whole(scale.factor), ipu::whole(scale.counts), ipu::whole(updates), ipu::whole(number), ipu::whole(scale.used)});
  const ipu::chip_system one = ipu::pod(g.chip(), 1);
  ipu::engine e(one, g, program, {.checked = true});
  e.write(all, told);
  e.write(scale.factor, std::vector{8.0f});
  e.write(scale.counts, std::vector<std::int32_t>{2, 1});
  e.write(updates, std::vector<std::int32_t>{4});
  e.write(number, std::vector<std::int32_t>{-1});
  e.run();
  CHECK(e.read<float>(scale.used)[0] == 8);
  return {e.read<float>(scale.factor)[0], e.read<std::int32_t>(scale.counts), e.read<std::int32_t>(updates)[0],
          e.read<std::int32_t>(number)[0]};
}

}  // namespace

TEST_CASE("without an overflow the update is made and counted, and patience doubles the factor") {
  const decided made = decide({0, 0, 0});
  CHECK(made.factor == 16);
  CHECK(made.counts == std::vector<std::int32_t>{0, 1});
  CHECK(made.updates == 5);
  CHECK(made.number == 5);
}

TEST_CASE("an overflow in one stage skips the update in all, and halves the factor") {
  const decided made = decide({0, 3, 0});
  CHECK(made.factor == 4);
  CHECK(made.counts == std::vector<std::int32_t>{0, 2});
  CHECK(made.updates == 4);
  CHECK(made.number == skipped_update);
}

TEST_CASE("a number that is not finite overflows on its tile; running state is taken back") {
  const ipu::codelet overflow = overflow_codelet();
  ipu::graph g{chip_of_four()};
  const auto spread = [&](const char* name, ipu::element_type type, std::size_t n) {
    return g.add_variable(ipu::name_from(name), type, n, ipu::linear(n, 4, 0));
  };
  const ipu::variable_id slopes = spread("slopes", ipu::element_type::f32, 8), sums = spread("sums", ipu::element_type::f32, 4),
                         number = spread("number", ipu::element_type::i32, 4), state = spread("state", ipu::element_type::f32, 8);
  ipu::step program, clear;
  add_on_each(g, "overflow", {slopes, sums}, overflow, program);
  take_back_states(g, {{state, 0}}, number, clear, program);
  const ipu::step change = ipu::fill(g, state, 7);
  const ipu::step whole = ipu::sequence(clear, change, program);
  const ipu::chip_system one = ipu::pod(g.chip(), 1);
  for (const std::int32_t update : {skipped_update, std::int32_t{5}}) {
    ipu::engine e(one, g, whole, {.checked = true});
    const float far = std::numeric_limits<float>::infinity();
    e.write(slopes, std::vector<float>{1, 2, -far, 3, 0, std::numeric_limits<float>::quiet_NaN(), 1, 1});
    e.write(sums, std::vector<float>(4));
    e.write(number, std::vector<std::int32_t>(4, update));
    e.write(state, std::vector<float>(8, 3));
    e.run();
    CHECK(e.read<float>(sums) == std::vector<float>{0, 1, 1, 0});
    CHECK(e.read<float>(state) == std::vector<float>(8, update == skipped_update ? 3.0f : 7.0f));
  }
}

}  // namespace tile_scale_test
