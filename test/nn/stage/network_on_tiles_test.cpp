// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

namespace network_on_tiles_test {

using namespace ipuflow;

namespace {

constexpr auto network = single_stage(input<float, 32>, per_sample<"label", std::uint8_t>,
                                      block<"first">(nn::linear<24>, nn::relu),
                                      repeat<4>(block<"layer">(nn::linear<24>, nn::relu)),
                                      block<"last">(nn::linear<10>, use<"label">(nn::cross_entropy)));
constexpr plan::lowering_options how{.samples = 4};

bool same_ends(const ipu::graph& g, const ipuflow::light_vector<ipu::variable_id>& a, const ipu::graph& h, const ipuflow::light_vector<ipu::variable_id>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (g[a[i]].elements() != h[b[i]].elements() || g[a[i]].type() != h[b[i]].type()) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a network outside of its types has its blocks, their names and their numbers") {
  const nn::network_on_tiles whole(network);
  CHECK(whole.blocks() == 6);
  CHECK(whole.name_of(0) == "first");
  CHECK(whole.name_of(5) == "last");
  CHECK(whole.parameters() == 33 * 24 + 4 * 25 * 24 + 25 * 10);
  CHECK(whole.parameters_before(0) == 0);
  CHECK(whole.parameters_before(1) == 33 * 24);
  CHECK(whole.parameters_before(6) == whole.parameters());
  CHECK(whole.tensors() == 12);
}

TEST_CASE("inputs enter the first stage, or the one that reads them first") {
  const nn::network_on_tiles whole(network);
  ipu::graph g(ipu::mk2);
  CHECK(whole.lower(g, {0, 3}, how).entry.size() == 2);  // the label goes through
  CHECK(whole.lower(g, {0, 3}, how).exit.size() == 2);
  CHECK(whole.lower(g, {0, 3}, how, nn::inputs_enter::where_read).entry.size() == 1);
  CHECK(whole.lower(g, {0, 3}, how, nn::inputs_enter::where_read).exit.size() == 1);
  const plan::lowered last = whole.lower(g, {3, 6}, how, nn::inputs_enter::where_read);
  CHECK(last.entry.size() == 2);
  CHECK(g[last.entry[0]].elements() == 4 * 24);  // from the stage before, then what the host feeds
  CHECK(g[last.entry[1]].elements() == 4);
}

TEST_CASE("the ends of a stage are those of the stage, and its passes are empty") {
  const nn::network_on_tiles whole(network);
  for (const nn::block_range range : {nn::block_range{0, 2}, nn::block_range{2, 5}, nn::block_range{5, 6}, nn::block_range{0, 6}}) {
    for (const auto where : {nn::inputs_enter::in_front, nn::inputs_enter::where_read}) {
      ipu::graph g(ipu::mk2), h(ipu::mk2);
      const plan::lowered all = whole.lower(g, range, how, where), ends = whole.ends(h, range, how, where);
      CHECK(same_ends(g, all.entry, h, ends.entry));
      CHECK(same_ends(g, all.exit, h, ends.exit));
      REQUIRE(all.entry_gradients.size() == ends.entry_gradients.size());
      for (std::size_t i = 0; i < all.entry_gradients.size(); ++i) CHECK(all.entry_gradients[i].has_value() == ends.entry_gradients[i].has_value());
      for (std::size_t i = 0; i < all.exit_gradients.size(); ++i) {
        if (range.last < whole.blocks()) CHECK(all.exit_gradients[i].has_value() == ends.exit_gradients[i].has_value());
      }
      CHECK(ends.forward.empty());
      CHECK(ends.backward.empty());
      CHECK(ends.parameters.empty());
    }
  }
}

TEST_CASE("blocks that are lowered to the same programs are of one kind") {
  const nn::network_on_tiles whole(network);
  CHECK(whole.kind_of({1, 3}) == whole.kind_of({2, 4}));
  CHECK(whole.kind_of({1, 2}) == whole.kind_of({4, 5}));
  CHECK(whole.kind_of({1, 3}) != whole.kind_of({1, 2}));
  CHECK(whole.kind_of({0, 1}) != whole.kind_of({1, 2}));  // its input has no gradient
  CHECK(whole.kind_of({4, 5}) != whole.kind_of({5, 6}));
}

TEST_CASE("blocks that are not there are refused") {
  const nn::network_on_tiles whole(network);
  ipu::graph g(ipu::mk2);
  CHECK_THROWS((void)whole.lower(g, {3, 3}, how));
  CHECK_THROWS((void)whole.ends(g, {0, 7}, how));
}

}  // namespace network_on_tiles_test
