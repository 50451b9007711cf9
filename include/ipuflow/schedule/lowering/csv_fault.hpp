// SPDX-License-Identifier: BSL-1.0
// Faults of a schedule's CSV text, with the line and the column of the character.
#pragma once

#include <ipuflow/core/fault.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow::schedule {

/// Counted from 1, as editors do; `text` is the beginning of the cell.
struct text_place {
  std::size_t line = 0;
  std::size_t column = 0;
  fixed_string<24> text{};

  friend constexpr bool operator==(const text_place&, const text_place&) = default;
};

enum class csv_wrong : unsigned char {
  nothing,
  empty,
  open_quote,
  after_quote,
  no_stage,
  path_given,
  no_action,
  old_action,
  no_micro_batch,
  extra_micro_batch,
  trailing_text,
  number_too_large,
  bad_compound,
  message_in_compute
};

using csv_fault = fault<csv_wrong, text_place>;

constexpr const char* wording(csv_wrong wrong) {
  switch (wrong) {
    case csv_wrong::nothing:
      break;
    case csv_wrong::empty:
      return "ipuflow: a schedule file has no actions; give a row for each IPU";
    case csv_wrong::open_quote:
      return "ipuflow: a quote is not closed{where}; close it with \"";
    case csv_wrong::after_quote:
      return "ipuflow: text follows a closed quote{where}; put a comma or the end of the line there";
    case csv_wrong::no_stage:
      return "ipuflow: no stage number{where}; write an action like 0F3";
    case csv_wrong::path_given:
      return "ipuflow: a schedule is read from text, but the path of a file is given{where}; give what is in the file";
    case csv_wrong::no_action:
      return "ipuflow: no such action{where}; use F, B, I, W, UNSHARD, RESHARD, REDUCE_GRAD, SEND_F, RECV_F, SEND_B or RECV_B";
    case csv_wrong::old_action:
      return "ipuflow: an action of an old format{where}; write B for a whole backward and I for that of inputs";
    case csv_wrong::no_micro_batch:
      return "ipuflow: no micro-batch number{where}; write it behind the action, as in 0F3";
    case csv_wrong::extra_micro_batch:
      return "ipuflow: a micro-batch number where none belongs{where}; weights move for all micro-batches";
    case csv_wrong::trailing_text:
      return "ipuflow: text follows an action{where}; write one action a cell";
    case csv_wrong::number_too_large:
      return "ipuflow: a number is too large{where}; stay below {limit}";
    case csv_wrong::bad_compound:
      return "ipuflow: not two actions that overlap{where}; write (0F1;3B0)OVERLAP_F_B";
    case csv_wrong::message_in_compute:
      return "ipuflow: a message in a compute-only schedule{where}; read it as a lowered one";
  }
  return "";
}

constexpr message_text sentence(const csv_fault& f) {
  fixed_string<80> where;
  where += " at line ";
  where += f.where.line;
  where += ", column ";
  where += f.where.column;
  where += ": '";
  where += f.where.text;
  where += "'";
  return filled(wording(f.kind), {{"limit", f.limit}, {"where", where}});
}

}  // namespace ipuflow::schedule
