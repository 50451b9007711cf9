// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/drawing/json_members.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "report/json.hpp"

namespace json_members_test {

using namespace ipuflow;
using report::impl::json_members;

TEST_CASE("members have the types of what was added, and what was put is JSON already") {
  const std::string text = json_members{}.add("n", std::size_t{7}).add("x", 1.5).add("yes", true).add("name", "a\"b").put("list", "[1]").text();
  CHECK(text == R"({"n":7,"x":1.5,"yes":true,"name":"a\"b","list":[1]})");
  CHECK(json::parser{text}.parse()["list"].items.size() == 1);
  CHECK(json_members{}.text() == "{}");
}

TEST_CASE("numbers that JSON does not have are null") {
  const std::string text = json_members{}.add("a", std::numeric_limits<double>::infinity()).add("b", std::numeric_limits<double>::quiet_NaN()).text();
  CHECK(json::parser{text}.parse()["a"].is == json::type::null);
  CHECK(json::parser{text}.parse()["b"].is == json::type::null);
}

TEST_CASE("a list has what is made of each value") {
  CHECK(report::impl::json_list(std::vector<int>{1, 2}, [](int v) { return std::to_string(2 * v); }) == "[2,4]");
  CHECK(report::impl::json_list(std::vector<int>{}, [](int v) { return std::to_string(v); }) == "[]");
}

}  // namespace json_members_test
