// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/threads/crew.hpp>
#include <ipuflow/run/trace.hpp>

#include <ipuflow/schedule/generators/grouped.hpp>
#include <ipuflow/schedule/generators/zbv.hpp>

#include <doctest/doctest.h>

#include "checked_work.hpp"

#include <cstddef>
#include <vector>

namespace trace_test {

using namespace ipuflow;

namespace {

constexpr auto willing = [](std::size_t, const schedule::op&) { return std::size_t{0}; };

/// The events of a lane are its operations, in order and one after the other.
template <class T>
void check_lanes(const run::trace& seen, const T& t, std::size_t copies) {
  std::vector<std::vector<schedule::op>> did(t.where.ipus * copies);
  std::vector<run::event> last(t.where.ipus * copies);
  for (const run::event& e : seen.events()) {
    REQUIRE(e.ipu < did.size());
    CHECK(e.start <= e.finish);
    CHECK(last[e.ipu].finish <= e.start);
    last[e.ipu] = e;
    did[e.ipu].push_back(e.what);
  }
  for (std::size_t lane = 0; lane < did.size(); ++lane) CHECK(did[lane] == checked::order(t, lane % t.where.ipus));
}

}  // namespace

TEST_CASE("a trace has every operation of a run, of each IPU in order, of each thread one after the other") {
  const auto grouped = schedule::grouped({.ipus = 4, .micro_batches = 16});
  const auto zbv = schedule::zbv({.ipus = 2, .micro_batches = 6});
  for (const std::size_t threads : {1u, 2u, 3u, 8u}) {
    for (const std::size_t copies : {1u, 3u}) {
      run::crew crew{threads};
      run::trace seen{copies * operations(grouped)};
      CHECK(checked::broken_promise(grouped, crew, {.events = &seen, .copies = copies}, willing) == nullptr);
      CHECK(seen.dropped() == 0);
      check_lanes(seen, grouped, copies);
      for (std::size_t i = 1; i < seen.events().size(); ++i) {
        const run::event& before = seen.events()[i - 1];
        const run::event& here = seen.events()[i];
        CHECK(here.thread >= before.thread);
        if (here.thread == before.thread) CHECK(here.start >= before.finish);
      }
      seen.clear();
      run::trace other{copies * operations(zbv)};
      CHECK(checked::broken_promise(zbv, crew, {.events = &other, .slack = 3, .copies = copies}, willing) == nullptr);
      check_lanes(other, zbv, copies);
    }
  }
}

TEST_CASE("what does not fit is counted, and two runs stand one behind the other") {
  const auto t = schedule::grouped({.ipus = 2, .micro_batches = 8});
  const std::size_t all = operations(t);
  run::crew crew{2};
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{1}, all - 1, all, all + 5, 2 * all}) {
    run::trace seen{capacity};
    for (std::size_t runs = 1; runs <= 2; ++runs) {
      CHECK(checked::broken_promise(t, crew, {.events = &seen}, willing) == nullptr);
      CHECK(seen.events().size() == std::min(capacity, runs * all));
      CHECK(seen.events().size() + seen.dropped() == runs * all);
    }
    seen.clear();
    CHECK(seen.events().empty());
    CHECK(seen.dropped() == 0);
  }
}

}  // namespace trace_test
