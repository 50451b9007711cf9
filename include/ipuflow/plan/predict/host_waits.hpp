// SPDX-License-Identifier: BSL-1.0
// The time that chips wait for a host that makes one micro-batch after the other, a few ahead of what was taken. Chips that end steps
// together wait in the step in which one enters that is not ready, so the steps are gone through in their order; each body of a
// schedule waits as long as the one before it, and so does each run.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::plan {

/// A kind of step: its cycles, and how many micro-batches enter the pipeline in it.
struct fed_step {
  std::uint64_t time = 0;
  std::size_t enter = 0;
  std::size_t crossed = 0;  ///< of these, the last ones: on the other chip that a crossed schedule feeds
};

/// A host, and what is around the steps of a run: cycles.
struct host_pace {
  std::uint64_t each = 0;    ///< to make a micro-batch
  std::size_t prefetch = 1;  ///< micro-batches that are made ahead; with none it begins when it is asked
  std::uint64_t before = 0;  ///< from the begin of a run to its first step
  std::uint64_t behind = 0;  ///< from its last step to its end
  bool beside = false;       ///< I/O tiles take the next one as soon as what they had is copied to where it is worked on
  std::uint64_t way = 0;     ///< to I/O tiles
  std::uint64_t copy = 0;    ///< from there
};

namespace impl {

/// The cycles between the begin of the last step in which one enters and the end of the steps.
template <class = void>
[[nodiscard]] std::uint64_t way_of_the_last(light_span<const fed_step> kinds, light_span<const std::size_t> order) {
  std::uint64_t way = 0;
  for (std::size_t i = order.size(); i-- > 0;) {
    way += kinds[order[i]].time;
    if (kinds[order[i]].enter > 0) return way;
  }
  return 0;
}

}  // namespace impl

/// The cycles of waiting in a number of runs, each of these steps: `order` has their kinds, one after the other.
template <class = void>
[[nodiscard]] std::uint64_t host_waits(light_span<const fed_step> kinds, light_span<const std::size_t> order, const host_pace& host, std::size_t runs = 1) {
  std::size_t all = 0;
  for (const std::size_t k : order) all += kinds[k].enter;
  all = algorithms::max(all * runs, std::size_t{1});
  const std::size_t ahead = algorithms::min(host.prefetch, all);
  light_vector<std::uint64_t> taken(algorithms::max(ahead, std::size_t{1}), 0);  // when the last ones were, as many as are made ahead
  std::uint64_t now = 0, made = 0, waited = 0, places[2]{};  // since when the place on I/O tiles is free, of each chip that is fed
  std::size_t number = 0;
  for (std::size_t run = 0; run < runs; ++run) {
    now += host.before;
    for (const std::size_t k : order) {
      const std::uint64_t begin = now;
      for (std::size_t i = 0; i < kinds[k].enter; ++i) {
        std::uint64_t& free = places[i + kinds[k].crossed < kinds[k].enter ? 0 : 1];
        const std::uint64_t asked = host.beside ? free : now;
        std::uint64_t& place = taken[ahead == 0 ? 0 : number++ % ahead];
        made = algorithms::max(made, ahead == 0 ? asked : place) + host.each;
        place = algorithms::max(asked, made);
        now = algorithms::max(now, place + host.way);
        free = now + host.copy;
      }
      waited += now - begin;
      now += kinds[k].time;
    }
    now += host.behind;
  }
  return waited;
}

/// The same in any number of runs of a schedule that has `bodies` more bodies than `few`, where `more` has one. Until a run ends,
/// the host is ahead as the whole schedule lets it: the way of the last micro-batch is as long as there. `goes_on`: other runs were
/// before the first, and the host has made ahead what it could.
template <class = void>
[[nodiscard]] std::uint64_t host_waits(light_span<const fed_step> kinds, light_span<const std::size_t> few, light_span<const std::size_t> more, std::size_t bodies,
                                       const host_pace& host, std::uint64_t runs, bool goes_on = false) {
  const std::uint64_t way = impl::way_of_the_last<>(kinds, few), longer = impl::way_of_the_last<>(kinds, more) - way;
  const auto of = [&](light_span<const std::size_t> order, std::size_t added, std::size_t count) {
    host_pace paced = host;
    paced.behind += longer * added;
    return host_waits<>(kinds, order, paced, count);
  };
  const auto whole = [&](std::size_t count) {
    const std::uint64_t waits = of(few, bodies, count);
    return bodies == 0 ? waits : waits + (of(more, bodies - 1, count) - waits) * bodies;
  };
  const std::uint64_t once = whole(1);
  if (goes_on) return (algorithms::max(whole(2), once) - once) * runs;
  return runs == 1 ? once : once + (whole(2) - once) * (runs - 1);
}

}  // namespace ipuflow::plan
