// SPDX-License-Identifier: BSL-1.0
// Groups of parameters: each tensor is updated by the first group that chooses it, whatever its stage, whoever keeps its state.
#include "../small_network.hpp"

#include <ipuflow/train/optimisers/adam.hpp>
#include <ipuflow/train/optimisers/groups.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

namespace groups_test {

using namespace ipuflow;

constexpr auto decayed = train::in_groups(train::sgd{.rate = 0.5f}, train::parameter_group{train::biases, train::sgd{.rate = 0}},
                                          train::parameter_group{train::of_block<"b">, train::sgd{.rate = 0.25f}});
using groups = std::remove_const_t<decltype(decayed)>;
using rules = train::impl::rules_of<groups>;

static_assert(rules::group_of(decayed, {.block = "b", .biases = true}).group == 1, "the first that chooses");
static_assert(rules::group_of(decayed, {.block = "b"}).group == 2);
static_assert(rules::group_of(decayed, {.block = "bb"}).group == 0);
static_assert(rules::at(decayed, 0).rate == 0.5f && rules::at(decayed, 2).rate == 0.25f);
static_assert(!decayed.verify());
static_assert(train::in_groups(train::sgd{}, train::parameter_group{train::biases, train::sgd{.rate = -1}}).verify().where ==
              fixed_string{"rate"});

constexpr auto network =
    pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>, block<"a">(nn::flatten, nn::linear<4>, nn::tanh),
             block<"b">(nn::linear<5>, nn::tanh, nn::linear<4>, use<"label">(nn::cross_entropy)));
constexpr auto timetable = schedule::grouped(network, micro_batches<4>);

/// The numbers of weights and biases of each layer, in the order of the model.
constexpr std::size_t sizes[] = {36 * 4, 4, 4 * 5, 5, 5 * 4, 4};

/// Of each tensor of the model, whether a step has moved it.
template <class Optimiser>
std::string moved(const Optimiser& optimiser, std::size_t replicas = 1) {
  auto o = test::small_options();
  o.replicas = replicas;
  o.shard_optimiser = replicas > 1;
  train::session session{network, timetable, optimiser, o};
  const auto before = *session.parameters();
  session(test::made_up{session.samples_per_step()});
  std::string made;
  std::size_t at = 0;
  for (const std::size_t n : sizes) {
    bool differs = false;
    for (std::size_t i = at; i < at + n; ++i) differs = differs || session.parameters()->values[i] != before.values[i];
    made += differs ? 'x' : '-';
    at += n;
  }
  return made;
}

TEST_CASE("Tensors are chosen by their block, by being biases, or by anything that is known of them") {
  const train::sgd rule{.rate = 0.1f}, still{.rate = 0};
  for (const std::size_t replicas : {1u, 2u}) {
    CHECK(moved(rule, replicas) == "xxxxxx");
    CHECK(moved(train::in_groups(rule, train::parameter_group{train::biases, still}), replicas) == "x-x-x-");
    CHECK(moved(train::in_groups(rule, train::parameter_group{train::of_block<"a">, still}), replicas) == "--xxxx");
    CHECK(moved(train::in_groups(still, train::parameter_group{train::of_block<"a">, rule}), replicas) == "xx----");
    const auto last = [](const train::tensor_facts& t) { return t.block == "b" && t.layer == 2 && t.elements == 20; };
    CHECK(moved(train::in_groups(rule, train::parameter_group{last, still}), replicas) == "xxxx-x");
  }
}

TEST_CASE("Scales and shifts of norms are one-dimensional, as biases are; kernels and matrices are not") {
  constexpr auto with_norms = pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>,
                                       block<"a">(nn::conv2d<4, 3>, nn::batch_norm, nn::relu, nn::flatten),
                                       block<"b">(nn::linear<4>, nn::layer_norm, use<"label">(nn::cross_entropy)));
  std::string one, all;
  train::impl::layout_of<std::remove_const_t<decltype(with_norms)>>.each_tensor([&](std::size_t, const train::tensor_facts& t, std::size_t) {
    one += train::one_dimensional(t) ? '1' : 'n';
    all += train::biases(t) ? 'b' : '-';
  });
  CHECK(one == "n111n111");
  CHECK(all == "-b-b-b-b");
}

TEST_CASE("Groups of one rule learn what the rule learns, and figures may change between steps") {
  const train::adamw rule{.rate = 1e-2f};
  train::session plain{network, timetable, rule, test::small_options()};
  train::session cut{network, timetable, train::in_groups(rule, train::parameter_group{train::biases, rule}), test::small_options()};
  CHECK(test::train_for(plain) == test::train_for(cut));
  plain.optimiser().rate = cut.optimiser().others.rate = cut.optimiser().chosen[0].rule.rate = 1e-3f;
  CHECK(test::train_for(plain) == test::train_for(cut));
  cut.optimiser().chosen[0].rule.beta1 = 2;
  CHECK_THROWS_WITH(test::train_for(cut), doctest::Contains("beta1 of the optimiser"));
}

TEST_CASE("The rate of a run is that of all groups") {
  auto all = train::in_groups(train::rate_from<"rate">(train::sgd{}),
                              train::parameter_group{train::biases, train::rate_from<"rate">(train::sgd{.momentum = 0.5f})});
  train::impl::set_rate(all, with<"rate">(0.125f));
  CHECK(all.others.rate == 0.125f);
  CHECK(all.chosen[0].rule.rate == 0.125f);
}

}  // namespace groups_test
