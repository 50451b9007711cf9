// SPDX-License-Identifier: BSL-1.0
// An infeed of a range whose elements cannot be copied.
// expect: ipuflow: an infeed copies the elements of its source, and these cannot be copied; enqueue them, or give a range that makes each
#include <ipuflow/feed.hpp>

#include <memory>
#include <vector>

#ifdef EXPECT_FAILURE
auto read(std::vector<std::unique_ptr<int>>& v) { return ipuflow::feed::infeed{v}; }
#else
auto read(std::vector<std::shared_ptr<int>>& v) { return ipuflow::feed::infeed{v}; }
#endif
