// SPDX-License-Identifier: BSL-1.0
// All that there is to see of a run, as files in a folder: host_trace.json and host_timeline.svg of a run on threads;
// chips_summary.txt, chips_trace.json, chips_timeline.svg, chips_memory.svg and chips_tiles.svg of one on chips.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/report/memory_svg.hpp>
#include <ipuflow/report/summary.hpp>
#include <ipuflow/report/timeline_svg.hpp>
#include <ipuflow/report/trace_json.hpp>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace ipuflow::report {

enum class report_wrong : unsigned char { nothing, unwritable };
using report_fault = fault<report_wrong, fixed_string<255>>;

constexpr message_text sentence(const report_fault& f) {
  return words("ipuflow: report '", f.where.view(), "' cannot be written; check its folder, and the space there");
}

/// Calls `write(std::ostream&)` for a new file; what cannot be written is thrown.
template <class Write>
void save_file(const std::filesystem::path& file, Write write) {
  std::error_code ignored;  // the file says so as well
  std::filesystem::create_directories(file.parent_path(), ignored);
  std::ofstream out{file, std::ios::binary};
  if (out) write(out);
  if (!out.flush())
    throw_if(report_fault{.kind = report_wrong::unwritable, .where = fixed_string<255>{std::string_view{file.string()}}});
}

template <class = void>
inline void save(const std::filesystem::path& folder, const run::trace& traced) {
  save_file(folder / "host_trace.json", [&](std::ostream& out) { trace_json(out, traced); });
  save_file(folder / "host_timeline.svg", [&](std::ostream& out) { out << timeline_svg(traced); });
}

template <class = void>
inline void save(const std::filesystem::path& folder, const run::chips_profile& p,
                 const summary_options& options = {}) {
  save_file(folder / "chips_summary.txt", [&](std::ostream& out) { out << summary(p, options); });
  save_file(folder / "chips_trace.json", [&](std::ostream& out) { trace_json(out, p); });
  save_file(folder / "chips_timeline.svg", [&](std::ostream& out) { out << timeline_svg(p); });
  save_file(folder / "chips_memory.svg", [&](std::ostream& out) { out << memory_over_steps_svg(p.chips); });
  save_file(folder / "chips_tiles.svg", [&](std::ostream& out) { out << memory_by_tile_svg(p.chips); });
}

}  // namespace ipuflow::report
