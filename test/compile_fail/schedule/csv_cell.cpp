// SPDX-License-Identifier: BSL-1.0
// A cell of a schedule file that is no action.
// expect: ipuflow: no such action at line 2, column 3: .{1,2}1X0.{1,2}; use F, B, I, W, UNSHARD
#include <ipuflow/schedule.hpp>

using namespace ipuflow;

consteval schedule::csv_fault parsed(std::string_view text) {
  schedule::table read;
  return schedule::parse_csv(text, read);
}

#ifdef EXPECT_FAILURE
static_assert(accept<parsed("0F0,0B0\n,1X0,1B0")>());
#else
static_assert(accept<parsed("0F0,0B0\n,1F0,1B0")>());
#endif
