// SPDX-License-Identifier: BSL-1.0
// Litmus tests: small programs whose outcomes under C++20 are known. Each lists all of them, so a model that allows too
// much fails as one that allows too little.
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "memory_model.hpp"

namespace memory_model_test {

using memory_model::atomic;
using memory_model::fence;
using memory_model::log;
using memory_model::plain_number;

namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;
constexpr auto acq_rel = std::memory_order_acq_rel;
constexpr auto seq_cst = std::memory_order_seq_cst;

struct memory {
  atomic<unsigned> x{};
  atomic<unsigned> y{};
  plain_number data{};
  memory_model::mutex first{};
  memory_model::mutex second{};
};
using explorer = memory_model::explorer<memory>;
using programs = std::vector<explorer::program>;

explorer run(programs threads) {
  explorer all{[] { return memory{}; }, std::move(threads), [](const std::vector<log>&) { return true; }};
  all.holds();
  return all;
}

/// What the threads read, one after the other: "01" if the first read was 0 and the second 1.
using outcomes = std::set<std::string>;
outcomes of(programs threads) {
  const explorer all = run(std::move(threads));
  REQUIRE_FALSE(all.raced());
  REQUIRE_FALSE(all.stuck());
  outcomes found;
  for (const auto& results : all.outcomes()) {
    std::string digits;
    for (const log& reads : results) {
      for (const auto value : reads) digits += std::to_string(value);
    }
    found.insert(digits);
  }
  return found;
}

using order = std::memory_order;

outcomes store_buffering(order store, order load) {
  return of({[=](memory& m) {
               m.x.store(1, store);
               return log{m.y.load(load)};
             },
             [=](memory& m) {
               m.y.store(1, store);
               return log{m.x.load(load)};
             }});
}

explorer::program announces(order store) {
  return [=](memory& m) {
    m.x.store(1, relaxed);
    m.y.store(1, store);
    return log{};
  };
}

outcomes message_passing(order store, order load) {
  return of({announces(store), [=](memory& m) { return log{m.y.load(load), m.x.load(relaxed)}; }});
}

bool message_in_plain_memory_races(order store, order load) {
  return run({[=](memory& m) {
                m.data.set(1);
                m.y.store(1, store);
                return log{};
              },
              [=](memory& m) { return m.y.load(load) == 1 ? log{m.data.get()} : log{}; }})
      .raced();
}

/// Two threads write one number each, two read both in opposite orders.
outcomes independent_reads(order store, order load) {
  return of({[=](memory& m) { m.x.store(1, store); return log{}; },
             [=](memory& m) { m.y.store(1, store); return log{}; },
             [=](memory& m) { return log{m.x.load(load), m.y.load(load)}; },
             [=](memory& m) { return log{m.y.load(load), m.x.load(load)}; }});
}

/// All strings of that many digits, of which each is 0 or 1.
outcomes all_bits(std::size_t digits) {
  outcomes all;
  for (std::size_t n = 0; n < std::size_t{1} << digits; ++n) {
    std::string text;
    for (std::size_t d = digits; d-- > 0;) text += (n >> d & 1) != 0 ? '1' : '0';
    all.insert(text);
  }
  return all;
}

outcomes without(outcomes all, const std::string& one) {
  CHECK(all.erase(one) == 1);
  return all;
}

/// `x` announces `y`; what the second thread does to `x` comes between it and the third, which reads both.
outcomes release_sequence(explorer::program announcing, explorer::program between) {
  return of({std::move(announcing), std::move(between),
             [](memory& m) { return log{m.x.load(acquire), m.y.load(relaxed)}; }});
}
log announce(memory& m) {
  m.y.store(1, relaxed);
  m.x.store(1, release);
  return log{};
}

outcomes two_writers_of_two(order store) {
  return of({[=](memory& m) { m.x.store(1, store); m.y.store(2, store); return log{}; },
             [=](memory& m) { m.y.store(1, store); m.x.store(2, store); return log{}; },
             [](memory& m) {
               memory_model::join();
               return log{m.x.load(relaxed), m.y.load(relaxed)};
             }});
}

/// The first thread does these in turn; the second sleeps as long as `x` is 0.
bool sleeps_for_ever(bool notify_first, bool notify_last) {
  return run({[=](memory& m) {
                if (notify_first) m.x.notify_one();
                m.x.store(1, relaxed);
                if (notify_last) m.x.notify_one();
                return log{};
              },
              [](memory& m) {
                m.x.wait(0, relaxed);
                return log{};
              }})
      .stuck();
}

}  // namespace

