// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/schedules/comparison_text.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/lowering/csv.hpp>
#include <ipuflow/schedule/lowering/pytorch.hpp>

#include <doctest/doctest.h>

#include <string>

namespace comparison_text_test {

using namespace ipuflow;

std::string text_of(const char* times, ipuflow::light_vector<std::string_view> names, std::size_t bytes = 0, std::size_t micro_batches = 8) {
  const schedule::setup asked{.ipus = 4, .micro_batches = micro_batches};
  const schedule::measured_costs costs = schedule::read_costs(times, "ms");
  return report::comparison_text(schedule::compare(asked, costs, std::move(names)), asked, costs, bytes);
}

TEST_CASE("what follows comes first, then a line for each") {
  CHECK(text_of("3,2,1,0", {"1f1b", "zb1p"}) ==
        "Fastest: zb1p takes 60 ms, idle for 20.0 % of it, and keeps 4.0 values of a whole stage.\n"
        "That is within the memory of 1f1b, which takes 66 ms.\n"
        "\n"
        "schedule  stages/IPU  time, ms    idle  kept  weights  messages\n"
        "zb1p               1        60  20.0 %   4.0       x1        48\n"
        "1f1b               1        66  27.3 %   4.0       x1        48\n");
}

TEST_CASE("the fastest with the memory of 1f1b is named where another is faster with more") {
  const std::string text = text_of("3,2,1,0", {"1f1b", "zb1p", "zb2p"});
  CHECK(text.find("Fastest: zb2p") == 0);
  CHECK(text.find("\nFastest within the memory of 1f1b: zb1p takes") != std::string::npos);
}

TEST_CASE("bytes where they are known, a word on smaller stages where there are any, and who refuses") {
  const std::string text = text_of("3,2,1,0", {"zbv", "grouped"}, 2'500'000, 10);
  CHECK(text.find("10.0 MB") != std::string::npos);
  CHECK(text.find("\n* Each of your stages is cut into equal parts") != std::string::npos);
  CHECK(text.find("Not with these sizes:\ngrouped: ipuflow: 10 micro-batches do not fill") != std::string::npos);
  CHECK(text_of("3,1,1,0", {"grouped"}, 0, 10).find("\nNot with these sizes:\n") == 0);
}

TEST_CASE("uneven stages: what whole ones can reach at best, and the fastest of those") {
  const char* uneven = "3.1,4.3,1.9,0.2;2,1.5,1.5,0.2;2,1.5,1.5,0.2;2,1.5,1.5,0.2";
  const std::string text = text_of(uneven, {"zbv", "1f1b", "zb1p"}, 0, 16);
  CHECK(text.find("Fastest: zbv takes") == 0);
  CHECK(text.find("\nFastest that keeps your stages whole, each on one IPU: zb1p takes") != std::string::npos);
  CHECK(text.find("\nNo schedule that keeps your stages whole, each on one IPU, is faster than 148.8 ms: stage 0 alone works that long;\nthose with a * spread it over several.\n") !=
        std::string::npos);
  CHECK(text.find("\nzbv *  ") != std::string::npos);
  CHECK(text.find("\nzb1p     ") != std::string::npos);
  const std::string both_ways = text_of(uneven, {"dualpipe"}, 0, 16);
  CHECK(both_ways.find("\ndualpipe **           2  ") != std::string::npos);
  CHECK(both_ways.find("\n** Each of your stages is on two IPUs") != std::string::npos);
  // nothing to say where all stages work as long, or where none is cut
  CHECK(text_of("3,2,1,0", {"zbv", "1f1b"}).find("No schedule that keeps") == std::string::npos);
  CHECK(text_of("3,2,1,0;1,1,1,0;1,1,1,0;1,1,1,0", {"zb1p", "1f1b"}).find("No schedule that keeps") == std::string::npos);
}

TEST_CASE("from measured times to a file for PyTorch") {
  // begin: choose
  const schedule::setup asked{.ipus = 4, .micro_batches = 16};
  const schedule::measured_costs costs = schedule::read_costs("3.1,2.7,1.9,0.2", "ms");
  const auto rows = schedule::compare(asked, costs);  // a `compared_schedule` for each, the fastest first
  const std::string all = report::comparison_text(rows, asked, costs);
  const auto best = schedule::zbv(asked);
  const schedule::measured_costs halves = schedule::costs_of_parts(best, costs);
  const std::string time = halves.text_of(schedule::makespan(best, halves));  // "130.25 ms"
  throw_if(schedule::verify_for_pytorch(best));
  const std::string file = schedule::to_csv(schedule::tabulate(best));
  // end: choose
  CHECK(rows[0].name == "zbv");
  CHECK(all.find("Fastest: zbv takes 130.25 ms") == 0);
  CHECK(time == "130.25 ms");
  CHECK(file.find("0F0") == 0);
}

}  // namespace comparison_text_test
