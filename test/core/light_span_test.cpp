// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace light_span_test {

using ipuflow::light_span;
using ipuflow::light_vector;

template <class From, class To>
inline constexpr bool taken = std::is_convertible_v<From, To>;

// What a std::span takes, with few exceptions, and nothing else.
static_assert(taken<std::vector<int>&, light_span<int>> && taken<const std::vector<int>&, light_span<const int>>);
static_assert(!taken<const std::vector<int>&, light_span<int>> && !taken<std::vector<int>, light_span<int>>);
static_assert(taken<std::vector<int>, light_span<const int>> && taken<std::array<int, 3>&, light_span<int>>);
static_assert(taken<std::span<int>, light_span<int>> && taken<std::span<int>, light_span<const int>> && taken<std::span<int, 3>, light_span<int>>);
static_assert(!taken<std::span<const int>, light_span<int>> && taken<light_span<int>, light_span<const int>>);
static_assert(!taken<light_span<const int>, light_span<int>> && taken<light_vector<int>&, light_span<int>>);
static_assert(taken<int (&)[3], light_span<int>> && taken<const int (&)[3], light_span<const int>>);
static_assert(taken<light_span<const int>, std::span<const int>> && taken<light_span<int>&, std::span<int>>);
static_assert(taken<light_span<int>, std::span<int>> && taken<light_span<int>, std::span<const int>> && !taken<light_span<int>, std::span<long>>);
static_assert(__is_same(decltype(std::span{light_span<int>{}}), std::span<int>));
static_assert(!taken<std::vector<long>&, light_span<int>> && !taken<std::vector<short>&, light_span<const int>>);
struct base { int a; };
struct derived : base { int b; };
static_assert(!taken<std::vector<derived>&, light_span<base>> && !taken<std::vector<derived>&, light_span<const base>>);
static_assert(__is_same(decltype(light_span{std::span<const int>{}}), light_span<const int>) && __is_same(decltype(light_span{static_cast<int*>(nullptr), 0}), light_span<int>));
static_assert(std::is_trivially_copyable_v<light_span<std::string>>);

static_assert([] {
  const std::array all{1, 2, 3, 4};
  const light_span<const int> s = all;
  int sum = 0;
  for (const int i : s.subspan(1)) sum += i;
  return sum == 9 && s.front() == 1 && s.back() == 4 && s[1] == 2 && s.size_bytes() == 4 * sizeof(int) && light_span<int>{}.empty();
}());

TEST_CASE("parts of a row are the rows that a std::span has") {
  std::vector<int> all{0, 1, 2, 3, 4, 5};
  for (std::size_t from = 0; from <= all.size(); ++from) {
    for (std::size_t count = 0; from + count <= all.size(); ++count) {
      const light_span<int> ours = light_span<int>{all}.subspan(from, count);
      const std::span<int> theirs = std::span{all}.subspan(from, count);
      CHECK((ours.data() == theirs.data() && ours.size() == theirs.size()));
    }
    CHECK((light_span<int>{all}.first(from).end() == all.data() + from && light_span<int>{all}.first(from).data() == all.data()));
    CHECK((light_span<int>{all}.last(from).data() == all.data() + all.size() - from && light_span<int>{all}.last(from).size() == from));
    CHECK((light_span<int>{all}.subspan(from).data() == all.data() + from && light_span<int>{all}.subspan(from).size() == all.size() - from));
  }
}

TEST_CASE("what is seen through it is the array itself") {
  light_vector<std::string> texts{"a", "b"};
  const light_span<std::string> seen = texts;
  seen[1] += "c";
  for (std::string& t : seen) t += "!";
  CHECK((texts[0] == "a!" && texts[1] == "bc!" && &seen.front() == texts.data()));
  const std::span<const std::string> again = seen;
  CHECK((again.data() == texts.data() && again.size() == 2));
}

}  // namespace light_span_test
