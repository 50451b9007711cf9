// SPDX-License-Identifier: BSL-1.0
// Schedules written as CSV files, in the format that PyTorch's pipelining reads and writes: rows end in CR LF, as its writer
// ends them; the reader (csv_read.hpp) takes LF too. Where a step has more than one operation, it gets as many columns. Strings
// are why <ipuflow/schedule.hpp> has the reader alone.
#pragma once

#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/lowering/csv_read.hpp>
#include <ipuflow/schedule/lowering/lower.hpp>

#include <cstddef>
#include <string>

namespace ipuflow::schedule {

namespace impl {

/// "0F3", "2UNSHARD"
[[nodiscard]] inline std::string to_text(const action& a) {
  std::string text = std::to_string(a.stage);
  text += word_of(a.kind);
  if (of_micro_batch(a.kind)) text += std::to_string(a.micro_batch);
  return text;
}

}  // namespace impl

/// Lowered programs: a cell for each action, none empty.
[[nodiscard]] inline std::string to_csv(const action_rows& rows) {
  std::string text;
  for (const dynamic_array<action>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) text += row[i - 1].with_next ? ";" : ",";
      if (row[i].with_next) text += "(";
      text += impl::to_text(row[i]);
      if (i > 0 && row[i - 1].with_next) text += ")OVERLAP_F_B";
    }
    text += "\r\n";
  }
  return text;
}

namespace impl {

/// The number of columns of each step of a table: as many as any IPU has operations in it that do not run together.
[[nodiscard]] inline dynamic_array<std::size_t> columns_of(const table& t) {
  dynamic_array<std::size_t> widths{t.steps(), 1};
  for (const dynamic_array<placed>& row : t.rows) {
    for (std::size_t i = 0, begin = 0; i < row.size(); begin = i) {
      std::size_t width = 0;
      for (; i < row.size() && row[i].step == row[begin].step; ++i) width += row[i].with_next ? 0u : 1u;
      if (width > widths[row[begin].step]) widths[row[begin].step] = width;
    }
  }
  return widths;
}

}  // namespace impl

/// A table of computations: a cell for each step, empty where an IPU idles. Other passes than F, B, I and W have no
/// word and are left out.
[[nodiscard]] inline std::string to_csv(const table& t) {
  const dynamic_array<std::size_t> widths = impl::columns_of(t);
  std::string text;
  for (std::size_t ipu = 0; ipu < t.rows.size(); ++ipu) {
    const dynamic_array<placed>& row = t.rows[ipu];
    std::string line;
    std::size_t i = 0;
    for (std::size_t step = 0; step < widths.size(); ++step) {
      for (std::size_t column = 0; column < widths[step]; ++column) {
        if (step > 0 || column > 0) line += ",";
        while (i < row.size() && row[i].step == step && !impl::has_word(row[i].kind)) ++i;
        if (i >= row.size() || row[i].step != step) continue;
        const placed& o = row[i++];
        const std::string first = impl::to_text(action{impl::act_of(o.kind), o.stage, o.micro_batch});
        if (!o.with_next || i >= row.size()) {
          line += first;
          continue;
        }
        const placed& with = row[i++];
        const action other{impl::act_of(with.kind), with.stage, with.micro_batch};
        line += "(" + first + ";" + impl::to_text(other) + ")OVERLAP_F_B";
      }
    }
    text += line + "\r\n";
  }
  return text;
}

}  // namespace ipuflow::schedule
