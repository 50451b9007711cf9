// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: a transform can be called neither with the sample nor with its fields; let its parameters be one of the two, and its call operator const
#include <ipuflow/feed/adaptors/map.hpp>

#include <string>
#include <vector>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
using sample = int;
#else
using sample = std::string;
#endif

std::size_t length(const std::string& text) { return text.size(); }

void maps(const std::vector<sample>& d) { (void)(d | feed::map(length)); }
