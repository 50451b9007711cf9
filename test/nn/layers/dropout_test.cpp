// SPDX-License-Identifier: BSL-1.0
#include "layer_check.hpp"

#include <ipuflow/nn/layers/dropout.hpp>

namespace dropout_test {

using namespace nn_test;

TEST_CASE("Gradients pass where numbers passed") {
  check_layer(nn::dropout<0.25>, tensor<float, 2, 5>{});
  check_layer(nn::dropout<0.0>, tensor<float, 3>{});
}

namespace {

using test_type = bench<float, nn::dropout_t<0.25>, tensor<float, 50>>;

test_type ones(std::size_t samples) {
  test_type test{samples};
  for (std::size_t s = 0; s < samples; ++s) {
    for (std::size_t e = 0; e < 50; ++e) test.x.set(s, e, 1);
  }
  return test;
}

}  // namespace

TEST_CASE("A quarter is dropped, the rest is scaled; another seed or micro-batch drops others, inference none") {
  test_type test = ones(100);
  test.forward();
  std::size_t dropped = 0;
  for (std::size_t s = 0; s < 100; ++s) {
    for (std::size_t e = 0; e < 50; ++e) {
      dropped += test.y.get(s, e) == 0;
      if (test.y.get(s, e) != 0) CHECK(test.y.get(s, e) == doctest::Approx(4.0 / 3));
    }
  }
  CHECK(dropped > 1150);
  CHECK(dropped < 1350);

  const auto differs_with = [&](nn::context context) {
    test_type other = ones(100);
    other.context = context;
    other.forward();
    std::size_t different = 0;
    for (std::size_t e = 0; e < 50; ++e) different += other.y.get(7, e) != test.y.get(7, e);
    return different > 5;
  };
  nn::context context = test.context;
  CHECK(!differs_with(context));
  ++context.seed;
  CHECK(differs_with(context));
  context = test.context;
  ++context.micro_batch;
  CHECK(differs_with(context));

  test.context.training = false;
  test.forward();
  for (std::size_t e = 0; e < 50; ++e) CHECK(test.y.get(99, e) == 1);
}

TEST_CASE("Stochastic depth drops a quarter of the samples, each of them whole") {
  bench<float, nn::stochastic_depth_t<0.25>, tensor<float, 3>> test{1000};
  for (std::size_t s = 0; s < 1000; ++s) {
    for (std::size_t e = 0; e < 3; ++e) test.x.set(s, e, 1);
  }
  test.forward();
  std::size_t dropped = 0;
  for (std::size_t s = 0; s < 1000; ++s) {
    dropped += test.y.get(s, 0) == 0;
    if (test.y.get(s, 0) != 0) CHECK(test.y.get(s, 0) == doctest::Approx(4.0 / 3));
    CHECK(test.y.get(s, 1) == test.y.get(s, 0));
    CHECK(test.y.get(s, 2) == test.y.get(s, 0));
  }
  CHECK(dropped > 200);
  CHECK(dropped < 300);
  check_layer(nn::stochastic_depth<0.5>, tensor<float, 2, 3>{});
}

TEST_CASE("A group alone sees the mask that it has in its micro-batch") {
  test_type all = ones(2 * nn::lane_count), second = ones(nn::lane_count);
  second.context.first_group = 1;
  all.forward();
  second.forward();
  for (std::size_t e = 0; e < 50; ++e) CHECK(second.y.get(1, e) == all.y.get(nn::lane_count + 1, e));
}

TEST_CASE("What is dropped is zero, be it infinite or no number") {
  test_type test = ones(20);
  test.forward();
  test_type infinite = ones(20);
  for (std::size_t s = 0; s < 20; ++s) {
    for (std::size_t e = 0; e < 50; ++e) infinite.x.set(s, e, e % 2 == 0 ? INFINITY : NAN), infinite.d_y.set(s, e, -INFINITY);
  }
  infinite.forward();
  infinite.backward();
  for (std::size_t s = 0; s < 20; ++s) {
    for (std::size_t e = 0; e < 50; ++e) {
      CHECK((infinite.y.get(s, e) == 0) == (test.y.get(s, e) == 0));
      CHECK((infinite.d_x.get(s, e) == 0) == (test.y.get(s, e) == 0));
      CHECK(!std::isnan(infinite.d_x.get(s, e)));
    }
  }
}

}  // namespace dropout_test
