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
#include <stop_token>
#include <string>
#include <string_view>
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

/// How a run ends before its timetable does.
enum class leaving : unsigned char { stop, stop_now, source_ends };

std::stop_source* to_stop = nullptr;
item counted(item x) {
  if (to_stop != nullptr && trust::ends_here()) to_stop->request_stop();
  return std::make_unique<int>(*x + 1);
}
constexpr auto one = [](item x) { return counted(std::move(x)); };
constexpr auto two = [](item x) { return counted(std::move(x)); };
constexpr auto apart = pipeline(stage(block<"a">(one)).ipu<0>(), stage(block<"b">(two)).ipu<1>(), stage(block<"c">(one)).ipu<2>(),
                                stage(block<"d">(two)).ipu<3>());
constexpr auto loop = pipeline(stage(block<"a">(one)).ipu<0>(), stage(block<"b">(two)).ipu<1>(), stage(block<"c">(one)).ipu<0>(),
                               stage(block<"d">(two)).ipu<1>());

template <class P>
void run_to_an_end(const P& p, const schedule::any_timetable& t, std::size_t threads, leaving how) {
  std::stop_source stop;
  to_stop = how == leaving::source_ends ? nullptr : &stop;
  int next = 0;
  int came = 0;
  run::thread_options options{.threads = threads, .capacity = 2};
  (how == leaving::stop_now ? options.stop_now : options.stop) = stop.get_token();
  const auto outcome = run::on_threads(
      p, t,
      [&]() -> std::optional<item> {
        const bool here = trust::ends_here();
        if (here && to_stop != nullptr) stop.request_stop();
        if (next == 5 || (here && to_stop == nullptr)) return std::nullopt;
        return std::make_unique<int>(next++);
      },
      [&](item x) {
        if (to_stop != nullptr && trust::ends_here()) stop.request_stop();
        CHECK(*x == 4 + came);
        ++came;
      },
      options);
  CHECK(outcome.delivered == static_cast<std::size_t>(came));
  CHECK(outcome.taken == static_cast<std::size_t>(next));
  if (how == leaving::stop_now) CHECK(came <= next);
  else CHECK(came == next);
  if (how != leaving::source_ends && !stop.stop_requested()) CHECK(came == 5);
}

TEST_CASE("a run is stopped, left or has no more input at every call, under every schedule") {
  const char* const names[] = {"stopped", "stopped now", "its source ends"};
  std::size_t schedules = 0;
  const auto with = [&](std::string_view name, const auto& p, schedule::setup asked) {
    asked.run_for = mode::inference;
    schedule::with_schedule(name, asked, [&](const auto& t) {
      if (t.refused || t.where.stages != 4 || t.run_for != mode::inference || schedule::verify(t)) return;
      ++schedules;
      for (std::size_t threads = 1; threads <= 4; ++threads) {
        for (std::size_t how = 0; how < 3; ++how) {
          const std::string what = std::string{name} + " on " + std::to_string(asked.ipus) + ", " + std::to_string(threads) +
                                   " threads, " + names[how];
          trust::walk(what.c_str(), trust::fault::end,
                      [&] { run_to_an_end(p, schedule::any_timetable{t}, threads, static_cast<leaving>(how)); }, [](bool) {}, true,
                      trust::far_apart > 1 ? 5 : 1);
        }
      }
    });
  };
  for (const std::string_view name : schedule::schedule_names) {
    with(name, apart, schedule::setup{.ipus = 4, .micro_batches = 8});
    with(name, loop, schedule::setup{.ipus = 2, .stages_per_ipu = 2, .micro_batches = 8});
  }
  CHECK(schedules >= 8);
}

}  // namespace trust_run_test
