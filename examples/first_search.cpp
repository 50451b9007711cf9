// SPDX-License-Identifier: BSL-1.0
// A search for a schedule: four stages of different times, and memory for five activations. Prints what it found, and that there is no better.
// begin: whole
#include <ipuflow/report/schedules/schedule_text.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/schedule/analysis/measured_costs.hpp>
#include <ipuflow/schedule/search/search.hpp>

#include <iostream>

using namespace ipuflow;

int main() {
  const schedule::grid where{.ipus = 4, .stages = 4, .micro_batches = 8};
  const auto costs = schedule::read_costs("3.1,2.7,1.9,0.2; 2.9,2.5,1.9,0.2; 2.9,2.5,1.9,0.2; 2.4,2.1,1.5,0.2", "ms");
  const schedule::activation_bytes activation{.after_forward = 3'000'000, .after_inputs = -2'000'000, .after_weights = -1'000'000};
  const schedule::search_memory memory{activation, 15'000'000};

  const schedule::searched found = schedule::search(where, costs, memory, {.metric = schedule::search_metric::makespan});
  throw_if(found.refused);
  throw_if(schedule::verify(found.timetable));
  std::cout << report::schedule_text(found.timetable);
  std::cout << costs.text_of(found.makespan) << ", and no schedule takes less than " << costs.text_of(found.lower_bound)
            << "; at most " << found.peak_bytes << " bytes on an IPU\n";
  std::cout << "1F1B takes " << costs.text_of(schedule::makespan(schedule::one_f_one_b({.ipus = 4, .micro_batches = 8}), costs)) << '\n';
}
// end: whole
