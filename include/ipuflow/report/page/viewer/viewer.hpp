// SPDX-License-Identifier: BSL-1.0
// The viewer of the page: its style and the pieces of its script, in the order in which they run. They are kept as people read them;
// a page has them without indentation, comments and spaces that mean nothing.
#pragma once

#include <ipuflow/report/page/viewer/base_script.hpp>
#include <ipuflow/report/page/viewer/chart_script.hpp>
#include <ipuflow/report/page/viewer/compare_script.hpp>
#include <ipuflow/report/page/viewer/data_script.hpp>
#include <ipuflow/report/page/viewer/hands_script.hpp>
#include <ipuflow/report/page/viewer/lanes_script.hpp>
#include <ipuflow/report/page/viewer/lists_script.hpp>
#include <ipuflow/report/page/viewer/memory_script.hpp>
#include <ipuflow/report/page/viewer/model_script.hpp>
#include <ipuflow/report/page/viewer/pen_script.hpp>
#include <ipuflow/report/page/viewer/rows_script.hpp>
#include <ipuflow/report/page/viewer/schedule_script.hpp>
#include <ipuflow/report/page/viewer/search_script.hpp>
#include <ipuflow/report/page/viewer/shell_script.hpp>
#include <ipuflow/report/page/viewer/style.hpp>
#include <ipuflow/report/page/viewer/strip_script.hpp>
#include <ipuflow/report/page/viewer/summary_script.hpp>
#include <ipuflow/report/page/viewer/supersteps_script.hpp>
#include <ipuflow/report/page/viewer/table_script.hpp>
#include <ipuflow/report/page/viewer/tiles_script.hpp>
#include <ipuflow/report/page/viewer/timeline_script.hpp>
#include <ipuflow/report/page/viewer/tracks_script.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace ipuflow::report::impl {

/// In the order in which they run.
inline constexpr std::string_view viewer_scripts[] = {
    base_script,     data_script,     tracks_script, rows_script,   lanes_script, hands_script,   model_script,
    supersteps_script, table_script,  pen_script,    chart_script,  strip_script, tiles_script,   summary_script, timeline_script,
    schedule_script, memory_script,   lists_script,  compare_script, search_script, shell_script};

/// True if a space between two characters means nothing. Two signs in a row would be one operator; in a style sheet a space can mean
/// a descendant or a sum.
constexpr bool space_is_idle(char before, char behind, bool script) {
  const auto one_of = [](std::string_view set, char c) { return set.find(c) != std::string_view::npos; };
  if (!script) return one_of("{};,:\n", before) || one_of("{};,", behind);
  if (one_of("+-", before) && one_of("+-", behind)) return false;
  return one_of("{}()[];,=<>?&|:+-*/!\"\n", before) || one_of("{}()[];,=<>?&|:+-*/!\"", behind);
}

/// True if a line that ends with a character may go on with the next one.
constexpr bool breaks_idly(char last, bool script) {
  return std::string_view(script ? "{([,;})=>+&" : "{};,").find(last) != std::string_view::npos;
}

/// Brackets that a line leaves open.
constexpr int opens(std::string_view line) {
  int depth = 0;
  for (const char c : line) depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
  return depth;
}

/// Appends a piece without what only people read. Strings keep all they have; a regular expression holds no quote, no space and no
/// bracket without its other half, and a loop has a body. Declarations that follow each other become one, and a constant takes the
/// shorter word of a variable.
template <class = void>
inline void add_viewer_piece(std::string& page, std::string_view piece, bool script = true) {
  bool declares = false;  // within a declaration
  bool declared = false;  // the line before ended one
  int depth = 0;          // of brackets within it
  while (!piece.empty()) {
    std::string_view line = piece.substr(0, piece.find('\n'));
    piece.remove_prefix(line.size() == piece.size() ? line.size() : line.size() + 1);
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos || (script && line.substr(begin, 2) == "//")) continue;
    line.remove_prefix(begin);
    if (script) line = line.substr(0, line.find(" // "));
    const std::size_t word = !script ? 0 : line.starts_with("const ") ? 6 : line.starts_with("let ") ? 4 : 0;
    const bool begins = word > 0;
    if (begins) depth = 0;
    declares = begins || (declares && !declared);
    depth += opens(line);
    if (begins && declared) {
      page.back() = ',';
      line.remove_prefix(word);
    } else if (!page.empty() && page.back() == '\n' && std::string_view(")]}.?:&|").find(line.front()) != std::string_view::npos) {
      page.pop_back();
    }
    declared = declares && depth == 0 && line.back() == ';';
    char quote = '\0';
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (quote != '\0') {
        page += c;
        if (c == '\\' && i + 1 < line.size()) page += line[++i];
        else if (c == quote) quote = '\0';
        continue;
      }
      if (c == '"' || c == '\'') quote = c;
      if (script && c == 'c' && line.substr(i, 6) == "const " && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '(')) {
        page += "let";
        i += 4;
        continue;
      }
      if (c == ' ' && i + 1 < line.size() && space_is_idle(page.empty() ? '\n' : page.back(), line[i + 1], script)) continue;
      if (c == '}' && !page.empty() && page.back() == ';') page.pop_back();
      page += c;
    }
    if (!breaks_idly(page.back(), script)) page += '\n';
  }
  if (page.back() != '\n') page += '\n';
}

}  // namespace ipuflow::report::impl
