// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/step_kinds.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace step_kinds_test {

using ipuflow::ipu::impl::kind_list;
using ipuflow::ipu::impl::step_kinds;

struct words {
  std::vector<std::string> said;
};
struct shared {
  std::shared_ptr<int> count;
};
struct number {
  int value = 0;
};
struct pair_of_numbers {
  double a = 0, b = 0;
};
struct stranger {};

using any = step_kinds<kind_list<words, shared>, kind_list<number, pair_of_numbers>>;

static_assert(any::kinds == 4);
static_assert(any::place<words> == 0 && any::place<shared> == 1 && any::place<number> == 2 && any::place<pair_of_numbers> == 3);
static_assert(std::is_same_v<any::kind<2>, number>);
static_assert(std::is_convertible_v<number, any> && !std::is_convertible_v<stranger, any> && !std::is_convertible_v<int, any>);
static_assert(std::is_nothrow_move_constructible_v<any>, "a vector of them moves when it grows");
struct with_one {
  any held{};
};
static_assert(!std::is_nothrow_copy_assignable_v<with_one> && std::is_nothrow_move_assignable_v<with_one>, "a copy takes memory");

TEST_CASE("one is of one kind, the first without a word, and says which") {
  const any none;
  CHECK(none.is<words>());
  CHECK(none.as<words>().said.empty());
  any n = pair_of_numbers{1, 2};
  CHECK(n.index() == 3);
  CHECK(n.is<pair_of_numbers>());
  CHECK_FALSE(n.is<number>());
  CHECK(n.get_if<number>() == nullptr);
  REQUIRE(n.get_if<pair_of_numbers>() != nullptr);
  n.get_if<pair_of_numbers>()->b = 3;
  CHECK(std::as_const(n).as<pair_of_numbers>().b == 3);
}

TEST_CASE("a copy holds the same apart, what is moved from holds nothing of it, and each is destroyed once") {
  const std::shared_ptr<int> counted = std::make_shared<int>(7);
  {
    const any first = shared{counted};
    any second = first;
    CHECK(counted.use_count() == 3);
    any third = std::move(second);
    CHECK(counted.use_count() == 3);
    CHECK(third.as<shared>().count == counted);
    third = number{5};
    CHECK(counted.use_count() == 2);
    CHECK(third.as<number>().value == 5);
    third = first;
    CHECK(counted.use_count() == 3);
    any& same = third;
    third = same;
    CHECK(counted.use_count() == 3);
    CHECK(third.as<shared>().count == counted);
    third = words{{"a text that is too long to be held in place"}};
    CHECK(counted.use_count() == 2);
    const any fourth = third;
    third.as<words>().said[0] = "another";
    CHECK(fourth.as<words>().said[0] == "a text that is too long to be held in place");
  }
  CHECK(counted.use_count() == 1);
}

TEST_CASE("a vector of all kinds grows, is copied and assigned") {
  const std::shared_ptr<int> counted = std::make_shared<int>(7);
  std::vector<any> all;
  for (int i = 0; i < 100; ++i) {
    all.push_back(number{i});
    all.push_back(shared{counted});
    all.push_back(words{{std::to_string(i)}});
    all.push_back(pair_of_numbers{i + 0.5, -i + 0.0});
  }
  std::vector<any> copied = all;
  CHECK(counted.use_count() == 201);
  copied.erase(copied.begin(), copied.begin() + 4);
  all = copied;
  CHECK(counted.use_count() == 199);
  for (int i = 1; i < 100; ++i) {
    const std::size_t at = (static_cast<std::size_t>(i) - 1) * 4;
    CHECK(all[at].as<number>().value == i);
    CHECK(all[at + 2].as<words>().said[0] == std::to_string(i));
    CHECK(all[at + 3].as<pair_of_numbers>().a == i + 0.5);
  }
}

}  // namespace step_kinds_test
