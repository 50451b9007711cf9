// SPDX-License-Identifier: BSL-1.0
// A value is kept that cannot be copied.
// expect: ipuflow: keep in block \\'a\\', op 0, would copy what cannot be copied \(box\); keep what can, or let it flow
#include <ipuflow/graph.hpp>

using namespace ipuflow;

constexpr int add_one(int x) { return x + 1; }

struct box {
  box() = default;
  box(box&&) = default;
};
constexpr int look(const box&) { return 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<box>, block<"a">(keep<"x">), block<"b">(look));
#else
constexpr auto p = pipeline(input<box>, block<"a">(look, keep<"x">), block<"b">(add_one));
#endif
