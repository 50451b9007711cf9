// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/threads/itinerary.hpp>

#include <ipuflow/schedule/generators/inference.hpp>
#include <ipuflow/schedule/generators/sequential.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <numeric>
#include <vector>

namespace itinerary_test {

using namespace ipuflow;
using run::attempt;
using run::impl::itinerary;
using run::progress;
using schedule::op;

namespace {

struct did {
  std::size_t lane = 0;
  op what{};
  friend bool operator==(const did&, const did&) = default;
};

std::vector<std::size_t> from_to(std::size_t first, std::size_t last) {
  std::vector<std::size_t> lanes(last - first);
  std::iota(lanes.begin(), lanes.end(), first);
  return lanes;
}

/// Everything that a thread does when nothing has to wait.
template <class T>
std::vector<did> all_of(const T& t, std::size_t first, std::size_t last, std::size_t slack) {
  std::vector<did> done;
  itinerary lanes{t, from_to(first, last), slack};
  while (!lanes.finished()) {
    REQUIRE(lanes.advance([&](std::size_t lane, op o, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i, ++o.micro_batch) done.push_back({lane, o});
      return progress{count, attempt::done};
    }));
  }
  return done;
}

}  // namespace

TEST_CASE("without slack the operations of all lanes come in the order of their steps") {
  for (const mode run_for : {mode::training, mode::inference}) {
    const auto t = schedule::sequential({.ipus = 3, .micro_batches = 6, .run_for = run_for});
    const auto done = all_of(t, 0, 3, 0);
    REQUIRE(done.size() == operations(t));
    std::size_t at = 0;
    for (std::size_t step = 0; at < done.size(); ++step) {
      for (std::size_t ipu = 0; ipu < 3; ++ipu) {
        for (auto w = t.walk(ipu); w; ++w) {
          if (w->step != step) continue;
          CHECK(done[at] == did{ipu, *w});
          ++at;
        }
      }
    }
  }
}

TEST_CASE("however far lanes may be apart, each keeps its own order and none is left out") {
  const auto t = schedule::inference({.ipus = 4, .micro_batches = 1000});
  for (const std::size_t slack : {0u, 1u, 7u, 100u, 5000u}) {
    std::vector<std::size_t> next(9);
    for (const did& d : all_of(t, 1, 9, slack)) {
      CHECK(d.what.stage == d.lane % 4);
      CHECK(d.what.micro_batch == next[d.lane]++);
    }
    for (std::size_t lane = 1; lane < 9; ++lane) CHECK(next[lane] == 1000);
  }
}

TEST_CASE("where the first lane has to wait the others are tried, and if all wait that is said") {
  const auto t = schedule::inference({.ipus = 3, .micro_batches = 2});
  itinerary lanes{t, from_to(0, 3), 0};
  std::vector<std::size_t> tried;
  CHECK(!lanes.advance([&](std::size_t lane, const op&, std::size_t) {
    tried.push_back(lane);
    return progress{0, attempt::wait};
  }));
  CHECK(tried == std::vector<std::size_t>{0, 1, 2});
  CHECK(lanes.advance([&](std::size_t lane, const op&, std::size_t) {
    return lane == 2 ? progress{1, attempt::done} : progress{0, attempt::wait};
  }));
}

TEST_CASE("a lane that is over is left, the others go on") {
  const auto t = schedule::inference({.ipus = 2, .micro_batches = 3});
  itinerary lanes{t, from_to(0, 2), 0};
  std::size_t second = 0;
  while (!lanes.finished()) {
    lanes.advance([&](std::size_t lane, const op&, std::size_t) {
      if (lane == 0) return progress{0, attempt::over};
      ++second;
      return progress{1, attempt::done};
    });
  }
  CHECK(second == 3);
}

TEST_CASE("no lanes are finished at once") {
  const auto t = schedule::inference({.ipus = 2, .micro_batches = 3});
  CHECK(itinerary{t, {}, 5}.finished());
}

}  // namespace itinerary_test
