// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/on_threads.hpp>

#include <ipuflow/queue/channel.hpp>
#include <ipuflow/queue/slot_ring.hpp>
#include <ipuflow/run/trace.hpp>

#include <doctest/doctest.h>

#include "greedy_names.hpp"
#include "streams.hpp"

#include <atomic>
#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

namespace on_threads_test {

using namespace ipuflow;
using streams::token;

TEST_CASE("a stream is p(x) in order, for every form of pipeline, kind of timetable, number of threads and capacity") {
  streams::pipelines([](std::string_view name, const auto& p) {
    CAPTURE(name);
    const auto wanted = streams::all_expected(p, 24);
    streams::timetables(p, [&](const auto& t) {
      for (const std::size_t threads : {1u, 2u, 3u, 8u}) {
        for (const std::size_t capacity : {1u, 3u, 64u}) {
          run::stream_outcome came;
          CHECK(streams::outputs(p, t, 24, {.threads = threads, .capacity = capacity}, &came) == wanted);
          CHECK(came.taken == 24);
          CHECK(came.delivered == 24);
        }
      }
    });
  });
  CHECK(token::alive == 0);
}

TEST_CASE("a source that ends early: what was taken comes out, whichever stages share an IPU") {
  streams::pipelines([](std::string_view name, const auto& p) {
    CAPTURE(name);
    streams::timetables(p, [&](const auto& t) {
      for (const long count : {0, 1, 2, 5, 23}) {
        const auto wanted = streams::all_expected(p, count);
        CHECK(streams::outputs(p, t, count, {.threads = 2, .capacity = 2}) == wanted);
        CHECK(streams::outputs(p, t, count, {.threads = 3}) == wanted);
      }
    });
  });
  CHECK(token::alive == 0);
}

TEST_CASE("a source that has more than the timetable is read as often as the timetable says") {
  constexpr auto t = schedule::inference(streams::line, micro_batches<8>);
  CHECK(streams::outputs(streams::line, t, 1000, {}) == streams::all_expected(streams::line, 8));
}

TEST_CASE("room for more than memory can address is refused with a sentence, whatever the form of the pipeline") {
  streams::pipelines([](std::string_view name, const auto& p) {
    CAPTURE(name);
    streams::timetables(p, [&](const auto& t) {
      CHECK_THROWS_WITH_AS(
          streams::outputs(p, t, 3, {.threads = 2, .capacity = std::numeric_limits<std::size_t>::max()}),
          doctest::Contains("more than memory has addresses for; give it a capacity of at most"), error);
    });
  });
  CHECK(token::alive == 0);
}

TEST_CASE("a billion micro-batches cost nothing but those that come") {
  CHECK(streams::outputs(streams::line, schedule::inference(streams::line, micro_batches<1'000'000'000>), 100, {}).size() == 100);
  CHECK(streams::outputs(streams::folded, schedule::inference(streams::folded, micro_batches<1'000'000'000>), 100, {}).size() ==
        100);
}

TEST_CASE("a block that throws, at every operation of a run: named, nothing leaked, all threads back") {
  streams::pipelines([](std::string_view name, const auto& p) {
    CAPTURE(name);
    using P = std::remove_cvref_t<decltype(p)>;
    const auto t = streams::any_order(p, 6, 7);
    for (std::size_t block = 0; block < P::block_count; ++block) {
      for (long value = 0; value < 6; ++value) {
        for (const std::size_t threads : {1u, 2u, 3u}) {
          streams::trap::block = static_cast<long>(block);
          streams::trap::value = value;
          bool thrown = false;
          try {
            streams::outputs(p, t, 6, {.threads = threads, .capacity = 2});
          } catch (const run::stage_failed& failed) {
            thrown = true;
            CHECK(failed.stage() == P::placement.stage[block]);
            CHECK(failed.micro_batch() == static_cast<std::size_t>(value));
            CHECK_THROWS_AS(std::rethrow_exception(failed.cause()), std::out_of_range);
            CHECK(failed.what() == "ipuflow: stage " + std::to_string(failed.stage()) + " failed in the forward of micro-batch " +
                                       std::to_string(value) + ": trap " + std::to_string(block));
          }
          streams::trap::block = -1;
          CHECK(thrown);
          CHECK(token::alive == 0);
        }
      }
    }
  });
}

TEST_CASE("a source or a sink that throws, at every call") {
  streams::pipelines([](std::string_view name, const auto& p) {
    CAPTURE(name);
    using P = std::remove_cvref_t<decltype(p)>;
    const auto t = streams::any_order(p, 6, 11);
    for (std::size_t at = 0; at < 6; ++at) {
      for (const std::size_t threads : {1u, 2u}) {
        CAPTURE(at);
        std::size_t calls = 0;
        const auto failing = [&] {
          if (calls++ == at) throw std::out_of_range{"here"};
        };
        const auto check = [&](std::size_t stage, auto run) {
          calls = 0;
          try {
            run();
            FAIL("nothing was thrown");
          } catch (const run::stage_failed& failed) {
            CHECK(failed.stage() == stage);
            CHECK(failed.micro_batch() == at);
          }
          CHECK(token::alive == 0);
        };
        auto source = streams::numbers(6);
        check(0, [&] { run::on_threads(p, t, [&] { return failing(), source(); }, [](auto&&...) {}, {.threads = threads}); });
        check(P::stage_count - 1,
              [&] { run::on_threads(p, t, streams::numbers(6), [&](auto&&...) { failing(); }, {.threads = threads}); });
      }
    }
  });
}

TEST_CASE("a consumer that is slow holds up the source; no more is under way than there is room for") {
  constexpr std::size_t capacity = 2;
  streams::pipelines([](std::string_view name, const auto& p) {
    CAPTURE(name);
    using P = std::remove_cvref_t<decltype(p)>;
    const auto t = schedule::sharded(streams::seats_of(p, 0), micro_batches<60>, mode::inference);
    std::atomic<long> taken{0};
    long delivered = 0;
    long most = 0;
    auto source = streams::numbers(60);
    run::on_threads(p, t, [&] { return ++taken, source(); },
                    [&](auto&&...) {
                      for (int i = 0; i < 3; ++i) std::this_thread::yield();
                      most = std::max(most, taken - delivered++);
                    },
                    {.threads = 2, .capacity = capacity});
    CHECK(delivered == 60);
    CHECK(most <= static_cast<long>((2 * capacity + 6) * P::stage_count));
  });
}

TEST_CASE("stopped at any time, from inside or outside: what was taken is delivered, in order") {
  streams::pipelines([](std::string_view name, const auto& p) {
    CAPTURE(name);
    const auto t = streams::any_order(p, 40, 3);
    for (std::size_t after = 0; after < 40; after += 3) {
      std::stop_source stop;
      std::atomic<std::size_t> seen{0};
      std::vector<std::vector<long>> out;
      std::thread outside{[&] {
        while (seen < after) std::this_thread::yield();
        stop.request_stop();
      }};
      const auto came = run::on_threads(p, t, streams::numbers(40), [&](auto&&... x) {
        out.push_back(streams::values(x...));
        ++seen;
      }, {.threads = 1 + after % 3, .capacity = 3, .stop = stop.get_token()});
      seen = 1000;
      outside.join();
      CHECK(came.taken == came.delivered);
      CHECK(came.taken >= after);
      CHECK(out == streams::all_expected(p, static_cast<long>(came.taken)));
    }
    std::stop_source before;
    before.request_stop();
    CHECK(streams::outputs(p, t, 40, {.stop = before.get_token()}).empty());
  });
  CHECK(token::alive == 0);
}

TEST_CASE("named values travel with what flows") {
  static constexpr auto p = pipeline(input<int>, per_sample<"label", std::string>, per_run<"limit", int>,
      stage(block<"a">([](int x) { return x * 2; }, keep<"double">)).ipu<0>(),
      concurrent(stage(block<"l">(use<"label">([](const int& x, const std::string& label) { return label + std::to_string(x); }))).ipu<1>(),
                 stage(block<"r">([](const int& x) { return x + 1; }, keep<"more">)).ipu<2>()),
      stage(block<"m">(use<"double", "more", "limit">([](std::string text, int r, int twice, int more, int limit) {
        return text + "," + std::to_string(r + twice + more) + (twice > limit ? "!" : "");
      }))).ipu<3>());
  std::vector<std::string> out;
  int next = 0;
  const auto source = [&]() -> std::optional<std::tuple<int, std::string>> {
    if (next == 50) return std::nullopt;
    const int x = next++;
    return std::tuple{x, std::string(static_cast<std::size_t>(next % 40), 'x')};
  };
  run::on_threads(p, schedule::grouped(inference(p), micro_batches<51>), source, [&](std::string s) { out.push_back(std::move(s)); },
                  {.threads = 2}, with<"limit">(30));
  REQUIRE(out.size() == 50);
  for (int i = 0; i < 50; ++i) {
    CHECK(out[static_cast<std::size_t>(i)] == p(i, std::string(static_cast<std::size_t>((i + 1) % 40), 'x'), 30));
  }
  const auto with_options = std::exchange(out, {});
  next = 0;
  run::on_threads(p, schedule::grouped(inference(p), micro_batches<51>), source, [&](std::string s) { out.push_back(std::move(s)); },
                  with<"limit">(30));
  CHECK(out == with_options);
}

TEST_CASE("An argument that what is declared has no room for is refused, not cut") {
  constexpr auto p = pipeline(input<int>, per_run<"k", unsigned char>, block<"a">(use<"k">([](int x, unsigned char k) { return x + k; })),
                              block<"b">([](int x) { return x; }));
  const auto run_with = [&](auto k) {
    std::vector<int> in{1, 2}, out;
    run::on_threads(p, schedule::inference(p, micro_batches<2>), run::source_of(in), [&](int x) { out.push_back(x); }, with<"k">(k));
    return out;
  };
  CHECK(run_with(255) == std::vector{256, 257});
  CHECK_THROWS_WITH_AS(run_with(300), doctest::Contains("'k' with a number that the 8 bits"), rejected<argument_fault>);
}

TEST_CASE("a range is a source") {
  std::vector<int> in{3, 1, 2};
  std::vector<int> out;
  constexpr auto p = pipeline(input<int>, block<"a">([](int x) { return x * 10; }), block<"b">([](int x) { return x + 1; }));
  run::on_threads(p, schedule::inference(p, micro_batches<100>), run::source_of(in), [&](int x) { out.push_back(x); });
  CHECK(out == std::vector{31, 11, 21});
  const int array[] = {5, 4};
  run::on_threads(p, schedule::inference(p, micro_batches<100>), run::source_of(array), [&](int x) { out.push_back(x); });
  CHECK(out == std::vector{31, 11, 21, 51, 41});
}

TEST_CASE("a consumer of a queue is a source that gives each item once, whether it is popped or read in place") {
  constexpr auto p = pipeline(input<int>, block<"a">([](int x) { return x * 10; }), block<"b">([](int x) { return x + 1; }));
  const auto in_two_runs = [&](auto& in, auto& out, auto push) {
    for (int i = 0; i < 5; ++i) push(i);
    std::vector<int> got;
    for (int run = 0; run < 2; ++run) {
      run::on_threads(p, schedule::inference(p, micro_batches<2>), run::source_of(out), [&](int x) { got.push_back(x); });
    }
    in.close();
    run::on_threads(p, schedule::inference(p, micro_batches<2>), run::source_of(out), [&](int x) { got.push_back(x); });
    CHECK(got == std::vector{1, 11, 21, 31, 41});
  };
  auto [in, out] = queue::make_channel<int>(8);
  in_two_runs(in, out, [&to = in](int i) { CHECK(to.push(i)); });
  auto [filling, reading] = queue::make_channel<queue::slot_ring<int>>(8, [] { return 0; });
  in_two_runs(filling, reading, [&to = filling](int i) {
    to.reserve(1)[0] = i;
    to.commit(1);
  });
  static_assert(std::is_same_v<decltype(run::source_of(out)()), std::optional<int>>);
}

/// Counts how far it is read.
struct read_as_asked {
  struct iterator {
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    read_as_asked* from;

    int operator*() const { return from->read; }
    iterator& operator++() { return ++from->read, *this; }
    bool operator!=(std::default_sentinel_t) const { return from->read <= 3; }
  };
  int read = 0;

  iterator begin() { return read = 1, iterator{this}; }
  std::default_sentinel_t end() { return {}; }
};

TEST_CASE("a range is read no further than it is asked for, and not behind its end") {
  read_as_asked numbers;
  auto next = run::source_of(numbers);
  for (int i = 1; i <= 3; ++i) {
    CHECK(next() == i);
    CHECK(numbers.read == i);
  }
  for (int i = 0; i < 3; ++i) CHECK(!next());
  CHECK(numbers.read == 4);
}

TEST_CASE("one operation at a time where the schedule says so") {
  std::atomic<int> inside{0};
  bool alone = true;
  static std::atomic<int>* counter = &inside;
  static bool* all_alone = &alone;
  const auto busy = [](int x) {
    if (++*counter > 1) *all_alone = false;
    for (int i = 0; i < 10; ++i) std::this_thread::yield();
    --*counter;
    return x;
  };
  const auto p = pipeline(input<int>, block<"a">(busy), block<"b">(busy), block<"c">(busy));
  int next = 0;
  run::on_threads(p, schedule::sequential(inference(p), micro_batches<60>),
                  [&] { return next < 60 ? std::optional<int>{next++} : std::nullopt; }, [](int) {}, {.threads = 3});
  CHECK(alone);
}

TEST_CASE("step by step, where the schedule says so, also through concurrent stages: a value is through before the next one enters") {
  static std::string order;  // of one thread
  const auto noted = [](char stage) { return [stage](const int& x) { return order += stage, order += static_cast<char>('0' + x), x; }; };
  const auto p = pipeline(input<int>, stage(block<"a">(noted('a'))).ipu<0>(),
                          concurrent(stage(block<"b">(noted('b'))).ipu<1>(), stage(block<"c">([](const int& x) { return x; })).ipu<2>()),
                          stage(block<"d">([](int b, int) { return b; }, noted('d'))).ipu<3>());
  for (const std::size_t threads : {1u, 4u}) {
    order.clear();
    int next = 0;
    run::on_threads(p, schedule::sharded(inference(p), micro_batches<60>),
                    [&] { return next < 3 ? std::optional<int>{next++} : std::nullopt; }, [](int) {}, {.threads = threads});
    CHECK(order == "a0b0d0a1b1d1a2b2d2");
  }
}

TEST_CASE("a stream can be traced: every forward, on the IPU of its stage") {
  constexpr auto t = schedule::inference(streams::line, micro_batches<30>);
  run::trace seen{120};
  CHECK(streams::outputs(streams::line, t, 30, {.threads = 2, .events = &seen}).size() == 30);
  CHECK(seen.events().size() == 120);
  std::vector<std::size_t> next(4);
  for (const run::event& e : seen.events()) {
    CHECK(e.ipu == e.what.stage);
    CHECK(e.what.micro_batch == next[e.ipu]++);
  }
}

TEST_CASE("what does not fit is refused before anything runs") {
  int calls = 0;
  const auto count = [&] { return ++calls, std::optional<token>{}; };
  const auto refused = [&](const auto& p, const auto& t, const char* sentence) {
    CHECK_THROWS_WITH_AS(run::on_threads(p, t, count, [](auto&&...) {}), sentence, error);
  };
  refused(streams::line, schedule::inference(schedule::setup{.ipus = 3, .micro_batches = 4}),
          "ipuflow: a timetable of 3 stages is to run a pipeline of 4; make the timetable from that pipeline");
  refused(streams::vee, schedule::inference(schedule::setup{.ipus = 2, .stages_per_ipu = 2, .micro_batches = 4}),
          "ipuflow: branch 0 of stage 2 is on IPU 1, where the timetable does not have that stage; make the timetable from this "
          "pipeline, or place it");
  auto missing = schedule::tabulate(schedule::inference(streams::line, micro_batches<4>));
  missing.rows[2].pop_back();
  refused(streams::line, missing,
          "ipuflow: never done: forward of micro-batch 3 in stage 2 on IPU 2; add it to the order of that IPU");
  auto swapped = schedule::tabulate(schedule::inference(streams::line, micro_batches<4>));
  std::swap(swapped.rows[3][1], swapped.rows[3][2]);
  refused(streams::line, swapped,
          "ipuflow: stage 3 on IPU 3 does micro-batch 2 out of turn, micro-batch 1 is next; values pass a stage in their order, "
          "so let its micro-batches ascend");
  CHECK(calls == 0);
}

TEST_CASE("functions of a user's namespace that take anything are not called for its types") {
  constexpr auto p = ipuflow::pipeline(input<greedy::thing>, per_run<"more", greedy::thing>,
      ipuflow::block<"a">(greedy::next_thing{}),
      ipuflow::concurrent(ipuflow::block<"b">(greedy::next_thing{}), ipuflow::block<"c">(greedy::next_thing{})),
      ipuflow::block<"d">(greedy::sum_of_things{}, ipuflow::use<"more">(greedy::sum_of_things{})));
  int sum = 0;
  run::on_threads(p, schedule::inference(p, micro_batches<9>), greedy::thing_source{}, greedy::thing_sink{&sum},
                  with<"more">(greedy::thing{1000}));
  CHECK(sum == 2 * (0 + 1 + 2 + 3 + 4 + 5) + 6 * 4 + 6 * 1000);
}

TEST_CASE("a source may give a reference to its optional, or something that holds an item when it is made") {
  constexpr auto p = pipeline(input<int>, block<"a">([](int x) { return x; }), block<"b">([](int x) { return x; }));
  const auto t = schedule::inference(p, micro_batches<9>);
  std::vector<int> came;
  std::optional<int> next{2};
  const auto counted = [&]() -> std::optional<int>& {
    next = *next > 5 ? std::nullopt : std::optional{*next + 1};
    return next;
  };
  run::on_threads(p, t, counted, [&](int x) { came.push_back(x); });
  CHECK(came == std::vector{3, 4, 5, 6});

  struct expected_item {
    int item = 77;

    explicit operator bool() const { return true; }
    int operator*() const { return item; }
  };
  std::stop_source stop;
  int given = 0;
  came.clear();
  const auto source = [&] {
    if (++given == 3) stop.request_stop();
    return expected_item{given};
  };
  CHECK(run::on_threads(p, t, source, [&](int x) { came.push_back(x); }, {.threads = 1, .stop = stop.get_token()}).taken == 3);
  CHECK(came == std::vector{1, 2, 3});
}

}  // namespace on_threads_test
