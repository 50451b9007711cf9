// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/optimisers/adam.hpp>
#include <ipuflow/train/optimisers/figure_fault.hpp>
#include <ipuflow/train/optimisers/lamb.hpp>
#include <ipuflow/train/optimisers/sgd.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>

namespace figure_fault_test {

using namespace ipuflow::train;

constexpr float none = std::numeric_limits<float>::quiet_NaN();
constexpr float endless = std::numeric_limits<float>::infinity();
constexpr float largest = std::numeric_limits<float>::max();

static_assert(!sgd{}.verify() && !adam{}.verify() && !adamw{}.verify() && !lamb{}.verify());
static_assert(sgd{.rate = none}.verify().kind == figure_wrong::no_amount);
static_assert(sgd{.rate = none}.verify().where == ipuflow::fixed_string{"rate"});

TEST_CASE("an amount is a number from 0, a share one from 0 to below 1") {
  for (const float good : {0.0f, 1e-30f, 1.0f, largest}) CHECK_FALSE(verify_amount(good, "x"));
  for (const float bad : {-1e-30f, -1.0f, none, -none, endless, -endless}) CHECK(verify_amount(bad, "x"));
  for (const float good : {0.0f, 0.5f, 0x1.fffffep-1f}) CHECK_FALSE(verify_share(good, "x"));
  for (const float bad : {-1e-30f, 1.0f, 2.0f, none, endless, -endless}) CHECK(verify_share(bad, "x"));
}

TEST_CASE("both in words") {
  CHECK(message(verify_amount(none, "rate")).view() ==
        "ipuflow: rate of the optimiser is negative, infinite or no number; give it 0 or more");
  CHECK(message(verify_share(1, "beta1")).view() ==
        "ipuflow: beta1 of the optimiser is not from 0 to below 1; give it a share, such as 0.9");
}

template <class Optimiser, class Figure>
void checks_every_figure(Figure Optimiser::*figure, const char* name, float bad) {
  Optimiser optimiser{};
  CHECK_NOTHROW(impl::check_figures(optimiser));
  optimiser.*figure = bad;
  const std::string begin = "ipuflow: " + std::string{name} + " of the optimiser is ";
  CHECK_THROWS_WITH(impl::check_figures(optimiser), doctest::Contains(begin.c_str()));
}

TEST_CASE("every figure of every optimiser is looked at") {
  for (const float bad : {none, -1.0f, endless}) {
    checks_every_figure(&sgd::rate, "rate", bad);
    checks_every_figure(&sgd::momentum, "momentum", bad);
    checks_every_figure(&sgd::weight_decay, "weight_decay", bad);
    checks_every_figure(&adamw::rate, "rate", bad);
    checks_every_figure(&adamw::beta1, "beta1", bad);
    checks_every_figure(&adamw::beta2, "beta2", bad);
    checks_every_figure(&adamw::epsilon, "epsilon", bad);
    checks_every_figure(&adamw::weight_decay, "weight_decay", bad);
    checks_every_figure(&lamb::rate, "rate", bad);
    checks_every_figure(&lamb::beta1, "beta1", bad);
    checks_every_figure(&lamb::beta2, "beta2", bad);
    checks_every_figure(&lamb::epsilon, "epsilon", bad);
    checks_every_figure(&lamb::weight_decay, "weight_decay", bad);
  }
}

struct own_rule {};  // an optimiser need not know its figures

TEST_CASE("an optimiser of the user's own is asked nothing") { CHECK_NOTHROW(impl::check_figures(own_rule{})); }

}  // namespace figure_fault_test
