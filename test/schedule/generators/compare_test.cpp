// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/generators/compare.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

namespace compare_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

const compared_schedule& row_of(const ipuflow::light_vector<compared_schedule>& rows, std::string_view name) {
  return *std::find_if(rows.begin(), rows.end(), [&](const compared_schedule& r) { return r.name == name; });
}

TEST_CASE("all schedules do the same work, however small their stages: whole stages are compared") {
  const setup asked{.ipus = 4, .micro_batches = 16};
  const auto rows = compare(asked, read_costs("3.1,2.7,1.9,0"));
  CHECK(rows.size() == std::size(schedule_names) - 1);  // all but inference
  for (const compared_schedule& row : rows) {
    CAPTURE(row.name);
    CHECK(!row.refused);
    CHECK(row.makespan * (1 - row.bubble) == doctest::Approx(16 * (3.1 + 2.7 + 1.9)));
  }
  CHECK(std::is_sorted(rows.begin(), rows.end(), [](const compared_schedule& a, const compared_schedule& b) { return a.makespan < b.makespan; }));
  // what half-size stages hid: zbv is as small as 1F1B, and faster
  CHECK(row_of(rows, "zbv").parts == 2);
  CHECK(row_of(rows, "zbv").peak == row_of(rows, "1f1b").peak);
  CHECK(row_of(rows, "zbv").makespan < row_of(rows, "1f1b").makespan);
  CHECK(row_of(rows, "v_min").peak < row_of(rows, "v_half").peak);
  CHECK(row_of(rows, "dualpipe").weight_copies == 2);
  CHECK(row_of(rows, "1f1b").messages == 16 * 2 * 3);
}

TEST_CASE("one stage an IPU is timed as it is") {
  const auto rows = compare({.ipus = 4, .micro_batches = 10}, read_costs("31,27,19,2"), {"1f1b"});
  CHECK(rows[0].makespan == makespan(one_f_one_b({.ipus = 4, .micro_batches = 10}),
                                     costs{.forward = 31, .backward_inputs = 27, .backward_weights = 19, .communication = 2}));
}

TEST_CASE("a message lasts as long between smaller stages") {
  const setup asked{.ipus = 2, .micro_batches = 1};
  // there and back: one micro-batch passes three links on its way there where stages are halved, one where they are whole
  const auto whole = compare(asked, read_costs("2,0,0,0"), {"gpipe"});
  const auto with_links = compare(asked, read_costs("2,0,0,10"), {"gpipe"});
  CHECK(with_links[0].makespan - whole[0].makespan == 20);
  const auto halves = compare({2, 2, 1}, read_costs("2,0,0,0"), {"looped_bfs"});
  const auto halves_with_links = compare({2, 2, 1}, read_costs("2,0,0,10"), {"looped_bfs"});
  CHECK(halves_with_links[0].makespan - halves[0].makespan == 60);
}

TEST_CASE("a schedule that refuses the sizes is last and says why; a mode has its schedules only, unless one is named") {
  const auto rows = compare({.ipus = 4, .micro_batches = 10}, read_costs("1,1,1,0"));
  CHECK(rows.back().refused.kind == schedule_wrong::not_a_multiple);
  CHECK(rows.front().refused.kind == schedule_wrong::nothing);
  const auto forwards = compare({.ipus = 4, .micro_batches = 8, .run_for = mode::inference}, read_costs("1,1,1,0"));
  CHECK(row_of(forwards, "inference").peak == 0);
  for (const auto& row : forwards) CHECK(row.name != "1f1b");
  const auto named = compare({.ipus = 4, .micro_batches = 8, .run_for = mode::inference}, read_costs("1,1,1,0"), {"1f1b"});
  CHECK(named[0].refused.kind == schedule_wrong::training_only);
}

TEST_CASE("a timetable alone has the time that it has in a comparison") {
  const setup asked{.ipus = 4, .micro_batches = 16};
  for (const char* text : {"3.1,2.7,1.9,0.2", "3.1,4.3,1.9,0.2;2,1.5,1.5,0.2;2,1.5,1.4,0.2;1,1.5,1.5,0.1"}) {
    const measured_costs measured = read_costs(text);
    for (const compared_schedule& row : compare(asked, measured)) {
      CAPTURE(row.name);
      const double alone = with_schedule(row.name, compared_setup(row.name, asked), [&](const auto& t) {
        const measured_costs own = costs_of_parts(t, measured);
        return own.in_units(makespan(t, own));
      });
      CHECK(alone == row.makespan);
    }
  }
}

TEST_CASE("costs of a timetable: of whole stages, or of its own") {
  const auto t = zbv({.ipus = 2, .micro_batches = 4});  // four stages
  const auto forward = [&](const char* text, std::size_t stage) {
    const measured_costs own = costs_of_parts(t, read_costs(text));
    return own.number_of(own.of(pass::forward, stage));
  };
  CHECK(forward("3,1,1,0", 3) == "1.5");
  CHECK(forward("3,1,1,0;5,1,1,0", 1) == "1.5");
  CHECK(forward("3,1,1,0;5,1,1,0", 2) == "2.5");
  CHECK(forward("3,1,1,0;5,1,1,0;7,1,1,0;9,1,1,0", 2) == "7");
  CHECK_THROWS_AS((void)costs_of_parts(t, read_costs("1,1,1,0;1,1,1,0;1,1,1,0")), error);
}

TEST_CASE("a comparison of training has no schedule of inference") {
  const auto rows = compare({.ipus = 4, .micro_batches = 8}, read_costs("3,2,1,0"), {"inference", "1f1b"});
  CHECK(rows[0].name == "1f1b");
  CHECK(rows[1].refused.kind == schedule_wrong::inference_only);
}

TEST_CASE("an unknown name, and costs for other stages, are thrown") {
  CHECK_THROWS_AS((void)compare({.ipus = 4, .micro_batches = 8}, read_costs("1,1,1,0"), {"2f2b"}), error);
  CHECK_THROWS_AS((void)compare({.ipus = 4, .micro_batches = 8}, read_costs("1,1,1,0;2,1,1,0")), error);
}

}  // namespace compare_test
