// SPDX-License-Identifier: BSL-1.0
// Where a block is cut changes nothing that is computed or learned: weights, masks of dropout, groups of parameters and the order
// of the model are those of the whole block, bit for bit, on threads and on chips.
#include "chips_check.hpp"

#include <ipuflow/graph/regroup.hpp>
#include <ipuflow/train/optimisers/groups.hpp>

#include <cstddef>
#include <cstdint>

namespace session_cut_test {

using namespace ipuflow;

namespace {

constexpr auto cut_in_each = regroup(test::small_network, stage<"a">(), stage<"a[1]", "b">(), stage<"b[1]", "c">(), stage<"c[1]", "d">());
constexpr auto behind_flatten = regroup(test::small_network, stage<"a", "b">(), stage<"b[1]", "c">(), stage<"c[2]", "d">(), stage<"d[1]">());

/// A value that is kept before the cuts and used behind them.
constexpr auto residual =
    pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>,
             block<"in">(nn::flatten, nn::linear<8>, keep<"skip">, nn::relu, nn::dropout<0.25>, nn::linear<8>, use<"skip">(nn::add), nn::tanh),
             block<"out">(nn::linear<4>, use<"label">(nn::cross_entropy)));
constexpr auto residual_cut = regroup(residual, stage<"in">(), stage<"in[3]">(), stage<"in[5]">(), stage<"in[7]", "out">());

const auto rules = train::in_groups(train::adamw{.rate = 1e-2f}, train::parameter_group{train::of_block<"c">, train::adamw{.rate = 1e-3f}},
                                    train::parameter_group{train::of_block<"in">, train::adamw{.rate = 3e-3f}});

template <class Back, class P>
auto learned_by(const P& network, const Back& where) {
  train::session session{network, schedule::gpipe(network, micro_batches<4>), rules, test::small_options(), where};
  return test::train_for(session);
}

/// On threads, and on chips.
template <class A, class B>
void check_same(const A& whole, const B& parts) {
  const auto on_threads = learned_by(whole, on::threads{.count = 2}), cut_on_threads = learned_by(parts, on::threads{.count = 2});
  CHECK(on_threads.values == cut_on_threads.values);
  CHECK(on_threads.state == cut_on_threads.state);
  const on::chips chips{.system = test::small_system(4)};
  const auto on_chips = learned_by(whole, chips), cut_on_chips = learned_by(parts, chips);
  // A stage on tiles chooses one cut of the rows for all its products, so other stages add up in another order.
  CHECK(test::farthest(cut_on_chips.values, on_chips.values) < 1e-6);
  CHECK(test::farthest(cut_on_chips.state, on_chips.state) < 1e-6);
}

}  // namespace

TEST_CASE("A network that is cut inside its blocks learns the same model, bit for bit") {
  check_same(test::small_network, cut_in_each);
  check_same(residual, residual_cut);
  CHECK(learned_by(test::small_network, on::threads{}).values == learned_by(behind_flatten, on::threads{}).values);
}

TEST_CASE("A cut network begins with the same numbers, and one's model serves the other") {
  const auto whole = train::initial_model(residual, 7), cut = train::initial_model(residual_cut, 7);
  CHECK(whole.values == cut.values);
}

}  // namespace session_cut_test
