// SPDX-License-Identifier: BSL-1.0
// The sentences themselves are in the tests of the headers that refuse.
#include <ipuflow/feed/sources/array_fault.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace array_fault_test {

using namespace ipuflow;

static_assert(message(feed::array_fault{}).empty());

TEST_CASE("long names leave room for what to do") {
  const std::string name(300, 'n');
  const feed::array_fault f{feed::array_wrong::no_such_entry, 0, 0, {feed::file_name{name}, fixed_string<60>{std::string_view{name}}, {}}};
  CHECK(message(f).view().find("its arrays are") != std::string_view::npos);
}

}  // namespace array_fault_test
