// SPDX-License-Identifier: BSL-1.0
// The sentences themselves are in csv_test.cpp, where files deserve them.
#include <ipuflow/feed/sources/table_fault.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace table_fault_test {

using namespace ipuflow;

static_assert(message(feed::table_fault{}).empty());

TEST_CASE("long names and cells leave room for what to do") {
  const std::string name(300, 'n');
  const feed::table_fault f{feed::table_wrong::no_such_class, 0, 0,
                            {feed::file_name{name}, 1234567, 1234567, fixed_string<60>{std::string_view{name}}, fixed_string<120>{std::string_view{name}}}};
  CHECK(message(f).view().find("they are nnn") != std::string_view::npos);
}

}  // namespace table_fault_test
