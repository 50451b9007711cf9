// SPDX-License-Identifier: BSL-1.0
// A stage that throws, or a stop, at every operation of a step: the model is as it was, and the next step works.
#include "fragile.hpp"
#include "small_network.hpp"

#include <ipuflow/run/stage_failed.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <stop_token>

namespace session_failures_test {

namespace {

using namespace ipuflow;

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
std::atomic<std::size_t> calls_left{never};
std::stop_source* to_stop = nullptr;

void count_call() {
  if (calls_left.fetch_sub(1) != 1) return;
  if (to_stop == nullptr) throw std::runtime_error{"the stage has had enough"};
  to_stop->request_stop();
}

constexpr auto fragile = test::fragile<&count_call>;

constexpr auto network =
    pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>,
             block<"a">(nn::conv2d<2, 3>, nn::batch_norm, fragile), block<"b">(nn::flatten, nn::linear<4>, fragile),
             block<"c">(fragile, nn::linear<4>, use<"label">(nn::cross_entropy)));
constexpr auto timetable = schedule::one_f_one_b(network, micro_batches<4>);

constexpr auto forked = pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>,
                                 stage(block<"a">(nn::conv2d<2, 3>, nn::batch_norm, nn::flatten, fragile)).ipu<0>(),
                                 concurrent(stage(block<"b">(nn::linear<4>, nn::checkpoint, fragile)).ipu<1>(),
                                            stage(block<"c">(fragile, nn::linear<4>)).ipu<2>()),
                                 stage(block<"d">(nn::add, use<"label">(nn::cross_entropy))).ipu<3>());

/// A stage fails at each of its calls in a step, which are so many.
template <class P, class T>
void check_failures(const P& described, const T& t, std::size_t replicas, std::size_t calls) {
  for (const std::size_t threads : {1u, 2u, 3u}) {
    auto o = test::small_options(3);
    o.replicas = replicas;
    train::session session{described, t, train::adamw{}, o, on::threads{.count = threads}};
    const test::made_up data{session.samples_per_step()};
    session(data);
    const auto before = *session.parameters();
    std::size_t failures = 0;
    for (std::size_t call = 1;; ++call) {
      calls_left = call;
      try {
        session(data);
        break;
      } catch (const run::stage_failed& e) {
        ++failures;
        CHECK(e.stage() < 3);
        CHECK(e.micro_batch() < t.where.micro_batches);
        CHECK(e.replica() < replicas);
        CHECK((std::string{e.what()}.find(" of replica ") != std::string::npos) == (replicas > 1));
        CHECK(std::string{e.what()}.find("the stage has had enough") != std::string::npos);
        CHECK(*session.parameters() == before);
        CHECK(session.updates() == 2);
      }
    }
    calls_left = never;
    CHECK(failures == calls);
    train::session untroubled{described, t, train::adamw{}, o};
    untroubled(data), untroubled(data);
    CHECK(*session.parameters() == *untroubled.parameters());
  }
}

}  // namespace

TEST_CASE("an exception at every possible operation") { check_failures(network, timetable, 1, 2 * 4 * 6); }

TEST_CASE("an exception in every replica") { check_failures(network, timetable, 2, 2 * 2 * 4 * 6); }

TEST_CASE("an exception in every branch, forward, again and back") {
  constexpr auto within = schedule::recomputation::and_backpropagate;
  check_failures(forked, schedule::grouped(forked, micro_batches<6>), 1, 2 * 6 * 6);
  check_failures(forked, schedule::grouped(forked, micro_batches<6>, {.recompute = within}), 1, 2 * 6 * (6 + 1));
}

namespace {

/// Plain descent, until it has had enough.
struct fragile_descent {
  using state_type = float;
  static constexpr std::size_t states = 0;

  template <class Number>
  void update(std::span<Number> values, std::span<const float> gradients, std::span<float>, std::size_t) const {
    count_call();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] -= 0.01f * gradients[i];
  }
};

constexpr auto plain = pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>,
                                block<"a">(nn::conv2d<2, 3>, nn::flatten), block<"b">(nn::linear<4>),
                                block<"c">(nn::linear<4>, use<"label">(nn::cross_entropy)));

}  // namespace

TEST_CASE("an optimiser that throws at every possible call: the model is as it was, and the next step works") {
  constexpr auto t = schedule::one_f_one_b(plain, micro_batches<4>);
  for (const std::size_t threads : {1u, 2u, 3u}) {
    auto o = test::small_options(3);
    train::session session{plain, t, fragile_descent{}, o, on::threads{.count = threads}};
    const test::made_up data{session.samples_per_step()};
    session(data);
    const auto before = *session.parameters();
    std::size_t failures = 0;
    for (std::size_t call = 1;; ++call, ++failures) {
      calls_left = call;
      try {
        session(data);
        break;
      } catch (const std::runtime_error& e) {
        CHECK(std::string{e.what()} == "the stage has had enough");
        CHECK(*session.parameters() == before);
        CHECK(session.updates() == 2);
      }
    }
    calls_left = never;
    CHECK(failures >= 2 * 3);  // two updates of three stages or more pieces
    train::session untroubled{plain, t, fragile_descent{}, o};
    untroubled(data), untroubled(data);
    CHECK(*session.parameters() == *untroubled.parameters());
  }
}

TEST_CASE("a label that is no class names stage and micro-batch") {
  auto o = test::small_options(3);
  train::session session{network, timetable, train::adamw{}, o};
  const auto before = *session.parameters();
  struct {
    std::vector<std::uint8_t> pixels = std::vector<std::uint8_t>(24 * 36), labels = std::vector<std::uint8_t>(24);
    std::tuple<feed::column_view<std::span<const std::uint8_t>>, feed::column_view<std::uint8_t>> all{
        {pixels.data(), 24, 36}, {labels.data(), 24}};
    std::size_t size() const { return 24; }
    const auto& columns() const { return all; }
  } data;
  data.labels[7] = 9;
  CHECK_THROWS_WITH(session(data), doctest::Contains("stage 2 failed in the forward of micro-batch 2"));
  CHECK(*session.parameters() == before);
}

TEST_CASE("a stop at every possible operation") {
  for (const std::size_t threads : {1u, 2u}) {
    std::size_t stopped = 0;
    for (std::size_t call = 1;; ++call) {
      std::stop_source source;
      to_stop = &source;
      auto o = test::small_options(3);
        train::session session{network, timetable, train::adamw{}, o,
                             on::threads{.count = threads, .stop = source.get_token()}};
      const test::made_up data{session.samples_per_step()};
      const auto before = *session.parameters();
      calls_left = call;
      try {
        session(data);
      } catch (const rejected<train::session_fault>& e) {
        CHECK(e.found().kind == train::session_wrong::stopped);
        ++stopped;
        CHECK(*session.parameters() == before);
      }
      const bool over = calls_left.load() < never / 2 && calls_left.load() > 0;
      calls_left = never;
      if (over) break;
    }
    to_stop = nullptr;
    CHECK(stopped > 40);
  }
}

}  // namespace session_failures_test
