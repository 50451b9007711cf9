// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/sources/csv.hpp>

#include <ipuflow/feed/load.hpp>

#include "made_file.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace csv_test {

using namespace ipuflow;

namespace {

const char* const flowers = "length,width,petals,name\n1.5,2,5,rose\n-3,4e-1,6,\"lily, white\"\n7,8,4,rose\n";

template <class... Field>
std::string refused(std::string_view text, const feed::csv_options& o = {}) {
  const test::made_file file{"wrong.csv", text};
  return test::sentence_of<rejected<feed::table_fault>>(file.path(), [&] { (void)feed::csv<Field...>(file.path(), o); });
}

}  // namespace

TEST_CASE("each column has its type; several are one tensor, words are classes") {
  const test::made_file file{"flowers.csv", flowers};
  const auto read = feed::csv<std::array<float, 2>, std::uint8_t, feed::label<>>(file.path());
  static_assert(feed::contiguous_samples<decltype(read)>);
  REQUIRE(read.size() == 3);
  CHECK(read.classes() == std::vector<std::string>{"lily, white", "rose"});
  const auto [size, petals, name] = read[1];
  CHECK(size[0] == -3);
  CHECK(size[1] == 0.4f);
  CHECK(petals == 6);
  CHECK(name == 0);
  auto steps = feed::load(read, 3);
  CHECK(steps.in_place());
  for (auto& [sizes, counts, names] : steps) {
    CHECK(sizes.elements()[5] == 8);
    CHECK(counts[2] == 4);
    CHECK(names[2] == 1);
  }
}

TEST_CASE("A first line of numbers is no header") {
  CHECK(refused<std::array<float, 2>, feed::label<>>("1.5,2,rose\n3,4,lily\n") ==
        "ipuflow: file 'f' begins with '1.5' and other numbers where the names of columns should be; set .header = false, "
        "or name the columns");
  CHECK(refused<int, int>("1,2\n") != "");
  const test::made_file years{"years.csv", "2019,2020\n1,2\n"};
  CHECK(feed::csv<int, int>(years.path(), {.columns = {"2019", "2020"}}).size() == 1);
  const test::made_file half_named{"half.csv", "2019,total\n1,2\n"};
  CHECK(feed::csv<int, int>(half_named.path()).size() == 1);
  const test::made_file words{"words.csv", "1,2\na,b\n"};
  CHECK(feed::csv<std::string, feed::label<>>(words.path()).size() == 1);
}

TEST_CASE("A cell that is not a number, by its own words, is refused with its place") {
  CHECK(refused<float, float>("a,b\n1,2\n3,nan\n") ==
        "ipuflow: file 'f', line 3, column 2: 'nan' is no number that can be computed with; leave the line out, or read the "
        "column as std::string");
}

TEST_CASE("columns are chosen by name or by position, in the order of the types") {
  const test::made_file file{"flowers.csv", flowers};
  const auto read = feed::csv<std::string, std::array<double, 2>>(file.path(), {.columns = {"name", 1, "length"}});
  CHECK(std::get<0>(read[1]) == "lily, white");
  CHECK(std::get<1>(read[1])[0] == 0.4);
  CHECK(std::get<1>(read[1])[1] == -3);
  const auto one = feed::csv<int>(file.path(), {.columns = {2}});
  CHECK(std::get<0>(one[2]) == 4);
  for (auto& [petals] : feed::load(one, 3)) CHECK(petals[0] == 5);
}

TEST_CASE("a column whose name is empty is found by it") {
  const test::made_file file{"unnamed.csv", "a,,b\n1,2,3\n"};
  const auto read = feed::csv<int, int>(file.path(), {.columns = {"", "b"}});
  CHECK(read[0] == std::tuple{2, 3});
  CHECK(refused<int>("a,b\n1,2\n", {.columns = {""}}) != "");
}

