// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/sources/csv_cells.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace csv_cells_test {

using namespace ipuflow;
using feed::table_wrong;

static_assert(feed::impl::read_from_cells<feed::label<>> && !feed::impl::read_from_cells<feed::label<bool>>);
static_assert(feed::impl::read_from_cells<ipuflow::half> && feed::impl::read_from_cells<std::array<char, 2>>);
static_assert(!feed::impl::read_from_cells<wchar_t> && !feed::impl::read_from_cells<std::array<char8_t, 2>>);  // letters

namespace {

template <class Number>
Number number(std::string_view text) {
  Number read{};
  CHECK(feed::impl::read_number(text, read) == table_wrong::nothing);
  return read;
}
template <class Number>
table_wrong wrong(std::string_view text) {
  Number read{};
  return feed::impl::read_number(text, read);
}

}  // namespace

TEST_CASE("numbers are read as their types say, blanks and a plus before them skipped") {
  CHECK(number<float>(" 1.5\t") == 1.5f);
  CHECK(number<float>("+2e3") == 2000);
  CHECK(number<double>("-.25") == -0.25);
  CHECK(number<float>("1e-60") == 0);
  CHECK(number<std::uint8_t>("255") == 255);
  CHECK(number<std::int8_t>("-128") == -128);
  CHECK(static_cast<float>(number<half>("0.5")) == 0.5f);
}

TEST_CASE("What is too small for a type is zero in all of them; what is too large is refused, however it is written") {
  for (const std::string sign : {"", "-", "+"}) {
    for (const std::string& text : {sign + "1e-400", sign + "123.5E-999999999999999999999", sign + "0." + std::string(400, '0') + "1",
                                    sign + "1" + std::string(400, '0') + "e-800", sign + "0e-400", sign + "0e99999999999999999999"}) {
      CHECK(number<double>(text) == 0);
      CHECK(number<float>(text) == 0);
      CHECK(static_cast<float>(number<half>(text)) == 0);
    }
    for (const std::string& text : {sign + "1e400", sign + "1" + std::string(400, '0'), sign + "0." + std::string(400, '0') + "1e900",
                                    sign + "9e+99999999999999999999"}) {
      CHECK(wrong<double>(text) == table_wrong::out_of_range);
      CHECK(wrong<float>(text) == table_wrong::out_of_range);
      CHECK(wrong<half>(text) == table_wrong::out_of_range);
    }
  }
  CHECK(number<float>("1e-40") == 1e-40f);
  CHECK(wrong<double>("1e-400x") == table_wrong::no_number);
}

TEST_CASE("what would spoil every number that it meets is refused") {
  for (const char* text : {"nan", "NaN", "-nan", "inf", "-inf", "infinity"}) {
    CHECK(wrong<float>(text) == table_wrong::not_finite);
    CHECK(wrong<double>(text) == table_wrong::not_finite);
    CHECK(wrong<half>(text) == table_wrong::not_finite);
    CHECK(wrong<int>(text) == table_wrong::no_number);
  }
}

TEST_CASE("what is no number, or none of that type, is refused") {
  for (const char* text : {"", " ", "x", "1x", "1 2", "+-1", "++1", "1,5", "0x10", "-"}) {
    CHECK(wrong<float>(text) == table_wrong::no_number);
    CHECK(wrong<int>(text) == table_wrong::no_number);
  }
  CHECK(wrong<int>("1.5") == table_wrong::no_number);
  CHECK(wrong<std::uint8_t>("256") == table_wrong::out_of_range);
  CHECK(wrong<std::uint8_t>("-1") == table_wrong::no_number);
  CHECK(wrong<float>("1e60") == table_wrong::out_of_range);
  CHECK(wrong<float>("-1e600") == table_wrong::out_of_range);
  CHECK(wrong<half>("65520") == table_wrong::out_of_range);
  CHECK(wrong<half>("-1e60") == table_wrong::out_of_range);
}

TEST_CASE("classes are numbered in the order of the alphabet, whatever came first") {
  feed::impl::csv_field<feed::label<>> field;
  field.make_room(4);
  for (std::size_t i = 0; const char* word : {"cat", "ant", "dog", "ant"}) CHECK(field.put(i++, word) == table_wrong::nothing);
  field.finish();
  CHECK(field.elements == std::vector<std::uint8_t>{1, 0, 2, 0});
  CHECK(field.classes == std::vector<std::string>{"ant", "cat", "dog"});
}

}  // namespace csv_cells_test
