// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/stream.hpp>

#include <ipuflow/queue/channel.hpp>

#include <doctest/doctest.h>

#include "greedy_names.hpp"
#include "streams.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace stream_test {

using namespace ipuflow;
using streams::token;

/// 0, 1, ... as tokens that can only be moved, until `count`.
auto tokens(long count) {
  return [next = 0L, count]() mutable { return next < count ? std::optional<token>{next++} : std::nullopt; };
}

TEST_CASE("callables, capturing, changing their state or members of the item, in order on any number of threads") {
  struct word {
    std::string text;
    std::size_t size() const { return text.size(); }
  };
  const std::vector<std::string> texts{"to", "be", "or", "not", "to", "be"};
  for (const std::size_t threads : {0u, 1u, 2u, 5u}) {
    CAPTURE(threads);
    std::vector<std::size_t> sums;
    std::size_t calls = 0;
    const auto make = [&calls](std::string text) {
      ++calls;
      return word{std::move(text)};
    };
    const run::stream_outcome came = run::stream({.threads = threads, .capacity = 2}, texts, make, &word::size,
                                                 [sum = std::size_t{0}](std::size_t n) mutable { return sum += n; },
                                                 [&](std::size_t sum) { sums.push_back(sum); });
    CHECK(sums == std::vector<std::size_t>{2, 4, 6, 9, 11, 13});
    CHECK(calls == 6);
    CHECK(came.taken == 6);
    CHECK(came.delivered == 6);
  }
}

TEST_CASE("stages that drop, multiply and gather are what loops over all items are") {
  const auto odd = [](int n) { return n % 2 == 1; };
  const auto half = [](int n) { return n % 4 == 0 ? std::optional<int>{n / 4} : std::nullopt; };
  const auto several = [](int n) { return std::vector<int>(static_cast<std::size_t>(n % 3), n); };
  for (const int count : {0, 1, 2, 7, 100}) {
    for (const std::size_t threads : {1u, 2u, 4u}) {
      CAPTURE(count);
      CAPTURE(threads);
      const run::thread_options options{.threads = threads, .capacity = 3};
      std::vector<int> wanted;
      std::vector<int> got;
      const auto keep = [&](int n) { got.push_back(n); };
      for (int n = 0; n < count; ++n) {
        if (odd(n)) wanted.push_back(n + 1);
      }
      const auto came = run::stream(options, std::views::iota(0, count), run::filter(odd), [](int n) { return n + 1; }, keep);
      CHECK(got == wanted);
      CHECK(came.taken == static_cast<std::size_t>(count));
      CHECK(came.delivered == wanted.size());

      wanted.clear(), got.clear();
      for (int n = 0; n < count; ++n) {
        if (half(n)) wanted.push_back(*half(n));
      }
      run::stream(options, std::views::iota(0, count), run::filter_map(half), keep);
      CHECK(got == wanted);

      wanted.clear(), got.clear();
      std::vector<std::size_t> sizes;
      for (int n = 0; n < count; ++n) {
        for (const int one : several(n)) wanted.push_back(one);
      }
      const auto unpack = [&](std::vector<int> some) {
        sizes.push_back(some.size());
        return some;
      };
      run::stream(options, std::views::iota(0, count), run::flat_map(several), run::batch(4), run::flat_map(unpack), keep);
      CHECK(got == wanted);
      CHECK(sizes.size() == (wanted.size() + 3) / 4);
      for (std::size_t b = 0; b + 1 < sizes.size(); ++b) CHECK(sizes[b] == 4);
    }
  }
}

TEST_CASE("what is held back until the end passes all later stages, also those that hold back themselves") {
  std::vector<std::vector<int>> got;
  int total = 0;
  const auto sums = run::expand<int>([&](int n, auto&& give) { if ((total += n) % 5 == 0) give(total); }, [&](auto&& give) { give(-total); });
  run::stream({.threads = 2}, std::array{1, 4, 2, 9}, sums, run::batch(2), run::batch(2),
              [&](const std::vector<std::vector<int>>& all) { got.insert(got.end(), all.begin(), all.end()); });
  CHECK(got == std::vector<std::vector<int>>{{5, -16}});
  got.clear();
  run::stream(std::array{1, 2, 3, 4, 5}, run::batch(2), [&](std::vector<int> some) { got.push_back(some); });
  CHECK(got == std::vector<std::vector<int>>{{1, 2}, {3, 4}, {5}});
}

