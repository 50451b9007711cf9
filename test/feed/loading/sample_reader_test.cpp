// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/map.hpp>
#include <ipuflow/feed/adaptors/shuffle.hpp>
#include <ipuflow/feed/loading/sample_reader.hpp>
#include <ipuflow/feed/sources/rows.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace sample_reader_test {

using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

TEST_CASE("samples are read to their places, of a width known from the type or from a sample") {
  std::vector<int> numbers(40);
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::atomic<bool> go_on{false};
  const auto check = [&](auto dataset) {
    dataset_reader reader{dataset};
    using fields = typename decltype(reader)::fields;
    slot s{fields::kinds};
    s.chosen = {9, 8, 7, 6};
    reader.make_room(s, 4);
    reader.fill(s, {1, 2}, go_on);
    s.size = 4;
    const auto [column] = fields::columns(s);
    CHECK(column.width() == 4);
    CHECK(column[1][0] == 32);
    CHECK(column[2][3] == 31);
  };
  check(rows<4>(numbers));
  check(rows(numbers, 4));
}

TEST_CASE("a dataset that cannot say either where a sample comes from fails with that") {
  struct gone {
    std::size_t size() const { return 3; }
    std::array<int, 2> sample(std::size_t, std::size_t) const { throw std::runtime_error{"gone"}; }
    std::array<int, 2> operator[](std::size_t index) const { return sample(index, 0); }
    std::size_t origin(std::size_t, std::size_t) const { throw std::logic_error{"nowhere"}; }
  };
  dataset_reader reader{gone{}};
  slot s{decltype(reader)::fields::kinds};
  reader.make_room(s, 3);
  reader.fill(s, {0, 3}, std::atomic<bool>{false});
  CHECK_THROWS_WITH(std::rethrow_exception(s.take_error()), "nowhere");
}

TEST_CASE("a failure is recorded with the index below all adaptors, and ends the part") {
  const std::vector<int> numbers{0, 1, 2, 3, 4, 5, 6, 7};
  const auto d = numbers | map([](int i) { return i == 5 ? throw std::runtime_error{"five"} : i; }) | shuffle(3);
  dataset_reader reader{d};
  slot s{decltype(reader)::fields::kinds};
  reader.make_room(s, 8);
  reader.fill(s, {0, 8}, std::atomic<bool>{false});
  try {
    std::rethrow_exception(s.take_error());
  } catch (const sample_error& wrong) {
    CHECK(wrong.index() == 5);
  }
}

TEST_CASE("an abandoned part is not filled to its end") {
  std::size_t asked = 0;
  const std::vector<int> numbers(100);
  dataset_reader reader{numbers | map([&](int i) { return ++asked, i; })};
  slot s{decltype(reader)::fields::kinds};
  reader.make_room(s, 100);
  reader.fill(s, {0, 100}, std::atomic<bool>{true});
  CHECK(asked == 0);
}

TEST_CASE("fields of samples come to lie side by side, at the beginning of a page") {
  using fields = slot_fields<sample_batch<std::span<const float>, std::uint8_t, std::string>>;
  slot s{fields::kinds};
  const std::vector<float> image{1, 2, 3};
  const auto sample = std::tuple{std::span{image}, std::uint8_t{7}, std::string(100, 'x')};
  const auto widths = fields::widths_of(sample);
  CHECK(widths == std::array<std::size_t, 3>{3, 1, 1});
  s.prepare(2, widths);
  fields::store(s, 0, sample);
  fields::store(s, 1, std::tuple{std::array<float, 3>{4, 5, 6}, std::uint8_t{8}, std::string("y")});
  s.size = 2;
  const auto [images, labels, texts] = fields::columns(s);
  CHECK(std::vector<float>(images.elements().begin(), images.elements().end()) == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(labels[1] == 8);
  CHECK(texts[0] == std::string(100, 'x'));
  CHECK(reinterpret_cast<std::uintptr_t>(images.data()) % 4096 == 0);
}

TEST_CASE("what can only be moved is moved") {
  using fields = slot_fields<sample_batch<std::unique_ptr<int>>>;
  slot s{fields::kinds};
  s.prepare(1, fields::widths_of_type);
  fields::store(s, 0, std::make_unique<int>(3));
  s.size = 1;
  CHECK(*std::get<0>(fields::columns(s))[0] == 3);
}

TEST_CASE("a sample of another size is refused with its field") {
  using fields = slot_fields<sample_batch<std::uint8_t, std::span<const float>>>;
  slot s{fields::kinds};
  s.prepare(2, std::array<std::size_t, 2>{1, 3});
  const std::vector<float> four(4);
  try {
    fields::store(s, 1, std::tuple{std::uint8_t{1}, std::span{four}});
    FAIL("accepted");
  } catch (const ipuflow::rejected<slot_fault>& wrong) {
    CHECK(wrong.found() == slot_fault{slot_wrong::width_differs, 4, 3, 1});
    CHECK(std::string{wrong.what()} ==
          "ipuflow: field 1 of a sample has 4 elements but 3 in the samples before it; make all "
          "samples of a dataset equally large");
  }
}

}  // namespace sample_reader_test
