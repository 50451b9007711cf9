// SPDX-License-Identifier: BSL-1.0
// Samples that only move, in a dataset that keeps them.
// expect: ipuflow: samples that cannot be copied are to be loaded out of a dataset that keeps them; let it make each when it is asked, or keep std::shared_ptrs
#include <ipuflow/feed.hpp>

#include <memory>
#include <tuple>
#include <vector>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
using text = std::unique_ptr<int>;
#else
using text = std::shared_ptr<int>;
#endif

void walk(const std::vector<std::tuple<text, int>>& texts) { auto steps = feed::load(texts, 4); }

struct made {  // each when it is asked
  std::size_t size() const { return 8; }
  std::unique_ptr<int> operator[](std::size_t index) const { return std::make_unique<int>(static_cast<int>(index)); }
};

void make() { auto steps = feed::load(made{}, 4); }
