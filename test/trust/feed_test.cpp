// SPDX-License-Identifier: BSL-1.0
// Loaders, adaptors and infeeds with everything that may fail failing in turn.
#include "injection.hpp"

#include <ipuflow/feed.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <numeric>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

namespace trust_feed_test {

using namespace ipuflow;
using feed::loading;
using trust::fault;

/// Twice a number, unless it is this call's turn to throw.
constexpr auto fragile = feed::map([](int x) {
  trust::user_call();
  return 2 * x;
});

std::vector<int> numbers(int count) {
  std::vector<int> made(static_cast<std::size_t>(count));
  std::iota(made.begin(), made.end(), 1);
  return made;
}

constexpr long whole = 2 * (24 * 25 / 2);

/// A pass gives every sample once, in whichever order.
template <class Loader>
void pass(Loader& steps) {
  long sum = 0;
  for (auto& step : steps) {
    const auto& [column] = step;
    for (const int x : column.elements()) sum += x;
  }
  CHECK(sum == whole);
}

constexpr loading modes[] = {loading::sync, loading::async, loading::async_rebatched};
const char* const names[] = {"sync", "async", "async_rebatched"};

/// `make(options)` gives a loader.
template <class Make>
void loads(const char* what, Make make) {
  for (std::size_t mode = 0; mode < 3; ++mode) {
    for (const std::size_t workers : {0u, 2u}) {
      for (const bool persistent : {true, false}) {
        const feed::loader_options o{.mode = modes[mode], .workers = workers, .persistent_workers = persistent};
        const std::string name = std::string(what) + ", " + names[mode] + ", " + std::to_string(workers) + " workers" +
                                 (persistent ? "" : " an epoch");
        trust::walk_all(("load " + name).c_str(), [&] {
          auto steps = make(o);
          pass(steps);
          pass(steps);
        });
        // A loader that has failed: the next pass gives everything.
        auto steps = make(o);
        trust::walk_all_of_one(
            ("pass of " + name).c_str(), [&] { pass(steps); },
            [&](bool) {
              try {
                pass(steps);  // may end with what failed ahead of it, once
              } catch (const std::exception&) {
                pass(steps);
              }
            });
      }
    }
  }
}

TEST_CASE("loaders of a vector that is mapped and shuffled") {
  const std::vector<int> data = numbers(24);
  loads("map", [&](const auto& o) { return feed::load(data | fragile | feed::shuffle(3), 4, o); });
}

TEST_CASE("loaders of a list, which is a range") {
  const std::vector<int> data = numbers(24);
  loads("range", [&](const auto& o) { return feed::load(std::list<int>(data.begin(), data.end()) | fragile, 4, o); });
}

/// Numbers, unless it is its turn to throw where it begins, goes on or is read.
struct fragile_range : std::ranges::view_base {
  struct iterator {
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    int at = 0;

    int operator*() const { return 2 * at; }
    iterator& operator++() {
      trust::user_call();
      ++at;
      return *this;
    }
    iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator&, const iterator&) = default;
  };
  iterator begin() const {
    trust::user_call();
    return {1};
  }
  iterator end() const { return {25}; }
};

TEST_CASE("loaders of a range that throws where it begins, and between its samples") {
  loads("own range", [](const auto& o) { return feed::load(fragile_range{}, 4, o); });
}

TEST_CASE("loaders whose sampler throws") {
  const std::vector<int> data = numbers(24);
  std::vector<std::vector<std::size_t>> batches(6, std::vector<std::size_t>(4));
  for (std::size_t i = 0; i < 24; ++i) batches[i % 6][i / 6] = i;
  const auto sampler = batches | std::views::transform([](const auto& batch) {
                         trust::user_call();
                         return batch;
                       });
  loads("sampler", [&](const auto& o) { return feed::load(data | fragile, sampler, 1, o); });
}

TEST_CASE("a range that is shuffled in a window, batched and repeated") {
  const std::vector<int> data = numbers(12);
  trust::walk_all("window", [&] {
    long sum = 0;
    for (const auto& batch : std::list<int>(data.begin(), data.end()) | fragile | feed::shuffle(5, 4) | feed::repeat(2) |
                                 feed::batch(3)) {
      for (const int x : batch) sum += x;
    }
    CHECK(sum == 2 * 2 * (12 * 13 / 2));
  });
}

TEST_CASE("infeed and outfeed") {
  const std::vector<int> data = numbers(24);
  trust::walk_all("infeed and outfeed", [&] {
    feed::outfeed<int> out;
    feed::infeed in{std::list<int>(data.begin(), data.end()) | fragile};
    in.run(data.size(), [&](int x) {
      trust::user_call();
      out.enqueue(x);
    }, out);
    out.close();
    long sum = 0;
    for (const int x : out) sum += x;
    CHECK(sum == whole);
  });
}

/// A range that ends where it is told to.
struct ending_range : std::ranges::view_base {
  struct iterator {
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    int at = 0;
    int* last = nullptr;

    int operator*() const { return at; }
    iterator& operator++() {
      ++at;
      return *this;
    }
    void operator++(int) { ++at; }
    friend bool operator==(const iterator& i, std::default_sentinel_t) {
      if (i.at < *i.last && trust::ends_here()) *i.last = i.at;
      return i.at >= *i.last;
    }
  };
  int* last = nullptr;
  iterator begin() const { return {1, last}; }
  std::default_sentinel_t end() const { return {}; }
};

TEST_CASE("a pass is left, and a loader destroyed, at every sample that a worker makes and every step that is taken") {
  const std::vector<int> data = numbers(24);
  for (std::size_t mode = 0; mode < 3; ++mode) {
    for (std::size_t workers = 0; workers <= 4; ++workers) {
      for (const bool again : {false, true}) {
        const feed::loader_options o{.mode = modes[mode], .workers = workers};
        const std::string name = std::string{"load, "} + names[mode] + ", " + std::to_string(workers) + " workers, " +
                                 (again ? "another pass" : "destroyed");
        trust::walk(name.c_str(), fault::end, [&] {
          std::atomic<bool> leave{false};
          const auto watched = feed::map([&](int x) {
            if (trust::ends_here()) leave = true;
            return 2 * x;
          });
          auto steps = feed::load(data | watched | feed::shuffle(3), 4, o);
          for (auto& step : steps) {
            (void)step;
            if (trust::ends_here() || leave) break;
          }
          if (again) pass(steps);
        });
      }
    }
  }
}

TEST_CASE("a source ends at every sample") {
  for (std::size_t mode = 0; mode < 3; ++mode) {
    for (std::size_t workers = 0; workers <= 4; ++workers) {
      const feed::loader_options o{.mode = modes[mode], .workers = workers, .last = feed::tail::kept};
      const std::string name = std::string{"ending range, "} + names[mode] + ", " + std::to_string(workers) + " workers";
      trust::walk(name.c_str(), fault::end, [&] {
        int last = 25;
        int came = 0;
        auto steps = feed::load(ending_range{{}, &last}, 4, o);
        for (auto& step : steps) {
          const auto& [column] = step;
          for (const int x : column.elements()) CHECK(x == ++came);
        }
        CHECK(came == last - 1);
      });
    }
  }
}

}  // namespace trust_feed_test
