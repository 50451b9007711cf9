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
  name_twice,
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

constexpr const char* wording(table_wrong wrong) {
  switch (wrong) {
    case table_wrong::nothing:
      break;
    case table_wrong::no_number:
      return "ipuflow: file '{file}', line {line}, column {column}: '{text}' is no number of type {wanted}; correct the cell, read the column as "
             "another type, or choose .columns without it";
    case table_wrong::out_of_range:
      return "ipuflow: file '{file}', line {line}, column {column}: '{text}' does not fit into {wanted}; read the column as a larger type";
    case table_wrong::cells:
      return "ipuflow: file '{file}', line {line} has {got} cell{s} but the first line has {limit}, the last cell is '{text}'; correct the line, or "
             "give the file's .separator";
    case table_wrong::quote_open:
      return "ipuflow: file '{file}', line {line}, column {column}: the quote before '{text}' is never closed; close it, or double it and quote the "
             "whole cell";
    case table_wrong::quote_inside:
      return "ipuflow: file '{file}', line {line}, column {column}: there is a quote within the cell that begins '{text}'; quote the whole cell, "
             "and double the quotes within it";
    case table_wrong::no_such_column:
      return "ipuflow: file '{file}' has no column '{text}'; its columns are {wanted}";
    case table_wrong::name_twice:
      return "ipuflow: file '{file}' has two columns '{text}', at positions {got} and {limit}; choose one by its position";
    case table_wrong::no_such_position:
      return "ipuflow: column {got} of file '{file}' is asked for, but it has {limit}; positions count from 0 to one less";
    case table_wrong::no_header:
      return "ipuflow: column '{text}' of file '{file}' is asked for by name, but .header is false; give positions, counted from 0, or a file with "
             "names";
    case table_wrong::taken_twice:
      return "ipuflow: column '{text}' of file '{file}' is chosen twice; choose it once, and copy it in a map";
    case table_wrong::columns_taken:
      return "ipuflow: file '{file}' has {got} column{s} but the types take {limit}, its line {line} begins '{text}'; give a type for each column, or "
             "choose .columns; check the .separator";
    case table_wrong::columns_chosen:
      return "ipuflow: {got} column{s} of file '{file}' {is|are} chosen but the types take {limit}; an array takes as many as it has elements, anything "
             "else one";
    case table_wrong::no_such_class:
      return "ipuflow: file '{file}', line {line}, column {column}: '{text}' is none of the classes given; they are {wanted}";
    case table_wrong::too_many_classes:
      return "ipuflow: a column of file '{file}' has {got} class{es}, '{text}' among them, but its type counts {limit}; give a larger one, as in "
             "feed::label<std::uint16_t>, or choose another column";
    case table_wrong::no_field:
      return "ipuflow: a cell of a file cannot be read as {wanted}; give numbers, std::array of numbers, std::string, or feed::label<> for words "
             "that are classes";
    case table_wrong::not_finite:
      return "ipuflow: file '{file}', line {line}, column {column}: '{text}' is no number that can be computed with; leave the line out, or read "
             "the column as std::string";
    case table_wrong::looks_like_data:
      return "ipuflow: file '{file}' begins with '{text}' and other numbers where the names of columns should be; set .header = false, or name the "
             "columns";
  }
  return "";
}

constexpr message_text sentence(const table_fault& f) {
  const table_place& at = f.where;
  const auto& file = at.file.text;
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"file", file}, {"line", at.line}, {"column", at.column}, {"text", at.text},
                 {"wanted", at.wanted}});
}

}  // namespace ipuflow::feed
