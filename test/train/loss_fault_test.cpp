// SPDX-License-Identifier: BSL-1.0
// A loss that is not a number ends the step, says where that arose, and leaves the model as it was.
#include <ipuflow/train/loss_fault.hpp>

#include <ipuflow/feed/column.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train/optimisers/sgd.hpp>
#include <ipuflow/train/session.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace loss_fault_test {

using namespace ipuflow;

namespace {

constexpr auto network = pipeline(input<float, 4>, per_sample<"label", std::uint8_t>, stage(block<"in">(nn::linear<4>, nn::tanh)).ipu<0>(),
                                  stage(block<"out">(nn::linear<4>, nn::linear<3>, use<"label">(nn::cross_entropy))).ipu<1>());

struct samples {
  std::vector<float> x = std::vector<float>(64, 0.5f);  // 4 micro-batches of 2 samples, 2 replicas
  std::vector<std::uint8_t> labels = std::vector<std::uint8_t>(16, 1);

  std::size_t size() const { return 16; }
  std::tuple<feed::column_view<std::span<const float, 4>>, feed::column_view<std::uint8_t>> columns() const {
    return {{x.data(), 16}, {labels.data(), 16}};
  }
};

auto made() {
  return train::session{network, schedule::grouped(network, micro_batches<4>), train::sgd{.rate = 0.1f}, {.micro_batch = 2, .replicas = 2}};
}

constexpr float no_number = std::numeric_limits<float>::quiet_NaN();

template <class Session>
train::loss_fault wrong_in(Session& session, const samples& step) {
  try {
    session(step);
  } catch (const rejected<train::loss_fault>& wrong) {
    CHECK(std::string{wrong.what()} == message(wrong.found()).data());
    return wrong.found();
  }
  return {};
}

}  // namespace

static_assert(message(train::loss_fault{}).empty());

TEST_CASE("samples that are not numbers are said to be that, with micro-batch and replica; the next step works as usual") {
  auto session = made();
  session(samples{});
  const auto before = *session.parameters();
  samples bad;
  bad.x[4 * 2 * 5 + 1] = no_number;  // place 5: micro-batch 2 of replica 1
  const train::loss_fault wrong = wrong_in(session, bad);
  CHECK(wrong.kind == train::loss_wrong::of_samples);
  CHECK(message(wrong) ==
        fixed_string{"ipuflow: the loss of step 2 is not a number, and neither are all numbers of its samples, in micro-batch 2 of replica 1; "
                     "clean the data; the model is as it was before the step"});
  CHECK(*session.parameters() == before);
  session(samples{});
  CHECK(session.updates() == 2);
}

TEST_CASE("weights that are not numbers any more are named by block and layer") {
  auto session = made();
  session.parameters()->values[20 + 5] = no_number;  // of the first layer of 'out'
  const train::loss_fault wrong = wrong_in(session, samples{});
  CHECK(wrong.kind == train::loss_wrong::of_weights);
  CHECK(message(wrong) ==
        fixed_string{"ipuflow: the loss of step 1 is not a number since the weights of block 'out', layer 0, are none since an update; lower "
                     "the rate, or set max_grad_norm; the model is as it was before the step"});
}

TEST_CASE("the layer that first makes what is not a number is named") {
  auto session = made();
  for (float& w : session.parameters()->values) w = 1e20f;
  for (std::size_t i = 0; i < 4; ++i) session.parameters()->values[40 + i] = -1e20f;  // the next layer subtracts infinities
  const train::loss_fault wrong = wrong_in(session, samples{});
  CHECK(wrong.kind == train::loss_wrong::of_layer);
  CHECK(wrong.where.block == 1);
  CHECK(wrong.where.layer > 0);
  CHECK(message(wrong).view().find("is not a number: block 'out', layer") != std::string_view::npos);
  CHECK(message(wrong).view().find(" (stage 1), is given numbers and makes one that is none, in micro-batch ") != std::string_view::npos);
  CHECK(message(wrong).view().find("; its inputs may be too large: lower the rate, scale the data, or set max_grad_norm; the model is as it "
                                   "was before the step") != std::string_view::npos);
}

namespace {

/// A layer that makes no number of the first one that it is given, once.
struct slips_once_t {};
bool slips = false;

constexpr auto output_of(slips_once_t, tensor<float, 4> x) { return x; }
constexpr nn::layer_facts facts(slips_once_t, tensor<float, 4>) { return {.inputs_need_input = false}; }
template <class T, class S>
void forward(slips_once_t, nn::forward_pass<T, nn::in<S>, nn::out<S>> pass) {
  const auto [x] = pass.in;
  const auto [y] = pass.out;
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i];
  if (std::exchange(slips, false)) y[0] = y[0] * no_number;
}
template <class T, class S>
void backward_inputs(slips_once_t, nn::inputs_pass<T, nn::in<S>, nn::out<S>> pass) {
  const auto [d_y] = pass.d_out;
  const auto [d_x] = pass.d_in;
  for (std::size_t i = 0; i < d_y.size(); ++i) d_x[i] = d_y[i];
}

}  // namespace

TEST_CASE("where nothing is found when the iteration is run again, step, micro-batch and replica are told") {
  constexpr auto slippery = pipeline(input<float, 4>, per_sample<"label", std::uint8_t>, stage(block<"in">(nn::linear<4>, slips_once_t{})).ipu<0>(),
                                     stage(block<"out">(nn::linear<3>, use<"label">(nn::cross_entropy))).ipu<1>());
  train::session session{slippery, schedule::grouped(slippery, micro_batches<4>), train::sgd{.rate = 0.1f}, {.micro_batch = 2, .replicas = 2}, on::threads{.count = 1}};
  session(samples{});
  slips = true;
  const train::loss_fault wrong = wrong_in(session, samples{});
  CHECK(wrong.kind == train::loss_wrong::of_micro_batch);
  CHECK(message(wrong) == fixed_string{"ipuflow: the loss of step 2 is not a number, in micro-batch 0 of replica 0; clean the data, lower the rate, or set max_grad_norm; "
                                       "one process that has the whole pipeline says where it arose; the model is as it was before the step"});
  session(samples{});
  CHECK(session.updates() == 2);
}

TEST_CASE("nothing is looked at if that is asked for") {
  train::session session{network, schedule::grouped(network, micro_batches<4>), train::sgd{.rate = 0.1f},
                         {.micro_batch = 2, .replicas = 2, .check_loss = false}};
  samples bad;
  bad.x[0] = no_number;
  const auto& results = session(bad);
  CHECK(results.size() == 2);
}

}  // namespace loss_fault_test
