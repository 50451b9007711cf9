// SPDX-License-Identifier: BSL-1.0
// Schedules that are made, looked at and searched while a program runs, with every allocation, start of a thread and call of the user's
// functions failing in turn.
#include "injection.hpp"

#include <ipuflow/schedule.hpp>
#include <ipuflow/schedule/analysis/critical_path.hpp>
#include <ipuflow/schedule/analysis/measured_costs.hpp>
#include <ipuflow/schedule/forms/repeating.hpp>
#include <ipuflow/schedule/generators/catalogue_points.hpp>
#include <ipuflow/schedule/generators/catalogue_tables.hpp>
#include <ipuflow/schedule/generators/compare.hpp>
#include <ipuflow/schedule/lowering/csv.hpp>
#include <ipuflow/schedule/search/frontier.hpp>
#include <ipuflow/schedule/search/restarts.hpp>
#include <ipuflow/schedule/search/search.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace trust_schedule_test {

using namespace ipuflow;
using trust::fault;

/// Times of passes that a user computes.
struct fragile_costs {
  [[nodiscard]] std::size_t of(schedule::pass kind, std::size_t stage) const {
    trust::user_call();
    return kind == schedule::pass::update ? 0 : kind == schedule::pass::backward ? 2 : 1 + stage % 2;
  }
  [[nodiscard]] std::size_t communication_of(std::size_t) const { return 0; }
};

TEST_CASE("every schedule of the catalogue is made, verified, timed and sent") {
  std::size_t made = 0;
  for (const std::string_view name : schedule::schedule_names) {
    for (const std::size_t stages : {1u, 2u}) {
      const schedule::setup asked{.ipus = 2, .stages_per_ipu = stages, .micro_batches = 4};
      bool refused = false;
      std::size_t length = 0;
      trust::walk_all(("schedule " + std::string{name}).c_str(), [&] {
        schedule::with_schedule(name, asked, [&](const auto& t) {
          refused = static_cast<bool>(t.refused);
          if (refused) return;
          const schedule::any_timetable any{t};
          const auto wrong = schedule::verify(any);  // outside of CHECK, which catches what is thrown
          const schedule::table table = schedule::tabulate(any);
          const std::size_t found = schedule::times_of(t, fragile_costs{}).makespan;
          const std::size_t tabled = schedule::times_of(table, fragile_costs{}).makespan;
          const std::size_t traced = schedule::times_and_path_of(t, fragile_costs{}).time.makespan;
          const auto kept = schedule::peak(t);
          const std::string sent = schedule::to_csv(schedule::lower(t));
          CHECK_FALSE(wrong);
          CHECK((length == 0 || found == length));
          length = found;
          CHECK(tabled == found);
          CHECK(traced == found);
          CHECK(kept.size() > 0);
          CHECK_FALSE(sent.empty());
        });
      });
      made += refused ? 0u : 1u;
    }
  }
  CHECK(made >= 15);
}

TEST_CASE("schedules are compared") {
  const schedule::setup asked{.ipus = 2, .micro_batches = 4};
  const schedule::measured_costs costs = schedule::read_costs("3,2,1,0", "ms");
  trust::walk_all("compare schedules", [&] {
    const auto found = schedule::compare(asked, costs, {"1f1b", "zb1p", "zbv"});
    CHECK(found.size() == 3);
  });
}

constexpr schedule::grid vee{.ipus = 2, .stages = 4, .micro_batches = 4, .kind = schedule::layout::vee};
constexpr schedule::activation_bytes held{3, -1, -2};

TEST_CASE("a schedule is searched, on threads, within each memory, from the catalogue") {
  const schedule::search_memory memory{held, 9};
  const auto wanted = schedule::search(vee, fragile_costs{}, memory, {.iterations = 20});
  trust::walk_all("search", [&] {
    const auto found = schedule::search(vee, fragile_costs{}, memory, {.iterations = 20});
    CHECK(found.span == wanted.span);
  });
  for (const std::size_t threads : {1u, 3u}) {
    trust::walk_all(("search on " + std::to_string(threads) + " threads").c_str(), [&] {
      const auto found = schedule::search_with_restarts(vee, fragile_costs{}, memory, {.each = {.iterations = 5}, .searches = 4, .threads = threads});
      CHECK_FALSE(found.refused);
      CHECK(found.span >= wanted.lower_bound);
    });
  }
  trust::walk_all("frontier", [&] {
    const auto found = schedule::frontier(vee, fragile_costs{}, held, {.each = {.iterations = 5}, .chosen = 3});
    CHECK(found.points.size() > 0);
    for (const schedule::frontier_point& p : found.points) CHECK(p.best.peak_bytes <= p.limit);
  });
  trust::walk_all("tables of the catalogue", [&] {
    const auto found = schedule::catalogue_tables(vee, fragile_costs{});
    CHECK(found.size() > 0);
  });
}

}  // namespace trust_schedule_test
