// SPDX-License-Identifier: BSL-1.0
// Oracle: std::string, cut by hand.
#include <ipuflow/core/fixed_string.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace fixed_string_test {

using namespace ipuflow;

namespace {

template <fixed_string Name>
struct named_by {};

static_assert(std::is_same_v<named_by<"ab">, named_by<"ab">>);
static_assert(!std::is_same_v<named_by<"ab">, named_by<"ac">>);
static_assert(fixed_string{"ab"}.size() == 2);
static_assert(fixed_string{""}.empty());
static_assert(std::is_same_v<decltype(fixed_string{"abc"}), fixed_string<3>>);

// Equal texts of one capacity are equal template arguments, however they came about.
constexpr fixed_string<8> put_together() {
  fixed_string<8> text;
  text += "a";
  text += std::size_t{42};
  return text;
}
static_assert(std::is_same_v<named_by<put_together()>, named_by<fixed_string<8>{"a42"}>>);

template <std::size_t Capacity>
std::string cut(std::string text) {
  if (text.size() <= Capacity) return text;
  text.resize(Capacity);
  for (std::size_t i = Capacity < 3 ? 0 : Capacity - 3; i < Capacity; ++i) text[i] = '.';
  return text;
}

template <std::size_t Capacity>
void appends_like_a_string() {
  for (std::size_t first = 0; first <= Capacity + 3; ++first) {
    for (std::size_t second = 0; second <= Capacity + 3; ++second) {
      const std::string a(first, 'a');
      const std::string b(second, 'b');
      fixed_string<Capacity> text{a};
      CHECK(text.view() == cut<Capacity>(a));
      if (first > Capacity) continue;
      text += b;
      CAPTURE(first);
      CAPTURE(second);
      CHECK(text.view() == cut<Capacity>(a + b));
      CHECK(text.size() == cut<Capacity>(a + b).size());
      CHECK(text.data()[text.size()] == '\0');
    }
  }
}

}  // namespace

TEST_CASE("appending is appending to a string that is cut, with dots, at the capacity") {
  appends_like_a_string<0>();
  appends_like_a_string<1>();
  appends_like_a_string<2>();
  appends_like_a_string<3>();
  appends_like_a_string<4>();
  appends_like_a_string<16>();
  appends_like_a_string<33>();
}

TEST_CASE("numbers are appended in decimal") {
  std::size_t number = 1;
  for (int i = 0; i < 64; ++i, number *= 2) {
    for (const std::size_t n : {number - 1, number, number + 1}) {
      fixed_string<20> text;
      text += n;
      CHECK(text.view() == std::to_string(n));
    }
  }
  fixed_string<20> largest;
  largest += std::numeric_limits<std::size_t>::max();
  CHECK(largest.view() == "18446744073709551615");
}

TEST_CASE("texts are equal if their characters are, whatever they could hold") {
  CHECK(fixed_string<3>{"abc"} == fixed_string<9>{std::string_view{"abc"}});
  CHECK(fixed_string<3>{"abc"} != fixed_string<9>{std::string_view{"ab"}});
  CHECK(fixed_string<0>{} == fixed_string<9>{});
}

}  // namespace fixed_string_test
