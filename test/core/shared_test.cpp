// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/shared.hpp>

#include <doctest/doctest.h>

#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace shared_test {

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
