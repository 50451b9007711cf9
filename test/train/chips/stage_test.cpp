// SPDX-License-Identifier: BSL-1.0
#include "chips_check.hpp"

namespace stage_test {

using namespace ipuflow;

namespace {

/// Two branches between two stages; a label goes past them, a value is kept in the second.
constexpr auto forked = pipeline(
    input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>, stage(block<"in">(nn::flatten, nn::linear<8>)).ipu<0>(),
    concurrent(stage(block<"left">(nn::linear<5>, nn::tanh)).ipu<1>(),
               stage(block<"right">(nn::relu, keep<"far">, nn::linear<5>)).ipu<2>()),
    stage(block<"out">(nn::add, nn::linear<8>, use<"far">(nn::add), nn::linear<4>, use<"label">(nn::cross_entropy)))
        .ipu<3>());
using forked_type = std::remove_const_t<decltype(forked)>;

template <class P>
train::impl::chips_stages<P, train::adamw> stages_of(std::vector<std::size_t> seats) {
  return {std::move(seats), 5, ipu::element_type::f32, {ipuflow::shared{train::adamw{}}}, {}};
}

}  // namespace

TEST_CASE("Branches on chips of their own learn what one program for all of them learns") {
  train::options o = test::small_options(3);
  o.outputs = feed::output_mode::all;
  test::check_on_chips(forked, schedule::grouped(forked, micro_batches<6>), o);
  test::check_on_chips(forked, schedule::sequential(forked, micro_batches<6>), o);
}

TEST_CASE("A branch's numbers begin behind those of the branches before it") {
  constexpr std::size_t before = train::impl::offsets_of<forked_type>.values[1];
  CHECK(train::impl::numbers_before<forked_type, 1, 0>().first == before);
  CHECK(train::impl::numbers_before<forked_type, 1, 1>().first == before + 8 * 5 + 5);
  CHECK(train::impl::numbers_before<forked_type, 1, nn::every_branch>().first == before);
}

TEST_CASE("What branches hand on enters the next stage branch by branch") {
  ipu::graph g{test::small_system(4).chip, 4};
  auto stages = stages_of<forked_type>({1, 2, 1});
  const plan::lowering_options o{.samples = 2};
  std::vector<std::size_t> handed_on;
  for (std::size_t branch = 0; branch < 2; ++branch) {
    plan::lowering_options of_branch = o;
    of_branch.branch = branch;
    const plan::lowered made = stages(g, 1, of_branch);
    for (const ipu::variable_id v : made.exit) handed_on.push_back(g[v].elements());
  }
  const plan::lowered next = stages(g, 2, o);
  std::vector<std::size_t> taken;
  for (const ipu::variable_id v : next.entry) taken.push_back(g[v].elements());
  CHECK(taken == handed_on);
  CHECK(stages.all().size() == 3);
  CHECK(stages.all()[0].values_begin < stages.all()[1].values_begin);
}

TEST_CASE("A stage that is only used has no update") {
  ipu::graph g{test::small_system(1).chip};
  auto stages = stages_of<forked_type>({1, 1, 1});
  const plan::lowered used = stages(g, 0, {.samples = 2, .training = false});
  CHECK(used.update.empty());
  const plan::lowered trained = stages(g, 0, {.samples = 2});
  CHECK_FALSE(trained.update.empty());
  CHECK(stages.all()[1].update.state.size() == 2);  // weights and biases
}

}  // namespace stage_test
