// SPDX-License-Identifier: BSL-1.0
#include "optimiser_reference.hpp"

#include <ipuflow/train/chips/tile_update.hpp>
#include <ipuflow/train/optimisers/adam.hpp>
#include <ipuflow/train/optimisers/lamb.hpp>
#include <ipuflow/train/optimisers/lars.hpp>
#include <ipuflow/train/optimisers/sgd.hpp>

namespace tile_update_test {

using namespace ipuflow;

namespace {

/// Halves that change what they should only read, that are not there, whose sums are no numbers, and that are right.
struct changes_in_prepare : train::lamb {
  sums_type prepare(std::span<float>, std::span<const float>, std::span<float>, std::size_t) const { return {}; }
};
struct no_finish : train::sgd {
  using sums_type = std::array<double, 1>;
  sums_type prepare(std::span<const float>, std::span<const float>, std::span<float>, std::size_t) const { return {}; }
};
struct one_sum : train::sgd {
  using sums_type = double;
};
struct of_floats : no_finish {
  void finish(std::span<float>, std::span<const float>, std::span<float>, std::size_t, const sums_type&) const {}
};

template <class Optimiser>
constexpr train::contract_wrong on_tiles = train::impl::verify_update_on_tiles<Optimiser>().kind;
static_assert(on_tiles<train::sgd> == train::contract_wrong::nothing && on_tiles<train::lamb> == train::contract_wrong::nothing);
static_assert(on_tiles<train::lars> == train::contract_wrong::nothing && on_tiles<of_floats> == train::contract_wrong::nothing);
static_assert(on_tiles<train::rule_groups<train::lamb, 1>> == train::contract_wrong::nothing);
static_assert(on_tiles<changes_in_prepare> == train::contract_wrong::halves && on_tiles<one_sum> == train::contract_wrong::halves);
static_assert(on_tiles<no_finish> == train::contract_wrong::halves);
static_assert(on_tiles<train::rule_groups<no_finish, 1>> == train::contract_wrong::halves);

}  // namespace

TEST_CASE("The scale of the loss is taken out of gradients before they are used") {
  const train::impl::update_rule<train::sgd> rule{ipuflow::shared{train::sgd{}}, 4};
  const std::vector<float> gradients{4, -8, 1};
  const std::span<const float> slopes = rule.slopes(gradients);
  CHECK(std::vector<float>(slopes.begin(), slopes.end()) == std::vector<float>{1, -2, 0.25f});
  const train::impl::update_rule<train::sgd> plain{ipuflow::shared{train::sgd{}}};
  CHECK(plain.slopes(gradients).data() == gradients.data());
  const std::vector<half> halves{half{4.0f}, half{-8.0f}, half{0x1p-24f}};
  const std::span<const float> wide = rule.slopes(halves);
  CHECK(std::vector<float>(wide.begin(), wide.end()) == std::vector<float>{1, -2, 0x1p-26f});
}

TEST_CASE("What an update costs grows with what the optimiser does, a worker taking two parameters at a time") {
  const auto bundles = [](auto optimiser, std::size_t n) {
    return train::impl::update_cost<decltype(optimiser)>(ipu::mk2, n).bundles;
  };
  CHECK(bundles(train::sgd{}, 12) == 30 + 6);
  CHECK(bundles(train::sgd{}, 13) == 30 + 2 * 6);
  CHECK(bundles(train::adamw{}, 1200) == 30 + 100 * 34);
  CHECK(bundles(train::lamb{}, 1200) > bundles(train::adamw{}, 1200));
  CHECK(train::impl::update_cost<train::adamw, half>(ipu::mk2, 1200).bundles == 30 + 100 * 35);
}

TEST_CASE("Halves of an update are the whole of it, if sums are those of the tensor") {
  const train::lamb o{.rate = 0.1f};
  constexpr std::size_t count = 20, cut = 7;
  std::vector<float> whole(count), gradients(count), state(2 * count), front(2 * cut), back(2 * (count - cut));
  for (std::size_t i = 0; i < count; ++i)
    whole[i] = test::made_up_number(1, i), gradients[i] = test::made_up_number(2, i);
  std::vector<float> parts = whole;
  const std::span<const float> slopes{gradients};
  const std::span<float> some{parts};
  for (std::size_t step = 1; step < 4; ++step) {
    o.update(std::span{whole}, slopes, std::span{state}, step);
    train::lamb::sums_type sums = o.prepare(some.first(cut), slopes.first(cut), std::span{front}, step);
    const auto others = o.prepare(some.subspan(cut), slopes.subspan(cut), std::span{back}, step);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += others[i];
    o.finish(some.first(cut), std::span{front}, step, sums);
    o.finish(some.subspan(cut), std::span{back}, step, sums);
  }
  for (std::size_t i = 0; i < count; ++i) CHECK(parts[i] == doctest::Approx(whole[i]).epsilon(1e-6));
}

}  // namespace tile_update_test
