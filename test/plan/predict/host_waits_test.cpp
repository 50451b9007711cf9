// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/predict/host_waits.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace host_waits_test {

using namespace ipuflow;
using order = std::vector<std::size_t>;

namespace {

/// Steps in which a micro-batch enters, none does, and two do.
const std::vector<plan::fed_step> kinds{{100, 1}, {70, 0}, {100, 2}};

}  // namespace

TEST_CASE("a fast host is waited for once, unless the first step gives it the time") {
  CHECK(plan::host_waits<>(kinds, order{0, 1, 0, 1}, {.each = 30, .prefetch = 3}) == 30);
  CHECK(plan::host_waits<>(kinds, order{0, 1, 0, 1}, {.each = 30, .prefetch = 3, .before = 20}) == 10);
  CHECK(plan::host_waits<>(kinds, order{0, 1, 0, 1}, {.each = 30, .prefetch = 3, .before = 40}) == 0);
  CHECK(plan::host_waits<>(kinds, order{1, 1}, {.each = 30, .prefetch = 3}) == 0);
}

TEST_CASE("a slow host is waited for at each step that takes something, and what follows the last is not hidden") {
  for (const std::uint64_t each : {200u, 500u}) {
    // The last of four is ready at four times, and then its step and what is behind it.
    const order all{0, 0, 0, 0, 1, 1, 1};
    CHECK(plan::host_waits<>(kinds, all, {.each = each, .prefetch = 8, .behind = 9}) == 4 * each - 3 * 100);
  }
}

TEST_CASE("a host that makes little ahead is waited for longer") {
  const order slow_then_quick{0, 1, 1, 1, 1, 0, 0, 0};  // while the first is worked on, the host may be idle
  std::uint64_t before = 0;
  for (const std::size_t prefetch : {4u, 3u, 2u, 1u}) {
    const std::uint64_t waits = plan::host_waits<>(kinds, slow_then_quick, {.each = 150, .prefetch = prefetch});
    CHECK(waits >= before);
    before = waits;
  }
  CHECK(plan::host_waits<>(kinds, slow_then_quick, {.each = 150, .prefetch = 4}) == 150);
  CHECK(plan::host_waits<>(kinds, slow_then_quick, {.each = 150, .prefetch = 1}) == 150 + 2 * 50);
}

TEST_CASE("a host that may make more ahead than there are makes all of them ahead") {
  const order all{0, 2, 1, 0, 1, 2, 0, 1};  // seven micro-batches
  const std::uint64_t waits = plan::host_waits<>(kinds, all, {.each = 90, .prefetch = 14}, 2);
  for (const std::size_t prefetch : {15u, 1'000'000u}) CHECK(plan::host_waits<>(kinds, all, {.each = 90, .prefetch = prefetch}, 2) == waits);
  CHECK(plan::host_waits<>(kinds, all, {.each = 90, .prefetch = std::size_t(-1)}, 2) == waits);
  CHECK(plan::host_waits<>(kinds, order{1}, {.each = 90, .prefetch = std::size_t(-1)}) == 0);
}

TEST_CASE("micro-batches that enter together come one after the other") {
  CHECK(plan::host_waits<>(kinds, order{2}, {.each = 300, .prefetch = 2}) == 600);
  CHECK(plan::host_waits<>(kinds, order{2, 2}, {.each = 300, .prefetch = 2}) == 600 + 600 - 100);
}

TEST_CASE("a host that makes nothing ahead is waited for each time, or works beside the chips if I/O tiles take the next one early") {
  const order all{0, 0, 0, 0, 1};
  CHECK(plan::host_waits<>(kinds, all, {.each = 30, .prefetch = 0}) == 4 * 30);
  const plan::host_pace early{.each = 30, .prefetch = 0, .beside = true, .way = 20, .copy = 10};
  CHECK(plan::host_waits<>(kinds, all, early) == 30 + 20);  // 10 + 30 + 20 are less than a step
  plan::host_pace slow = early;
  slow.each = 200;
  CHECK(plan::host_waits<>(kinds, all, slow) == 220 + 3 * (10 + 200 + 20 - 100));  // max(P, H + T + C)
  slow.prefetch = 1;
  CHECK(plan::host_waits<>(kinds, all, slow) == 220 + 3 * (200 - 100));  // max(P, T + C, H)
  slow.each = 30, slow.way = 150;
  CHECK(plan::host_waits<>(kinds, all, slow) == 30 + 150 + 3 * (150 + 10 - 100));
}

TEST_CASE("micro-batches that enter together on two chips come to I/O tiles of their own") {
  const std::vector<plan::fed_step> on_two{{100, 2, 1}}, on_one{{100, 2}};
  const order all{0, 0};
  const plan::host_pace host{.each = 40, .prefetch = 1, .beside = true, .way = 5, .copy = 90};
  // The first two are there at 45 and 85; the places on I/O tiles are free at 135 and 175, where the host has made the next ones
  CHECK(plan::host_waits<>(on_two, all, host) == 85);
  // On one chip the second comes behind the copy of the first: at 45 and 140; then at 235 and 335, to a step that could begin at 240
  CHECK(plan::host_waits<>(on_one, all, host) == 140 + (335 - 240));
}

