// SPDX-License-Identifier: BSL-1.0
// Each fault of a text has a sentence with its line, its column and the cell.
#include <ipuflow/schedule/lowering/action.hpp>
#include <ipuflow/schedule/lowering/csv_fault.hpp>

#include <doctest/doctest.h>

#include <string>

namespace csv_fault_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;
using enum csv_wrong;

TEST_CASE("sentences") {
  const auto said = [](csv_wrong kind) {
    return std::string{sentence(csv_fault{kind, 0, 99, {3, 14, fixed_string<24>{std::string_view{"0X1"}}}}).view()};
  };
  const std::string at = " at line 3, column 14: '0X1'";
  CHECK(said(empty) == "ipuflow: a schedule file has no actions; give a row for each IPU");
  CHECK(said(open_quote) == "ipuflow: a quote is not closed" + at + "; close it with \"");
  CHECK(said(after_quote) ==
        "ipuflow: text follows a closed quote" + at + "; put a comma or the end of the line there");
  CHECK(said(no_stage) == "ipuflow: no stage number" + at + "; write an action like 0F3");
  CHECK(said(path_given) == "ipuflow: a schedule is read from text, but the path of a file is given" + at + "; give what is in the file");
  CHECK(said(no_action) == "ipuflow: no such action" + at +
                               "; use F, B, I, W, UNSHARD, RESHARD, REDUCE_GRAD, SEND_F, RECV_F, SEND_B or RECV_B");
  CHECK(said(old_action) ==
        "ipuflow: an action of an old format" + at + "; write B for a whole backward and I for that of inputs");
  CHECK(said(no_micro_batch) == "ipuflow: no micro-batch number" + at + "; write it behind the action, as in 0F3");
  CHECK(said(extra_micro_batch) ==
        "ipuflow: a micro-batch number where none belongs" + at + "; weights move for all micro-batches");
  CHECK(said(trailing_text) == "ipuflow: text follows an action" + at + "; write one action a cell");
  CHECK(said(number_too_large) == "ipuflow: a number is too large" + at + "; stay below 99");
  CHECK(said(bad_compound) == "ipuflow: not two actions that overlap" + at + "; write (0F1;3B0)OVERLAP_F_B");
  CHECK(said(message_in_compute) ==
        "ipuflow: a message in a compute-only schedule" + at + "; read it as a lowered one");
}

TEST_CASE("the sentence lists every word that the reader knows") {
  const std::string said{sentence(csv_fault{no_action}).view()};
  for (std::size_t i = 0; i < act_count; ++i) CHECK(said.find(word_of(static_cast<act>(i))) != std::string::npos);
}

}  // namespace csv_fault_test
