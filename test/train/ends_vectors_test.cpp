// SPDX-License-Identifier: BSL-1.0
// What the tests of PopTorch, PopART and TensorFlow assert of results that come back, number for number, through the ends
// of runs and of sessions: `feeds` gives the infeed and the outfeed.
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/run.hpp>
#include <ipuflow/run/feeds.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train/feeds.hpp>
#include <ipuflow/train/optimisers/sgd.hpp>
#include <ipuflow/train/session.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <numeric>
#include <tuple>
#include <vector>

namespace ends_vectors_test {

using namespace ipuflow;

namespace {

/// 0, 1, ... k-1, again and again.
std::vector<int> counted(std::size_t count, int k) {
  std::vector<int> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<int>(i) % k;
  return all;
}

/// TensorFlow's loops with a body `v + x`: v lives in the stage.
auto adding_to(int& v) {
  return pipeline(input<int>, stage(block<"take">([](int x) { return x; })).ipu<0>(),
                  stage(block<"add">([&v](int x) { return v += x; })).ipu<1>());
}

template <std::size_t Count>
std::vector<int> loop(const std::vector<int>& items, int v, feed::output_mode outputs, std::size_t threads) {
  const auto p = adding_to(v);
  auto [in, out] = run::feeds(p, items, {.outputs = {.mode = outputs}, .sizes = {.device_iterations = Count, .run_for = mode::inference}});
  const auto came = run::on_threads(p, schedule::grouped(inference(p), micro_batches<Count>), in, out, {.threads = threads});
  CHECK(came.delivered == Count);
  return out.dequeue();
}

}  // namespace

TEST_CASE("loops over a cycling dataset: 91 after twenty, item 5 is 16; 46 after ten") {
  for (const std::size_t threads : {1u, 2u}) {
    const auto all = loop<20>(counted(20, 10), 1, feed::output_mode::all, threads);
    REQUIRE(all.size() == 20);
    CHECK(all[5] == 16);
    CHECK(all.back() == 91);
    CHECK(loop<10>(counted(10, 10), 1, feed::output_mode::final, threads) == std::vector{46});
    const auto ones = loop<20>(std::vector<int>(20, 1), 1, feed::output_mode::all, threads);
    for (std::size_t i = 0; i < 20; ++i) CHECK(ones[i] == static_cast<int>(i) + 2);
  }
}

TEST_CASE("two runs on one queue: the second goes on where the first has ended, 5 after five and five of 0, 1, 0, ...") {
  int v = 0;
  const auto p = adding_to(v);
  const std::vector<int> items = counted(10, 2);
  auto [in, out] = run::feeds(p, items);
  run::on_threads(p, schedule::sequential(inference(p), micro_batches<5>), in, out);
  CHECK(v == 2);
  CHECK(out.dequeue() == std::vector{0, 1, 1, 2, 2});
  run::on_threads(p, schedule::sequential(inference(p), micro_batches<5>), in, out);
  CHECK(v == 5);
  CHECK(out.dequeue() == std::vector{3, 3, 4, 4, 5});
}

TEST_CASE("three stages on IPUs 2, 0, 1 or all on one: twelve results, 410.01 first") {
  // Each sample has 32 numbers v: a = v, b = (v + 10) / 2; two samples a micro-batch out of a dataset of five.
  const auto a_and_b = [](std::array<float, 2> v) {
    float sum = 0;
    for (const float one : v) sum += 32 * (2 * one + (one + 10) / 2);
    return sum;
  };
  const auto add = [](float x) { return x + 10.01f; };
  const auto same = [](float x) { return x; };
  std::vector<std::array<float, 2>> items;
  for (int i = 0; i < 12; ++i) items.push_back({static_cast<float>(2 * i % 5), static_cast<float>((2 * i + 1) % 5)});
  const auto check = [&](const auto& p, const auto& timetable) {
    for (std::size_t threads = 1; threads <= 3; ++threads) {
      auto [in, out] = run::feeds(p, items);
      run::on_threads(p, timetable, in, out, {.threads = threads});
      const std::vector<float> results = out.dequeue();
      REQUIRE(results.size() == 12);
      constexpr float expected[] = {410.01f, 730.01f, 650.01f, 570.01f, 890.01f};
      for (std::size_t i = 0; i < 12; ++i) CHECK(results[i] == doctest::Approx(expected[i % 5]));
    }
  };
  const auto spread = pipeline(input<std::array<float, 2>>, stage(block<"one">(a_and_b)).ipu<2>(), stage(block<"two">(add)).ipu<0>(),
                               stage(block<"three">(same)).ipu<1>());
  check(spread, schedule::grouped(inference(spread), micro_batches<12>));
  check(spread, schedule::interleaved(inference(spread), micro_batches<12>));
  check(spread, schedule::sequential(inference(spread), micro_batches<12>));
  const auto together = pipeline(input<std::array<float, 2>>, stage(block<"one">(a_and_b)).ipu<0>(), stage(block<"two">(add)).ipu<0>(),
                                 stage(block<"three">(same)).ipu<0>());
  check(together, schedule::grouped(inference(together), micro_batches<12>));
  check(together, schedule::interleaved(inference(together), micro_batches<12>));
  check(together, schedule::sequential(inference(together), micro_batches<12>));
}

namespace {

constexpr auto identity = single_stage(input<float, 1>, block<"only">(nn::linear<1>));
constexpr auto taught = single_stage(input<float, 1>, per_sample<"wanted", float, 1>,
                                     block<"only">(nn::linear<1>, use<"wanted">(nn::mean_squared_error)));

struct numbers {
  std::size_t count;
  std::size_t size() const { return count; }
  float operator[](std::size_t i) const { return static_cast<float>(i); }
};

auto as_it_is() {
  auto m = std::make_shared<train::model<>>(train::initial_model(identity, 1));
  m->values = {1, 0};
  return m;
}

/// What comes back of ten items, one a device iteration.
template <class... How>
std::vector<float> ten(feed::output_mode outputs, std::size_t period, const How&... how) {
  const auto t = schedule::sharded(inference(identity), micro_batches<1>);
  auto session = train::inference(identity, t, as_it_is(),
                                  {.device_iterations = 10, .outputs = outputs, .output_period = period}, how...);
  const numbers data{10};
  auto [in, out] = train::feeds(session, data);
  CHECK(session.run(in, out) == 1);
  std::vector<float> all;
  for (const auto& scores : out.dequeue()) all.push_back(scores[0]);
  return all;
}

template <class... How>
void check_ten(const How&... how) {
  using enum feed::output_mode;
  const std::vector<float> items{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  CHECK(ten(feed::output_mode::all, 0, how...) == items);
  CHECK(ten(automatic, 0, how...) == items);
  CHECK(ten(every_n, 5, how...) == std::vector<float>{4, 9});
  CHECK(ten(final, 0, how...) == std::vector<float>{9});
  CHECK(ten(sum, 0, how...) == std::vector<float>{45});
}

}  // namespace

TEST_CASE("inference of ten device iterations: all ten, items 4 and 9 of every fifth, the last, the sum") {
  check_ten(on::threads{});
  check_ten(on::chips{});
}

TEST_CASE("training of a thousand device iterations: 1000, 50 of every twentieth, one of final, default and sum") {
  const auto t = schedule::sharded(taught, micro_batches<1>);
  struct pairs {
    std::size_t size() const { return 1000; }
    std::tuple<float, float> operator[](std::size_t i) const { return {static_cast<float>(i % 7), 1}; }
  };
  const pairs data{};
  const auto losses = [&](feed::output_mode outputs, std::size_t period) {
    train::session session{taught, t, train::sgd{.rate = 1e-3f},
                           {.device_iterations = 1000, .outputs = outputs, .output_period = period}};
    auto [in, out] = train::feeds(session, data);
    session.run(in, out);
    std::vector<float> all;
    for (const auto& [scores, loss] : out.dequeue()) all.push_back(loss);
    return all;
  };
  const std::vector<float> all = losses(feed::output_mode::all, 0);
  REQUIRE(all.size() == 1000);
  const std::vector<float> some = losses(feed::output_mode::every_n, 20);
  REQUIRE(some.size() == 50);
  for (std::size_t i = 0; i < 50; ++i) CHECK(some[i] == all[20 * i + 19]);
  CHECK(losses(feed::output_mode::final, 0) == std::vector{all.back()});
  CHECK(losses(feed::output_mode::automatic, 0) == std::vector{all.back()});
  const std::vector<float> added = losses(feed::output_mode::sum, 0);
  REQUIRE(added.size() == 1);
  CHECK(added[0] == doctest::Approx(std::accumulate(all.begin(), all.end(), 0.0)));
}

}  // namespace ends_vectors_test
