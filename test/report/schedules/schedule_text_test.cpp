// SPDX-License-Identifier: BSL-1.0
// The text picture of a small schedule, folded and not.
#include "../schedule/every_schedule.hpp"

#include <ipuflow/report/schedules/schedule_text.hpp>

#include <doctest/doctest.h>

namespace schedule_text_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

TEST_CASE("grouped on two IPUs") {
  CHECK(report::schedule_text(tabulate(grouped({.ipus = 2, .micro_batches = 4}))) ==
        "t    0  1  2     3     4     5  6  \n"
        "     -- -- ----- ===== ----- -- -- \n"
        "IPU0 F0 F1 F2    B0+F3 B1    B2 B3 \n"
        "IPU1 .  F0 B0+F1 B1+F2 B2+F3 B3 .  \n");
}

TEST_CASE("stages are told apart where an IPU has two, also where another has none") {
  CHECK(report::schedule_text(tabulate(sharded(devices(0, 0, 2), micro_batches<1>))) ==
        "t    0   1   2   3   4   5   \n"
        "     --- --- --- --- --- --- \n"
        "IPU0 0F0 1F0 .   .   1B0 0B0 \n"
        "IPU1 .   .   .   .   .   .   \n"
        "IPU2 .   .   2F0 2B0 .   .   \n");
}

TEST_CASE("lines are folded where they are too wide") {
  const std::string text = report::schedule_text(tabulate(one_f_one_b({.ipus = 4, .micro_batches = 16})), 60);
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin)) {
    CHECK(end - begin <= 61);
  }
  CHECK(text.find("B15") != std::string::npos);
}

TEST_CASE("every operation of every schedule is in its picture") {
  every::schedule({.ipus = 4, .chunks = 2, .micro_batches = 8}, [](auto, const setup&, const auto& t) {
    const std::string text = report::schedule_text(tabulate(t));
    std::size_t letters = 0;
    for (const char c : text) letters += c == 'F' || c == 'B' || c == 'W' ? 1u : 0u;
    std::size_t expected = 0;
    for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
      for (auto w = t.walk(ipu); w; ++w) expected += w->kind == pass::backward_inputs ? 0u : 1u;
    }
    CHECK(letters == expected);
  });
}

}  // namespace schedule_text_test
