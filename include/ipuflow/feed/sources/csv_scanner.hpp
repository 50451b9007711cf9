// SPDX-License-Identifier: BSL-1.0
// The rows and cells of comma-separated text as in RFC 4180: a cell in quotes may hold separators, line ends and doubled
// quotes; lines end in LF or CRLF, the last one perhaps in neither. Blank lines are no rows. A byte order mark is skipped.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/feed/sources/table_fault.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ipuflow::feed::impl {

class csv_scanner {
 public:
  csv_scanner(light_span<const std::uint8_t> bytes, std::string_view path, char separator)
      : path_{path}, separator_{separator}, at_{reinterpret_cast<const char*>(bytes.data())}, end_{at_ + bytes.size()} {
    if (std::string_view{at_, bytes.size()}.starts_with("\xEF\xBB\xBF")) at_ += 3;
  }

  /// Goes to the next row; false if there is none. All cells of the last one must have been read.
  bool next_row() {
    while (at_ != end_ && (*at_ == '\n' || (*at_ == '\r' && at_ + 1 != end_ && at_[1] == '\n'))) {
      at_ += *at_ == '\n' ? 1 : 2;
      ++next_line_;
    }
    if (at_ != end_ && *at_ == '\r' && at_ + 1 == end_) at_ = end_;
    in_row_ = at_ != end_;
    column_ = 0;
    return in_row_;
  }

  /// The next cell of the row, as it is until the cell after it; false if there is none.
  bool next_cell(std::string_view& text) {
    if (!in_row_) return false;
    ++column_;
    line_ = next_line_;
    if (at_ != end_ && *at_ == '"') {
      text = quoted();
    } else {
      const char* const begin = at_;
      while (at_ != end_ && *at_ != separator_ && *at_ != '\n') {
        if (*at_ == '"') fail(table_wrong::quote_inside, {begin, at_});
        ++at_;
      }
      text = {begin, at_};
      if ((at_ == end_ || *at_ == '\n') && text.ends_with('\r')) text.remove_suffix(1);
    }
    in_row_ = at_ != end_ && *at_ == separator_;
    if (at_ == end_) return true;
    if (*at_ == '\n') ++next_line_;
    ++at_;
    return true;
  }

  /// The line and the column of the last cell, counted from 1.
  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] std::size_t column() const { return column_; }

 private:
  [[noreturn, gnu::cold]] void fail(table_wrong kind, std::string_view text) const {
    throw rejected{table_fault{kind, 0, 0, {file_name{path_}, line_, column_, fixed_string<60>{text}}}};
  }

  /// Leaves `at_` behind the quotes, at a separator or the end of a line.
  std::string_view quoted() {
    const char* const first = ++at_;
    const char* begin = first;
    bool whole = true;  // in one piece
    for (;; ++at_) {
      if (at_ == end_) fail(table_wrong::quote_open, {first, end_});
      if (*at_ == '\n') ++next_line_;
      if (*at_ != '"') continue;
      if (at_ + 1 == end_ || at_[1] != '"') break;
      if (whole) unquoted_.clear();
      whole = false;
      unquoted_.append(begin, ++at_);  // one of the two
      begin = at_ + 1;
    }
    std::string_view text{begin, at_};
    if (!whole) text = unquoted_.append(text);
    ++at_;
    if (at_ != end_ && *at_ == '\r' && (at_ + 1 == end_ || at_[1] == '\n')) ++at_;
    if (at_ != end_ && *at_ != separator_ && *at_ != '\n') fail(table_wrong::quote_inside, {first, at_});
    return text;
  }

  std::string_view path_;
  char separator_;
  const char* at_;
  const char* end_;
  bool in_row_ = false;
  std::size_t next_line_ = 1;
  std::size_t line_ = 1;
  std::size_t column_ = 0;
  std::string unquoted_{};
};

}  // namespace ipuflow::feed::impl
