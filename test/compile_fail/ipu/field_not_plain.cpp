// SPDX-License-Identifier: BSL-1.0
// A field of a vertex that cannot be copied byte by byte.
// expect: ipuflow: .*string.* cannot be a field of a vertex; fields are copied byte by byte, so let it be plain data
#include <ipuflow/ipu/program/graph.hpp>

#include <string>
#include <vector>

using namespace ipuflow;


#ifdef EXPECT_FAILURE
using field = std::string;
#else
using field = float;
#endif

ipu::vertex_group group(const std::vector<field>& each) { return {.fields = each}; }
