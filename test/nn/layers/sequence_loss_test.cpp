// SPDX-License-Identifier: BSL-1.0
// Losses of sequences are the means of the losses of their positions, and so are their gradients.
#include "layer_check.hpp"

#include <ipuflow/nn/layers/sequence_loss.hpp>

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

}  // namespace

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
                    " of a micro-batch has label 5 but there are 5 classes; labels count from 0");
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
