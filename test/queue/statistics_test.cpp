// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/queue/channel.hpp>
#include <ipuflow/queue/statistics.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <thread>
#include <type_traits>

namespace statistics_test {

using namespace ipuflow::queue;
using namespace std::chrono_literals;

static_assert(std::is_empty_v<no_statistics>);
static_assert(sizeof(channel<spsc_ring<int>, spin, no_statistics>) < sizeof(channel<spsc_ring<int>, spin, counted>));

template <class End>
constexpr bool has_figures = requires(const End& end) { end.statistics(); };
static_assert(!has_figures<decltype(make_channel<int>(1).in)>);

TEST_CASE("figures add up") {
  counted figures;
  figures.pushed(3);
  figures.pushed(2);
  figures.popped(4);
  figures.popped(1);
  figures.producer_waited(5ns);
  figures.producer_waited(6ns);
  figures.consumer_waited(7ns);
  CHECK(figures.figures().high_water == 3);
  CHECK(figures.figures().items == 5);
  CHECK(figures.figures().producer_stalled == 11ns);
  CHECK(figures.figures().consumer_stalled == 7ns);
}

TEST_CASE("a channel counts its items, how full it was and who waited") {
  auto [in, out] = make_channel<int, spsc_ring<int>, block, counted>(4);
  for (int i = 0; i < 3; ++i) CHECK(in.push(i));
  CHECK(out.pop() == 0);
  CHECK(in.statistics().high_water == 3);
  CHECK(in.statistics().items == 1);
  CHECK(in.statistics().producer_stalled == 0ns);
  CHECK(out.statistics().consumer_stalled == 0ns);
  std::thread consumer{[&from = out] {
    while (from.pop()) continue;
  }};
  for (int i = 0; i < 1000; ++i) CHECK(in.push(i));
  in.close();
  consumer.join();
  CHECK(out.statistics().items == 1003);
  CHECK(out.statistics().high_water <= 4);
}

}  // namespace statistics_test
