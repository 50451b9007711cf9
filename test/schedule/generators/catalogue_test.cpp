// SPDX-License-Identifier: BSL-1.0
// Every name gives a schedule, and no other name does.
#include <ipuflow/schedule/generators/catalogue.hpp>
#include <ipuflow/schedule/verify.hpp>

#include <doctest/doctest.h>

#include <string>

namespace catalogue_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

TEST_CASE("all names work on eight micro-batches over four IPUs") {
  for (const std::string_view name : schedule_names) {
    with_schedule(name, {.ipus = 4, .micro_batches = 8}, [&](const auto& t) {
      CAPTURE(name);
      CHECK_FALSE(verify(t));
      CHECK(operations(t) > 0);
    });
  }
}

TEST_CASE("an unknown name") {
  std::string said;
  try {
    with_schedule("gpip", {.ipus = 4, .micro_batches = 8}, [](const auto&) {});
  } catch (const error& e) {
    said = e.what();
  }
  CHECK(said.starts_with("ipuflow: no schedule is called 'gpip'; use one of grouped interleaved"));
  for (const std::string_view name : schedule_names) CHECK(said.find(" " + std::string{name}) != std::string::npos);
}

}  // namespace catalogue_test
