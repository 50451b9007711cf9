// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: an adaptor or a loader is given something that is not a dataset; give that size\(\) and a const operator\[\], or begin\(\) and end\(\)
#include <ipuflow/feed/adaptors/shuffle.hpp>
#include <ipuflow/feed/adaptors/slice.hpp>

#include <cstddef>

using namespace ipuflow;

struct squares {
  std::size_t size() const { return 1000; }
#ifdef EXPECT_FAILURE
  std::size_t operator[](std::size_t index) { return index * index; }  // not const
#else
  std::size_t operator[](std::size_t index) const { return index * index; }
#endif
};

constexpr auto recipe = feed::take(900) | feed::shuffle(7);

auto shuffles(const squares& d) { return d | recipe; }
