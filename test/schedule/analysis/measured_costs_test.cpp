// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/analysis/measured_costs.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/generators/dualpipe.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>

#include <doctest/doctest.h>

#include <string>

namespace measured_costs_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

std::string refusal(std::string_view text) {
  try {
    (void)read_costs(text);
  } catch (const error& bad) {
    return bad.what();
  }
  return {};
}

TEST_CASE("decimals are counted exactly, in the smallest one that was written") {
  const auto c = read_costs("3.1,2.75,.5,0.2", "ms");
  CHECK(c.of(pass::forward, 7) == 310);
  CHECK(c.of(pass::backward, 7) == 325);
  CHECK(c.of(pass::backward_weights, 7) == 50);
  CHECK(c.communication_of(7) == 20);
  CHECK(c.in_units(310) == 3.1);
  CHECK(c.unit() == "ms");
  const auto whole = read_costs("4,2,1,0");
  CHECK(whole.of(pass::backward, 0) == 3);
  CHECK(whole.in_units(5) == 5);
}

TEST_CASE("a time that was counted with them is given back in their unit") {
  const setup asked{.ipus = 4, .micro_batches = 16};
  // begin: measured
  const schedule::measured_costs measured = schedule::read_costs("3.1,2.7,1.9,0.2", "ms");
  const std::size_t time = schedule::makespan(schedule::one_f_one_b(asked), measured);  // whole numbers: tenths of ms here
  CHECK(measured.text_of(time) == "151.9 ms");
  CHECK(measured.in_units(time) == 151.9);
  // end: measured
  CHECK(time == 1519);
  CHECK(read_costs("1,1,1,0").text_of(3) == "3");
  CHECK(read_costs("1,1,1,0").cut(2).number_of(3) == "1.5");
}

TEST_CASE("a record for each stage, in lines with comments or between semicolons") {
  for (const char* text : {"1,2,3,0;4.5,2,3,0", "# F,I,W,COMM\r\n1,2,3,0\r\n\n 4.5,2,3,0 # slow\n"}) {
    const auto c = read_costs(text);
    CHECK(c.records() == 2);
    CHECK(c.of(pass::forward, 0) == 10);
    CHECK(c.of(pass::forward, 1) == 45);
    CHECK(!verify_costs(c, 2));
    CHECK(message(verify_costs(c, 3)).view() == "ipuflow: costs are given for 2 stages, but the model has 3; give one record for all, or one "
                                             "for each stage in the order of the data");
  }
}

TEST_CASE("what stands in a comment is no record, with semicolons, too") {
  const auto c = read_costs("# forward; backward\n1,2,3,4 # s; t\n5,6,7,8;9,10,11,12 # 13,14,15,16; x");
  CHECK(c.records() == 3);
  CHECK(c.of(pass::forward, 2) == 9);
}

TEST_CASE("a stage without a record is refused") {
  const auto t = one_f_one_b({.ipus = 4, .micro_batches = 4});
  CHECK_THROWS_WITH_AS((void)makespan(t, read_costs("1,2,3,4;1,2,3,4")),
                       "ipuflow: costs are given for 2 stages, but stage 2 of the timetable has none; give a record for each of its stages, in their order",
                       rejected<schedule_fault>);
  CHECK_THROWS_AS((void)makespan(t, measured_costs{{}}), rejected<schedule_fault>);
  CHECK(makespan(t, read_costs("1,2,3,4;1,2,3,4").cut(2)) > 0);
}

TEST_CASE("what is no cost is refused with its place") {
  CHECK(refusal("") == "ipuflow: no costs are given; write F,I,W,COMM as numbers like 3.1,2.7,1.9,0.2");
  CHECK(refusal("1,1,1,0;2,x,3") == "ipuflow: 'x' in record 2 of the costs is no time; write F,I,W,COMM as numbers like 3.1,2.7,1.9,0.2");
  for (const char* text : {"1,", ",1", "1,,2", "-1", "1e3", "1.2.3", ".", "0x1", "inf"}) CHECK(refusal(text).find("is no time") != std::string::npos);
  const std::string four = "; write four, decimals with a point, records with ; between them: forward, backward for inputs, backward for "
                           "weights (half of the backward each, where only the whole was measured), message";
  CHECK(refusal("3.1;2.7;1.9;0.2") == "ipuflow: record 1 of the costs is '3.1', which has 1 number" + four);
  CHECK(refusal("3,2,1,0;3.1,6.2,0.05") == "ipuflow: record 2 of the costs is '3.1,6.2,0.05', which has 3 numbers" + four);
  CHECK(refusal("1,2,3,4,5") == "ipuflow: record 1 of the costs is '1,2,3,4,5', which has 5 numbers" + four);
  CHECK(refusal("0.1234567891") == "ipuflow: '0.1234567891' in record 1 of the costs has more than 9 digits behind the point; round it, or take a smaller unit");
  CHECK(refusal("99999999999") == "ipuflow: '99999999999' in record 1 of the costs is too large to be added up; take a larger unit");
  CHECK(refusal("99999999999999999999999999").find("is too large") != std::string::npos);
  CHECK(refusal("1,1,1,0;1000,1000000000,1,0.000000001") ==
        "ipuflow: '1000000000' in record 2 of the costs is too large beside others with 9 digits behind the point, which all are counted in; round these");
  CHECK(refusal("1000000000,1,1,0.001").empty());
  CHECK(refusal("1000,1,1,0.000000001").empty());  // sums of it would wrap from 18 million on
}

TEST_CASE("times with them are those of whole numbers, scaled; two that run together take the time of both") {
  const setup asked{.ipus = 4, .micro_batches = 10};
  const costs plain{.forward = 31, .backward_inputs = 27, .backward_weights = 19, .communication = 2};
  const auto same = [&](const auto& t) { CHECK(makespan(t, read_costs("3.1,2.7,1.9,0.2")) == makespan(t, plain)); };
  same(one_f_one_b(asked));
  same(dualpipe(asked));
  same(dualpipev(asked));
}

TEST_CASE("a cut makes passes shorter, messages not: counted in parts") {
  const auto half = read_costs("3,2,1,5;6,4,2,7").cut(2);
  CHECK(half.in_units(half.of(pass::forward, 0)) == 1.5);
  CHECK(half.in_units(half.of(pass::forward, 1)) == 1.5);
  CHECK(half.in_units(half.of(pass::forward, 2)) == 3);
  CHECK(half.in_units(half.communication_of(3)) == 7);
}

}  // namespace measured_costs_test