TEST_CASE("a file without names, with another separator, of classes in an order that is given") {
  const test::made_file file{"bare.csv", "1;b\r\n2;a"};
  const auto read = feed::csv<int, feed::label<std::uint16_t>>(file.path(), {.header = false, .separator = ';', .classes = {"b", "a"}});
  REQUIRE(read.size() == 2);
  CHECK(read[0] == std::tuple<int, std::uint16_t>{1, 0});
  CHECK(read[1] == std::tuple<int, std::uint16_t>{2, 1});
  feed::csv_options many;
  for (int i = 0; i < 300; ++i) many.classes.push_back("c" + std::to_string(i));
  CHECK(refused<feed::label<>>("name\nc7\nc299\n", many) ==
        "ipuflow: a column of file 'f' has 257 classes, 'c299' among them, but its type counts 256; give a larger one, as in "
        "feed::label<std::uint16_t>, or choose another column");
  CHECK(refused<feed::label<>>("name\nc7\nc255\n", many) == "");
  CHECK(refused<feed::label<std::uint16_t>>("name\nc7\nc299\n", many) == "");
  const test::made_file empty{"empty.csv", ""};
  CHECK(feed::csv<int>(empty.path()).size() == 0);
}

TEST_CASE("what is wrong with a cell is said with file, line, column and text") {
  CHECK(refused<int, float>("a,b\n1,2\n\n3,x4\n") ==
        "ipuflow: file 'f', line 4, column 2: 'x4' is no number of type float; correct the cell, read the column as another type, "
        "or choose .columns without it");
  CHECK(refused<std::uint8_t>("a\n300\n") ==
        "ipuflow: file 'f', line 2, column 1: '300' does not fit into std::uint8_t; read the column as a larger type");
  CHECK(refused<int, int>("a,b\n1,2\n1,2,3\n") ==
        "ipuflow: file 'f', line 3 has 3 cells but the first line has 2, the last cell is '3'; correct the line, or give the file's "
        ".separator");
  CHECK(refused<int, int>("a,b\n1\n").find("line 2 has 1 cell but the first line has 2, the last cell is '1'") != std::string::npos);
  CHECK(refused<std::string>("a\n\"b\n") ==
        "ipuflow: file 'f', line 2, column 1: the quote before 'b\n' is never closed; close it, or double it and quote the whole cell");
  CHECK(refused<std::string>("a\nb\"c\n") ==
        "ipuflow: file 'f', line 2, column 1: there is a quote within the cell that begins 'b'; quote the whole cell, and double the "
        "quotes within it");
  CHECK(refused<feed::label<>>("a\nyes\nmaybe\n", {.classes = {"no", "yes"}}) ==
        "ipuflow: file 'f', line 3, column 1: 'maybe' is none of the classes given; they are no, yes");
  std::string many = "a\n";
  for (int i = 0; i < 257; ++i) many += std::to_string(i) + "\n";
  CHECK(refused<feed::label<>>(many) ==
        "ipuflow: a column of file 'f' has 257 classes, '256' among them, but its type counts 256; give a larger one, as in "
        "feed::label<std::uint16_t>, or choose another column");
  CHECK(refused<feed::label<std::uint16_t>>(many).empty());
}

TEST_CASE("what is wrong with the columns that are asked for is said") {
  CHECK(refused<int>(flowers, {.columns = {"petal"}}) ==
        "ipuflow: file 'f' has no column 'petal'; its columns are length, width, petals, name");
  CHECK(refused<int, int>("a,b,a\n1,2,3\n", {.columns = {"b", "a"}}) ==
        "ipuflow: file 'f' has two columns 'a', at positions 0 and 2; choose one by its position");
  CHECK(refused<int, int>("a,b,a\n1,2,3\n", {.columns = {"b", 2}}).empty());
  CHECK(refused<int, int, int>("a,b,a\n1,2,3\n").empty());
  CHECK(refused<int>(flowers, {.columns = {4}}) ==
        "ipuflow: column 4 of file 'f' is asked for, but it has 4; positions count from 0 to one less");
  CHECK(refused<int>("1,2\n", {.header = false, .columns = {"petals"}}) ==
        "ipuflow: column 'petals' of file 'f' is asked for by name, but .header is false; give positions, counted from 0, or a file "
        "with names");
  CHECK(refused<int, int>(flowers, {.columns = {2, "petals"}}) ==
        "ipuflow: column 'petals' of file 'f' is chosen twice; choose it once, and copy it in a map");
  CHECK(refused<int>(flowers) ==
        "ipuflow: file 'f' has 4 columns but the types take 1, its line 1 begins 'length'; give a type for each column, or choose "
        ".columns; check the .separator");
  CHECK(refused<std::array<float, 3>>(flowers, {.columns = {"length", "width"}}) ==
        "ipuflow: 2 columns of file 'f' are chosen but the types take 3; an array takes as many as it has elements, anything else one");
}

}  // namespace csv_test
