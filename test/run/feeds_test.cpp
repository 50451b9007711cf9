// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/graph.hpp>
#include <ipuflow/run.hpp>
#include <ipuflow/run/feeds.hpp>
#include <ipuflow/schedule.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

namespace run_feeds_test {

using namespace ipuflow;

constexpr auto ten_times = [](int x) { return x * 10; };
constexpr auto plus_one = [](int x) { return x + 1; };
constexpr auto two_stages = pipeline(input<int>, stage(block<"a">(ten_times)).ipu<0>(), stage(block<"b">(plus_one)).ipu<1>());
constexpr auto labelled = pipeline(input<int>, per_sample<"label", std::string>, per_run<"limit", int>,
                                   stage(block<"a">(plus_one)).ipu<0>(),
                                   stage(block<"b">(use<"limit", "label">([](int x, int most, const std::string& label) {
                                     return std::tuple{x < most ? x : most, label + "!"};
                                   }))).ipu<1>());

static_assert(std::is_same_v<run::fed_item<std::remove_cv_t<decltype(two_stages)>>, int>);
static_assert(std::is_same_v<run::result_item<std::remove_cv_t<decltype(two_stages)>>, int>);
static_assert(std::is_same_v<run::fed_item<std::remove_cv_t<decltype(labelled)>>, std::tuple<int, std::string>>);
static_assert(std::is_same_v<run::result_item<std::remove_cv_t<decltype(labelled)>>, std::tuple<int, std::string>>);

TEST_CASE("a run takes its infeed and outfeed as source and sink") {
  const std::vector<int> items{3, 1, 2};
  auto [in, out] = run::feeds(two_stages, items);
  const auto came = run::on_threads(two_stages, schedule::inference(two_stages, micro_batches<8>), in, out);
  CHECK(came.taken == 3);
  CHECK(out.dequeue() == std::vector{31, 11, 21});
}

TEST_CASE("one thread enqueues, another reads along, and the end of the source is the end of both") {
  for (std::size_t threads = 1; threads <= 2; ++threads) {
    for (const std::size_t depth : {1u, 3u}) {
      auto [in, out] = run::feeds(labelled, {.prefetch_depth = depth, .buffer_depth = depth});
      long sum = 0;
      std::size_t length = 0;
      {
        std::jthread host{[&to = in] {
          for (int i = 0; i < 500; ++i) to.enqueue({i, std::string(static_cast<std::size_t>(i % 5), 'x')});
          to.close();
        }};
        std::jthread monitor{[reader = out.follow(), &sum, &length]() mutable {
          for (const auto& [x, label] : reader) sum += x, length += label.size();
        }};
        const auto came = run::on_threads(labelled, schedule::grouped(inference(labelled), micro_batches<1000>), in, out,
                                          {.threads = threads}, with<"limit">(400));
        CHECK(came.delivered == 500);
      }
      CHECK(sum == 400L * 401 / 2 + 100 * 400);
      CHECK(length == 500 * 3);
    }
  }
}

TEST_CASE("a run whose timetable ends leaves the rest to the next one, and the outfeed open") {
  std::vector<int> items(20);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<int>(i);
  auto [in, out] = run::feeds(two_stages, items);
  std::vector<int> read;
  std::jthread monitor{[reader = out.follow(), &read]() mutable {
    for (const int x : reader) read.push_back(x);
  }};
  const auto eight = schedule::inference(two_stages, micro_batches<8>);
  CHECK(run::on_threads(two_stages, eight, in, out).taken == 8);
  CHECK(run::on_threads(two_stages, eight, in, out).taken == 8);
  CHECK(run::on_threads(two_stages, eight, in, out).taken == 4);  // and closes
  monitor.join();
  REQUIRE(read.size() == 20);
  for (std::size_t i = 0; i < read.size(); ++i) CHECK(read[i] == static_cast<int>(i) * 10 + 1);
}

TEST_CASE("an exception from a stage ends the reader, too, and the ends can be used again") {
  static constexpr auto p = pipeline(input<int>, block<"a">(ten_times), block<"b">([](int x) {
    if (x == 50) throw std::runtime_error{"five"};
    return x;
  }));
  std::vector<int> items{1, 2, 3, 4, 5, 6, 7};
  auto [in, out] = run::feeds(p, items);
  const auto timetable = schedule::inference(p, micro_batches<100>);
  std::size_t read = 0;
  {
    std::jthread monitor{[reader = out.follow(), &read]() mutable {
      for ([[maybe_unused]] const int x : reader) ++read;
    }};
    CHECK_THROWS_AS(run::on_threads(p, timetable, in, out, {.threads = 1}), run::stage_failed);
  }
  CHECK(read == 4);
  (void)run::on_threads(p, timetable, in, out);  // what the failed run has taken is lost
  CHECK(out.dequeue().size() <= 2);
}

TEST_CASE("a thread that enqueues is not left waiting: not by an exception, nor by a run that was the last") {
  static constexpr auto p = pipeline(input<int>, block<"a">(ten_times), block<"b">([](int x) {
    if (x == 30) throw std::runtime_error{"three"};
    return x;
  }));
  for (const bool throws : {true, false}) {
    auto [in, out] = run::feeds(p, {.prefetch_depth = 2});
    std::size_t refused = 0;
    std::jthread host{[&to = in, &refused, throws] {
      for (int i = 0; i < 50; ++i) refused += to.enqueue(throws ? i : 0) ? 0u : 1u;
    }};
    if (throws) {
      CHECK_THROWS_AS(run::on_threads(p, schedule::inference(p, micro_batches<100>), in, out, {.threads = 1}), run::stage_failed);
    } else {
      CHECK(run::on_threads(p, schedule::inference(p, micro_batches<8>), in, out).taken == 8);
      in.stop();
    }
    host.join();
    CHECK(refused > 0);
    CHECK(!in());
  }
}

TEST_CASE("outputs select what comes back of a stream, too") {
  const std::vector<int> items{1, 2, 3, 4, 5, 6};
  auto [in, out] = run::feeds(two_stages, items, {.outputs = {.mode = feed::output_mode::every_n, .period = 3},
                                                  .sizes = {.device_iterations = 3, .run_for = mode::inference}});
  run::on_threads(two_stages, schedule::inference(two_stages, micro_batches<10>), in, out);
  CHECK(out.dequeue() == std::vector{31, 61});
}

}  // namespace run_feeds_test
