// SPDX-License-Identifier: BSL-1.0
#include "small_network.hpp"

#include <ipuflow/train/feeds.hpp>
#include <ipuflow/chips.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <array>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

namespace train_feeds_test {

using namespace ipuflow;

struct points {
  std::size_t count;
  std::size_t size() const { return count; }
  std::tuple<std::array<float, 36>, std::uint8_t> operator[](std::size_t i) const {
    std::array<float, 36> x{};
    for (std::size_t k = 0; k < 36; ++k) x[k] = 2 * nn::random_unit(i, k) - 1;
    return {x, static_cast<std::uint8_t>(i % 4)};
  }
};

/// All results of a session's steps as they come back after each, row by row: of a micro-batch its scores and its loss.
template <class Session>
std::vector<float> after_each(Session& session, const points& data) {
  std::vector<float> all;
  for (auto&& step : feed::load(data, session.samples_per_step())) {
    const auto& [scores, loss] = session(step);
    for (std::size_t row = 0; row < loss.size(); ++row) {
      all.insert(all.end(), scores[row].begin(), scores[row].end());
      all.push_back(loss[row][0]);
    }
  }
  return all;
}

/// The same, read by another thread while steps run.
template <class Session>
std::vector<float> read_along(Session& session, const points& data, std::size_t depth) {
  std::vector<float> all;
  auto [in, out] = train::feeds(session, data, {.prefetch_depth = depth, .buffer_depth = depth});
  std::jthread monitor{[reader = out.follow(), &all]() mutable {
    for (const auto& [scores, loss] : reader) {
      all.insert(all.end(), scores.begin(), scores.end());
      all.push_back(loss);
    }
  }};
  session.run(in, out);
  monitor.join();
  return all;
}

const auto& in_turn() {
  static const auto t = schedule::tabulate(schedule::grouped(test::small_network, micro_batches<8>));
  return t;
}

template <class... How>
void check_modes(const How&... how) {
  for (const auto mode : {feed::output_mode::all, feed::output_mode::final, feed::output_mode::sum, feed::output_mode::every_n}) {
    for (std::size_t replicas = 1; replicas <= 2; ++replicas) {
      train::options o{.micro_batch = 3, .device_iterations = 2, .replicas = replicas, .outputs = mode};
      if (mode == feed::output_mode::every_n) o.output_period = 2;
      train::session one{test::small_network, in_turn(), train::adamw{}, o, how...};
      train::session other{test::small_network, in_turn(), train::adamw{}, o, how...};
      const points data{one.samples_per_step() * 3};
      CAPTURE(static_cast<int>(mode));
      CAPTURE(replicas);
      CHECK(read_along(other, data, replicas) == after_each(one, data));
      CHECK(other.parameters()->values == one.parameters()->values);
    }
  }
}

TEST_CASE("who reads along gets what comes back after each step, in its order, in every output mode: threads") {
  check_modes(on::threads{.count = 1});
  check_modes(on::threads{.count = 3});
}

TEST_CASE("who reads along gets what comes back after each step, in its order, in every output mode: chips") {
  check_modes(on::chips{});
}

TEST_CASE("the same under a schedule in two directions, whose micro-batches end out of order") {
  const auto both = schedule::tabulate(schedule::dualpipe(test::small_network, micro_batches<16>));
  for (const auto mode : {feed::output_mode::all, feed::output_mode::sum}) {
    const train::options o{.micro_batch = 2, .outputs = mode};
    train::session one{test::small_network, both, train::adamw{}, o, on::threads{.count = 3}};
    train::session other{test::small_network, both, train::adamw{}, o, on::threads{.count = 3}};
    train::session chips{test::small_network, both, train::adamw{}, o, on::chips{}};
    const points data{one.samples_per_step() * 2};
    const auto expected = after_each(one, data);
    CHECK(read_along(other, data, 1) == expected);
    const auto from_chips = read_along(chips, data, 1);
    REQUIRE(from_chips.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(from_chips[i] == doctest::Approx(expected[i]).epsilon(1e-4));
  }
}

template <class... How>
void check_while_it_runs(const How&... how) {
  train::session session{test::small_network, in_turn(), train::sgd{}, {.micro_batch = 3, .outputs = feed::output_mode::all}, how...};
  const points data{session.samples_per_step()};
  std::size_t read = 0;
  auto steps = feed::load(data, session.samples_per_step());
  CHECK(session.run(steps, [&](const std::vector<float>&, float) {
    ++read;
    CHECK(session.updates() == 0);  // the step has not come to its end
  }) == 1);
  CHECK(read == 8);
  CHECK(session.updates() == 1);
}

TEST_CASE("results come while the step runs, before the weights are updated") {
  check_while_it_runs(on::threads{.count = 1});
  check_while_it_runs(on::threads{.count = 2});
  check_while_it_runs(on::chips{});
}

TEST_CASE("a run takes as many steps as it is told, and goes on with the next") {
  train::session session{test::small_network, in_turn(), train::sgd{}, {.micro_batch = 3}};
  const points data{session.samples_per_step() * 5};
  auto [in, out] = train::feeds(session, data, {.epochs = 2});
  CHECK(session.run(in, out, 3) == 3);
  CHECK(session.run(in, out, 0) == 0);
  CHECK(session.run(in, out, 100) == 7);
  CHECK(session.updates() == 10);
  CHECK(out.dequeue().size() == 10);
  CHECK(session.run(in, out) == 0);

  auto steps = feed::load(data, session.samples_per_step());
  CHECK(session.run(steps, [](const std::vector<float>&, float) {}, 2) == 2);  // a range is begun anew
  CHECK(session.run(steps, [](const std::vector<float>&, float) {}) == 5);
}

TEST_CASE("inference takes a last short step, and its last row is short, too") {
  constexpr auto predicts = pipeline(input<float, 36>, per_sample<"label", std::uint8_t>, block<"a">(nn::linear<8>, nn::tanh), block<"b">(nn::linear<3>));
  const auto check = [&](const auto&... how) {
    auto session = train::inference(predicts, schedule::inference(predicts, micro_batches<3>),
                                    std::make_shared<train::model<>>(train::initial_model(predicts, 1)), {.micro_batch = 4}, how...);
    using result = typename decltype(session)::micro_batch_result;
    static_assert(std::is_same_v<result, std::vector<float>>);
    const points data{12 + 6};
    std::vector<float> expected;
    for (auto&& step : feed::load(data, session.samples_per_step(), {.last = feed::tail::kept})) {
      const auto& values = session(step)[0].values;
      expected.insert(expected.end(), values.begin(), values.end());
    }
    auto [in, out] = train::feeds(session, data, {.loading = {.last = feed::tail::kept}});
    CHECK(session.run(in, out) == 2);
    std::vector<float> came;
    std::vector<std::size_t> sizes;
    for (const auto& row : out) {
      sizes.push_back(row.size());
      came.insert(came.end(), row.begin(), row.end());
    }
    CHECK(sizes == std::vector<std::size_t>{12, 12, 12, 12, 6});
    CHECK(came == expected);
  };
  check(on::threads{.count = 2});
  check(on::chips{});
}

TEST_CASE("a reader that throws ends the step: the model is what it was, the next step works, the outfeed is closed") {
  train::session session{test::small_network, in_turn(), train::sgd{}, {.micro_batch = 3, .outputs = feed::output_mode::all}, on::threads{.count = 2}};
  const points data{session.samples_per_step() * 2};
  const auto before = session.parameters()->values;
  int left = 3;
  auto steps = feed::load(data, session.samples_per_step());
  CHECK_THROWS(session.run(steps, [&](const std::vector<float>&, float) {
    if (--left == 0) throw std::runtime_error{"enough"};
  }));
  CHECK(session.parameters()->values == before);
  CHECK(session.run(steps, [](const std::vector<float>&, float) {}) == 2);

  auto [in, out] = train::feeds(session, data);
  out.close();
  CHECK(session.run(in, out) == 2);  // a run opens it
}

TEST_CASE("a reader of sums that throws ends the step as any other does") {
  const auto check = [](const auto&... how) {
    train::session session{test::small_network, in_turn(), train::adamw{}, {.micro_batch = 3, .outputs = feed::output_mode::sum}, how...};
    const points data{session.samples_per_step()};
    const auto before = session.parameters()->values;
    auto steps = feed::load(data, session.samples_per_step());
    CHECK_THROWS(session.run(steps, [](const std::vector<float>&, float) { throw std::runtime_error{"no"}; }));
    CHECK(session.parameters()->values == before);
    CHECK(session.run(steps, [](const std::vector<float>&, float) {}) == 1);
    CHECK(session.updates() == 1);
  };
  check(on::threads{.count = 1});
  check(on::chips{});
}

// --- arguments of a run -----------------------------------------------------------------------------------------------

constexpr auto with_rate = pipeline(input<float, 36>, per_sample<"label", std::uint8_t>, per_run<"rate", float>,
                                    block<"a">(nn::linear<8>, nn::tanh), block<"b">(nn::linear<4>, use<"label">(nn::cross_entropy)));
constexpr auto without = pipeline(input<float, 36>, per_sample<"label", std::uint8_t>,
                                  block<"a">(nn::linear<8>, nn::tanh), block<"b">(nn::linear<4>, use<"label">(nn::cross_entropy)));

template <class... How>
void check_rates(const How&... how) {
  const auto timetable = schedule::grouped(with_rate, micro_batches<4>);
  train::session given{with_rate, timetable, train::rate_from<"rate">(train::sgd{.momentum = 0.5f}), {.micro_batch = 3}, how...};
  train::session set{without, schedule::grouped(without, micro_batches<4>), train::sgd{.momentum = 0.5f}, {.micro_batch = 3}, how...};
  const points data{given.samples_per_step() * 3};
  float rate = 0.5f;
  for (auto&& step : feed::load(data, given.samples_per_step())) {
    given(step, ipuflow::with<"rate">(rate));
    set.optimiser().rate = rate;
    set(step);
    rate /= 2;
  }
  CHECK(given.parameters()->values == set.parameters()->values);
  set.optimiser().rate = 0.1f;
  const auto ignored = [](const auto&...) {};
  CHECK(set.run(feed::load(data, set.samples_per_step()), ignored) == 3);
  CHECK(given.run(feed::load(data, given.samples_per_step()), ignored, ipuflow::with<"rate">(0.1f)) == 3);
  CHECK(given.parameters()->values == set.parameters()->values);
}

TEST_CASE("the rate of a run is what its argument says") {
  check_rates(on::threads{.count = 2});
  check_rates(on::chips{});
}

/// Adds what a run is given to all that flows.
constexpr auto shifted = pipeline(input<float, 4>, per_run<"shift", float, 4>, block<"a">(use<"shift">(nn::add)), block<"b">(nn::relu));

template <class... How>
void check_tensor(const How&... how) {
  auto session = train::inference(shifted, schedule::inference(shifted, micro_batches<2>),
                                  std::make_shared<train::model<>>(train::initial_model(shifted, 1)), {.micro_batch = 3}, how...);
  std::vector<std::array<float, 4>> rows(6);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].fill(static_cast<float>(i));
  for (auto&& step : feed::load(rows, session.samples_per_step())) {
    const auto& values = session(step, ipuflow::with<"shift">(std::array{1.0f, -3.0f, 0.5f, 0.0f}))[0].values;
    REQUIRE(values.size() == 24);
    for (std::size_t i = 0; i < 6; ++i) {
      const auto x = static_cast<float>(i);
      CHECK(std::vector(values.begin() + static_cast<long>(4 * i), values.begin() + static_cast<long>(4 * i + 4)) ==
            std::vector{x + 1, x < 3 ? 0 : x - 3, x + 0.5f, x});
    }
  }
}

TEST_CASE("an argument enters the layers that use it, the same for every sample") {
  check_tensor(on::threads{.count = 1});
  check_tensor(on::chips{});
}

}  // namespace train_feeds_test
