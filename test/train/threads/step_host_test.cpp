// SPDX-License-Identifier: BSL-1.0
// Which results come back, in which order: a pipeline whose output says which sample it was.
#include <ipuflow/train/threads/step_host.hpp>

#include <ipuflow/feed/column.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train/optimisers/sgd.hpp>
#include <ipuflow/train/session.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

namespace step_host_test {

using namespace ipuflow;
using feed::output_mode;

namespace {

// The predictions are what the loss was given: the numbers of the samples.
constexpr auto echo = pipeline(input<float, 1>, per_sample<"target", tensor<float, 1>>, block<"first">(nn::linear<1>),
                               block<"last">(nn::linear<1>, use<"target">(nn::mean_squared_error)));

struct numbers {
  std::vector<float> values;
  std::tuple<feed::column_view<std::span<const float>>, feed::column_view<std::span<const float>>> all;

  explicit numbers(std::size_t count, std::size_t width = 1) : values(count * width) {
    std::iota(values.begin(), values.end(), 0.0f);
    all = {{values.data(), count, width}, {values.data(), count, 1}};
  }
  std::size_t size() const { return std::get<0>(all).size(); }
  auto columns() const { return all; }  // a value of its own, as datasets give it
};

/// Weights of one and biases of zero, so that sample n gives n.
auto identity() {
  auto m = std::make_shared<train::model<>>(train::initial_model(echo, 1));
  m->values = {1, 0, 1, 0};
  return m;
}

/// The predictions of a training step that learns nothing.
std::vector<float> results(output_mode how, std::size_t period, std::size_t replicas, std::size_t threads = 1,
                           bool two_ways = false) {
  train::options o{.micro_batch = 1,
                   .device_iterations = 4,
                   .replicas = replicas,
                   .outputs = how,
                   .output_period = period};
  const auto run = [&](const auto& timetable) {
    train::session session{echo, timetable, train::sgd{.rate = 0}, o, identity(), on::threads{.count = threads}};
    const numbers data{session.samples_per_step()};
    session(data);
    return session(data)[0].values;  // a second step leaves nothing behind
  };
  if (two_ways) return run(schedule::chimera(echo, micro_batches<2>));
  return run(schedule::one_f_one_b(echo, micro_batches<2>));
}

std::vector<float> counted(std::size_t count) {
  std::vector<float> all(count);
  std::iota(all.begin(), all.end(), 0.0f);
  return all;
}

}  // namespace

TEST_CASE("all results, by iteration, accumulation, replica") {
  for (const std::size_t replicas : {1u, 2u, 3u}) {
    for (const std::size_t threads : {1u, 2u})
      CHECK(results(output_mode::all, 0, replicas, threads) == counted(8 * replicas));
  }
  CHECK(results(output_mode::all, 0, 2, 2, true) == counted(16));
}

TEST_CASE("the last, a sum, and every second") {
  CHECK(results(output_mode::automatic, 0, 1) == std::vector<float>{7});
  CHECK(results(output_mode::final, 0, 2) == std::vector<float>{14, 15});
  CHECK(results(output_mode::sum, 0, 1) == std::vector<float>{28});
  CHECK(results(output_mode::sum, 0, 2) == std::vector<float>{56, 64});
  CHECK(results(output_mode::sum, 0, 2, 2, true) == std::vector<float>{56, 64});
  CHECK(results(output_mode::every_n, 2, 1) == std::vector<float>{1, 3, 5, 7});
  CHECK(results(output_mode::every_n, 4, 2) == std::vector<float>{6, 7, 14, 15});
}

TEST_CASE("inference gives all by default, and takes a part of a step") {
  auto trained = train::inference(echo, schedule::inference(echo, micro_batches<4>), identity(),
                                  {.micro_batch = 3, .device_iterations = 2});
  CHECK(trained.samples_per_step() == 24);
  for (const std::size_t count : {24u, 13u, 1u, 24u}) {
    auto& [predictions, loss] = trained(numbers{count});
    CHECK(predictions.values == counted(count));
    CHECK(loss.values.size() == (count + 2) / 3);
    CHECK(loss.values.back() == 0);
  }
}

TEST_CASE("values of another width are refused") {
  auto trained = train::inference(echo, schedule::inference(echo, micro_batches<4>), identity(), {});
  CHECK_THROWS_WITH(trained(numbers{4, 2}),
                    doctest::Contains("value 0 of a sample has 2 numbers but the pipeline takes 1"));
}

}  // namespace step_host_test
