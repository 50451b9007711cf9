// SPDX-License-Identifier: BSL-1.0
// Concurrent branches run on their own IPUs, at the same time, and what is learned does not show it.
#include "forked_network.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace session_concurrent_test {

namespace {

using namespace ipuflow;
using schedule::recomputation;

template <class P, class T>
void check_same(const P& network, const train::model<>& expected, const T& timetable, std::size_t most_threads) {
  auto o = test::small_options();
  for (std::size_t threads = 1; threads <= most_threads; threads *= 2) {
    CAPTURE(threads);
    CHECK(test::trained(network, timetable, o, {.count = threads}) == expected);
  }
}

/// Waits until the other branch has come as far; gives up after a while, which is counted.
struct meeting {
  std::atomic<std::size_t> came[2]{0, 0};
  std::atomic<std::size_t> missed{0};

  void meet(std::size_t me) {
    const std::size_t mine = ++came[me];
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds{5};
    while (came[1 - me] < mine && missed == 0 && std::chrono::steady_clock::now() < give_up) std::this_thread::yield();
    if (came[1 - me] < mine) ++missed;
  }
};
meeting forwards;
meeting backwards;

template <std::size_t Branch>
struct meet_t {};

template <std::size_t Branch, element E, std::size_t N>
constexpr tensor<E, N> output_of(meet_t<Branch>, tensor<E, N>) {
  return {};
}
template <std::size_t Branch, element E, std::size_t N>
constexpr nn::layer_facts facts(meet_t<Branch>, tensor<E, N>) {
  return {.whole_batch = true, .inputs_need_input = false};
}
template <std::size_t Branch, class T, class Shape>
void forward(meet_t<Branch>, nn::forward_pass<T, nn::in<Shape>, nn::out<Shape>> pass) {
  forwards.meet(Branch);
  const auto [x] = pass.in;
  std::copy_n(x.data, x.size(), get<0>(pass.out).data);
}
template <std::size_t Branch, class T, class Shape>
void backward_inputs(meet_t<Branch>, nn::inputs_pass<T, nn::in<Shape>, nn::out<Shape>> pass) {
  backwards.meet(Branch);
  const auto [d_y] = pass.d_out;
  std::copy_n(d_y.data, d_y.size(), get<0>(pass.d_in).data);
}

constexpr auto meeting_network = pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>,
                                          stage(block<"in">(nn::flatten, nn::linear<8>)).ipu<0>(),
                                          concurrent(stage(block<"left">(nn::linear<4>, meet_t<0>{})).ipu<1>(),
                                                     stage(block<"right">(nn::linear<4>, meet_t<1>{})).ipu<2>()),
                                          stage(block<"out">(nn::add, use<"label">(nn::cross_entropy))).ipu<3>());

}  // namespace

TEST_CASE("branches run at the same time, forward and back") {
  auto o = test::small_options();
  train::session session{meeting_network, schedule::grouped(meeting_network, micro_batches<12>), train::adamw{}, o,
                         on::threads{.count = 4}};
  session(test::made_up{session.samples_per_step()});
  for (const meeting* m : {&forwards, &backwards}) {
    CHECK(m->missed == 0);
    CHECK(m->came[0] == 24);
    CHECK(m->came[1] == 24);
  }
}

TEST_CASE("the same weights for every schedule, any number of threads, with and without recomputation") {
  constexpr auto& network = test::forked_network;
  const auto expected = test::trained(network, schedule::sharded(network, micro_batches<16>), test::small_options());
  check_same(network, expected, schedule::sequential(network, micro_batches<16>), 2);
  check_same(network, expected, schedule::grouped(network, micro_batches<16>), 8);
  check_same(network, expected, schedule::interleaved(network, micro_batches<16>), 8);
  check_same(network, expected,
             schedule::grouped(network, micro_batches<16>, {.recompute = recomputation::then_backpropagate}), 4);
  check_same(network, expected,
             schedule::grouped(network, micro_batches<16>, {.recompute = recomputation::and_backpropagate}), 4);
  check_same(network, expected, schedule::interleaved(network, micro_batches<16>, recomputation::automatic), 4);
}

TEST_CASE("all branches on one IPU, where the timetable knows of no branches, learn the same") {
  constexpr auto& network = test::forked_network;
  const auto expected = test::trained(network, schedule::sharded(network, micro_batches<16>), test::small_options());
  check_same(network, expected, schedule::one_f_one_b(schedule::setup{4, 1, 16}), 4);
  check_same(network, expected, schedule::zb1p(schedule::setup{4, 1, 16}), 4);
  check_same(network, expected, schedule::zbv(schedule::setup{2, 2, 16}), 2);
}

TEST_CASE("branches at both ends: every one reads the samples and has results of its own") {
  constexpr auto& network = test::forked_ends;
  const auto results = [&](const auto& timetable, std::size_t threads, feed::output_mode how) {
    auto o = test::small_options();
    o.outputs = how;
    train::session session{network, timetable, train::adamw{.rate = 1e-2f}, o, on::threads{.count = threads}};
    const test::made_up data{session.samples_per_step()};
    session(data);
    auto found = session(data);
    CHECK(found.size() == 4);
    return std::tuple{*session.parameters(), found[0].values, found[1].values, found[2].values, found[3].values};
  };
  for (const auto how : {feed::output_mode::all, feed::output_mode::sum}) {
    const auto expected = results(schedule::sharded(network, micro_batches<8>), 1, how);
    CHECK(std::get<2>(expected) != std::get<4>(expected));
    for (const std::size_t threads : {1u, 2u, 4u}) {
      CHECK(results(schedule::grouped(network, micro_batches<8>), threads, how) == expected);
      CHECK(results(schedule::one_f_one_b(schedule::setup{2, 1, 8}), threads, how) == expected);
    }
  }
}

TEST_CASE("inference gives what training's forward passes give") {
  constexpr auto& network = test::forked_ends;
  auto o = test::small_options();
  o.device_iterations = 1;
  auto model = std::make_shared<train::model<>>(train::initial_model(network, 3));
  const auto predictions = [&](const auto& timetable, std::size_t threads) {
    auto session = train::inference(network, timetable, model, o, on::threads{.count = threads});
    const auto& found = session(test::made_up{session.samples_per_step()});
    return std::vector{found[0].values, found[1].values, found[2].values, found[3].values};
  };
  const auto one = predictions(schedule::sequential(inference(network), micro_batches<8>), 1);
  for (const std::size_t threads : {1u, 2u, 4u}) {
    CHECK(predictions(schedule::grouped(inference(network), micro_batches<8>), threads) == one);
    CHECK(predictions(schedule::inference(schedule::setup{2, 1, 8}), threads) == one);
  }
}

TEST_CASE("a timetable that has other branches is refused") {
  using network = std::remove_cvref_t<decltype(test::forked_ends)>;
  constexpr auto timetable = schedule::grouped(schedule::devices(0, schedule::on_ipus(1, 2, 3)), micro_batches<8>);
  CHECK_THROWS_WITH(
      (train::session<network, std::remove_cvref_t<decltype(timetable)>>{test::forked_ends, timetable, {}, {}}),
      "ipuflow: the timetable has stage 1 on 3 IPUs but it has 2 concurrent branches; give each branch an "
      "IPU, or all of them one");
}

}  // namespace session_concurrent_test
