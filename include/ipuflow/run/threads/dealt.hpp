// SPDX-License-Identifier: BSL-1.0
// Lanes as they are dealt out to threads: what dealing.hpp makes and an executor follows.
#pragma once

#include <cstddef>
#include <vector>

namespace ipuflow::run {

/// The lanes of each thread, in ascending order.
using dealt = std::vector<std::vector<std::size_t>>;

}  // namespace ipuflow::run
