// SPDX-License-Identifier: BSL-1.0
// Reads a schedule from CSV: a row for each IPU, a cell for each step, empty where it idles; `0F3` is the forward of
// micro-batch 3 in stage 0. The grammar is that of PyTorch's files (docs/schedules.md), read strictly: what those
// readers skip over is an error here, with its line and column.
#pragma once

#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/lowering/action.hpp>
#include <ipuflow/schedule/lowering/csv_fault.hpp>

#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace ipuflow::schedule {

namespace impl {

class csv_reader {
 public:
  /// With `compute_only` messages and movements of weights are refused.
  constexpr csv_reader(std::string_view text, bool compute_only) : text_{text}, compute_only_{compute_only} {}

  constexpr csv_fault read(action_rows& rows) {
    while (at_ < text_.size()) {
      rows.push_back({});
      if (const csv_fault found = read_row(rows.back())) return found;
    }
    while (rows.size() > 0 && rows.back().empty()) rows.pop_back();
    if (rows.size() == 0) return {.kind = csv_wrong::empty, .where = {1, 1, {}}};
    return {};
  }

 private:
  static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
  constexpr char now() const { return at_ < text_.size() ? text_[at_] : '\n'; }
  constexpr bool at_end_of_row() const {
    return now() == '\n' || (now() == '\r' && (at_ + 1 == text_.size() || text_[at_ + 1] == '\n'));
  }
  constexpr bool at_end_of_cell() const { return quoted_ ? now() == '"' : now() == ',' || at_end_of_row(); }
  constexpr void skip_blanks() {
    while (at_ < text_.size() && is_blank(now())) ++at_;
  }

  constexpr csv_fault wrong(csv_wrong kind, std::size_t limit = 0) const {
    std::size_t end = cell_;
    while (end < text_.size() && text_[end] != ',' && text_[end] != '\n' && text_[end] != '\r') ++end;
    return {kind, 0, limit, {line_, at_ - line_begin_ + 1, fixed_string<24>{text_.substr(cell_, end - cell_)}}};
  }

  constexpr csv_fault read_row(dynamic_array<action>& row) {
    for (std::size_t step = 0;; ++step) {
      if (const csv_fault found = read_cell(row, step)) return found;
      if (now() == ',' && at_ < text_.size()) {
        ++at_;
        continue;
      }
      if (now() == '\r') ++at_;
      ++at_;
      ++line_;
      line_begin_ = at_;
      return {};
    }
  }

  constexpr csv_fault read_cell(dynamic_array<action>& row, std::size_t step) {
    cell_ = at_;
    skip_blanks();
    quoted_ = now() == '"' && at_ < text_.size();
    if (quoted_) ++at_;
    skip_blanks();
    if (!at_end_of_cell()) {
      const csv_fault found = now() == '(' ? read_compound(row, step) : read_single(row, step);
      if (found) return found;
      skip_blanks();
      if (quoted_ && (at_ >= text_.size() || at_end_of_row())) return wrong(csv_wrong::open_quote);
      if (!at_end_of_cell()) return wrong(csv_wrong::trailing_text);
    }
    if (!quoted_) return {};
    ++at_;
    quoted_ = false;
    skip_blanks();
    return at_end_of_cell() ? csv_fault{} : wrong(csv_wrong::after_quote);
  }

  constexpr csv_fault read_number(std::size_t& number, std::size_t limit) {
    number = 0;
    for (; is_digit(now()); ++at_) {
      number = number * 10 + static_cast<std::size_t>(now() - '0');
      if (number >= limit) return wrong(csv_wrong::number_too_large, limit);
    }
    return {};
  }

  constexpr csv_fault read_single(dynamic_array<action>& row, std::size_t step) {
    action read{.step = step};
    if (!is_digit(now())) return wrong(text_.ends_with(".csv") ? csv_wrong::path_given : csv_wrong::no_stage);
    if (const csv_fault found = read_number(read.stage, most_stages)) return found;
    const std::size_t word_begin = at_;
    while ((now() >= 'A' && now() <= 'Z') || now() == '_') ++at_;
    const std::string_view word = text_.substr(word_begin, at_ - word_begin);
    std::size_t kind = 0;
    while (kind < act_count && word_of(static_cast<act>(kind)) != word) ++kind;
    if (kind == act_count) {
      at_ = word_begin;
      return wrong(word == "BW" ? csv_wrong::old_action : csv_wrong::no_action);
    }
    read.kind = static_cast<act>(kind);
    if (compute_only_ && !is_compute(read.kind)) {
      at_ = word_begin;
      return wrong(csv_wrong::message_in_compute);
    }
    if (of_micro_batch(read.kind) != is_digit(now())) {
      return wrong(is_digit(now()) ? csv_wrong::extra_micro_batch : csv_wrong::no_micro_batch);
    }
    // A file that numbers more micro-batches than it has room for actions cannot be complete.
    if (const csv_fault found = read_number(read.micro_batch, text_.size() / 3 + 1)) return found;
    row.push_back(read);
    return {};
  }

  /// (0F1;3B0)OVERLAP_F_B
  constexpr csv_fault read_compound(dynamic_array<action>& row, std::size_t step) {
    constexpr std::string_view name = "OVERLAP_F_B";
    for (const char end : {';', ')'}) {
      ++at_;
      skip_blanks();
      if (const csv_fault found = read_single(row, step)) return found;
      skip_blanks();
      if (now() != end || at_ >= text_.size() || !is_compute(row.back().kind)) return wrong(csv_wrong::bad_compound);
    }
    row[row.size() - 2].with_next = true;
    ++at_;
    skip_blanks();
    if (text_.substr(at_, name.size()) != name) return wrong(csv_wrong::bad_compound);
    at_ += name.size();
    return {};
  }

  std::string_view text_;
  bool compute_only_;
  std::size_t at_ = 0;
  std::size_t cell_ = 0;
  std::size_t line_ = 1;
  std::size_t line_begin_ = 0;
  bool quoted_ = false;
};

}  // namespace impl

/// The rows of a file, computations and messages alike.
constexpr csv_fault parse_csv(std::string_view text, action_rows& rows) { return impl::csv_reader{text, false}.read(rows); }

[[nodiscard]] constexpr action_rows read_actions(std::string_view text) {
  action_rows rows;
  throw_if(parse_csv(text, rows));
  return rows;
}

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

}  // namespace ipuflow::schedule
