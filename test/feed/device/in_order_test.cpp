// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/device/in_order.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

namespace in_order_test {

using namespace ipuflow::feed;

TEST_CASE("items are told in order, each as soon as all before it are finished") {
  in_order order;
  order.begin(4, 1);
  std::vector<std::size_t> told;
  const auto tell = [&](std::size_t item) { told.push_back(item); };
  order.finish(2, tell);
  CHECK(told.empty());
  order.finish(0, tell);
  CHECK(told == std::vector<std::size_t>{0});
  order.finish(1, tell);
  CHECK(told == std::vector<std::size_t>{0, 1, 2});
  order.finish(3, tell);
  CHECK(order.told() == 4);
}

TEST_CASE("an item of several parts is finished with the last of them") {
  in_order order;
  order.begin(2, 3);
  std::size_t told = 0;
  const auto tell = [&](std::size_t) { ++told; };
  for (int part = 0; part < 2; ++part) {
    for (std::size_t item = 0; item < 2; ++item) order.finish(item, tell);
  }
  CHECK(told == 0);
  order.finish(1, tell);
  CHECK(told == 0);
  order.finish(0, tell);
  CHECK(told == 2);
}

TEST_CASE("of several threads one tells at a time, nothing is lost, doubled or stranded") {
  constexpr std::size_t threads = 3;
  constexpr std::size_t items = 3000;
  in_order order;
  for (int round = 0; round < 20; ++round) {
    order.begin(items, 1);
    std::vector<std::size_t> told;  // of whoever tells: a second one at the same time would be a data race
    std::atomic<std::size_t> next{0};
    {
      std::vector<std::jthread> all;
      for (std::size_t t = 0; t < threads; ++t) {
        all.emplace_back([&, t] {
          for (std::size_t i = t; i < items; i += threads) {
            order.finish(i, [&](std::size_t item) { told.push_back(item); });
            next.fetch_add(1);
          }
        });
      }
    }
    REQUIRE(told.size() == items);
    for (std::size_t i = 0; i < items; ++i) REQUIRE(told[i] == i);
    CHECK(next == items);
  }
}

TEST_CASE("a round that was broken off leaves nothing behind") {
  in_order order;
  order.begin(3, 1);
  CHECK_THROWS_AS(order.finish(0, [](std::size_t) { throw std::runtime_error{"no"}; }), std::runtime_error);
  order.begin(3, 1);
  std::vector<std::size_t> told;
  for (const std::size_t i : {1u, 0u, 2u}) order.finish(i, [&](std::size_t item) { told.push_back(item); });
  CHECK(told == std::vector<std::size_t>{0, 1, 2});
}

}  // namespace in_order_test
