// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/sources/rows.hpp>
#include <ipuflow/feed/sources/synthetic.hpp>
#include <ipuflow/feed/sources/zip.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <ranges>
#include <vector>

namespace synthetic_test {

using namespace ipuflow::feed;

TEST_CASE("the same memory in every step, as often as was asked for, pass after pass") {
  const std::vector<float> pixels{1, 2, 3, 4};
  const std::vector<int> labels{5, 6};
  auto source = synthetic_like(zip(rows(pixels, 2), labels), 3, 10);
  static_assert(std::ranges::input_range<decltype(source)>);
  CHECK(source.size() == 3);
  CHECK(source.samples_per_step() == 10);
  const float* memory = nullptr;
  for (int pass = 0; pass < 2; ++pass) {
    std::size_t steps = 0;
    for (auto& [images, numbers] : source) {
      if (memory == nullptr) memory = images.data();
      CHECK(images.data() == memory);
      CHECK(images.size() == 10);
      CHECK(images[9][1] == 2);
      CHECK(numbers[3] == 5);
      ++steps;
    }
    CHECK(steps == 3);
    source.restart();
    while (source.next()) ++steps;
    CHECK(steps == 6);
  }
}

TEST_CASE("there is nothing like the samples of an empty dataset") {
  const std::vector<int> none;
  CHECK_THROWS_WITH_AS((void)synthetic_like(none, 3, 10), "ipuflow: the dataset is empty; give it at least 1 sample", ipuflow::error);
}

}  // namespace synthetic_test
