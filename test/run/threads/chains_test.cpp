// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/threads/chains.hpp>

#include <ipuflow/run/trace.hpp>
#include <ipuflow/schedule/generators/phased.hpp>

#include <doctest/doctest.h>

#include "streams.hpp"

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <type_traits>
#include <vector>

namespace chains_test {

using namespace ipuflow;
using streams::token;

namespace {

constexpr std::size_t in = schedule::nowhere;  // within a chain
using ends = std::vector<std::size_t>;

template <class P, class T>
run::impl::chains chains_of(const P& p, const T& t, const run::dealt& lanes) {
  const run::impl::chain_facts facts{run::impl::places_of(p), t.where.ipus, run::impl::known_of(t).one_by_one,
                                     t.goes == schedule::pace::in_turn};
  return run::impl::chain_search{facts, lanes}.join(lanes);
}

/// What came of a run: its outputs, its numbers, and its failure if there was one.
struct end_of_run {
  std::vector<std::vector<long>> out{};
  std::size_t taken = 0;
  std::size_t delivered = 0;
  std::string failure{};

  friend bool operator==(const end_of_run&, const end_of_run&) = default;
};

template <class P, class T, class Source, class Act>
end_of_run run_of(const P& p, const T& t, Source source, Act act, const run::thread_options& options) {
  end_of_run came;
  try {
    const auto both = run::on_threads(p, t, source, [&](auto&&... x) {
      act(came.out.size());
      came.out.push_back(streams::values(x...));
    }, options);
    came.taken = both.taken;
    came.delivered = both.delivered;
  } catch (const run::stage_failed& failed) {
    came.failure = failed.what();
    came.out.clear();  // how many came before is up to the threads
  }
  CHECK(token::alive == 0);
  return came;
}

/// Calls `law(run)` where `run(source, act)` makes a run without chains, on one thread a stage, and with them, on one and two.
template <class P, class T, class Source, class Act>
void same_with_chains(const P& p, const T& t, Source source, Act act) {
  run::trace every_operation{0};
  const end_of_run apart = run_of(p, t, source(), act, {.threads = P::stage_count, .events = &every_operation});
  for (const std::size_t threads : {1u, 2u}) {
    for (const std::size_t capacity : {1u, 64u}) {
      CHECK(run_of(p, t, source(), act, {.threads = threads, .capacity = capacity}) == apart);
    }
  }
}

}  // namespace

TEST_CASE("neighbours on one thread are a chain, which its first IPU is left to run") {
  const auto t = schedule::inference(streams::line, micro_batches<8>);
  CHECK(chains_of(streams::line, t, {{0, 1, 2, 3}}).last == ends{3, in, in, in});
  CHECK(chains_of(streams::line, t, {{0, 1, 2, 3}}).lanes == run::dealt{{0}});
  CHECK(chains_of(streams::line, t, {{0, 1}, {2, 3}}).last == ends{1, in, 3, in});
  CHECK(chains_of(streams::line, t, {{0, 1}, {2, 3}}).lanes == run::dealt{{0}, {2}});
  CHECK(chains_of(streams::line, t, {{0}, {1, 2}, {3}}).last == ends{0, 2, in, 3});
  CHECK(chains_of(streams::line, t, {{0, 2}, {1, 3}}).last == ends{0, 1, 2, 3});
  CHECK(chains_of(streams::line, t, {{0, 2}, {1, 3}}).lanes == run::dealt{{0, 2}, {1, 3}});
  CHECK(chains_of(streams::line, streams::any_order(streams::line, 6, 1), {{0, 1, 2, 3}}).last == ends{3, in, in, in});
}

TEST_CASE("branches are in no chain") {
  const auto chain = [](const auto& p, const run::dealt& lanes) {
    return chains_of(p, schedule::grouped(inference(p), micro_batches<8>), lanes).last;
  };
  CHECK(chain(streams::fork_middle, {{0, 1, 2, 3}}) == ends{0, 1, 2});
  CHECK(chain(streams::fork_last, {{0, 1, 2}}) == ends{0, 1});
}

TEST_CASE("IPUs of several stages are in a chain only if one micro-batch after the other is run") {
  CHECK(chains_of(streams::crowded, schedule::sharded(streams::seats_of(streams::crowded, 0), micro_batches<8>, mode::inference), {{0}}).last ==
        ends{3, in, in, in});
  CHECK(chains_of(streams::crowded, schedule::sharded(streams::seats_of(streams::crowded, 0), micro_batches<8>, mode::inference), {{0}}).lanes ==
        run::dealt{{0}});
  CHECK(chains_of(streams::crowded, schedule::grouped(inference(streams::crowded), micro_batches<8>), {{0}}).last ==
        ends{0, 1, 2, 3});
  CHECK(chains_of(streams::folded, schedule::sequential(inference(streams::folded), micro_batches<8>), {{0, 1}}).last ==
        ends{3, in, in, in});
  CHECK(chains_of(streams::folded, schedule::inference(streams::folded, micro_batches<8>), {{0, 1}}).last == ends{0, 1, 2, 3});
  CHECK(chains_of(streams::folded, schedule::sequential(inference(streams::folded), micro_batches<8>), {{0}, {1}}).last ==
        ends{0, 1, 2, 3});
}

TEST_CASE("one operation at a time in an order that is not known: no chains") {
  auto t = streams::any_order(streams::line, 6, 1);
  t.goes = schedule::pace::in_turn;
  CHECK(chains_of(streams::line, t, {{0, 1, 2, 3}}).last == ends{0, 1, 2, 3});
}

TEST_CASE("one by one is what it says: an operation of the next micro-batch comes after all of this one") {
  const auto check = [](const auto& t) {
    bool found = true;
    for (std::size_t m = 0; m + 1 < t.where.micro_batches; ++m) {
      for (std::size_t a = 0; a < t.where.stages; ++a) {
        for (std::size_t b = 0; b < t.where.stages; ++b) {
          found = found && t.step_of({schedule::pass::forward, a, m}) < t.step_of({schedule::pass::forward, b, m + 1});
        }
      }
    }
    if (run::impl::known_of(t).one_by_one) CHECK(found);
    return found == run::impl::known_of(t).one_by_one;
  };
  for (const std::size_t ipus : {1u, 2u, 3u, 4u}) {
    const schedule::setup asked{.ipus = ipus, .micro_batches = 12, .run_for = mode::inference};
    CHECK(check(schedule::sequential(asked)));
    CHECK(check(schedule::inference(asked)));
    CHECK(check(schedule::phased(asked)));
    if (ipus > 1) CHECK(!run::impl::one_by_one(schedule::grouped(asked)));
  }
}

TEST_CASE("a value is through its chain before the next one enters") {
  for (const auto& last : {0, 1}) {
    std::vector<long> seen;
    const auto look = [&](long x) { return seen.push_back(x), x; };
    const auto p = pipeline(input<long>, stage(block<"a">(look)).ipu<0>(), stage(block<"b">(look)).ipu<1>());
    run::trace events{100};
    long next = 0;
    run::on_threads(p, schedule::inference(p, micro_batches<4>), [&] { return std::optional<long>{next++}; }, look,
                    {.threads = 1, .events = last == 0 ? nullptr : &events});
    if (last == 0) CHECK(seen == std::vector<long>{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3});
    CHECK(seen.size() == 12);
  }
}

TEST_CASE("the ends of a run are the same with and without chains, at every point") {
  const auto each = [](const auto& p, const auto& t) {
    using P = std::remove_cvref_t<decltype(p)>;
    const auto nothing = [](std::size_t) {};
    for (std::size_t at = 0; at < 6; ++at) {
      const long here = static_cast<long>(at);
      same_with_chains(p, t, [&] { return streams::numbers(here); }, nothing);
      same_with_chains(p, t, [&] {
        return [source = streams::numbers(6), calls = std::size_t{0}, at]() mutable {
          if (calls++ == at) throw std::out_of_range{"the source"};
          return source();
        };
      }, nothing);
      same_with_chains(p, t, [] { return streams::numbers(6); }, [&](std::size_t before) {
        if (before == at) throw std::out_of_range{"the sink"};
      });
      for (std::size_t block = 0; block < P::block_count; ++block) {
        streams::trap::block = static_cast<long>(block);
        streams::trap::value = here;
        same_with_chains(p, t, [] { return streams::numbers(6); }, nothing);
        streams::trap::block = -1;
      }
    }
  };
  each(streams::line, schedule::inference(streams::line, micro_batches<6>));
  each(streams::line, schedule::sequential(inference(streams::line), micro_batches<6>));
  each(streams::crowded, schedule::sharded(streams::seats_of(streams::crowded, 0), micro_batches<6>, mode::inference));
  each(streams::vee, streams::any_order(streams::vee, 6, 5));
  each(streams::fork_home, streams::any_order(streams::fork_home, 6, 5));
}

TEST_CASE("a stop at any item: chains take no further input, and finish what they took") {
  for (std::size_t at = 0; at < 20; ++at) {
    for (const std::size_t threads : {1u, 2u, 4u}) {
      std::stop_source stop;
      const end_of_run came = run_of(streams::line, schedule::inference(streams::line, micro_batches<1000>), streams::numbers(1000),
                                     [&](std::size_t before) {
                                       if (before == at) stop.request_stop();
                                     }, {.threads = threads, .stop = stop.get_token()});
      CHECK(came.taken == came.delivered);
      CHECK(came.out == streams::all_expected(streams::line, static_cast<long>(came.taken)));
      if (threads == 1) CHECK(came.taken == at + 1);
    }
  }
}

}  // namespace chains_test
