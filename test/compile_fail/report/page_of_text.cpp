// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a page cannot show something of this type; give it runs, plans, timetables, tables or facts, and include its header of report/page/
#include <ipuflow/report/page/document.hpp>

#include <string>

using namespace ipuflow;

void show(std::string& out) {
#ifdef EXPECT_FAILURE
  report::page_builder{}.add("a part", out);
#else
  report::page_builder{}.add("a part", report::page_fact{.name = "what", .words = out});
#endif
}
