// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/optimisers/adam.hpp>

#include "optimiser_reference.hpp"

#include <ipuflow/core/half.hpp>

#include <cmath>

namespace adam_test {

using namespace ipuflow;

namespace {

/// PyTorch's Adam, or AdamW, in double precision.
struct plain_adam {
  bool decoupled;
  bool corrects = true;
  double rate = double{1e-2f}, beta1 = double{0.9f}, beta2 = double{0.999f}, epsilon = double{1e-8f}, decay = 0;

  void operator()(double& p, double g, double* kept, std::size_t step) const {
    if (decoupled)
      p *= 1 - rate * decay;
    else
      g += decay * p;
    kept[0] = beta1 * kept[0] + (1 - beta1) * g;
    kept[1] = beta2 * kept[1] + (1 - beta2) * g * g;
    const double m = kept[0] / (corrects ? 1 - std::pow(beta1, static_cast<double>(step)) : 1);
    const double v = kept[1] / (corrects ? 1 - std::pow(beta2, static_cast<double>(step)) : 1);
    p -= rate * m / (std::sqrt(v) + epsilon);
  }
};

}  // namespace

TEST_CASE("Adam and AdamW by PyTorch's definitions") {
  test::check_against(train::adam{.rate = 1e-2f}, plain_adam{.decoupled = false}, 1e-4);
  test::check_against(train::adam{.rate = 1e-2f, .weight_decay = 0.1f},
                      plain_adam{.decoupled = false, .decay = double{0.1f}}, 1e-4);
  test::check_against(train::adamw{.rate = 1e-2f}, plain_adam{.decoupled = true, .decay = double{1e-2f}}, 1e-4);
  test::check_against(train::adamw{.rate = 1e-2f, .weight_decay = 0.5f}, plain_adam{.decoupled = true, .decay = 0.5},
                      1e-4);
}

TEST_CASE("means that begin at zero are corrected, or left as they are") {
  test::check_against(train::adamw{.rate = 1e-2f, .bias_correction = false},
                      plain_adam{.decoupled = true, .corrects = false, .decay = double{1e-2f}}, 1e-4);
}

TEST_CASE("one update by hand: a step of the rate, and the decay beside it") {
  CHECK(test::first_update(train::adam{.rate = 0.1f}) == doctest::Approx(0.9));
  CHECK(test::first_update(train::adamw{.rate = 0.1f, .weight_decay = 0.01f}) == doctest::Approx(0.899));
}

TEST_CASE("parameters do not depend on each other") { CHECK(test::parts_do_not_matter(train::adamw{})); }

TEST_CASE("state in halves goes the same way, less exactly") {
  using half_adam = train::basic_adam<train::decay::decoupled, half>;
  const plain_adam exact{.decoupled = true, .decay = double{1e-2f}};
  test::check_against(half_adam{.rate = 1e-2f}, exact, 0.05);
  using mixed_adam = train::basic_adam<train::decay::decoupled, half, float>;
  test::check_against(mixed_adam{.rate = 1e-2f}, exact, 0.01);
  CHECK(test::parts_do_not_matter(mixed_adam{}));
}

TEST_CASE("parameters of double keep changes that floats would lose") {
  CHECK(test::doubles_keep_small_changes(train::adam{}));
  CHECK(test::doubles_keep_small_changes(train::adamw{}));
}

TEST_CASE("without a slope nothing moves, also with an epsilon of zero") {
  CHECK(test::no_slope_no_change(train::adam{}));
  CHECK(test::no_slope_no_change(train::adamw{}));
}

}  // namespace adam_test
