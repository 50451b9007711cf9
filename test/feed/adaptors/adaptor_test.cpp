// SPDX-License-Identifier: BSL-1.0
// A recipe that is made before its dataset gives what its adaptors give one by one, of an index and of a range.
#include <ipuflow/feed/adaptors/adaptor.hpp>
#include <ipuflow/feed/adaptors/batch.hpp>
#include <ipuflow/feed/adaptors/map.hpp>
#include <ipuflow/feed/adaptors/repeat.hpp>
#include <ipuflow/feed/adaptors/shuffle.hpp>
#include <ipuflow/feed/adaptors/slice.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <list>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace adaptor_test {

using namespace ipuflow;

namespace {

// begin: adaptor
/// The samples from the last one to the first one.
template <feed::map_style Dataset>
class reversed : public feed::dataset_view {
 public:
  constexpr explicit reversed(Dataset base) : base_{std::move(base)} {}

  constexpr std::size_t size() const { return base_.size(); }
  constexpr decltype(auto) operator[](std::size_t index) const { return sample(index, 0); }
  constexpr decltype(auto) sample(std::size_t index, std::size_t epoch) const {
    return feed::sample_at(base_, size() - 1 - index, epoch);
  }
  constexpr std::size_t origin(std::size_t index, std::size_t epoch) const {
    return feed::origin_of(base_, size() - 1 - index, epoch);
  }

 private:
  Dataset base_;
};

constexpr auto reverse() {
  return feed::adaptor{[]<feed::map_style Dataset>(Dataset d) {
    return reversed<Dataset>{std::move(d)};  // reversed{...} of one that is reversed already would be a copy of it
  }};
}
// end: adaptor

std::vector<int> count_to(std::size_t size) {
  std::vector<int> numbers(size);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

template <class Batches>
std::vector<std::vector<int>> listed(const Batches& batches, std::size_t epoch) {
  std::vector<std::vector<int>> all;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    const auto batch = batches.sample(b, epoch);
    all.emplace_back();
    for (std::size_t i = 0; i < batch.size(); ++i) all.back().push_back(batch[i]);
  }
  return all;
}

template <class Range>
std::vector<int> listed(Range&& range) {
  std::vector<int> all;
  for (const int i : range) all.push_back(i);
  return all;
}

// begin: recipe
constexpr auto recipe = feed::take(190) | feed::shuffle(7) | feed::batch(40, feed::tail::kept);
// end: recipe
constexpr std::array five{1, 2, 3, 4, 5};
constexpr auto last_squares = feed::map([](int i) { return i * i; }) | feed::drop(3) | reverse();
static_assert((five | last_squares).size() == 2 && (five | last_squares)[0] == 25);

}  // namespace

TEST_CASE("a recipe gives the same samples in the same order as its adaptors one by one") {
  const auto numbers = count_to(200);
  const auto by_steps = numbers | feed::take(190) | feed::shuffle(7) | feed::batch(40, feed::tail::kept);
  const auto at_once = numbers | recipe;
  for (std::size_t epoch = 0; epoch < 3; ++epoch) CHECK(listed(at_once, epoch) == listed(by_steps, epoch));
}

TEST_CASE("it does not matter where the brackets are") {
  const auto numbers = count_to(30);
  const auto a = feed::drop(2);
  const auto b = feed::take(20);
  const auto c = feed::shuffle(3);
  const auto d = feed::batch(4);
  const auto expected = listed(numbers | a | b | c | d, 1);
  CHECK(listed(numbers | (a | b | c | d), 1) == expected);
  CHECK(listed(numbers | ((a | b) | (c | d)), 1) == expected);
  CHECK(listed(numbers | (a | (b | (c | d))), 1) == expected);
  CHECK(listed(numbers | a | (b | c) | d, 1) == expected);
}

TEST_CASE("a recipe serves several datasets, and ranges as well") {
  const auto part = feed::drop(1) | feed::map([](int i) { return 10 * i; }) | feed::repeat() | feed::take(5);
  const std::list<int> numbers{1, 2, 3};
  CHECK(listed(numbers | part) == std::vector<int>{20, 30, 20, 30, 20});
  CHECK(listed(std::list<int>{4, 5} | part) == std::vector<int>{50, 50, 50, 50, 50});
  CHECK(listed(std::vector<int>{1, 2, 3} | part) == std::vector<int>{20, 30, 20, 30, 20});
}

TEST_CASE("a transform that cannot be copied is moved along") {
  const std::vector<int> numbers{1, 2, 3};
  auto add = feed::map([by = std::make_unique<int>(10)](int i) { return i + *by; }) | feed::drop(1);
  const auto sums = numbers | std::move(add);
  CHECK(sums[0] == 12);
  CHECK(sums[1] == 13);
}

TEST_CASE("an adaptor of a user's own stands beside the others, and finds back to the sample") {
  const auto numbers = count_to(10);
  const auto d = numbers | feed::take(6) | reverse();
  CHECK(d[0] == 5);
  CHECK(d.origin(1, 0) == 4);
  CHECK((numbers | reverse() | reverse())[2] == 2);
  CHECK((numbers | (reverse() | feed::shuffle(5))).origin(2, 1) == 9 - (numbers | feed::shuffle(5)).origin(2, 1));
}

}  // namespace adaptor_test
