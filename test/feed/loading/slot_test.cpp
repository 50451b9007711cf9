// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/loading/slot.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace slot_test {

using namespace ipuflow;
using namespace ipuflow::feed;

TEST_CASE("fields of samples come to lie side by side, at the beginning of a page") {
  slot<std::span<const float>, std::uint8_t, std::string> s;
  const std::vector<float> image{1, 2, 3};
  const auto sample = std::tuple{std::span{image}, std::uint8_t{7}, std::string(100, 'x')};
  const auto widths = s.widths_of(sample);
  CHECK(widths == std::array<std::size_t, 3>{3, 1, 1});
  s.prepare(2, widths);
  s.store(0, sample);
  s.store(1, std::tuple{std::array<float, 3>{4, 5, 6}, std::uint8_t{8}, std::string("y")});
  s.size = 2;
  const auto [images, labels, texts] = s.columns();
  CHECK(std::vector<float>(images.elements().begin(), images.elements().end()) == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(labels[1] == 8);
  CHECK(texts[0] == std::string(100, 'x'));
  CHECK(reinterpret_cast<std::uintptr_t>(images.data()) % 4096 == 0);
}

TEST_CASE("room that is there is used again") {
  slot<std::span<const int>> s;
  s.prepare(4, {10});
  const int* const before = std::get<0>(s.columns()).data();
  s.prepare(2, {10});
  CHECK(std::get<0>(s.columns()).data() == before);
  s.prepare(1, {8});  // another width is another layout
  CHECK(std::get<0>(s.columns()).width() == 8);
}

TEST_CASE("room can grow, and what is there stays") {
  slot<std::span<const int>, std::unique_ptr<int>> s;
  constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
  constexpr int most = 20'000;
  s.prepare_some(unlimited, {3, 1});
  for (int i = 0; i < most; ++i) {
    const auto at = static_cast<std::size_t>(i);
    s.prepare_next(at, unlimited);
    s.store(at, std::tuple{std::array{i, i + 1, i + 2}, std::make_unique<int>(i)});
  }
  s.size = most;
  const auto [numbers, pointers] = s.columns();
  bool right = true;
  for (int i = 0; i < most; ++i) {
    const auto at = static_cast<std::size_t>(i);
    right = right && numbers[at][0] == i && numbers[at][2] == i + 2 && *pointers[at] == i;
  }
  CHECK(right);
}

TEST_CASE("room whose bytes cannot be counted is refused, and the slot is as good as before") {
  slot<std::span<const int>> s;
  s.prepare(2, {10});
  for (const std::size_t samples : {std::numeric_limits<std::size_t>::max(), std::size_t{1} << 62}) {
    CHECK_THROWS_AS(s.prepare(samples, {10}), rejected<arithmetic_fault>);
  }
  CHECK_THROWS_AS(s.prepare(1, {std::numeric_limits<std::size_t>::max() / 2}), rejected<arithmetic_fault>);
  s.prepare(2, {10});
  s.store(1, std::vector<int>(10, 5));
  s.size = 2;
  CHECK(std::get<0>(s.columns())[1][9] == 5);
}

TEST_CASE("what can only be moved is moved") {
  slot<std::unique_ptr<int>> s;
  s.prepare(1, {1});
  s.store(0, std::make_unique<int>(3));
  s.size = 1;
  CHECK(*std::get<0>(s.columns())[0] == 3);
}

TEST_CASE("a sample of another size is refused with its field") {
  slot<std::uint8_t, std::span<const float>> s;
  s.prepare(2, {1, 3});
  const std::vector<float> four(4);
  try {
    s.store(1, std::tuple{std::uint8_t{1}, std::span{four}});
    FAIL("accepted");
  } catch (const rejected<slot_fault>& wrong) {
    CHECK(wrong.found() == slot_fault{slot_wrong::width_differs, 4, 3, 1});
    CHECK(std::string{wrong.what()} ==
          "ipuflow: field 1 of a sample has 4 elements but 3 in the samples before it; make all "
          "samples of a dataset equally large");
  }
}

TEST_CASE("of several failures the first in order counts, and is forgotten when it is taken") {
  slot<int> s;
  for (const std::size_t at : {5u, 2u, 9u}) s.fail(at, std::make_exception_ptr(std::out_of_range{std::to_string(at)}));
  try {
    std::rethrow_exception(s.take_error());
  } catch (const std::out_of_range& wrong) {
    CHECK(std::string{wrong.what()} == "2");
  }
  CHECK(s.take_error() == nullptr);
}

}  // namespace slot_test
