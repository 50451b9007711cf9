// SPDX-License-Identifier: BSL-1.0
// Feeds a law with every schedule of every size up to some bounds.
#pragma once

#include <ipuflow/schedule/generators/catalogue.hpp>

#include <cstddef>
#include <string_view>

namespace every {

struct bounds {
  std::size_t ipus = 8;
  std::size_t chunks = 4;
  std::size_t micro_batches = 24;
};

/// Whether a schedule has more than one number of stages per IPU.
constexpr bool takes_chunks(std::string_view name) {
  return ipuflow::schedule::catalogue::any_of(
      [name](const auto& generator) { return generator.name == name && generator.rule.stages_per_ipu == 0; });
}

/// Calls `law(name, setup, timetable)` with all that are not refused.
template <class Law>
void schedule_of(std::string_view name, bounds up_to, Law law) {
  using namespace ipuflow;
  for (std::size_t ipus = 1; ipus <= up_to.ipus; ++ipus) {
    for (std::size_t chunks = 1; chunks <= (takes_chunks(name) ? up_to.chunks : 1); ++chunks) {
      for (std::size_t count = 1; count <= up_to.micro_batches; ++count) {
        schedule::setup asked{.ipus = ipus, .stages_per_ipu = takes_chunks(name) ? chunks : 0, .micro_batches = count};
        schedule::with_schedule(name, asked, [&](const auto& t) {
          if (!t.refused) law(name, asked, t);
        });
      }
    }
  }
}

template <class Law>
void schedule(bounds up_to, Law law) {
  for (const std::string_view name : ipuflow::schedule::schedule_names) schedule_of(name, up_to, law);
}

/// Hides that a timetable has a closed form, so that everything is counted by walking it.
template <class T>
struct walked {
  decltype(T::where) where;
  const T* of;
  ipuflow::mode run_for;
  ipuflow::schedule::pace goes;
  ipuflow::schedule::schedule_fault refused;

  auto walk(std::size_t ipu) const { return of->walk(ipu); }
  std::size_t count(std::size_t ipu) const { return of->count(ipu); }
};

template <class T>
walked<T> by_walking(const T& t) {
  return {t.where, &t, t.run_for, t.goes, t.refused};
}

}  // namespace every
