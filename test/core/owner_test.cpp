// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/owner.hpp>

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>
#include <vector>

namespace owner_test {

using ipuflow::make_owner;
using ipuflow::owner;

struct counted {
  explicit counted(int& alive, int v = 0) : alive_{alive}, value{v} { ++alive_; }
  counted(const counted&) = delete;
  virtual ~counted() { --alive_; }
  int& alive_;
  int value;
};
struct derived : counted {
  using counted::counted;
};
struct plain {};
struct plain_derived : plain {};

static_assert(!std::is_copy_constructible_v<owner<int>> && std::is_nothrow_move_constructible_v<owner<int>>);
static_assert(std::is_convertible_v<owner<derived>, owner<counted>> && !std::is_convertible_v<owner<counted>, owner<derived>>);
static_assert(std::is_convertible_v<owner<int>, owner<const int>> && !std::is_convertible_v<owner<const int>, owner<int>>);
static_assert(!std::is_convertible_v<owner<plain_derived>, owner<plain>>, "deleted through a base without a virtual destructor");
static_assert(!std::is_convertible_v<int*, owner<int>> && sizeof(owner<int>) == sizeof(int*));

TEST_CASE("what is owned lives as long as its owner, and moves with it") {
  int alive = 0;
  {
    owner<counted> first = make_owner<derived>(alive, 7);
    CHECK((alive == 1 && first && first->value == 7 && (*first).value == 7 && first.get() == &*first));
    owner<counted> second = std::move(first);
    CHECK((alive == 1 && !first && first == nullptr && second->value == 7));
    first = make_owner<counted>(alive, 8);
    CHECK(alive == 2);
    second = std::move(first);
    CHECK((alive == 1 && second->value == 8));
    owner<counted>& same = second;
    second = std::move(same);
    CHECK((alive == 1 && second->value == 8));
    second = nullptr;
    CHECK(alive == 0);
    std::vector<owner<counted>> many;
    for (int i = 0; i < 10; ++i) many.push_back(make_owner<counted>(alive, i));
    CHECK((alive == 10 && many[9]->value == 9));
    counted* const let_go = many[3].release();
    CHECK((many[3] == nullptr && alive == 10));
    delete let_go;
    CHECK(alive == 9);
  }
  CHECK(alive == 0);
}

}  // namespace owner_test
