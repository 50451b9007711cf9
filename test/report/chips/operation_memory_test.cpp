// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/chips/operation_memory.hpp>

#include <doctest/doctest.h>

#include <string>

namespace operation_memory_test {

using namespace ipuflow;

TEST_CASE("operations stand within each other with all that is in them; those that add nothing have no line") {
  ipu::memory_report m;
  CHECK(report::memory_by_operation(m).empty());
  m.operations = {{ipu::name_from(""), 0, {0, 0, 0, 12}},
                  {ipu::name_from("inner"), 3, {100, 20, 0, 4}},
                  {ipu::name_from("nothing"), 0, {}},
                  {ipu::name_from("outer"), 0, {0, 0, 8, 2'000}}};
  CHECK(report::memory_by_operation(m) ==
        "           vertex code  vertex state  exchange code  control code\n"
        "all                100            20              8         2,016\n"
        "  outer            100            20              8         2,004\n"
        "    inner          100            20              0             4\n");
}

}  // namespace operation_memory_test
