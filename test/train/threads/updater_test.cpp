// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/threads/updater.hpp>

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/train/optimisers/adam.hpp>
#include <ipuflow/train/optimisers/lamb.hpp>
#include <ipuflow/train/optimisers/sgd.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace updater_test {

using namespace ipuflow;

namespace {

const ipuflow::light_vector<train::impl::piece> tensors{{0, 0, 0, 6}, {0, 6, 6, 3}, {1, 9, 0, 5}};

/// Updates with the gradients 1, 2, 3 ... of each stage, times the step and the scale of the loss.
template <class Updater>
ipuflow::light_vector<float> updated(Updater& u, std::size_t steps, float loss_factor = 1) {
  ipuflow::light_vector<float> values(14, 0.5f);
  for (std::size_t step = 1; step <= steps; ++step) {
    for (std::size_t i = 0; i < u.pieces(); ++i) {
      u.gather(i, loss_factor, [&](std::size_t, std::size_t first, std::span<float> to) {
        for (std::size_t k = 0; k < to.size(); ++k) to[k] = loss_factor * static_cast<float>((first + k + 1) * step);
      });
    }
    u.count_step();
    for (std::size_t i = u.pieces(); i-- > 0;) u.update(i, std::span{values});  // in any order
  }
  return values;
}

/// An updater beside its optimiser.
template <class Optimiser, class Parameter = float>
struct updater : Optimiser, train::impl::updater<Parameter, float> {
  updater(const Optimiser& optimiser, const train::impl::update_options& o)
      : Optimiser{optimiser},
        train::impl::updater<Parameter, float>{train::impl::optimiser_code_of<float>(static_cast<const Optimiser&>(*this)), tensors, o} {}
  using train::impl::updater<Parameter, float>::update;
};

template <class Optimiser>
ipuflow::light_vector<float> with_shards(const Optimiser& optimiser, std::size_t shards) {
  updater<Optimiser> u{optimiser, {.shards = shards}};
  return updated(u, 5);
}

}  // namespace

TEST_CASE("each parameter gets its gradient, without the scale of the loss") {
  updater<train::sgd> u{train::sgd{.rate = 0.25f}, {}};
  const auto values = updated(u, 1, 4096);
  CHECK(values[0] == 0.25f);
  CHECK(values[8] == 0.5f - 0.25f * 9);
  CHECK(values[9] == 0.25f);  // the first of the other stage
  CHECK(u.steps() == 1);
  CHECK(u.gradients()[13] == 5);
}

TEST_CASE("shards change who keeps the state, and nothing else") {
  for (const std::size_t shards : {2u, 3u, 5u}) {
    CHECK(with_shards(train::adamw{}, shards) == with_shards(train::adamw{}, 1));
    CHECK(with_shards(train::lamb{}, shards) == with_shards(train::lamb{}, 1));
  }
  CHECK(updater<train::adamw>{{}, {}}.state_bytes() == 14 * 2 * 4);
  CHECK(updater<train::adamw>{{}, {.shards = 2}}.state_bytes() == 8 * 2 * 4);
  CHECK(updater<train::lamb>{{}, {.shards = 2}}.state_bytes() == 8 * 2 * 4);
  CHECK(updater<train::adamw>{{}, {.shards = 2, .shard_at_least = 15}}.state_bytes() == 14 * 2 * 4);
  updater<train::adamw> some{{}, {.shards = 2, .shard_at_least = 5}};  // one tensor of 8, one of 5, and one of 1 that stays whole
  CHECK(updated(some, 5) == with_shards(train::adamw{}, 1));
}

TEST_CASE("parameters in halves: to the nearest small updates are lost, at random they add up") {
  updater<train::sgd, half> nearest{train::sgd{.rate = 1e-5f}, {}};
  const auto stuck = updated(nearest, 10);
  CHECK(stuck[0] == 0.5f);
  updater<train::sgd, half> random{
      train::sgd{.rate = 1e-5f}, {.how = train::rounding::stochastic}};
  const auto moved = updated(random, 60);
  float sum = 0, exact = 0;
  for (std::size_t i = 0; i < 14; ++i) {
    CHECK(moved[i] == static_cast<float>(half{moved[i]}));
    sum += moved[i];
    exact += 0.5f - 1e-5f * 1830 * static_cast<float>(i < 9 ? i + 1 : i - 8);
  }
  CHECK(sum == doctest::Approx(exact).epsilon(0.01));
}

TEST_CASE("gradients that are too long are shortened to what they may be, all by one factor, whoever has them") {
  const auto length_of = [](std::span<const float> gradients) {
    double sum = 0;
    for (const float g : gradients) sum += double{g} * double{g};
    return std::sqrt(sum);
  };
  const auto gradients_with = [](float most, std::size_t shards) {
    updater<train::sgd> u{train::sgd{}, {.shards = shards}};
    updated(u, 1);
    u.shorten_to(most);
    return ipuflow::light_vector<float>(u.gradients().begin(), u.gradients().end());
  };
  const auto whole = gradients_with(1e9f, 1);
  CHECK(whole[8] == 9);
  CHECK(length_of(gradients_with(2, 1)) == doctest::Approx(2));
  CHECK(gradients_with(2, 1)[8] / gradients_with(2, 1)[0] == doctest::Approx(9));
  CHECK(gradients_with(2, 3) == gradients_with(2, 1));
  CHECK(gradients_with(std::numeric_limits<float>::infinity(), 1) == whole);
}

TEST_CASE("a snapshot takes everything back") {
  updater<train::adamw> u{train::adamw{}, {}};
  decltype(u)::snapshot before;
  updated(u, 2);
  u.save_to(before);
  const auto once = updated(u, 3);
  u.restore(before);
  CHECK(u.steps() == 2);
  CHECK(updated(u, 3) == once);
}

}  // namespace updater_test
