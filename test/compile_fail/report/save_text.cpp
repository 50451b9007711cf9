// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: save_file calls what writes the file; give it a function, \[&\]\(auto& out\) \{ out << text; \}
#include <ipuflow/report/files.hpp>

using namespace ipuflow;

void show() {
#ifdef EXPECT_FAILURE
  report::save_file("file", "text");
#else
  report::save_file("file", [](auto& out) { out << "text"; });
#endif
}
