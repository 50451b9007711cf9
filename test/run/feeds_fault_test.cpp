// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/feeds_fault.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace feeds_fault_test {

using namespace ipuflow;

TEST_CASE("each kind has a sentence of its own, with the type in it; nothing has none") {
  std::set<std::string> seen;
  for (int k = 1; k <= static_cast<int>(run::feeds_wrong::sink); ++k) {
    const run::feeds_fault found{.kind = static_cast<run::feeds_wrong>(k), .where = type_name<long>()};
    const std::string said{sentence(found).view()};
    CHECK(said.starts_with("ipuflow: "));
    CHECK(said.find("long") != std::string::npos);
    seen.insert(said);
  }
  CHECK(seen.size() == 4);
  CHECK(sentence(run::feeds_fault{}).view().empty());
}

}  // namespace feeds_fault_test
