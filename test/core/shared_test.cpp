// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/shared.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace shared_test {

using ipuflow::share;
using ipuflow::shared;
using ipuflow::shared_thing;

struct witness {
  explicit witness(int& n) : alive{&n} { ++*alive; }
  witness(const witness& other) : alive{other.alive} { ++*alive; }
  ~witness() { --*alive; }
  int* alive;
};

static_assert(std::is_convertible_v<shared<int>, shared<const int>> && !std::is_convertible_v<shared<const int>, shared<int>>);
static_assert(std::is_same_v<decltype(*shared<int>{}), int&> && std::is_same_v<decltype(*shared<const int>{}), const int&>);

TEST_CASE("a constant lives until the last of its holders goes") {
  int alive = 0;
  shared_thing kept;
  CHECK(kept.get() == nullptr);
  {
    const shared<witness> first{witness{alive}};
    CHECK((alive == 1 && first && first->alive == &alive));
    shared<witness> second = first, third;
    CHECK((!third && third.get() == nullptr));
    third = second;
    second = std::move(third);
    CHECK((!third && second.get() == first.get() && &*second == first.get()));
    shared<witness>& same = second;
    second = same;
    CHECK((alive == 1 && second));
    kept = first.thing();
  }
  CHECK((alive == 1 && static_cast<const witness*>(kept.get())->alive == &alive));
  kept = {};
  CHECK(alive == 0);
}

TEST_CASE("what is not constant changes for all who hold it") {
  const shared<int> mine{3};
  const shared<const int> theirs = mine;
  *mine = 4;
  CHECK((*theirs == 4 && theirs.get() == mine.get()));
}

TEST_CASE("a value is made in its place, and a pointer is taken over") {
  struct still {
    still(int a, std::string b) : first{a}, second{std::move(b)} {}
    still(still&&) = delete;
    int first;
    std::string second;
  };
  const shared<still> made = share<still>(3, "three");
  CHECK((made->first == 3 && made->second == "three"));
  const shared<const still> constant = share<const still>(4, "four");
  CHECK(constant->second == "four");
  struct throws {
    throws() { throw std::runtime_error{"no"}; }
  };
  CHECK_THROWS_WITH((void)share<throws>(), "no");
  int alive = 0;
  {
    const shared<witness> taken{new witness{alive}};
    CHECK((alive == 1 && taken));
  }
  CHECK(alive == 0);
}

TEST_CASE("of any type, and of none") {
  int alive = 0;
  shared<const void> any;
  {
    const shared<witness> one{witness{alive}};
    any = one;
    CHECK((any.get() == one.get() && any));
  }
  CHECK(alive == 1);
  any = nullptr;
  CHECK((alive == 0 && !any && any == nullptr));
}

TEST_CASE("equal are two that hold the same") {
  const shared<int> one{3}, two{3}, same = one;
  CHECK((one == same && one != two && one != nullptr && shared<int>{} == nullptr));
}

static_assert(std::is_convertible_v<std::shared_ptr<int>, shared<int>> && std::is_convertible_v<std::shared_ptr<int>, shared<const int>>);
static_assert(!std::is_convertible_v<std::shared_ptr<const int>, shared<int>> && !std::is_convertible_v<std::unique_ptr<int>, shared<int>>);
static_assert(!std::is_convertible_v<shared<const int>, std::shared_ptr<int>> && !std::is_constructible_v<shared<int>, std::shared_ptr<long>>);

TEST_CASE("a std::shared_ptr is shared too, and back") {
  auto theirs = std::make_shared<std::string>("both");
  {
    const shared<std::string> ours = theirs;
    CHECK((ours.get() == theirs.get() && theirs.use_count() == 2));
    const shared<const std::string> constant = std::move(theirs);
    CHECK((*constant == "both" && constant.get() == ours.get()));
    theirs = ours;
    CHECK((*theirs == "both" && theirs.get() == ours.get()));
  }
  CHECK(*theirs == "both");
  const std::shared_ptr<std::string> none = shared<std::string>{};
  CHECK((!none && !shared<int>{std::shared_ptr<int>{}}));
}

TEST_CASE("holders on several threads") {
  int alive = 0;
  {
    const shared<witness> first{witness{alive}};
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([held = first] {
        for (int i = 0; i < 1000; ++i) {
          const shared<witness> mine = held;
          if (!mine) return;
        }
      });
    }
  }
  CHECK(alive == 0);
}

}  // namespace shared_test
