// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/load.hpp>
#include <ipuflow/feed/loader_options.hpp>

#include <doctest/doctest.h>

#include <list>
#include <string>
#include <vector>

namespace loader_options_test {

using namespace ipuflow;
using namespace ipuflow::feed;

static_assert(verify(loader_options{}, 1) == loader_fault{});
static_assert(loader_options{}.last == tail::dropped && !loader_options{}.shuffle &&
              loader_options{}.persistent_workers);
static_assert(async_options{}.buffer_size == 3 && async_options{}.miss_sleep == std::chrono::microseconds{100});
static_assert(async_options{}.load_indefinitely && !async_options{}.early_preload);

namespace {

template <class Action>
std::string said(Action action) {
  try {
    action();
  } catch (const error& wrong) {
    return wrong.what();
  }
  return "nothing is wrong";
}

}  // namespace

TEST_CASE("what a loader cannot do is said when it is made") {
  const std::vector<int> v(10);
  const std::list<int> l(10);
  CHECK(said([&] { (void)sync(v, 0); }) == "ipuflow: a loader cannot load 0 samples a step; ask for at least 1");
  CHECK(said([&] { (void)async(v, 2, {.async = {.buffer_size = 0}}); }) ==
        "ipuflow: an asynchronous loader with a buffer of 0 steps loads nothing; give buffer_size at least 1");
  CHECK(said([&] { (void)async(v, 2, {.async = {.buffer_size = most_steps_ahead + 1}}); }) ==
        "ipuflow: a loader is to have 1048577 steps ahead; give buffer_size at most 1048576");
  using nap = std::chrono::microseconds;
  CHECK(said([&] { (void)async(v, 2, {.async = {.miss_sleep = nap{-5}}}); }) ==
        "ipuflow: the nap of an idle worker is 5 microseconds less than none; give async.miss_sleep from 0 to 1000000");
  CHECK(said([&] { (void)async(v, 2, {.async = {.miss_sleep = std::chrono::hours{1}}}); }) ==
        "ipuflow: an idle worker is to nap for 3600000000 microseconds, whatever comes; give async.miss_sleep from 0 to 1000000");
  for (const nap n : {nap::min(), nap{-1}, longest_nap + nap{1}, nap::max()}) CHECK(verify({.async = {.miss_sleep = n}}, 1));
  for (const nap n : {nap{}, nap{1}, longest_nap}) CHECK_FALSE(verify({.async = {.miss_sleep = n}}, 1));
  CHECK(said([&] { (void)sync(v, 2, {.workers = most_workers + 1}); }) ==
        "ipuflow: a loader is to have 4097 workers; give at most 4096");
  CHECK(said([&] { (void)async_rebatched(v, 2, {.worker_batch = 3}); }) ==
        "ipuflow: a worker is to take 3 samples at a time but a step has only 2; give a smaller worker_batch");
  CHECK(said([&] { (void)sync(v, 2, {.process = 4, .processes = 4}); }) ==
        "ipuflow: this is to be process 4 of 4; processes count from 0 to one less");
  CHECK(said([&] { (void)sync(v | batch(3), 4); }) ==
        "ipuflow: a step of 4 samples is not a whole number of batches of 3; load a multiple of the batch size");
  CHECK(said([&] { (void)sync(l, 2, {.shuffle = 7}); }) ==
        "ipuflow: a loader cannot shuffle a range; shuffle it in a window before it is loaded");
  CHECK(said([&] { (void)sync(l, 2, {.processes = 2}); }) ==
        "ipuflow: a range cannot be divided among 2 processes; give each its own, or a dataset made by shares()");
  CHECK(said([&] { shares(0, [&](std::size_t, std::size_t) { return v; }); }) ==
        "ipuflow: a dataset in 0 shares holds nothing; give it at least 1");
  const std::vector<std::vector<std::size_t>> sampler{{1, 2}, {3, 12}};
  CHECK(said([&] { (void)load(v, sampler, 1, {.shuffle = 7}); }) ==
        "ipuflow: a sampler decides the order, so the loader cannot shuffle; shuffle in the sampler");
  CHECK(
      said([&] { (void)load(v, sampler, 1, {.processes = 3}); }) ==
      "ipuflow: a sampler decides who loads what, so the loader cannot divide the dataset among 3 processes; give each "
      "process a sampler of its own");
  auto chosen = load(v, sampler, 1);
  chosen.restart();
  CHECK(chosen.next()->size() == 2);
  CHECK(said([&] { (void)chosen.next(); }) ==
        "ipuflow: a sampler asks for sample 12 of a dataset of 10; indices count from 0 to one less");
  auto endless = sync(shares(2, [&](std::size_t, std::size_t) { return v; }), 5);
  CHECK(said([&] { (void)endless.size(); }) ==
        "ipuflow: how many steps this loader has is known only when they have been loaded; count them, or give "
        "shares() the "
        "number of samples");
}

}  // namespace loader_options_test
