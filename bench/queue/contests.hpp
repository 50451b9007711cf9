// SPDX-License-Identifier: BSL-1.0
// Who takes part in which workload, one run after the other between two probes, and the tables of what came out.
#pragma once

#include "two_cores.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace queue_bench {

/// The lower quartile: runs are short, and those in which a core was taken away are on the other side.
inline double typical(std::vector<double> values) {
  const auto quarter = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 4);
  std::nth_element(values.begin(), quarter, values.end());
  return *quarter;
}

/// How far apart the two cores are; nothing is known when one of them is busy with something else.
enum class distance { sibling, near, far, unknown };
inline constexpr std::array<const char*, 3> distance_names{"sibling (< 65 ns)", "near (< 220 ns)", "far (< 700 ns)"};

inline distance distance_of(double before, double after) {
  if (std::max(before, after) > 1.5 * std::min(before, after) || before > 700) return distance::unknown;
  return before < 65 ? distance::sibling : before < 220 ? distance::near : distance::far;
}

using times_of = std::map<std::string, std::vector<double>>;  // by contestant

struct contest {
  std::string workload;
  std::vector<std::string> names{};  // the first is ours
  std::map<distance, times_of> times{};
};
struct entry {
  contest* in;
  std::string name;
  std::function<double()> run;
};
inline std::vector<std::unique_ptr<contest>> contests;
inline std::vector<entry> entries;
inline std::map<distance, std::vector<double>> probes;

/// One run between two probes, kept if they agree.
inline double measure(const entry& e) {
  const double before = probe();
  const double time = e.run();
  const distance where = distance_of(before, probe());
  if (where != distance::unknown) {
    e.in->times[where][e.name].push_back(time);
    probes[where].push_back(before);
  }
  return time;
}

inline void enter(const std::string& workload, const std::string& name, std::function<double()> run) {
  if (contests.empty() || contests.back()->workload != workload) {
    contests.push_back(std::make_unique<contest>(contest{.workload = workload}));
  }
  contests.back()->names.push_back(name);
  entries.push_back({contests.back().get(), name, std::move(run)});
}

/// Everything in random order, again and again.
inline void measure_for(std::chrono::seconds time) {
  const auto end = clock_type::now() + time;
  std::mt19937 random{1};
  while (clock_type::now() < end) {
    std::shuffle(entries.begin(), entries.end(), random);
    for (const entry& e : entries) measure(e);
  }
}

/// "1.18", or "3.71 (3.14)" with the ratio to what is ours; "-" for who did not take part.
inline std::string cell(const times_of& times, const std::string& name, const std::string& ours_name) {
  const auto found = times.find(name);
  if (found == times.end()) return "-";
  const double time = typical(found->second);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), time < 10 ? "%.2f" : "%.0f", time);
  const auto base = times.find(ours_name);
  if (base == times.end() || name == ours_name) return text.data();
  const std::size_t length = std::strlen(text.data());
  const double ratio = time / typical(base->second);
  std::snprintf(text.data() + length, text.size() - length, ratio < 10 ? " (%.2f)" : " (%.0f)", ratio);
  return text.data();
}

/// The contests from `first` on that have the same contestants, or some of them; where the next table begins.
inline std::size_t print_contests(distance where, std::size_t first) {
  const std::vector<std::string>& names = contests[first]->names;
  const auto known = [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); };
  const auto ran = [&](const auto& of) { return of->times.contains(where) && !of->times[where].empty(); };
  const auto last = std::find_if_not(contests.begin() + static_cast<std::ptrdiff_t>(first), contests.end(),
                                     [&](const auto& of) { return known(of->names.front()); });
  const auto behind = static_cast<std::size_t>(last - contests.begin());
  if (std::none_of(contests.begin() + static_cast<std::ptrdiff_t>(first), last, ran)) return behind;
  std::string head = "| workload, capacity |";
  std::string line = "\n|---|";
  for (const std::string& name : names) head += " " + name + " |", line += "---|";
  std::printf("%s runs, at least |%s---|\n", head.c_str(), line.c_str());
  for (std::size_t at = first; at < behind; ++at) {
    if (!ran(contests[at])) continue;
    const times_of& times = contests[at]->times[where];
    std::size_t fewest = 0;
    std::printf("| %s |", contests[at]->workload.c_str());
    for (const std::string& name : names) {
      std::printf(" %s |", cell(times, name, names.front()).c_str());
      const auto found = times.find(name);
      if (found != times.end()) fewest = fewest == 0 ? found->second.size() : std::min(fewest, found->second.size());
    }
    std::printf(" %zu |\n", fewest);
  }
  std::printf("\n");
  return behind;
}

/// Lower quartiles, a table for each state that the machine was in.
inline void print_tables() {
  if (probes.empty()) std::printf("\nNo run without other work on one of the cores: nothing to tell.\n");
  for (const auto& [where, trips] : probes) {
    std::printf(
        "\nWhile the bare round trip of a line was %s, typically %.0f ns; nanoseconds an item, and how many times\n"
        "as long as the first column:\n\n",
        distance_names[static_cast<std::size_t>(where)], typical(trips));
    for (std::size_t first = 0; first < contests.size();) first = print_contests(where, first);
  }
}

}  // namespace queue_bench
