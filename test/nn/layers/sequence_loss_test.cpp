// SPDX-License-Identifier: BSL-1.0
// Losses of sequences are the means of the losses of their positions, and so are their gradients.
#include "layer_check.hpp"

#include <ipuflow/nn/layers/sequence_loss.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace sequence_loss_test {

using namespace ipuflow;
using namespace nn_test;

namespace {

constexpr std::size_t positions = 3, classes = 5;

/// A sequence of each sample, and beside it each position as a sample.
struct both {
  using in = nn::in<shape<positions, classes>, tensor<std::uint8_t, positions>>;
  using out = nn::out<shape<positions, classes>, shape<>>;
  using one_in = nn::in<shape<classes>, std::uint8_t>;
  using one_out = nn::out<shape<classes>, shape<>>;

  std::size_t samples;
  owned<double, shape<positions, classes>> x{samples}, d_x{samples};
  owned<std::uint8_t, shape<positions>> labels{samples};
  owned<double, shape<>> loss{samples}, d_loss{samples};
  owned<double, shape<classes>> one_x{samples * positions}, one_d_x{samples * positions};
  owned<std::uint8_t, shape<>> one_label{samples * positions};
  owned<double, shape<>> one_loss{samples * positions}, one_d_loss{samples * positions};

  explicit both(std::size_t count) : samples{count} {
    x.randomise(1);
    d_loss.randomise(2);
    for (std::size_t s = 0; s < samples; ++s) {
      for (std::size_t p = 0; p < positions; ++p) {
        const auto label = static_cast<std::uint8_t>((s + 2 * p) % classes);
        labels.set(s, p, label);
        one_label.set(s * positions + p, 0, label);
        one_d_loss.set(s * positions + p, 0, d_loss.get(s, 0) / positions);
        for (std::size_t c = 0; c < classes; ++c) one_x.set(s * positions + p, c, x.get(s, p * classes + c));
      }
    }
  }
  void forward(std::size_t first_group = 0) {
    nn::impl::run_forward(nn::cross_entropy, nn::forward_pass<double, in, out>{.in = {x.read(), labels.read()},
                                                                               .out = {x.view(), loss.view()},
                                                                               .context = {.first_group = first_group}});
  }
};

/// The losses and gradients of two samples in `T`, of numbers that a half can hold.
template <class T, std::size_t Positions, std::size_t Classes>
struct lost {
  using in = nn::in<shape<Positions, Classes>, tensor<std::uint16_t, Positions>>;
  using squares = nn::in<shape<Positions, Classes>, shape<Positions, Classes>>;
  using out = nn::out<shape<Positions, Classes>, shape<>>;
  static constexpr std::size_t samples = 2;

  owned<T, shape<Positions, Classes>> x{samples}, target{samples}, d_x{samples};
  owned<std::uint16_t, shape<Positions>> labels{samples};
  owned<T, shape<>> cross_entropy{samples}, squared_error{samples}, d_loss{samples};

  lost() {
    for (std::size_t s = 0; s < samples; ++s) {
      d_loss.set(s, 0, nn::number<T>(1024));  // a loss scale
      for (std::size_t e = 0; e < Positions * Classes; ++e) {
        const std::size_t i = s * Positions * Classes + e;
        x.set(s, e, static_cast<T>(static_cast<float>(half{static_cast<float>(4 * noise(1, i))})));
        target.set(s, e, static_cast<T>(static_cast<float>(half{static_cast<float>(4 * noise(2, i))})));
      }
      for (std::size_t p = 0; p < Positions; ++p) labels.set(s, p, static_cast<std::uint16_t>((s + 3 * p) % Classes));
    }
    nn::impl::run_forward(nn::cross_entropy, nn::forward_pass<T, in, out>{{x.read(), labels.read()}, {x.view(), cross_entropy.view()}});
    nn::impl::run_forward(nn::mean_squared_error,
                          nn::forward_pass<T, squares, out>{{x.read(), target.read()}, {x.view(), squared_error.view()}});
    nn::impl::run_backward_inputs(nn::cross_entropy, nn::inputs_pass<T, in, out>{{x.read(), labels.read()},
                                                                                 {x.read(), cross_entropy.read()},
                                                                                 {x.read(), d_loss.read()},
                                                                                 {d_x.view()}});
  }
};

/// Halves against doubles: a loss is off by its own rounding alone, a gradient besides by that of the share that it is made of.
template <std::size_t Positions, std::size_t Classes>
void check_halves() {
  const lost<half, Positions, Classes> halves;
  const lost<double, Positions, Classes> doubles;
  constexpr double rounding = 0x1p-11;
  const double slope = 1024.0 / Positions;
  for (std::size_t s = 0; s < 2; ++s) {
    CHECK(static_cast<double>(halves.cross_entropy.get(s, 0)) == doctest::Approx(doubles.cross_entropy.get(s, 0)).epsilon(1.01 * rounding));
    CHECK(static_cast<double>(halves.squared_error.get(s, 0)) == doctest::Approx(doubles.squared_error.get(s, 0)).epsilon(1.01 * rounding));
    double most = 0;
    for (std::size_t e = 0; e < Positions * Classes; ++e)
      most = std::max(most, std::abs(static_cast<double>(halves.d_x.get(s, e)) - doubles.d_x.get(s, e)));
    CHECK(most < 2 * rounding * slope);
  }
}

}  // namespace

