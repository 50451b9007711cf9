// SPDX-License-Identifier: BSL-1.0
// Lanes are dealt out to threads. Neighbouring lanes exchange values, so neighbours stay together. Where some lanes
// have far more work than others, dealing them out one by one, the longest first to the thread that has least (Graham, 1969),
// may be better by more than neighbourhood is worth.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/run/threads/dealt.hpp>

#include <cstddef>

namespace ipuflow::run {

/// The work of the thread that has most.
template <class = void>
[[nodiscard, gnu::cold]] inline std::size_t longest(const dealt& lanes, light_span<const std::size_t> work) {
  std::size_t most = 0;
  for (const auto& mine : lanes) {
    std::size_t sum = 0;
    for (const std::size_t lane : mine) sum += work[lane];
    most = algorithms::max(most, sum);
  }
  return most;
}

namespace impl {

/// Neighbours together, cut where each thread has about its share of all work; no thread idle that could have a lane.
template <class = void>
[[nodiscard, gnu::cold]] inline dealt deal_neighbours(light_span<const std::size_t> work, std::size_t threads) {
  std::size_t all = 0;
  for (const std::size_t w : work) all += w;
  dealt found(threads);
  std::size_t before = 0;
  std::size_t next = 0;  // the first thread without lanes
  for (std::size_t lane = 0; lane < work.size(); ++lane) {
    const std::size_t left = algorithms::min(work.size() - lane, threads);
    const std::size_t middle = 2 * before + work[lane];  // a lane goes where its middle is
    const std::size_t share = all == 0 ? 0 : algorithms::min(middle * threads / (2 * all), threads - 1);
    const std::size_t to = algorithms::min(algorithms::max(share, threads - left), next);
    found[to].push_back(lane);
    next = algorithms::min(to + 1, threads - 1);
    before += work[lane];
  }
  return found;
}

template <class = void>
[[nodiscard, gnu::cold]] inline dealt deal_longest_first(light_span<const std::size_t> work, std::size_t threads) {
  light_vector<std::size_t> order(work.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  algorithms::sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return work[a] != work[b] ? work[a] > work[b] : a < b; });
  light_vector<std::size_t> has(threads);
  light_vector<std::size_t> thread_of(work.size());
  for (const std::size_t lane : order) {
    const auto least = static_cast<std::size_t>(algorithms::min_element(has.begin(), has.end()) - has.begin());
    has[least] += work[lane];
    thread_of[lane] = least;
  }
  dealt found(threads);
  for (std::size_t lane = 0; lane < work.size(); ++lane) found[thread_of[lane]].push_back(lane);
  return found;
}

/// Lanes with so much work each, dealt out to threads.
template <class = void>
[[nodiscard, gnu::cold]] inline dealt deal(light_span<const std::size_t> work, std::size_t threads) {
  dealt together = deal_neighbours(work, threads);
  dealt apart = deal_longest_first(work, threads);
  const std::size_t worth = longest(together, work) / 8;  // what values that cross threads may cost
  return longest(apart, work) + worth < longest(together, work) ? apart : together;
}

}  // namespace impl

}  // namespace ipuflow::run
