// SPDX-License-Identifier: BSL-1.0
// An op gives a value that cannot be moved on.
// expect: ipuflow: op 0 of block \\'a\\', 
// expect: , gives what can be neither moved nor copied from there; give a value that moves, or a pointer
#include <ipuflow/graph.hpp>

using namespace ipuflow;

struct pinned {
  pinned() = default;
#ifdef EXPECT_FAILURE
  pinned(pinned&&) = delete;
#else
  pinned(pinned&&) = default;
#endif
};
constexpr pinned make(int) { return {}; }
constexpr int look(const pinned&) { return 1; }

constexpr auto p = pipeline(input<int>, block<"a">(make), block<"b">(look));
