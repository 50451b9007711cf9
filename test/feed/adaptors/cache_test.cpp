// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/units.hpp>
#include <ipuflow/feed/adaptors/cache.hpp>
#include <ipuflow/feed/images/flip.hpp>
#include <ipuflow/feed/images/images.hpp>
#include <ipuflow/feed/adaptors/map.hpp>
#include <ipuflow/feed/adaptors/shuffle.hpp>
#include <ipuflow/feed/load.hpp>
#include <ipuflow/feed/sources/rows.hpp>
#include <ipuflow/feed/sources/zip.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace cache_test {

using namespace ipuflow;
using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

namespace {

std::vector<int> count_to(std::size_t size) {
  std::vector<int> numbers(size);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// Four numbers made of one; the calls are counted.
auto dear(std::atomic<std::size_t>& calls) {
  return map([&calls](int i) { return ++calls, std::array{i, i + 1, i + 2, i + 3}; });
}

}  // namespace

TEST_CASE("the second epoch of a loader, shuffled anew and with several workers, makes nothing") {
  const auto numbers = count_to(300);
  std::atomic<std::size_t> calls = 0;
  const auto plain = numbers | map([](int i) { return std::array{i, i + 1, i + 2, i + 3}; }) | shuffle(7);
  const auto kept = numbers | dear(calls) | cache(1_MiB) | shuffle(7);
  for (const std::size_t workers : {std::size_t{0}, std::size_t{3}}) {
    auto expected = sync(plain, 30);
    auto steps = load(kept, 30, {.mode = workers == 0 ? loading::sync : loading::async, .workers = workers});
    for (int epoch = 0; epoch < 3; ++epoch) {
      auto like = expected.begin();
      for (auto& [rows_of] : steps) {
        const auto elements = rows_of.elements();
        const auto wanted = std::get<0>(*like).elements();
        CHECK(std::vector(elements.begin(), elements.end()) == std::vector(wanted.begin(), wanted.end()));
        ++like;
      }
      CHECK(calls == 300);
    }
  }
}

TEST_CASE("what finds no room is made each time, and is the same") {
  const auto numbers = count_to(100);
  std::atomic<std::size_t> calls = 0;
  const auto kept = numbers | dear(calls) | cache(40 * bytes{4 * sizeof(int)});
  for (int pass = 0; pass < 3; ++pass) {
    for (std::size_t i = 0; i < 100; ++i) CHECK(kept[i][2] == static_cast<int>(i) + 2);
  }
  CHECK(calls == 100 + 2 * 60);
  CHECK(kept.used() == 640_B);
  const auto none = numbers | dear(calls) | cache(15_B);
  CHECK(none[3] == none[3]);
  CHECK(none.used() == 0_B);
}

TEST_CASE("the memory of strings, and of vectors of them, counts") {
  const auto numbers = count_to(4);
  const auto words = numbers | map([](int i) { return std::string(1000, static_cast<char>('a' + i)); }) | cache(2100_B);
  const auto texts = numbers | map([](int) { return std::vector<std::string>(3, std::string(1000, 'x')); }) | cache(1_MiB);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(words[i] == std::string(1000, static_cast<char>('a' + i)));
    CHECK(texts[i].size() == 3);
  }
  CHECK(words.used() == 2 * (1000 + sizeof(std::string)) * 1_B);  // the third finds no room
  CHECK(texts.used() == 4 * (sizeof(std::vector<std::string>) + 3 * (1000 + sizeof(std::string))) * 1_B);
}

TEST_CASE("epoch 0 is kept, also of what draws, and copies of the dataset share it") {
  const auto numbers = count_to(50);
  std::atomic<std::size_t> calls = 0;
  const auto kept = numbers | shuffle(3) | dear(calls) | cache(1_MiB);
  const auto copy = kept;
  for (std::size_t i = 0; i < 50; ++i) {
    CHECK(kept.sample(i, 4)[0] == (numbers | shuffle(3)).sample(i, 0));
    CHECK(copy.sample(i, 0) == kept.sample(i, 1));
    CHECK(kept.origin(i, 4) == (numbers | shuffle(3)).origin(i, 0));
  }
  CHECK(calls == 50);
}

TEST_CASE("views become memory of the cache, whatever holds them") {
  std::vector<float> memory{1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<int> labels{5, 6};
  const auto fixed = zip(rows<4>(memory), labels) | cache(1_KiB);
  const auto dynamic = rows(memory, 4) | cache(1_KiB);
  const auto pictures = zip(rows<4>(memory), labels) | images<1, 2, 2>() | cache(1_KiB) | flip();
  static_assert(std::is_same_v<sample_t<decltype(fixed)>, std::tuple<std::array<float, 4>, int>>);
  static_assert(std::is_same_v<sample_t<decltype(dynamic)>, std::vector<float>>);
  for (std::size_t i = 0; i < 2; ++i) (void)fixed[i], (void)dynamic[i], (void)pictures[i];
  CHECK(fixed.used() == 2 * (4 * sizeof(float) + sizeof(int)) * 1_B);
  CHECK(dynamic.used() == 2 * (4 * sizeof(float) + sizeof(std::vector<float>)) * 1_B);
  for (float& number : memory) number = 0;
  CHECK(std::get<0>(fixed[1])[2] == 7);
  CHECK(dynamic[1][2] == 7);
  CHECK(std::get<0>(pictures[1])(0, 1, 0) == 8);
  CHECK(std::get<1>(pictures[1]) == 6);
  const std::vector<std::pair<std::span<const int, 2>, int>> pairs{{std::span<const int, 2>{labels}, 9}};
  CHECK(std::get<0>((pairs | cache(1_KiB))[0]) == std::array{5, 6});
}

TEST_CASE("workers that ask for one sample at the same time get the same, and it is counted once") {
  const auto numbers = count_to(64);
  std::atomic<std::size_t> calls = 0;
  const auto kept = numbers | dear(calls) | cache(1_MiB);
  std::atomic<std::size_t> wrong = 0;
  {
    std::vector<std::jthread> asking;
    for (std::size_t w = 0; w < 4; ++w) {
      asking.emplace_back([&] {
        for (std::size_t i = 0; i < 64; ++i) wrong += kept[i][0] == static_cast<int>(i) ? 0u : 1u;
      });
    }
  }
  CHECK(wrong == 0);
  CHECK(kept.used() == 64 * 16_B);
  CHECK(calls >= 64);
}

TEST_CASE("a sample that cannot be copied takes no room") {
  struct copied_once {
    int copies = 0;

    copied_once() = default;
    copied_once(const copied_once& other) : copies{other.copies + 1} {
      if (copies > 1) throw std::bad_alloc{};
    }
  };
  const auto kept = count_to(4) | map([](int) { return copied_once{}; }) | cache(1_MiB);
  CHECK_THROWS_AS((void)kept[0], std::bad_alloc);
  CHECK(kept.used() == 0_B);
}

}  // namespace cache_test