TEST_CASE("items that can only be moved, none lost and none left") {
  for (const std::size_t threads : {1u, 3u}) {
    long sum = 0;
    const auto came = run::stream({.threads = threads, .capacity = 2}, tokens(50),
                                  run::filter([](const token& t) { return t.value() % 3 != 0; }),
                                  [](token t) { return std::make_unique<token>(std::move(t)); }, run::batch(8),
                                  run::flat_map([](std::vector<std::unique_ptr<token>> all) { return all; }),
                                  [&](std::unique_ptr<token> t) { sum += t->value(); });
    CHECK(came.delivered == 33);
    CHECK(sum == 49 * 50 / 2 - 3 * (16 * 17 / 2));
    CHECK(token::alive == 0);
  }
}

TEST_CASE("lists in braces, arrays and queues of what cannot be copied are read like any range") {
  std::vector<int> got;
  const int array[] = {4, 5};
  const auto keep = [&](int n) { got.push_back(n); };
  run::stream({1, 2}, [](int n) { return 10 * n; }, keep);
  run::stream({.threads = 2}, {3}, [](int n) { return 10 * n; }, keep);
  run::stream(array, [](int n) { return 10 * n; }, keep);
  auto [in, out] = queue::make_channel<std::unique_ptr<int>>(2);
  in.push(std::make_unique<int>(6));
  in.close();
  run::stream(out, [](std::unique_ptr<int> n) { return 10 * *n; }, keep);
  CHECK(got == std::vector{10, 20, 30, 40, 50, 60});
}

TEST_CASE("truths pass through stages that drop and gather") {
  std::vector<std::vector<bool>> got;
  run::stream(std::array{1, 2, 3, 4, 5}, run::flat_map([](int n) { return std::vector<bool>(static_cast<std::size_t>(n), n % 2 == 0); }),
              run::filter([](bool) { return true; }), run::batch(10), [&](std::vector<bool> ten) { got.push_back(std::move(ten)); });
  CHECK(got == std::vector<std::vector<bool>>{{false, true, true, false, false, false, true, true, true, true}, std::vector<bool>(5)});
}

TEST_CASE("a tuple may be taken as its values; a block has several ops") {
  std::vector<std::string> got;
  const auto halves = [](int n) { return std::tuple{n / 2, n - n / 2}; };
  run::stream(std::array{7, 8}, block<"split">(halves, run::filter([](int a, int b) { return a != b; })),
              block<"text">([](int a, int b) { return std::to_string(a) + "+" + std::to_string(b); }, [](std::string s) { return s + "!"; }),
              [&](std::string text) { got.push_back(text); });
  CHECK(got == std::vector<std::string>{"3+4!"});
}

TEST_CASE("a stage that is a variable is used where it stands, a constant one is copied") {
  int calls = 0;
  struct counter {
    int count = 0;
    int operator()(int n) { return ++count, n; }
  } counting;
  const auto constant = [&](int n) { return ++calls, n; };
  run::stream(std::array{1, 2, 3}, counting, constant, std::ref(counting), [](int) {});
  CHECK(counting.count == 6);
  CHECK(calls == 3);
}

