// SPDX-License-Identifier: BSL-1.0
// A timetable as text for a terminal: a line for each IPU, a column for each step. A rule above the lines marks the
// ramps (-) and the steady state (=).
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/report/report_fault.hpp>
#include <ipuflow/schedule/analysis/program_shape.hpp>
#include <ipuflow/schedule/forms/table.hpp>

#include <cstddef>
#include <string>

namespace ipuflow::report {

namespace detail {

/// True if an IPU has several stages, or a stage several IPUs.
inline bool names_stages(const schedule::table& t) {
  if (t.where.stages != t.where.ipus || t.where.crossed) return true;
  for (const auto& row : t.rows) {
    for (const schedule::placed& o : row) {
      if (o.stage != row[0].stage) return true;
    }
  }
  return false;
}

/// "F3", with the stage in front where that is to be told.
inline std::string cell_text(const schedule::op& o, bool with_stage) {
  std::string text;
  if (with_stage) text += std::to_string(o.stage);
  text += schedule::letter(o.kind);
  return text + std::to_string(o.micro_batch);
}

inline std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

}  // namespace detail

/// The picture, folded into blocks of lines of at most `width` characters; 0 does not fold.
[[nodiscard]] inline std::string schedule_text(const schedule::table& t, std::size_t width = 0) {
  const std::size_t steps = t.steps();
  const bool with_stages = detail::names_stages(t);
  dynamic_array<std::string> cells{t.rows.size() * steps};
  dynamic_array<std::size_t> widths{steps};
  for (std::size_t step = 0; step < steps; ++step) widths[step] = std::to_string(step).size();
  for (std::size_t ipu = 0; ipu < t.rows.size(); ++ipu) {
    for (const schedule::placed& o : t.rows[ipu]) {
      std::string& cell = cells[ipu * steps + o.step];
      cell.append(cell.empty() ? "" : "+") += detail::cell_text(o, with_stages);
      if (cell.size() > widths[o.step]) widths[o.step] = cell.size();
    }
  }
  const schedule::steady full = schedule::drawn_steady_state(t);
  const std::size_t margin = 4 + std::to_string(t.rows.size()).size();
  std::string text;
  for (std::size_t begin = 0, end = 0; begin < steps; begin = end) {
    std::string head = detail::padded("t", margin);
    std::string rule = std::string(margin, ' ');
    for (end = begin; end < steps; ++end) {
      if (width != 0 && end > begin && head.size() + widths[end] > width) break;
      head += detail::padded(std::to_string(end), widths[end]) + " ";
      const bool busy = full.first != schedule::nowhere && full.first <= end && end <= full.last;
      rule += std::string(widths[end], busy ? '=' : '-') + " ";
    }
    text += head + "\n" + rule + "\n";
    for (std::size_t ipu = 0; ipu < t.rows.size(); ++ipu) {
      text += detail::padded("IPU" + std::to_string(ipu), margin);
      for (std::size_t step = begin; step < end; ++step) {
        const std::string& cell = cells[ipu * steps + step];
        text += detail::padded(cell.empty() ? "." : cell, widths[step]) + " ";
      }
      text += "\n";
    }
    if (end < steps) text += "\n";
  }
  return text;
}

template <class Other>
std::string schedule_text(const Other&, std::size_t = 0) {
  return impl::refuse<report_wrong::not_a_table, Other>(), std::string{};
}

}  // namespace ipuflow::report
