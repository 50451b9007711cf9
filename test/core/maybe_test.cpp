// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/maybe.hpp>

#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <utility>

namespace maybe_test {

using ipuflow::maybe;

struct counted {
  explicit counted(int& n) : alive{&n} { ++*alive; }
  counted(const counted& other) : alive{other.alive} { ++*alive; }
  counted& operator=(const counted&) = delete;
  ~counted() { --*alive; }
  int* alive;
};

static_assert(std::is_convertible_v<int, maybe<int>> && std::is_nothrow_move_constructible_v<maybe<std::string>>);

TEST_CASE("a value is there or not, and lives as long as it is") {
  int alive = 0;
  {
    maybe<counted> none, one{counted{alive}};
    CHECK((!none && one && alive == 1 && one->alive == &alive && (*one).alive == &alive));
    maybe<counted> two = one;
    CHECK(alive == 2);
    two = none;
    CHECK((alive == 1 && !two));
    two = std::move(one);
    maybe<counted>& same = two;
    two = same;
    two = std::move(same);
    CHECK((two && two->alive == &alive));
    two.emplace(alive);
    one.reset();
    one.reset();
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
}

TEST_CASE("values compare, and another stands in for one that is missing") {
  const maybe<std::string> none, a = std::string{"a"}, b = std::string{"b"};
  CHECK((none == maybe<std::string>{} && a != none && a != b && a == maybe<std::string>{std::string{"a"}}));
  CHECK((none.value_or("c") == "c" && a.value_or("c") == "a"));
}

}  // namespace maybe_test
