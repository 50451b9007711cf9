// SPDX-License-Identifier: BSL-1.0
// One fault, three uses: a constant that is accepted, an exception with the same sentence, a value to compare.
#include <ipuflow/core/fault.hpp>

#include <doctest/doctest.h>

#include <string>
#include <type_traits>

namespace fault_test {

using namespace ipuflow;

namespace {

enum class lamp_wrong : unsigned char { nothing, dark, bright };
using lamp_fault = fault<lamp_wrong, std::size_t>;

constexpr const char* wording(lamp_wrong wrong) {
  switch (wrong) {
    case lamp_wrong::nothing:
      break;
    case lamp_wrong::dark:
      return "too dark at {where}: {got} of {limit}";
    case lamp_wrong::bright:
      return "too bright at {where}: {got} of {limit}";
  }
  return "";
}

constexpr message_text sentence(const lamp_fault& f) { return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"where", f.where}}); }

constexpr lamp_fault verify(std::size_t where, std::size_t light) {
  if (light < 10) return {lamp_wrong::dark, light, 10, where};
  if (light > 20) return {lamp_wrong::bright, light, 20, where};
  return {};
}

struct silent {
  friend constexpr bool operator==(silent, silent) = default;
};

static_assert(explained<lamp_fault>);
static_assert(silent{} == silent{} && !explained<silent>, "a value without a sentence explains nothing");
static_assert(!explained<fault<int>>);
static_assert(accept<verify(0, 10)>() && accept<verify(0, 20)>());
static_assert(verify(3, 9) == lamp_fault{lamp_wrong::dark, 9, 10, 3});
static_assert(message(verify(3, 9)) == fixed_string{"too dark at 3: 9 of 10"});
static_assert(message(verify(3, 15)).empty());
static_assert(std::is_same_v<problem_in<verify(0, 15)>, nothing_wrong>);
static_assert(std::is_same_v<problem_in<verify(1, 21)>, problem<"too bright at 1: 21 of 20">>);
static_assert(!std::is_convertible_v<problem_in<verify(1, 21)>, nothing_wrong>);
static_assert((throw_if(verify(0, 15)), true), "no fault is no obstacle to a constant");

constexpr blank lamp{"lamp", "oil {got}"};
static_assert(filled("", {lamp}) == fixed_string{""} && filled("as it is", {lamp}) == fixed_string{"as it is"});
static_assert(filled("{lamp}{lamp}", {lamp}) == fixed_string{"oil {got}oil {got}"}, "what fills a blank has none");
static_assert(filled("{lam} {lamps} {lamp", {lamp}) == fixed_string{"{lam} {lamps} {lamp"}, "other braces are the sentence's own");
static_assert(filled("{{lamp}} {}", {lamp}) == fixed_string{"{oil {got}} {}"});
static_assert(filled("{a} {b}", {{"b", 18446744073709551615u}, {"a", std::string_view{}}}) == fixed_string{" 18446744073709551615"});

std::string thrown_by(const lamp_fault& found) {
  try {
    throw_if(found);
  } catch (const error& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("what is counted has the form of the number before it") {
  const auto told = [](std::size_t got, std::size_t limit) {
    return filled("{got} stage{s} {is|are} on {where}, {limit} {ox|oxen}, micro-batch{es} {}", {{"got", got}, {"where", "1"}, {"limit", limit}});
  };
  CHECK(told(1, 2) == message_text{"1 stage is on 1, 2 oxen, micro-batches {}"});
  CHECK(told(2, 1) == message_text{"2 stages are on 1, 1 ox, micro-batch {}"});
  CHECK(told(0, 11) == message_text{"0 stages are on 1, 11 oxen, micro-batches {}"});
}

TEST_CASE("there is an exception exactly if there is a fault, and it says what the message says") {
  for (std::size_t light = 0; light < 40; ++light) {
    const auto found = verify(light % 7, light);
    CAPTURE(light);
    CHECK(static_cast<bool>(found) == (light < 10 || light > 20));
    CHECK(thrown_by(found) == message(found).view());
    CHECK(thrown_by(found).empty() == !found);
  }
}

TEST_CASE("the exception carries the fault itself") {
  try {
    throw_if(verify(5, 30));
    FAIL("nothing was thrown");
  } catch (const rejected<lamp_fault>& e) {
    CHECK(e.found() == lamp_fault{lamp_wrong::bright, 30, 20, 5});
  }
  CHECK_THROWS_AS(throw_if(verify(5, 30)), std::exception);
}

TEST_CASE("two faults are equal only if every number is") {
  const auto found = verify(1, 2);
  for (int i = 0; i < 4; ++i) {
    auto other = found;
    if (i == 0) other.kind = lamp_wrong::bright;
    if (i == 1) ++other.where;
    if (i == 2) ++other.got;
    if (i == 3) ++other.limit;
    CHECK(other != found);
  }
  CHECK(verify(1, 2) == found);
}

}  // namespace fault_test
