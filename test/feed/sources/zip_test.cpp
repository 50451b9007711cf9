// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/shuffle.hpp>
#include <ipuflow/feed/adaptors/slice.hpp>
#include <ipuflow/feed/load.hpp>
#include <ipuflow/feed/sources/rows.hpp>
#include <ipuflow/feed/sources/zip.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <tuple>
#include <vector>

namespace zip_test {

using namespace ipuflow::feed;

TEST_CASE("samples of several datasets side by side, in place if all are") {
  const std::vector<float> pixels{1, 2, 3, 4, 5, 6};
  const std::vector<int> labels{7, 8, 9};
  const auto d = zip(rows<2>(pixels), labels);
  static_assert(contiguous_samples<decltype(d)>);
  const auto [image, label] = d[1];
  CHECK(image.data() == pixels.data() + 2);
  CHECK(label == 8);
  const auto b = whole(d);
  CHECK(std::get<0>(b).data() == pixels.data());
  CHECK(std::get<1>(b).data() == labels.data());
  static_assert(!contiguous_samples<decltype(zip(labels | shuffle(1), labels))>);
}

TEST_CASE("a dataset of several fields is one field beside others, in one column") {
  const std::vector<float> pixels{1, 2, 3};
  const std::vector<int> labels{4, 5, 6};
  const auto pairs = zip(pixels, labels);
  const auto d = zip(pairs | take(2), rows<1>(pixels) | take(2));
  static_assert(contiguous_samples<decltype(pairs)> && !contiguous_samples<decltype(d)>);
  const std::vector<std::tuple<float, int>> copies{{1, 4}, {2, 5}};
  for (auto& [both, more] : load(zip(copies, rows<1>(pixels) | take(2)), 2)) {
    CHECK(std::vector(both.elements().begin(), both.elements().end()) == copies);
    CHECK(more[1][0] == 2);
  }
}

TEST_CASE("what is shuffled below a zip is of the same epoch as the rest") {
  const std::vector<int> numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto d = zip(numbers | shuffle(3), numbers | shuffle(3));
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    for (std::size_t i = 0; i < 10; ++i) {
      CHECK(std::get<0>(d.sample(i, epoch)) == std::get<1>(d.sample(i, epoch)));
      CHECK(std::get<0>(d.sample(i, epoch)) == (numbers | shuffle(3)).sample(i, epoch));
    }
  }
}

}  // namespace zip_test
