// SPDX-License-Identifier: BSL-1.0
// An op gives a reference to what cannot be copied.
// expect: ipuflow: op 0 of block \\'a\\', 
// expect: , gives what can be neither moved nor copied from there; give a value that moves, or a pointer
#include <ipuflow/graph.hpp>

using namespace ipuflow;

struct box {
  box() = default;
  box(box&&) = default;
};
constexpr const box& refer(const box& b) { return b; }
constexpr box pass(box b) { return b; }
constexpr int look(const box&) { return 1; }

#ifdef EXPECT_FAILURE
constexpr auto p = pipeline(input<box>, block<"a">(refer), block<"b">(look));
#else
constexpr auto p = pipeline(input<box>, block<"a">(pass), block<"b">(look));
#endif
