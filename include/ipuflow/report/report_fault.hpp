// SPDX-License-Identifier: BSL-1.0
// Faults in what a report is asked to show. Types decide it, so the compiler says the sentence: each function
// of this module has a twin for all other arguments, which refuses them.
#pragma once

#include <ipuflow/core/fault.hpp>

#include <cstddef>

namespace ipuflow::report {

enum class report_wrong : unsigned char {
  nothing,
  not_a_table,
  not_a_timetable,
  not_costs,
  not_a_run,
  not_a_run_to_save,
  not_a_stream,
  not_a_writer,
  not_for_a_page,
  no_summary,
  no_memory
};

using report_fault = fault<report_wrong>;

constexpr const char* wording(report_wrong wrong) {
  switch (wrong) {
    case report_wrong::nothing:
      return "";
    case report_wrong::not_a_table:
      return "ipuflow: schedule_text prints tables; give it schedule::tabulate(timetable)";
    case report_wrong::not_a_timetable:
      return "ipuflow: a picture of a schedule is asked for of something that is no timetable; give what a generator returns, or timeline_svg and "
             "trace_json a run";
    case report_wrong::not_costs:
      return "ipuflow: a schedule cannot be drawn with costs of this type; give schedule::costs{...}, or a type that has its functions";
    case report_wrong::not_a_run:
      return "ipuflow: a timeline is asked for of something that has not run; give a run::trace or, with <ipuflow/chips.hpp>, the profile of a run "
             "on chips; for a plan there are schedule_svg and schedule_trace";
    case report_wrong::not_a_run_to_save:
      return "ipuflow: only runs are saved as files; give a run::trace or the profile of a run on chips, or save_file what you print";
    case report_wrong::not_a_stream:
      return "ipuflow: a trace is written to a stream; give std::cout or a std::ofstream, or let save(folder, run) make the file";
    case report_wrong::not_a_writer:
      return "ipuflow: save_file calls what writes the file; give it a function, [&](auto& out) { out << text; }";
    case report_wrong::not_for_a_page:
      return "ipuflow: a page cannot show something of this type; give it runs, plans, timetables, tables or facts, and include its header of "
             "report/page/";
    case report_wrong::no_summary:
      return "ipuflow: only profiles of chips have a summary; give what a run on chips returned; a run on host threads is seen by timeline_svg and "
             "trace_json";
    case report_wrong::no_memory:
      return "ipuflow: a picture of memory is asked for of something that is no ipu::profile; of a run on chips give its member chips";
  }
  return "";
}

/// `got` and `limit` are unused.
constexpr message_text sentence(const report_fault& f) {
  return message_text{wording(f.kind)};
}

namespace impl {

/// Refuses to report on something of this type.
template <report_wrong Kind, class Given>
constexpr void refuse() {
  constexpr report_fault found{Kind, sizeof(Given*)};
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
}

}  // namespace impl

}  // namespace ipuflow::report
