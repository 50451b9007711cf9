// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/slice.hpp>
#include <ipuflow/feed/sources/shares.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <list>
#include <vector>

namespace shares_test {

using namespace ipuflow::feed;

TEST_CASE("a share is begun anew whenever it is asked for, be it a range or a dataset") {
  const std::vector<int> numbers{1, 2, 3, 4, 5};
  std::size_t begun = 0;
  const auto of_dataset =
      shares(2, [&](std::size_t k, std::size_t count) { return ++begun, numbers | shard(k, count); }, 5);
  CHECK(begun == 0);
  std::vector<int> seen;
  for (int i : of_dataset.share(1)) seen.push_back(i);
  for (int i : of_dataset.share(1)) seen.push_back(i);
  CHECK(seen == std::vector<int>{4, 5, 4, 5});
  CHECK(begun == 2);
  CHECK(of_dataset.samples() == 5);
  const auto of_range = shares(3, [](std::size_t k, std::size_t) { return std::list<std::size_t>(k, k); });
  CHECK(of_range.share(2).size() == 2);
  CHECK(of_range.count() == 3);
  CHECK(!of_range.samples());
}

}  // namespace shares_test
