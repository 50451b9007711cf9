// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/sources/read_characters.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <charconv>
#include <clocale>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace read_characters_test {

using namespace ipuflow::feed::impl;

namespace {

/// What both ways say of a text: the number if there is one, how much of the text it is, what is wrong.
template <class Number>
struct reading {
  Number number = 7;  // untouched where none is read; libc++ 23 writes infinity or zero where one does not fit
  std::ptrdiff_t length = 0;
  std::errc wrong{};

  friend bool operator==(const reading& a, const reading& b) {
    const bool same = a.number != a.number ? b.number != b.number : a.number == b.number;
    return (same || a.wrong == std::errc::result_out_of_range) && a.length == b.length && a.wrong == b.wrong;
  }
};

template <class Number, class Read>
reading<Number> read_by(Read read, std::string_view text) {
  reading<Number> found;
  const auto [end, wrong] = read(text.data(), text.data() + text.size(), found.number);
  found.length = end - text.data();
  found.wrong = wrong;
  return found;
}
template <class Number>
reading<Number> by_c_library(std::string_view text) {
  return read_by<Number>(read_by_c_library<Number>, text);
}
template <class Number>
reading<Number> as_it_is(std::string_view text) {
  return read_by<Number>(read_characters<Number>, text);
}

}  // namespace

TEST_CASE_TEMPLATE("the C library reads what std::from_chars reads", Number, float, double) {
  for (const std::string_view text :
       {"0", "-0", "1", "-1.5", ".5", "5.", "1e3", "1e", "1e+", "1E-2x", "12,5", "0x10", "+1", "++1", "-+1", " 1", "\n1", "1 ",
        "", "-", ".", "x", "e5", "inf", "-Infinity", "nan", "NaN", "infinit", "1e-42", "1e-400", "-1e400", "1e39",
        "3.4028235e38", "3.4028236e38", "0.1", "0.30000000000000004", "1.00000005960464477539062500001",
        "123456789012345678901234567890"}) {
    CAPTURE(text);
    const auto ours = by_c_library<Number>(text);
    CHECK(ours == as_it_is<Number>(text));
    if (ours.wrong != std::errc{}) CHECK(ours.number == 7);
  }
}

TEST_CASE_TEMPLATE("digits that are enough give back each number, to the last bit", Number, float, double) {
  std::mt19937_64 random{7};
  using bits = std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t>;
  for (int i = 0; i < 2000; ++i) {
    const auto number = std::bit_cast<Number>(static_cast<bits>(random()));
    if (number - number != 0) continue;
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, number, std::chars_format::scientific).ptr;
    const std::string_view digits{text, end};
    CAPTURE(digits);
    REQUIRE(by_c_library<Number>(digits).number == number);
    REQUIRE(as_it_is<Number>(digits).number == number);
  }
}

TEST_CASE("the locale of the program does not count, and stays") {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}) {
    if (std::setlocale(LC_NUMERIC, name) == nullptr) continue;
    CHECK(by_c_library<double>("1.5").number == 1.5);
    CHECK(by_c_library<double>("1,5").length == 1);
    CHECK(std::string{std::setlocale(LC_NUMERIC, nullptr)} == name);
  }
  std::setlocale(LC_NUMERIC, before.c_str());
}

TEST_CASE("integers are read as ever") {
  CHECK(as_it_is<int>("42").number == 42);
  CHECK(as_it_is<int>("4.2").length == 1);
  CHECK(read_by<std::uint8_t>(read_characters<std::uint8_t>, "256").wrong == std::errc::result_out_of_range);
}

}  // namespace read_characters_test