TEST_CASE("store buffering: both threads miss the other's store, unless all are seq_cst") {
  CHECK(store_buffering(relaxed, relaxed) == all_bits(2));
  CHECK(store_buffering(release, acquire) == all_bits(2));
  CHECK(store_buffering(seq_cst, seq_cst) == outcomes{"01", "10", "11"});
  CHECK(store_buffering(seq_cst, acquire) == all_bits(2));
}

TEST_CASE("store buffering: fences in seq_cst keep it out, weaker ones do not") {
  const auto fenced = [](order o) {
    return of({[=](memory& m) { m.x.store(1, relaxed); fence(o); return log{m.y.load(relaxed)}; },
               [=](memory& m) { m.y.store(1, relaxed); fence(o); return log{m.x.load(relaxed)}; }});
  };
  CHECK(fenced(seq_cst) == outcomes{"01", "10", "11"});
  CHECK(fenced(acq_rel) == all_bits(2));
}

TEST_CASE("message passing: a release that an acquire reads brings what came before it") {
  CHECK(message_passing(relaxed, relaxed) == all_bits(2));
  CHECK(message_passing(release, relaxed) == all_bits(2));
  CHECK(message_passing(relaxed, acquire) == all_bits(2));
  CHECK(message_passing(release, acquire) == outcomes{"00", "01", "11"});
  CHECK_FALSE(message_in_plain_memory_races(release, acquire));
  CHECK(message_in_plain_memory_races(relaxed, acquire));
  CHECK(message_in_plain_memory_races(release, relaxed));
}

TEST_CASE("message passing: fences beside relaxed accesses do the same, both of them") {
  const auto fenced = [](order before, order after) {
    return of({[=](memory& m) { m.x.store(1, relaxed); fence(before); m.y.store(1, relaxed); return log{}; },
               [=](memory& m) {
                 const auto first = m.y.load(relaxed);
                 fence(after);
                 return log{first, m.x.load(relaxed)};
               }});
  };
  CHECK(fenced(release, acquire) == outcomes{"00", "01", "11"});
  CHECK(fenced(acquire, acquire) == all_bits(2));
  CHECK(fenced(release, release) == all_bits(2));
}

TEST_CASE("load buffering: C++ allows both loads to see the later store of the other; this model does not show it") {
  const auto buffered = [](order load, order store) {
    return of({[=](memory& m) { const auto r = m.x.load(load); m.y.store(1, store); return log{r}; },
               [=](memory& m) { const auto r = m.y.load(load); m.x.store(1, store); return log{r}; }});
  };
  CHECK(buffered(acquire, release) == outcomes{"00", "01", "10"});
  CHECK(buffered(relaxed, relaxed) == outcomes{"00", "01", "10"});  // C++: and "11"
}

TEST_CASE("independent reads of independent writes: two threads see two stores in opposite orders, unless all are seq_cst") {
  CHECK(independent_reads(relaxed, relaxed) == all_bits(4));
  CHECK(independent_reads(release, acquire) == all_bits(4));
  CHECK(independent_reads(seq_cst, seq_cst) == without(all_bits(4), "1010"));
}

TEST_CASE("what was seen is handed on: write to read, and read to a third thread") {
  const auto relayed = [](order store) {
    return of({[](memory& m) { m.x.store(1, relaxed); return log{}; },
               [=](memory& m) { const auto r = m.x.load(relaxed); m.y.store(1, store); return log{r}; },
               [](memory& m) { return log{m.y.load(acquire), m.x.load(relaxed)}; }});
  };
  CHECK(relayed(release) == without(all_bits(3), "110"));
  CHECK(relayed(relaxed) == all_bits(3));
}

TEST_CASE("a release sequence goes on over a read-modify-write, and ends at any other store") {
  CHECK(release_sequence(announce, [](memory& m) { return log{m.x.fetch_add(2, relaxed)}; }) ==
        outcomes{"000", "001", "011", "020", "021", "100", "101", "111", "131"});
  CHECK(release_sequence(announce, [](memory& m) { return log{m.x.exchange(2, relaxed)}; }) ==
        outcomes{"000", "001", "011", "020", "021", "100", "101", "111", "121"});
  CHECK(release_sequence(announce, [](memory& m) { m.x.store(2, relaxed); return log{}; }) ==
        outcomes{"00", "01", "11", "20", "21"});
  CHECK(release_sequence([](memory& m) { announce(m); m.x.store(2, relaxed); return log{}; },
                         [](memory&) { return log{}; }) ==
        outcomes{"00", "01", "11", "20", "21"});  // C++11 forbade "20": it counted stores of the same thread
}

