// SPDX-License-Identifier: BSL-1.0
// A branch that would take for itself what all branches look at.
// expect: ipuflow: concurrent branches take the same arguments, but branch 1 of stage 0 does not: in block \\'b\\' op 0, 
// expect: which takes \(box\), is given \(const box ?&\); make every branch take them
#include <ipuflow/graph.hpp>

using namespace ipuflow;

struct box {
  box() = default;
  box(box&&) = default;
};
constexpr int look(const box&) { return 1; }
constexpr int take(box) { return 1; }
constexpr int sum(int x, int y) { return x + y; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<box>, concurrent(block<"a">(look), block<"b">(take)), block<"c">(sum));
#else
constexpr auto p = pipeline(input<box>, concurrent(block<"a">(look), block<"b">(look)), block<"c">(sum));
#endif