TEST_CASE("halves are added up in float: over 4,096 positions, and over 4,096 classes") {
  check_halves<4096, 5>();
  check_halves<3, 4096>();
}

TEST_CASE("cross-entropy of a sequence is the mean over its positions") {
  for (const std::size_t samples : {std::size_t{1}, nn::lane_count, nn::lane_count + 2}) {
    both test{samples};
    test.loss.fill(7);
    test.forward();
    nn::impl::run_forward(nn::cross_entropy, nn::forward_pass<double, both::one_in, both::one_out>{
                                                 {test.one_x.read(), test.one_label.read()}, {test.one_x.view(), test.one_loss.view()}});
    nn::impl::run_backward_inputs(nn::cross_entropy, nn::inputs_pass<double, both::in, both::out>{{test.x.read(), test.labels.read()},
                                                                                                 {test.x.read(), test.loss.read()},
                                                                                                 {test.x.read(), test.d_loss.read()},
                                                                                                 {test.d_x.view()}});
    nn::impl::run_backward_inputs(nn::cross_entropy,
                                  nn::inputs_pass<double, both::one_in, both::one_out>{{test.one_x.read(), test.one_label.read()},
                                                                                       {test.one_x.read(), test.one_loss.read()},
                                                                                       {test.one_x.read(), test.one_d_loss.read()},
                                                                                       {test.one_d_x.view()}});
    for (std::size_t s = 0; s < samples; ++s) {
      double mean = 0;
      for (std::size_t p = 0; p < positions; ++p) {
        mean += test.one_loss.get(s * positions + p, 0) / positions;
        for (std::size_t c = 0; c < classes; ++c) {
          REQUIRE(test.d_x.get(s, p * classes + c) == doctest::Approx(test.one_d_x.get(s * positions + p, c)).epsilon(1e-12));
        }
      }
      REQUIRE(test.loss.get(s, 0) == doctest::Approx(mean).epsilon(1e-12));
    }
    for (std::size_t l = samples; l < nn::groups_for(samples) * nn::lane_count; ++l) REQUIRE(test.loss.get(l, 0) == 0);
  }
}

TEST_CASE("a label that is no class is refused with its sample, counted from the micro-batch's first") {
  both test{2};
  test.labels.set(1, 2, classes);
  std::string said;
  try {
    test.forward(2);
  } catch (const error& e) {
    said = e.what();
  }
  CHECK(said == "ipuflow: sample " + std::to_string(2 * nn::lane_count + 1) +
                    " of a micro-batch has label 5 but the network has 5 classes; labels count from 0");
}

TEST_CASE("mean squared error of a sequence, and both of its gradients") {
  using in = nn::in<shape<positions, 4>, shape<positions, 4>>;
  using out = nn::out<shape<positions, 4>, shape<>>;
  constexpr std::size_t samples = nn::lane_count + 1;
  owned<double, shape<positions, 4>> x{samples}, target{samples}, d_x{samples}, d_target{samples};
  owned<double, shape<>> loss{samples}, d_loss{samples};
  x.randomise(1);
  target.randomise(2);
  d_loss.randomise(3);
  nn::impl::run_forward(nn::mean_squared_error, nn::forward_pass<double, in, out>{{x.read(), target.read()}, {x.view(), loss.view()}});
  nn::impl::run_backward_inputs(nn::mean_squared_error, nn::inputs_pass<double, in, out>{{x.read(), target.read()}, {x.read(), loss.read()},
                                                                                         {x.read(), d_loss.read()}, {d_x.view(), d_target.view()}});
  for (std::size_t s = 0; s < samples; ++s) {
    double mean = 0;
    for (std::size_t e = 0; e < positions * 4; ++e) {
      const double difference = x.get(s, e) - target.get(s, e);
      mean += difference * difference / (positions * 4);
      REQUIRE(d_x.get(s, e) == doctest::Approx(2.0 / (positions * 4) * difference * d_loss.get(s, 0)));
      REQUIRE(d_target.get(s, e) == -d_x.get(s, e));
    }
    REQUIRE(loss.get(s, 0) == doctest::Approx(mean));
  }
}

}  // namespace sequence_loss_test
