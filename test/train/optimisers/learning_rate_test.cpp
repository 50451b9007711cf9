// SPDX-License-Identifier: BSL-1.0
// A schedule is its formula, whoever asks: by itself, in a session whose rate is set by hand at each update, on threads and on chips.
#include "../chips_check.hpp"

#include <ipuflow/train/optimisers/adam.hpp>
#include <ipuflow/train/optimisers/lamb.hpp>
#include <ipuflow/train/optimisers/learning_rate.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>
#include <type_traits>

namespace learning_rate_test {

using namespace ipuflow;
using train::learning_rate;

namespace {

constexpr double pi = 3.14159265358979323846;

/// A warm-up of 10 updates and 40 of a cosine, as transformers' get_cosine_schedule_with_warmup has them at step `u`.
double cosine_with_warm_up(double u) {
  if (u < 10) return 0.5 * u / 10;
  return u < 50 ? 0.5 * 0.5 * (1 + std::cos(pi * (u - 10) / 40)) : 0;
}

constexpr auto scheduled = train::warm_up(2e-2f, 3).then_linear(2, 1e-2f).then_steps(1, 0.5f, 2);

template <class Rule>
auto with_rate(Rule rule, const learning_rate& rate) {
  rule.rate = rate;
  return rule;
}

/// One update a step.
train::options single() {
  auto o = test::small_options();
  o.device_iterations = 1;
  return o;
}

/// The first or second half of some samples.
struct half_of {
  const test::made_up& all;
  std::size_t part;

  std::size_t size() const { return all.size() / 2; }
  auto columns() const {
    const auto& [pixels, labels] = all.columns();
    return std::tuple{std::remove_cvref_t<decltype(pixels)>{pixels.data() + part * size() * 36, size(), 36},
                      std::remove_cvref_t<decltype(labels)>{labels.data() + part * size(), size()}};
  }
};

constexpr auto timetable = schedule::one_f_one_b(test::small_network, micro_batches<4>);

}  // namespace

TEST_CASE("a number is the rate of every update") {
  constexpr learning_rate rate = 0.1f;
  for (const std::size_t update : {1u, 2u, 1000000u}) CHECK(rate.at(update) == 0.1f);
}

TEST_CASE("warm-up, line and cosine are what other libraries have") {
  const learning_rate cosine = train::warm_up(0.5f, 10).then_cosine(40), line = train::warm_up(0.5f, 10).then_linear(40, 0.1f);
  for (std::size_t u = 1; u < 70; ++u) {
    const auto x = static_cast<double>(u);
    CHECK(static_cast<double>(cosine.at(u)) == doctest::Approx(cosine_with_warm_up(x)).epsilon(1e-6));
    const double falling = u < 50 ? 0.5 + (0.1 - 0.5) * (x - 10) / 40 : 0.1;
    CHECK(static_cast<double>(line.at(u)) == doctest::Approx(u < 10 ? 0.05 * x : falling).epsilon(1e-6));
  }
  CHECK(cosine.at(10) == 0.5f);
  CHECK(cosine.at(50) == 0);
}

TEST_CASE("steps are PyTorch's StepLR, as often as is said, then the rate stays") {
  const learning_rate steps = learning_rate{0.8f}.then_steps(30, 0.5f, 3);
  CHECK(steps.at(0) == 0.8f);
  for (std::size_t u = 1; u <= 200; ++u) {
    const std::size_t drops = u > 90 ? 3 : (u - 1) / 30;
    CHECK(steps.at(u) == 0.8f / static_cast<float>(1 << drops));
  }
}

TEST_CASE("pieces follow each other; empty ones are none; a later begin is the same schedule") {
  const learning_rate all = learning_rate{0.25f}.then_hold(5).then_cosine(0, 9).then_linear(4, 0.5f).then_hold(3).then_steps(2, 0.5f, 1);
  for (std::size_t u = 1; u <= 5; ++u) CHECK(all.at(u) == 0.25f);
  CHECK(all.at(7) == 0.375f);
  for (std::size_t u = 9; u <= 14; ++u) CHECK(all.at(u) == 0.5f);
  CHECK(all.at(15) == 0.25f);
  for (std::size_t u = 1; u <= 20; ++u) CHECK(all.after(6).at(u) == all.at(u + 6));
}

TEST_CASE("a warm-up of no updates begins with the rate") {
  const learning_rate none = train::warm_up(0.5f, 0).then_cosine(40);
  for (std::size_t u = 1; u < 50; ++u) CHECK(static_cast<double>(none.at(u)) == doctest::Approx(cosine_with_warm_up(static_cast<double>(u + 10))));
}

TEST_CASE("a rate of a schedule that is no number from 0 is refused") {
  CHECK(train::sgd{.rate = train::warm_up(-1, 5)}.verify().kind == train::figure_wrong::no_amount);
  CHECK(train::adam{.rate = learning_rate{1.0f}.then_linear(5, std::numeric_limits<float>::infinity())}.verify().where == fixed_string{"rate"});
  CHECK_FALSE(train::lamb{.rate = train::warm_up(1, 5).then_steps(4, 0, 1)}.verify());
}

TEST_CASE_TEMPLATE("a session follows a schedule as it follows rates that are set by hand, bit for bit, also within a step", Rule, train::sgd,
                   train::adam, train::adamw, train::lamb) {
  train::session by_itself{test::small_network, timetable, with_rate(Rule{}, scheduled), single()};
  train::session by_hand{test::small_network, timetable, Rule{}, single()};
  train::session two_at_once{test::small_network, timetable, with_rate(Rule{}, scheduled), test::small_options()};
  for (std::size_t update = 1; update <= 8; update += 2) {
    const test::made_up data{two_at_once.samples_per_step(), update};
    for (const std::size_t part : {0u, 1u}) {
      by_hand.optimiser().rate = scheduled.at(update + part);
      by_hand(half_of{data, part});
      by_itself(half_of{data, part});
      REQUIRE(by_itself.parameters()->values == by_hand.parameters()->values);
    }
    two_at_once(data);
    REQUIRE(two_at_once.parameters()->values == by_hand.parameters()->values);
  }
}

TEST_CASE("chips follow a schedule, from update to update of one program") {
  const auto rule = with_rate(train::adamw{.epsilon = 1e-3f}, scheduled);
  train::session host{test::small_network, timetable, rule, test::small_options()};
  train::session tiles{test::small_network, timetable, rule, test::small_options(), on::chips{.system = test::small_system(4)}};
  test::check_steps(host, tiles, 4, 2e-3);
}

TEST_CASE("a session that goes on with a model takes up the schedule where the first one left it") {
  constexpr auto network = pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>, block<"a">(nn::flatten, nn::linear<8>, nn::tanh),
                                    block<"b">(nn::linear<4>, use<"label">(nn::cross_entropy)));
  constexpr auto order = schedule::one_f_one_b(network, micro_batches<4>);
  const auto rule = with_rate(train::sgd{}, scheduled);
  train::session whole{network, order, rule, single()}, first{network, order, rule, single()};
  const test::made_up data{whole.samples_per_step()};
  for (std::size_t i = 0; i < 4; ++i) whole(data), first(data);
  train::session second{network, order, with_rate(train::sgd{}, scheduled.after(first.updates())), single(), first.parameters()};
  for (std::size_t i = 0; i < 4; ++i) whole(data), second(data);
  CHECK(second.parameters()->values == whole.parameters()->values);
}

}  // namespace learning_rate_test
