// SPDX-License-Identifier: BSL-1.0
// Faults of text files of rows and columns. The sentence names the file, line and column, counted from 1 as editors
// count, and the text found there.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/feed/sources/file_fault.hpp>

#include <cstddef>

namespace ipuflow::feed {

enum class table_wrong : unsigned char {
  nothing,
  no_number,
  out_of_range,
  cells,
  quote_open,
  quote_inside,
  no_such_column,
  no_such_position,
  no_header,
  taken_twice,
  columns_taken,
  columns_chosen,
  no_such_class,
  too_many_classes,
  no_field,
  not_finite,
  looks_like_data
};

struct table_place {
  file_name file{};
  std::size_t line = 0;
  std::size_t column = 0;
  fixed_string<60> text{};    ///< that was found
  fixed_string<120> wanted{};  ///< a type, or names

  friend constexpr bool operator==(const table_place&, const table_place&) = default;
};

using table_fault = fault<table_wrong, table_place>;

constexpr message_text sentence(const table_fault& f) {
  const table_place& at = f.where;
  const auto& file = at.file.text;
  switch (f.kind) {
    case table_wrong::nothing:
      break;
    case table_wrong::no_number:
      return words("ipuflow: file '", file, "', line ", at.line, ", column ", at.column, ": '", at.text, "' is no number of type ",
                   at.wanted, "; correct the cell, read the column as another type, or choose .columns without it");
    case table_wrong::out_of_range:
      return words("ipuflow: file '", file, "', line ", at.line, ", column ", at.column, ": '", at.text, "' does not fit into ",
                   at.wanted, "; read the column as a larger type");
    case table_wrong::cells:
      return words("ipuflow: file '", file, "', line ", at.line, " has ", f.got, " cells but the first line has ", f.limit,
                   ", the last cell is '", at.text, "'; correct the line, or give the file's .separator");
    case table_wrong::quote_open:
      return words("ipuflow: file '", file, "', line ", at.line, ", column ", at.column, ": the quote before '", at.text,
                   "' is never closed; close it, or double it and quote the whole cell");
    case table_wrong::quote_inside:
      return words("ipuflow: file '", file, "', line ", at.line, ", column ", at.column, ": there is a quote within the cell that begins '",
                   at.text, "'; quote the whole cell, and double the quotes within it");
    case table_wrong::no_such_column:
      return words("ipuflow: file '", file, "' has no column '", at.text, "'; its columns are ", at.wanted);
    case table_wrong::no_such_position:
      return words("ipuflow: column ", f.got, " of file '", file, "' is asked for, but it has ", f.limit,
                   "; positions count from 0 to one less");
    case table_wrong::no_header:
      return words("ipuflow: column '", at.text, "' of file '", file,
                   "' is asked for by name, but .header is false; give positions, counted from 0, or a file with names");
    case table_wrong::taken_twice:
      return words("ipuflow: column '", at.text, "' of file '", file, "' is chosen twice; choose it once, and copy it in a map");
    case table_wrong::columns_taken:
      return words("ipuflow: file '", file, "' has ", f.got, " columns but the types take ", f.limit, ", its line ", at.line,
                   " begins '", at.text, "'; give a type for each column, or choose .columns; check the .separator");
    case table_wrong::columns_chosen:
      return words("ipuflow: ", f.got, " columns of file '", file, "' are chosen but the types take ", f.limit,
                   "; an array takes as many as it has elements, anything else one");
    case table_wrong::no_such_class:
      return words("ipuflow: file '", file, "', line ", at.line, ", column ", at.column, ": '", at.text,
                   "' is none of the classes given; they are ", at.wanted);
    case table_wrong::too_many_classes:
      return words("ipuflow: a column of file '", file, "' has ", f.got, " classes, '", at.text, "' among them, but its type counts ",
                   f.limit, "; give a larger one, as in feed::label<std::uint16_t>, or choose another column");
    case table_wrong::no_field:
      return words("ipuflow: a cell of a file cannot be read as ", at.wanted,
                   "; give numbers, std::array of numbers, std::string, or feed::label<> for words that are classes");
    case table_wrong::not_finite:
      return words("ipuflow: file '", file, "', line ", at.line, ", column ", at.column, ": '", at.text,
                   "' is no number that can be computed with; leave the line out, or read the column as std::string");
    case table_wrong::looks_like_data:
      return words("ipuflow: file '", file, "' begins with '", at.text,
                   "' and other numbers where the names of columns should be; set .header = false, or name the columns");
  }
  return {};
}

}  // namespace ipuflow::feed
