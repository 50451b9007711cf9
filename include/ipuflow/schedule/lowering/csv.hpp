// SPDX-License-Identifier: BSL-1.0
// Schedules as CSV files, in the format that PyTorch's pipelining reads and writes: rows end in CR LF, as its writer
// ends them; the reader takes LF too. Where a step has more than one operation, it gets as many columns.
#pragma once

#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/lowering/csv_read.hpp>
#include <ipuflow/schedule/lowering/lower.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace ipuflow::schedule {

namespace impl {

/// A table of computations as rows of actions says where stages are: on the row that has them. A stage on two rows has
/// one for each half of the micro-batches if all stages have two, as in schedules that run both ways.
[[nodiscard]] constexpr roster roster_of(const action_rows& rows) {
  roster where;
  where.ipus = rows.size();
  for (const dynamic_array<action>& row : rows) {
    for (const action& a : row) {
      if (a.stage >= where.stages) where.stages = a.stage + 1;
      if (of_micro_batch(a.kind) && a.micro_batch >= where.micro_batches) where.micro_batches = a.micro_batch + 1;
    }
  }
  where.first = dynamic_array<std::size_t>{where.stages + 1};
  where.home = dynamic_array<std::size_t>{where.stages, nowhere};
  where.crossing = dynamic_array<std::size_t>{where.stages, nowhere};
  for (std::size_t stage = 0; stage <= where.stages; ++stage) where.first[stage] = stage;
  for (std::size_t ipu = 0; ipu < rows.size(); ++ipu) {
    for (const action& a : rows[ipu]) {
      if (!is_compute(a.kind)) continue;
      if (where.home[a.stage] == nowhere || a.micro_batch == 0) where.home[a.stage] = ipu;
      if (a.micro_batch + 1 == where.micro_batches) where.crossing[a.stage] = ipu;
    }
  }
  where.crossed = where.stages > 0 && where.micro_batches > 1;
  for (std::size_t stage = 0; stage < where.stages; ++stage) {
    if (where.home[stage] == nowhere) where.home[stage] = 0;
    where.crossed = where.crossed && where.crossing[stage] != nowhere && where.crossing[stage] != where.home[stage];
  }
  return where;
}

}  // namespace impl

/// A compute-only schedule as a table; check it with `verify`.
constexpr csv_fault parse_csv(std::string_view text, table& read) {
  action_rows rows;
  if (const csv_fault found = impl::csv_reader{text, true}.read(rows)) return found;
  read = table{};
  read.where = impl::roster_of(rows);
  read.rows = dynamic_array<dynamic_array<placed>>{rows.size()};
  read.run_for = mode::inference;
  for (std::size_t ipu = 0; ipu < rows.size(); ++ipu) {
    for (const action& a : rows[ipu]) {
      if (a.kind != act::forward) read.run_for = mode::training;
      read.rows[ipu].push_back({{impl::pass_of(a.kind), a.stage, a.micro_batch}, a.step, a.with_next});
    }
  }
  return {};
}

/// The same; what is wrong is thrown.
[[nodiscard]] constexpr table read_csv(std::string_view text) {
  table read;
  throw_if(parse_csv(text, read));
  return read;
}

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
