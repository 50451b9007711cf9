// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/optimisers/rmsprop.hpp>

#include "optimiser_reference.hpp"

#include <ipuflow/core/half.hpp>

#include <cmath>

namespace rmsprop_test {

using namespace ipuflow;

namespace {

/// RMSprop of PyTorch or of TensorFlow, in double precision.
struct plain_rmsprop {
  bool of_tensorflow = false;
  double momentum = 0, weight_decay = 0, rate = double{1e-2f}, decay = double{0.99f}, epsilon = double{1e-8f};

  void operator()(double& p, double g, double* kept, std::size_t step) const {
    const double now = step > 10 ? rate / 2 : rate;  // so that the place of the rate tells
    g += weight_decay * p;
    kept[1] = decay * kept[1] + (1 - decay) * g * g;
    if (of_tensorflow) {
      kept[0] = momentum * kept[0] + now * g / std::sqrt(kept[1] + epsilon);
      p -= kept[0];
    } else {
      kept[0] = momentum * kept[0] + g / (std::sqrt(kept[1]) + epsilon);
      p -= now * kept[0];
    }
  }
};

const train::learning_rate halved = train::learning_rate{1e-2f}.then_steps(10, 0.5f, 1);

}  // namespace

TEST_CASE("RMSprop by PyTorch's definition, with and without momentum, and when the rate falls") {
  test::check_against(train::rmsprop{.rate = halved}, plain_rmsprop{}, 1e-4);
  test::check_against(train::rmsprop{.rate = halved, .momentum = 0.9f, .epsilon = 0.1f, .weight_decay = 0.25f},
                      plain_rmsprop{.momentum = double{0.9f}, .weight_decay = 0.25, .epsilon = double{0.1f}}, 1e-4);
}

TEST_CASE("RMSprop by TensorFlow's: epsilon within the root, the rate within the velocity") {
  test::check_against(train::rmsprop_tf{.rate = halved, .momentum = 0.9f, .epsilon = 0.1f, .weight_decay = 0.25f},
                      plain_rmsprop{.of_tensorflow = true, .momentum = double{0.9f}, .weight_decay = 0.25, .epsilon = double{0.1f}}, 1e-4);
}

TEST_CASE("one update by hand: a gradient of 1/2 has a mean square of 1/400") {
  CHECK(test::first_update(train::rmsprop{.rate = 0.1f}) == doctest::Approx(1 - 0.1 * 0.5 / std::sqrt(0.0025)));
  CHECK(test::first_update(train::rmsprop_tf{.rate = 0.1f, .epsilon = 0.0075f}) == doctest::Approx(1 - 0.1 * 0.5 / 0.1));
}

TEST_CASE("parameters do not depend on each other") {
  CHECK(test::parts_do_not_matter(train::rmsprop{.momentum = 0.9f}));
  CHECK(test::parts_do_not_matter(train::basic_rmsprop<train::rms::as_tensorflow, half, float>{.momentum = 0.9f}));
}

TEST_CASE("velocity in halves goes the same way, less exactly") {
  test::check_against(train::basic_rmsprop<train::rms::as_pytorch, half, float>{.rate = halved, .momentum = 0.9f},
                      plain_rmsprop{.momentum = double{0.9f}}, 0.02);
}

TEST_CASE("figures that are none are found") {
  CHECK(train::rmsprop{.decay = 1}.verify().where == ipuflow::fixed_string{"decay"});
  CHECK(train::rmsprop_tf{.epsilon = -1}.verify().where == ipuflow::fixed_string{"epsilon"});
  CHECK_FALSE(train::rmsprop{.momentum = 0.9f}.verify());
}

TEST_CASE("parameters of double keep changes that floats would lose") {
  CHECK(test::doubles_keep_small_changes(train::rmsprop{}));
  CHECK(test::doubles_keep_small_changes(train::rmsprop_tf{}));
}

TEST_CASE("without a slope nothing moves, also with an epsilon of zero") {
  CHECK(test::no_slope_no_change(train::rmsprop{}));
  CHECK(test::no_slope_no_change(train::rmsprop_tf{}));
}

}  // namespace rmsprop_test
