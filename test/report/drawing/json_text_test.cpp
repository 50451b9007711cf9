// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/drawing/json_text.hpp>

#include <doctest/doctest.h>

#include <string>

#include "json.hpp"

namespace json_text_test {

using ipuflow::report::json_text;

TEST_CASE("a text comes back from a parser of JSON as it was") {
  std::string every = "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80 ";
  for (char c = 1; c < 127; ++c) every += c;
  CHECK(json::parsed(json_text(every)).text == every);
  CHECK(json_text("") == "\"\"");
}

TEST_CASE("bytes that are no UTF-8 do not reach the file") {
  CHECK(json_text("gr\xfc\xdf\x01\"") == "\"gr\xef\xbf\xbd\xef\xbf\xbd\\u0001\\\"\"");
}

}  // namespace json_text_test
