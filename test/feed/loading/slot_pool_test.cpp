// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/loading/slot_pool.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace slot_pool_test {

using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

namespace {

constexpr const element_kind* ints[] = {&kind_of<int>};

}  // namespace

TEST_CASE("a slot that came back is taken before a new one is made") {
  slot_pool pool{ints};
  auto& a = pool.take();
  auto& b = pool.take();
  CHECK(&a != &b);
  pool.give_back(a);
  CHECK(&pool.take() == &a);
  CHECK(pool.size() == 2);
}

TEST_CASE("as many slots as are wanted, and none is given twice") {
  slot_pool pool{ints};
  std::set<slot*> held;
  for (int i = 0; i < 500; ++i) CHECK(held.insert(&pool.take()).second);
  for (auto* s : held) pool.give_back(*s);
  std::set<slot*> again;
  for (int i = 0; i < 500; ++i) CHECK(again.insert(&pool.take()).second);
  CHECK(pool.size() == 500);
  CHECK(again == held);
}

static_assert(noexcept(std::declval<slot_pool&>().give_back(std::declval<slot&>())),
              "a batch is destroyed wherever memory is short");

TEST_CASE("one thread takes while others give back: no slot is lost, none is in two hands") {
  constexpr std::size_t turns = 20'000;
  slot_pool pool{ints};
  std::vector<std::atomic<slot*>> handed(3);
  std::atomic<bool> over{false};
  std::vector<std::jthread> returning;
  for (auto& mine : handed) {
    returning.emplace_back([&pool, &mine, &over] {
      for (bool last = false; !last;) {
        last = over;
        if (auto* const s = mine.exchange(nullptr)) pool.give_back(*s);
      }
    });
  }
  std::vector<slot*> held;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    auto& s = pool.take();
    REQUIRE(s.size == 0);  // 1 while this thread has it
    s.size = 1;
    held.push_back(&s);
    for (auto& mine : handed) {
      if (held.empty() || mine.load() != nullptr) continue;
      held.back()->size = 0;
      mine.store(held.back());
      held.pop_back();
    }
  }
  over = true;
  returning.clear();
  for (auto* s : held) pool.give_back(*s);
  const std::size_t made = pool.size();
  std::set<slot*> all;
  for (std::size_t i = 0; i < made; ++i) CHECK(all.insert(&pool.take()).second);
  CHECK(pool.size() == made);
}

TEST_CASE("a slot goes back with the last copy of its lease") {
  auto pool = std::make_shared<slot_pool>(ints);
  auto& s = pool->take();
  {
    lease first = lend(pool, s);
    lease copy = first;
    first = lease{};
    lease moved = std::move(copy);
    CHECK(&pool->take() != &s);  // still held
  }
  CHECK(&pool->take() == &s);
}

TEST_CASE("a lease keeps its pool") {
  lease last;
  {
    auto pool = std::make_shared<slot_pool>(ints);
    last = lend(pool, pool->take());
  }
  last = {};
}

TEST_CASE("threads give back what one thread takes") {
  auto pool = std::make_shared<slot_pool>(ints);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::jthread> threads;
    for (int k = 0; k < 3; ++k) {
      threads.emplace_back([held = lend(pool, pool->take())]() mutable { held = {}; });
    }
  }
  CHECK(pool->size() <= 3);
}

}  // namespace slot_pool_test
