// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/dataset.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <list>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace dataset_test {

namespace feed = ipuflow::feed;
using namespace ipuflow::feed;

// begin: source
class ramps : public feed::dataset_view {  // cheap to copy: adaptors and loaders keep a copy, not a reference
 public:
  explicit ramps(std::span<const std::array<float, 4>> memory) : memory_{memory} {}

  std::size_t size() const { return memory_.size(); }
  const std::array<float, 4>& operator[](std::size_t index) const { return sample(index, 0); }

  /// The sample at this place of this epoch; may differ from epoch to epoch. Called from several threads.
  const std::array<float, 4>& sample(std::size_t index, std::size_t) const { return memory_[index]; }
  /// The index that an error names.
  std::size_t origin(std::size_t index, std::size_t) const { return index; }
  /// All samples side by side in memory: a loader hands out views and copies nothing.
  std::tuple<feed::column_view<std::span<const float, 4>>> columns() const {
    return {{memory_.empty() ? nullptr : memory_.front().data(), memory_.size()}};
  }

 private:
  std::span<const std::array<float, 4>> memory_;
};
// end: source

struct squares {
  std::size_t size() const { return 5; }
  std::size_t operator[](std::size_t i) const { return i * i; }
};

static_assert(map_style<squares> && map_style<std::vector<float>> && !map_style<std::list<int>>);
static_assert(iterable_style<std::list<int>> && !iterable_style<std::vector<int>>);
static_assert(!contiguous_samples<squares> && contiguous_samples<std::vector<float>>);
static_assert(contiguous_samples<std::array<std::array<float, 3>, 2>> &&
              !contiguous_samples<std::vector<std::vector<float>>>);
static_assert(!contiguous_samples<std::vector<bool>>);
static_assert(std::is_same_v<sample_t<std::vector<std::string>>, std::string>);
static_assert(sample_at(std::array{4, 5, 6}, 1, 9) == 5 && origin_of(std::array{4, 5, 6}, 1, 9) == 1);

TEST_CASE("a source with all hooks is kept by value, is read in place and names its samples") {
  static_assert(std::is_same_v<all_t<ramps&>, ramps> && contiguous_samples<ramps>);
  const std::vector<std::array<float, 4>> memory{{0, 1, 2, 3}, {4, 5, 6, 7}};
  const ramps d{memory};
  const auto batch = whole(d);
  CHECK(batch.size() == 2);
  CHECK(std::get<0>(batch).data() == memory[0].data());
  CHECK(sample_at(d, 1, 3)[2] == 6);
  CHECK(origin_of(d, 1, 3) == 1);
}

TEST_CASE("what has a name is borrowed, a temporary is shared, a view is copied") {
  std::vector<int> numbers{1, 2, 3};
  const auto named = all(numbers);
  numbers[0] = 9;
  CHECK(named[0] == 9);
  const auto temporary = all(std::vector<int>{4, 5});
  const auto copy = temporary;
  CHECK(&copy[0] == &temporary[0]);
  static_assert(std::is_same_v<decltype(all(copy)), owned<std::vector<int>>>);
  CHECK(all(static_cast<const std::vector<int>&&>(numbers))[0] == 9);  // as a function returns what is not to be changed
}

struct noisy {  // of the user's own: another value in every epoch
  std::size_t size() const { return 3; }
  std::size_t operator[](std::size_t i) const { return sample(i, 0); }
  std::size_t sample(std::size_t i, std::size_t epoch) const { return 10 * epoch + i; }
  std::size_t origin(std::size_t i, std::size_t) const { return 2 - i; }
};

TEST_CASE("epochs reach a dataset of one's own, borrowed or shared") {
  const noisy named;
  CHECK(sample_at(all(named), 2, 4) == 42);
  CHECK(sample_at(all(noisy{}), 2, 4) == 42);
  CHECK(origin_of(all(named), 2, 4) == 0);
  CHECK(origin_of(all(noisy{}), 0, 4) == 2);
}

TEST_CASE("samples side by side are one batch without a copy") {
  const std::vector<int> numbers{1, 2, 3};
  const auto b = whole(numbers);
  CHECK(std::get<0>(b).data() == numbers.data());
  const std::vector<std::array<float, 2>> pairs{{1, 2}, {3, 4}};
  CHECK(std::get<0>(whole(pairs)).data() == pairs.front().data());
  CHECK(std::get<0>(whole(pairs)).elements()[3] == 4);
  CHECK(whole(std::vector<std::array<float, 2>>{}).size() == 0);
  CHECK(std::get<0>(whole(all(std::as_const(numbers)))).data() == numbers.data());
}

TEST_CASE("unbatched: the samples of a dataset one by one") {
  std::vector<std::size_t> seen;
  for (const std::size_t s : samples_of(squares{})) seen.push_back(s);
  CHECK(seen == std::vector<std::size_t>{0, 1, 4, 9, 16});
  CHECK(samples_of(squares{}).size() == 5);
}

}  // namespace dataset_test