TEST_CASE("a throw is named by block and item, at any place, and leaves nothing behind") {
  const auto fails_at = [](long at) {
    return [at](token t) {
      if (t.value() == at) throw std::out_of_range{"here"};
      return t;
    };
  };
  const auto text_of = [](auto run) {
    try {
      run();
    } catch (const run::item_failed& failed) {
      CHECK_THROWS_AS(std::rethrow_exception(failed.cause()), std::out_of_range);
      return std::string{failed.what()};
    }
    return std::string{};
  };
  for (const std::size_t threads : {1u, 2u, 3u}) {
    const run::thread_options options{.threads = threads, .capacity = 2};
    for (const long at : {0L, 1L, 6L, 39L}) {
      const auto item = ", item " + std::to_string(at) + ": here";
      CHECK(text_of([&] { run::stream(options, tokens(40), block<"first">(fails_at(at)), fails_at(-1), [](token) {}); }) ==
            "ipuflow: block 'first' failed" + item);
      CHECK(text_of([&] { run::stream(options, tokens(40), fails_at(-1), fails_at(at), [](token) {}); }) == "ipuflow: stage 2 failed" + item);
      CHECK(text_of([&] { run::stream(options, tokens(40), run::filter([](const token& t) { return t.value() != 3; }), run::batch(1),
                                      run::flat_map([](std::vector<token> t) { return t; }), block<"last">(fails_at(at)), [](token) {}); }) ==
            "ipuflow: block 'last' failed" + item);
      CHECK(text_of([&] {
              run::stream(options, [&, next = 0L]() mutable { return next == at ? throw std::out_of_range{"here"} : std::optional<token>{next++}; },
                          fails_at(-1), fails_at(-1), [](token) {});
            }) == "ipuflow: the source failed" + item);
      CHECK(text_of([&] { run::stream(options, tokens(40), fails_at(-1), fails_at(-1), [&](token t) { fails_at(at)(std::move(t)); }); }) ==
            "ipuflow: the sink failed" + item);
      CHECK(token::alive == 0);
    }
    const auto at_end = run::expand<int>([](int, auto&&) {}, [](auto&&) { throw std::out_of_range{"short"}; });
    CHECK(text_of([&] { run::stream(options, std::array{1, 2}, block<"checksum">(at_end), [](int) {}); }) ==
          "ipuflow: block 'checksum' failed at the end of the stream: short");
  }
}

TEST_CASE("stop finishes what is under way and gives what is held back; stop_now leaves it") {
  for (const std::size_t threads : {1u, 2u}) {
    std::stop_source stop;
    std::size_t seen = 0;
    auto endless = [next = 0L]() mutable { return std::optional<token>{next++}; };
    const auto until = [&](std::vector<token> some) {
      seen += some.size();
      if (seen >= 30) stop.request_stop();
    };
    auto came = run::stream({.threads = threads, .capacity = 4, .stop = stop.get_token()}, endless, [](token t) { return t; }, run::batch(7), until);
    CHECK(seen == came.taken);
    CHECK(came.delivered == (came.taken + 6) / 7);
    CHECK(token::alive == 0);

    stop = {};
    seen = 0;
    const auto slow = [&, calls = 0](token t) mutable {  // values are under way when the stop comes
      if (++calls == 6) stop.request_stop();
      return t;
    };
    came = run::stream({.threads = threads, .capacity = 4, .stop_now = stop.get_token()}, endless, slow, run::batch(1'000'000'000), until);
    CHECK(came.delivered == 0);
    CHECK(came.taken >= 6);
    CHECK(token::alive == 0);
  }
}

TEST_CASE("neighbouring stages run at the same time where there are threads for them") {
  std::atomic<int> begun{0};
  // the second stage does not let go of an item before the first has begun the next one
  const auto came = run::stream({.threads = 2}, std::views::iota(1, 200), [&](int n) { return begun = n, n; },
                                [&](int n) {
                                  while (n < 199 && begun <= n) std::this_thread::yield();
                                  return n;
                                },
                                [](int) {});
  CHECK(came.delivered == 199);
}

TEST_CASE("functions of a user's namespace that take anything are not called for its types") {
  int sum = 0;
  run::stream(greedy::thing_source{}, run::filter(greedy::is_odd{}), ipuflow::block<"next">(greedy::next_thing{}),
              &greedy::thing::self, greedy::thing_sink{&sum});
  run::stream(run::thread_options{.threads = 2}, greedy::row_of_things{}, greedy::next_thing{}, greedy::thing_sink{&sum});
  run::stream({greedy::thing{100}, greedy::thing{1000}}, greedy::next_thing{}, greedy::thing_sink{&sum});
  CHECK(sum == 12 + 12 + 1102);
}

}  // namespace stream_test