TEST_CASE("I/O tiles send results beside the next steps; what finds the ones before it not sent waits, and so does the end of a run") {
  const std::vector<plan::fed_step> steps{{100, 0, 0, 1}, {70, 0, 0, 0}};
  plan::host_pace host{.beside = true, .carried = 10, .results = 60, .sends_all = true};
  CHECK(plan::host_waits<>(steps, order{0}, host) == 10 + 60);
  CHECK(plan::host_waits<>(steps, order{0, 0, 0}, host) == 3 * 10 + 60);  // 60 are less than a step
  CHECK(plan::host_waits<>(steps, order{0, 1}, host) == 10);
  host.results = 250;
  CHECK(plan::host_waits<>(steps, order{0, 0, 0}, host) == 3 * 10 + 2 * (250 - 100) + 250);
  host.sends_all = false;  // those of the last one alone
  CHECK(plan::host_waits<>(steps, order{0, 0, 0, 1}, host) == 10 + 250 - 70);
  const std::vector<plan::fed_step> both{{100, 1, 0, 1}};
  const plan::host_pace narrow{.beside = true, .way = 80, .carried = 0, .results = 60, .sends_all = true};
  // By one port: the third comes when the first one's results are sent, and the fourth when the second one's are
  CHECK(plan::host_waits<>(both, order{0, 0, 0, 0}, narrow) == 80 + 2 * (60 + 80 - 100) + 60);
  plan::host_pace wide = narrow;
  wide.one_port = false;
  CHECK(plan::host_waits<>(both, order{0, 0, 0, 0}, wide) == 80 + 60);
}

TEST_CASE("bodies and runs wait as those before them") {
  const order few{0, 0, 1, 0, 1, 0, 1, 1}, more{0, 0, 1, 0, 1, 0, 1, 0, 1, 1};
  for (const std::uint64_t each : {20u, 169u, 171u, 400u}) {
    for (const std::size_t prefetch : {1u, 3u}) {
      const plan::host_pace host{.each = each, .prefetch = prefetch, .before = 15, .behind = 35};
      for (const std::size_t bodies : {0u, 1u, 5u}) {
        order whole = few;
        for (std::size_t b = 0; b < bodies; ++b) whole.insert(whole.begin() + 2, {1, 0});
        for (const std::uint64_t runs : {1u, 2u, 7u})
          CHECK(plan::host_waits<>(kinds, few, more, bodies, host, runs) == plan::host_waits<>(kinds, whole, host, runs));
      }
    }
  }
}

TEST_CASE("a host makes some ahead while what entered last is worked on, as long as that is in the whole schedule") {
  const order few{0, 0, 0, 0, 1, 1}, more{0, 0, 0, 0, 0, 1, 1, 1};  // all enter before any goes back
  const plan::host_pace host{.each = 300, .prefetch = 3, .before = 15, .behind = 35};
  for (const std::size_t bodies : {0u, 1u, 20u}) {
    order whole(4 + bodies, 0);
    whole.resize(6 + 2 * bodies, 1);
    for (const std::uint64_t runs : {1u, 2u, 5u}) CHECK(plan::host_waits<>(kinds, few, more, bodies, host, runs) == plan::host_waits<>(kinds, whole, host, runs));
  }
}

TEST_CASE("what a host has made ahead lasts for many micro-batches of the next run, in whatever place a schedule's bodies are") {
  const std::vector<plan::fed_step> quick{{45, 1}, {70, 0}, {60, 0}};  // a micro-batch takes hardly less than the host
  const plan::host_pace host{.each = 50, .prefetch = 4, .before = 10, .behind = 20};
  const order few{0, 0, 0, 0, 1, 1, 2}, more{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2};  // in two places
  for (const std::size_t bodies : {1u, 3u, 30u, 300u}) {
    order whole(4 + 2 * bodies, 0);
    whole.resize(6 + 4 * bodies, 1);
    whole.push_back(2);
    for (const std::uint64_t runs : {1u, 2u, 5u}) CHECK(plan::host_waits<>(quick, few, more, bodies, host, runs) == plan::host_waits<>(quick, whole, host, runs));
  }
  const order one{0, 0, 1, 0, 1, 2}, two{0, 0, 1, 0, 1, 0, 1, 2};  // in one
  for (const std::size_t bodies : {1u, 30u}) {
    order whole = one;
    for (std::size_t b = 0; b < bodies; ++b) whole.insert(whole.begin() + 5, {0, 1});
    for (const std::uint64_t runs : {1u, 2u, 5u}) CHECK(plan::host_waits<>(quick, one, two, bodies, host, runs) == plan::host_waits<>(quick, whole, host, runs));
  }
}

}  // namespace host_waits_test
