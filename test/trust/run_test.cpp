// SPDX-License-Identifier: BSL-1.0
// Runs on threads with everything that may fail failing in turn: the source, each block, the sink, memory, threads.
#include "injection.hpp"

#include <ipuflow/graph.hpp>
#include <ipuflow/run.hpp>
#include <ipuflow/run/trace.hpp>
#include <ipuflow/schedule.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace trust_run_test {

using namespace ipuflow;

/// Has memory of its own, so that one which is lost is seen.
using item = std::unique_ptr<int>;

item more(item x, int by) {
  trust::user_call();
  return std::make_unique<int>(*x + by);
}
item first(int x) {
  trust::user_call();
  return std::make_unique<int>(x);
}
item second(item x) { return more(std::move(x), 10); }
item third(item x) { return more(std::move(x), 100); }
int last(item x) {
  trust::user_call();
  return *x + 1000;
}

constexpr auto line = pipeline(stage(block<"a">(first)).ipu<0>(), stage(block<"b">(second)).ipu<1>(),
                               stage(block<"c">(third)).ipu<2>(), stage(block<"d">(last)).ipu<3>());
constexpr auto folded = pipeline(stage(block<"a">(first)).ipu<0>(), stage(block<"b">(second)).ipu<1>(),
                                 stage(block<"c">(third)).ipu<1>(), stage(block<"d">(last)).ipu<0>());

constexpr int items = 6;

template <class P, class T>
void run_once(const P& p, const T& t, const run::thread_options& options) {
  int next = 0;
  int came = 0;
  const auto source = [&] {
    trust::user_call();
    return next < items ? std::optional<int>{next++} : std::nullopt;
  };
  const auto sink = [&](int x) {
    trust::user_call();
    CHECK(x == came + 1110);
    ++came;
  };
  const auto outcome = run::on_threads(p, t, source, sink, options);
  CHECK(came == items);
  CHECK(outcome.delivered == items);
}

template <class P, class T>
void runs(const char* what, const P& p, const T& t) {
  for (const std::size_t threads : {1u, 2u, 4u}) {
    for (const std::size_t capacity : {1u, 64u}) {
      const std::string name =
          std::string(what) + ", " + std::to_string(threads) + " threads, room " + std::to_string(capacity);
      trust::walk_all(name.c_str(), [&] { run_once(p, t, {.threads = threads, .capacity = capacity}); });
    }
  }
  trust::walk_all((std::string(what) + ", traced").c_str(), [&] {
    run::trace events{100};
    run_once(p, t, {.threads = 2, .events = &events});
  });
}

TEST_CASE("a line of four stages") { runs("line", line, schedule::inference(line, micro_batches<16>)); }
TEST_CASE("stages that share IPUs") { runs("folded", folded, schedule::sequential(folded, micro_batches<16>)); }

}  // namespace trust_run_test
