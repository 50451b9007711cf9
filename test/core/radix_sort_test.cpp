// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/radix_sort.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/mixed_bits.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace radix_sort_test {

namespace {

struct item {
  std::uint64_t number = 0;
  std::size_t stood = 0;

  friend bool operator==(const item&, const item&) = default;
};

/// What a stable sort gives: items have numbers by which they stood.
ipuflow::light_vector<item> compared(ipuflow::light_vector<item> items) {
  std::sort(items.begin(), items.end(), [](const item& a, const item& b) { return a.number != b.number ? a.number < b.number : a.stood < b.stood; });
  return items;
}

ipuflow::light_vector<item> items_below(std::size_t count, std::uint64_t least, std::uint64_t range) {
  ipuflow::light_vector<item> made;
  for (std::size_t i = 0; i < count; ++i) made.push_back({least + ipuflow::mixed_bits(i + count) % range, i});
  return made;
}

}  // namespace

TEST_CASE("items are sorted by number, and those of one number stay as they stood") {
  for (const std::size_t count : {0u, 1u, 2u, 31u, 32u, 33u, 500u, 3000u}) {
    for (const std::uint64_t range : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{256}, std::uint64_t{1} << 20, std::uint64_t{1} << 63}) {
      for (const std::uint64_t least : {std::uint64_t{0}, std::uint64_t{255}, (std::uint64_t{1} << 63) - 1}) {
        ipuflow::light_vector<item> given = items_below(count, least, range), spare(count);
        const ipuflow::light_vector<item> by_comparing = compared(given);
        ipuflow::algorithms::radix_sort(given.begin(), given.end(), spare.begin(), [](const item& i) { return i.number; });
        CHECK(given == by_comparing);
      }
    }
  }
}

TEST_CASE("digits in which all numbers are alike are passed over") {
  ipuflow::light_vector<item> given, spare(400);
  for (std::size_t i = 0; i < 400; ++i) given.push_back({(i * 7 % 5) << 40 | (i % 2), i});
  const ipuflow::light_vector<item> by_comparing = compared(given);
  ipuflow::algorithms::radix_sort(given.begin(), given.end(), spare.begin(), [](const item& i) { return i.number; });
  CHECK(given == by_comparing);
}

}  // namespace radix_sort_test
