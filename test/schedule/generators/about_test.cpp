// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/generators/about.hpp>
#include <ipuflow/schedule/generators/catalogue.hpp>

#include <doctest/doctest.h>

namespace about_test {

TEST_CASE("every schedule of the catalogue has a line, and nothing else has") {
  for (const std::string_view name : ipuflow::schedule::schedule_names) {
    CAPTURE(name);
    CHECK(!ipuflow::schedule::about(name).empty());
  }
  CHECK(ipuflow::schedule::about("2f2b").empty());
}

}  // namespace about_test
