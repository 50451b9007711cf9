// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/streams/lines.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <istream>
#include <sstream>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

namespace lines_test {

TEST_CASE("the lines of a text, empty ones too, with and without a newline at its end") {
  for (const char* const end : {"", "\n"}) {
    std::istringstream text{std::string{"one\n\nthree"} + end};
    auto lines = ipuflow::run::lines_of(text);
    std::vector<std::string> got;
    while (const auto line = lines()) got.push_back(*line);
    CHECK(got == std::vector<std::string>{"one", "", "three"});
    CHECK(!lines());
  }
}

TEST_CASE("A text that cannot be read is no empty one") {
  using ipuflow::run::lines_fault;
  using ipuflow::run::lines_wrong;
  std::ifstream missing{"there/is/no/such/file"};
  CHECK_THROWS_WITH_AS(static_cast<void>(ipuflow::run::lines_of(missing)),
                       "ipuflow: the lines of a text are asked for that cannot be read; open the file, and look whether it is there",
                       ipuflow::rejected<lines_fault>);

  std::ifstream unopened;
  CHECK_THROWS_AS(static_cast<void>(ipuflow::run::lines_of(unopened)), ipuflow::rejected<lines_fault>);
  std::istringstream half{"a\nb\n"};
  auto until_failed = ipuflow::run::lines_of(half);
  CHECK(until_failed() == "a");
  half.setstate(std::ios::failbit);  // as something else that reads it would
  CHECK_THROWS_AS(until_failed(), ipuflow::rejected<lines_fault>);

  struct broken final : std::streambuf {
    int_type underflow() override {
      if (std::exchange(given_, true)) throw 1;  // a stream turns that into its bad bit
      setg(text_, text_, text_ + sizeof text_ - 1);
      return text_[0];
    }
    bool given_ = false;
    char text_[5] = "a\nb\n";
  } buffer;
  std::istream text{&buffer};
  auto lines = ipuflow::run::lines_of(text);
  CHECK(lines() == "a");
  CHECK(lines() == "b");
  CHECK_THROWS_WITH_AS(lines(), "ipuflow: a text cannot be read on behind line 2; look whether it is a file, and whole",
                       ipuflow::rejected<lines_fault>);
}

TEST_CASE("A text of which all was read has no more lines") {
  std::istringstream text{"one"};
  auto lines = ipuflow::run::lines_of(text);
  CHECK(lines() == "one");
  CHECK(!lines());
  CHECK(!ipuflow::run::lines_of(text)());
}

}  // namespace lines_test
