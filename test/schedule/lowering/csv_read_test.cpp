// SPDX-License-Identifier: BSL-1.0
// The grammar, cell by cell, and where each departure from it is.
#include <ipuflow/schedule/lowering/csv_read.hpp>

#include <doctest/doctest.h>

#include <string>

namespace csv_read_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using enum csv_wrong;

namespace {

static_assert(read_actions("0F0,1SEND_B2")[0][1] == action{act::send_backward, 1, 2, false, 1});

/// The kind, line and column of a text's fault.
struct found {
  csv_wrong kind;
  std::size_t line, column;
  friend bool operator==(const found&, const found&) = default;
};
found wrong(std::string_view text) {
  action_rows rows;
  const csv_fault f = parse_csv(text, rows);
  return {f.kind, f.where.line, f.where.column};
}

}  // namespace

TEST_CASE("what is accepted") {
  for (const char* text :
       {"0F0", "0F0\n", "0F0\r\n", " 0F0 ", "\"0F0\"", "\" 0F0 \" ,", ",,0F0", "0F0,\n,\n1F0", "\t0F0\t,0B0",
        "0UNSHARD,0F0,0RESHARD,0REDUCE_GRAD", "( 0F1 ; 3B0 ) OVERLAP_F_B,0F0", "\"(0F1;3B0)OVERLAP_F_B\",0F0"}) {
    CAPTURE(text);
    CHECK(wrong(text).kind == nothing);
  }
}

TEST_CASE("cells keep their step, blank ones too; the last empty rows are none") {
  const action_rows rows = read_actions("0F0,,0B0\r\n,1F0,1B0\r\n\r\n");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0][1] == action{act::backward, 0, 0, false, 2});
  CHECK(rows[1][0].step == 1);
  const action_rows pair = read_actions("0F0,0F1,(0F2;3B0)OVERLAP_F_B");
  CHECK(pair[0][2] == action{act::forward, 0, 2, true, 2});
  CHECK(pair[0][3] == action{act::backward, 3, 0, false, 2});
}

TEST_CASE("what is not, with line and column") {
  CHECK(wrong("") == found{empty, 1, 1});
  CHECK(wrong(",,\n,") == found{empty, 1, 1});
  CHECK(wrong("0F0xyz") == found{trailing_text, 1, 4});
  CHECK(wrong("0F0,0F1\n1F0,1F1 2") == found{trailing_text, 2, 9});
  CHECK(wrong("0X0") == found{no_action, 1, 2});
  CHECK(wrong("0f0") == found{no_action, 1, 2});
  CHECK(wrong("00") == found{no_action, 1, 3});
  CHECK(wrong("0BW0") == found{old_action, 1, 2});
  CHECK(wrong("F0") == found{no_stage, 1, 1});
  CHECK(wrong("0F0,-1F0") == found{no_stage, 1, 5});
  CHECK(wrong("files/schedule.csv") == found{path_given, 1, 1});
  CHECK(wrong("0F") == found{no_micro_batch, 1, 3});
  CHECK(wrong("0SEND_F") == found{no_micro_batch, 1, 8});
  CHECK(wrong("0UNSHARD0") == found{extra_micro_batch, 1, 9});
  CHECK(wrong("9999F0") == found{number_too_large, 1, 4});
  CHECK(wrong("0F99999999999999999999999") == found{number_too_large, 1, 3});
  CHECK(wrong("0F5") == found{number_too_large, 1, 3});
  CHECK(wrong("\"0F0") == found{open_quote, 1, 5});
  CHECK(wrong("\"0F0\n1F0\"") == found{open_quote, 1, 5});
  CHECK(wrong("\"0F0,0F1\"") == found{trailing_text, 1, 5});
  CHECK(wrong("\"0F0\"0F1") == found{after_quote, 1, 6});
  CHECK(wrong("(0F0;1B0)") == found{bad_compound, 1, 10});
  CHECK(wrong("(0F0,1B0)OVERLAP_F_B") == found{bad_compound, 1, 5});
  CHECK(wrong("(0F0;1B0;0F0)OVERLAP_F_B") == found{bad_compound, 1, 9});
  CHECK(wrong("(0F0;1SEND_B0)OVERLAP_F_B") == found{bad_compound, 1, 14});
  CHECK(wrong("((0F0;1B0)OVERLAP_F_B;0F1)OVERLAP_F_B") == found{no_stage, 1, 2});
  CHECK(wrong("0F0\r0B0") == found{trailing_text, 1, 4});
}

TEST_CASE("a fault shows its cell, up to the comma or the end of the line") {
  const auto cell = [](std::string_view text) {
    action_rows rows;
    return std::string{parse_csv(text, rows).where.text.view()};
  };
  CHECK(cell("0X0") == "0X0");
  CHECK(cell("0F0,0X0 ,0F1") == "0X0 ");
  CHECK(cell("0F0\n0X0\n1F0") == "0X0");
  CHECK(cell("0F0,0X0\r\n1F0") == "0X0");
}

TEST_CASE("no text, cut anywhere, or with any character changed, does harm") {
  const std::string text = "0UNSHARD,\"0F0\",(0F1;3B0)OVERLAP_F_B,,0SEND_F1\r\n1RECV_F0,1I0,1W0\r\n";
  for (std::size_t i = 0; i < text.size(); ++i) {
    action_rows rows;
    static_cast<void>(parse_csv(text.substr(0, i), rows));
    for (const char c : {',', '"', '(', ')', ';', '\n', '\r', '0', 'F', ' ', '\0', '\xff'}) {
      std::string changed = text;
      changed[i] = c;
      action_rows other;
      const csv_fault found = parse_csv(changed, other);
      CHECK(found.where.line <= 3);
      CHECK(found.where.column <= text.size() + 1);
    }
  }
}

}  // namespace csv_read_test
