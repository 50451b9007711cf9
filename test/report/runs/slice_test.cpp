// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/runs/chips_timeline.hpp>
#include <ipuflow/report/runs/slice.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace slice_test {

using namespace ipuflow;
using namespace ipuflow::report;

TEST_CASE("every kind has a name of its own, passes that of the timetable") {
  std::set<std::string> names;
  for (std::size_t k = 0; k < slice_kinds; ++k) names.insert(name_of(static_cast<slice_kind>(k)));
  CHECK(names.size() == slice_kinds);
  for (std::size_t p = 0; p < schedule::pass_count; ++p) {
    const auto pass = static_cast<schedule::pass>(p);
    CHECK(name_of(kind_of(pass)) == std::string(schedule::name_of(pass)));
    CHECK(is_backward(kind_of(pass)) == schedule::is_backward(pass));
  }
}

TEST_CASE("what a run on chips labels is of the kind that its name says") {
  for (std::size_t w = 0; w <= static_cast<std::size_t>(run::chips_work::update); ++w) {
    const auto work = static_cast<run::chips_work>(w);
    const slice_kind kind = kind_of(run::chips_label{.work = work, .pass = schedule::pass::recompute});
    if (work == run::chips_work::pass) {
      CHECK(kind == slice_kind::recompute);
    } else if (work == run::chips_work::load || work == run::chips_work::store) {
      CHECK(std::string(name_of(kind)).ends_with("streaming memory"));
    } else {
      CHECK(std::string(name_of(kind)).starts_with(run::name_of(work)));
    }
  }
}

TEST_CASE("names of slices have the number of what they work on") {
  CHECK(name_of(slice{.kind = slice_kind::backward, .micro_batch = 12}) == "backward 12");
  CHECK(name_of(slice{.kind = slice_kind::exchange}) == "exchange");
  CHECK(name_of(slice{.kind = slice_kind::run, .run = 3}) == "run 3");
}

}  // namespace slice_test
