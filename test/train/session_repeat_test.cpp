// SPDX-License-Identifier: BSL-1.0
// A network of repeated blocks learns what the network written out learns, bit for bit, on threads and on chips: weights, masks of
// dropout and running statistics belong to the block's number and the op's place in it, wherever stages begin.
#include "chips_check.hpp"

#include <ipuflow/graph/regroup.hpp>
#include <ipuflow/graph/repeat.hpp>
#include <ipuflow/train/optimisers/groups.hpp>

#include <cstddef>
#include <cstdint>

namespace session_repeat_test {

using namespace ipuflow;

namespace {

template <fixed_string Name, fixed_string Skip>
constexpr auto layer = block<Name>(keep<Skip>, nn::layer_norm, nn::linear<12>, nn::gelu, nn::dropout<0.25>, nn::linear<8>, use<Skip>(nn::add));

constexpr auto first = block<"in">(nn::flatten, nn::linear<8>);
constexpr auto last = block<"out">(nn::linear<4>, use<"label">(nn::cross_entropy));
constexpr auto written =
    pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>, stage(first, layer<"layer[0]", "a">), stage(layer<"layer[1]", "b">),
             stage(layer<"layer[2]", "c">), stage(layer<"layer[3]", "d">, last));
constexpr auto repeated = pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>, split<3>(first, repeat<4>(layer<"layer", "skip">)), last);
constexpr auto cut_inside = regroup(repeated, stage<"in", "layer[0]">(), stage<"layer[0][2]", "layer[1]">(),
                                    stage<"layer[1][4]", "layer[2:4]">(), stage<"layer[3][6]", "out">());

const auto rules = train::in_groups(train::adamw{.rate = 1e-2f}, train::parameter_group{train::of_block<"layer[2]">, train::adamw{.rate = 1e-3f}});

template <class Back, class P>
auto learned_by(const P& network, const Back& where) {
  train::session session{network, schedule::gpipe(network, micro_batches<4>), rules, test::small_options(), where};
  return test::train_for(session);
}

}  // namespace

TEST_CASE("A repetition learns what its blocks written out learn, bit for bit") {
  const auto wanted = learned_by(written, on::threads{.count = 2});
  CHECK(learned_by(repeated, on::threads{.count = 2}).values == wanted.values);
  CHECK(learned_by(cut_inside, on::threads{.count = 2}).values == wanted.values);
  const on::chips chips{.system = test::small_system(4)};
  const auto on_chips = learned_by(written, chips);
  // A stage on tiles chooses one cut of the rows for all its products, so other stages add up in another order.
  CHECK(test::farthest(learned_by(repeated, chips).values, on_chips.values) < 1e-6);
  CHECK(test::farthest(learned_by(cut_inside, chips).values, on_chips.values) < 1e-6);
}

TEST_CASE("Repetitions have parameters of their own, and first ones of their own") {
  constexpr std::size_t each = (8 + 8) + (8 * 12 + 12) + (12 * 8 + 8);
  const auto model = train::initial_model(repeated, 7);
  CHECK(model.values.size() == (36 * 8 + 8) + 4 * each + (8 * 4 + 4));
  CHECK(model.values == train::initial_model(written, 7).values);
  const auto at = [&](std::size_t repetition) { return model.values[(36 * 8 + 8) + repetition * each + 16]; };
  CHECK(at(0) != at(1));
}

}  // namespace session_repeat_test
