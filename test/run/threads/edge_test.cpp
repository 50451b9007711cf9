// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/threads/edge.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace edge_test {

using ipuflow::run::edge;

TEST_CASE("an edge holds as many values as it has room for, and gives them back in order") {
  for (const std::size_t capacity : {1u, 2u, 3u, 7u}) {
    edge<std::unique_ptr<int>, 1> one{capacity};
    edge<std::unique_ptr<int>, 3> three{capacity};
    for (int round = 0; round < 5; ++round) {
      for (std::size_t i = 0; i < capacity; ++i) {
        REQUIRE(one.has_room());
        one.push(std::make_unique<int>(static_cast<int>(i)));
        REQUIRE(three.has_room());
        three.push(std::make_unique<int>(static_cast<int>(i)));
      }
      CHECK(!one.has_room());
      CHECK(!three.has_room());
      for (std::size_t i = 0; i < capacity; ++i) {
        CHECK(**one.front(0) == static_cast<int>(i));
        one.release(0);
        for (const std::size_t reader : {2u, 0u, 1u}) {
          CHECK(!three.has_room());
          CHECK(**three.front(reader) == static_cast<int>(i));
          three.release(reader);
          if (i > 0) break;  // the other two fall behind
        }
        if (i > 0) continue;
        CHECK(three.has_room());
        three.push(std::make_unique<int>(static_cast<int>(capacity)));
      }
      for (const std::size_t reader : {0u, 1u, 2u}) {
        while (three.front(reader) != nullptr) three.release(reader);
      }
      CHECK(one.front(0) == nullptr);
    }
  }
}

TEST_CASE_TEMPLATE("as much fits as there is room for", Edge, edge<int, 1>, edge<int, 3>) {
  Edge e{3};
  for (std::size_t room = 3; room > 0; --room) {
    CHECK(e.room() == room);
    e.push(1);
  }
  CHECK(e.room() == 0);
}

TEST_CASE_TEMPLATE("a closed edge is over once it is empty, for each reader", Edge, edge<int, 1>, edge<int, 2>) {
  Edge e{2};
  CHECK(!e.over(0));
  e.push(1);
  e.close();
  CHECK(!e.over(0));
  CHECK(*e.front(0) == 1);
  e.release(0);
  CHECK(e.over(0));
}

TEST_CASE("no reader sees a value before the last one does") {
  constexpr int count = 50'000;
  edge<int, 3> e{4};
  std::jthread filling{[&] {
    for (int i = 0; i < count; ++i) {
      while (!e.has_room()) std::this_thread::yield();
      e.push(i);
    }
  }};
  int early = 0;
  for (int i = 0; i < count; ++i) {
    for (int tries = 0; e.front(0) == nullptr; ++tries) {
      if (tries > 1000) std::this_thread::yield();
    }
    if (e.front(2) == nullptr) ++early;
    for (const std::size_t reader : {0u, 1u, 2u}) {
      while (e.front(reader) == nullptr) std::this_thread::yield();
      if (*e.front(reader) != i) ++early;
      e.release(reader);
    }
  }
  CHECK(early == 0);
}

TEST_CASE("readers on threads of their own see every value, and the values are destroyed once") {
  constexpr int count = 5000;
  auto alive = std::make_shared<int>();
  {
    edge<std::pair<int, std::shared_ptr<int>>, 3> e{4};
    std::vector<std::thread> readers;
    std::vector<long> sums(3);
    for (std::size_t r = 0; r < 3; ++r) {
      readers.emplace_back([&, r] {
        while (!e.over(r)) {
          auto* const value = e.front(r);
          if (value == nullptr) {
            std::this_thread::yield();
            continue;
          }
          sums[r] += value->first;
          e.release(r);
        }
      });
    }
    for (int i = 1; i <= count; ++i) {
      while (!e.has_room()) std::this_thread::yield();
      e.push(i, alive);
    }
    e.close();
    for (auto& reader : readers) reader.join();
    for (const long sum : sums) CHECK(sum == count * (count + 1L) / 2);
  }
  CHECK(alive.use_count() == 1);
}

}  // namespace edge_test