TEST_CASE("coherence: all threads see the stores to one atomic in one order, and none goes back") {
  CHECK(of({[](memory& m) { m.x.store(1, relaxed); m.x.store(2, relaxed); return log{}; },
            [](memory& m) { return log{m.x.load(relaxed), m.x.load(relaxed)}; }}) ==
        outcomes{"00", "01", "02", "11", "12", "22"});
  CHECK(of({[](memory& m) { m.x.store(1, relaxed); return log{m.x.load(relaxed)}; },
            [](memory& m) { m.x.store(2, relaxed); return log{m.x.load(relaxed)}; }}) == outcomes{"11", "12", "22"});
  CHECK(of({[](memory& m) { const auto r = m.x.load(relaxed); m.x.store(1, relaxed); return log{r}; },
            [](memory& m) { return log{m.x.exchange(2, relaxed)}; }}) == outcomes{"00", "01", "20"});
  outcomes in_one_order;
  const std::vector<std::string> pairs{"00", "01", "02", "11", "12", "21", "22"};
  for (const std::string& third : pairs) {
    for (const std::string& fourth : pairs) in_one_order.insert(third + fourth);
  }
  const auto reads_twice = [](memory& m) { return log{m.x.load(relaxed), m.x.load(relaxed)}; };
  CHECK(of({[](memory& m) { m.x.store(1, relaxed); return log{}; },
            [](memory& m) { m.x.store(2, relaxed); return log{}; }, reads_twice, reads_twice}) ==
        without(without(in_one_order, "1221"), "2112"));
}

TEST_CASE("two threads write to two atomics in opposite orders: each store may be the last one, unless all are seq_cst") {
  CHECK(two_writers_of_two(relaxed) == outcomes{"11", "12", "21", "22"});
  CHECK(two_writers_of_two(release) == outcomes{"11", "12", "21", "22"});
  CHECK(two_writers_of_two(seq_cst) == outcomes{"12", "21", "22"});
}

TEST_CASE("nothing comes between the read and the write of one operation") {
  const auto adds = [](memory& m) { return log{m.x.fetch_add(1, relaxed)}; };
  CHECK(of({adds, adds, adds}) == outcomes{"012", "021", "102", "120", "201", "210"});
  const auto tries = [](memory& m) {
    unsigned expected = 0;
    return log{m.x.compare_exchange_strong(expected, 1, relaxed, relaxed) ? 1u : 0u, expected};
  };
  CHECK(of({tries, tries}) == outcomes{"1001", "0110"});
}

TEST_CASE("who sleeps wakes by a notify after the change, and by no other") {
  CHECK_FALSE(sleeps_for_ever(false, true));
  CHECK(sleeps_for_ever(false, false));
  CHECK(sleeps_for_ever(true, false));
}

TEST_CASE("what is done under a mutex is seen under it, by one thread at a time") {
  const auto adds = [](memory& m) {
    m.first.lock();
    const auto before = m.data.get();
    m.data.set(before + 1);
    m.first.unlock();
    return log{before};
  };
  CHECK(of({adds, adds, adds}) == outcomes{"012", "021", "102", "120", "201", "210"});
  const auto looks_outside = [](memory& m) {
    m.first.lock();
    m.first.unlock();
    return log{m.data.get()};
  };
  CHECK(run({adds, looks_outside}).raced());
  const auto adds_under_another = [](memory& m) {
    m.second.lock();
    m.data.set(1);
    m.second.unlock();
    return log{};
  };
  CHECK(run({adds, adds_under_another}).raced());
}

TEST_CASE("two mutexes that are locked in opposite orders stop both threads; in one order they do not") {
  using place = memory_model::mutex memory::*;
  const auto locks = [](place outer, place inner) {
    return [=](memory& m) {
      const std::lock_guard first{m.*outer};
      const std::lock_guard second{m.*inner};
      return log{};
    };
  };
  CHECK(run({locks(&memory::first, &memory::second), locks(&memory::second, &memory::first)}).stuck());
  CHECK_FALSE(run({locks(&memory::first, &memory::second), locks(&memory::first, &memory::second)}).stuck());
}

TEST_CASE("what makes a world happens before its threads") {
  struct made {
    atomic<unsigned> x{};
    made() {
      x.store(3, relaxed);
      x.fetch_add(1, relaxed);
    }
  };
  memory_model::explorer<made> reads{[] { return made{}; },
                                     {[](made& m) { return log{m.x.load(relaxed)}; }},
                                     [](const std::vector<log>& results) { return results[0] == log{4}; }};
  CHECK(reads.holds());
  CHECK(reads.executions() == 1);
}

}  // namespace memory_model_test
