// SPDX-License-Identifier: BSL-1.0
// The static half of a page: headlines, tables and pictures that are there without a script. Words are data, whatever they are:
// none of them becomes an element or an attribute.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/report/drawing/svg_canvas.hpp>
#include <ipuflow/report/page/base64.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace ipuflow::report {

/// A table of a page; cells that are missing at the end of a row are empty.
struct page_table {
  std::string title{};
  std::string note{};                            ///< a sentence below the title
  light_vector<std::string> head{};               ///< names of columns
  light_vector<light_vector<std::string>> rows{};  ///< cells; the first names its row
};

namespace impl {

/// Words as they may stand in text and in attributes between double quotes.
[[nodiscard]] inline std::string html_words(std::string_view words) { return svg_words(words); }

/// A picture without what it says of a box below the pointer: as an image it has no pointer.
template <class = void>
[[nodiscard]] std::string without_titles(std::string_view svg) {
  constexpr std::string_view opens = "<title>", closes = "</title>";
  std::string text;
  for (std::size_t at = svg.find(opens); at != svg.npos; at = svg.find(opens)) {
    text += svg.substr(0, at);
    svg.remove_prefix(algorithms::min(svg.find(closes, at), svg.size() - closes.size()) + closes.size());
  }
  return text += svg;
}

/// HTML, element by element.
class html_text {
 public:
  html_text& headline(std::size_t level, std::string_view words) { return element("h" + std::to_string(level), words); }
  html_text& paragraph(std::string_view words) { return words.empty() ? *this : element("p", words); }
  html_text& table(const page_table& t, std::size_t level) {
    if (t.rows.empty()) return *this;
    if (!t.title.empty()) headline(level, t.title);
    paragraph(t.note);
    const std::string label = html_words(t.title.empty() ? std::string_view{"table"} : std::string_view{t.title});
    text_ += "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"" + label + "\"><table>\n";
    if (!t.head.empty()) {
      text_ += "<thead><tr>";
      for (const std::string& cell : t.head) text_ += cell.empty() ? std::string{"<td></td>"} : "<th scope=\"col\">" + html_words(cell) + "</th>";
      text_ += "</tr></thead>\n";
    }
    text_ += "<tbody>\n";
    for (const light_vector<std::string>& cells : t.rows) row(cells, t.head.size());
    text_ += "</tbody></table></div>\n";
    return *this;
  }
  /// A picture by itself: its style is its own, and nothing in it can run.
  html_text& picture(std::string_view svg, std::string_view says) {
    text_ += "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"" + html_words(says) + "\"><img class=\"picture\" alt=\"" + html_words(says) +
             "\" src=\"data:image/svg+xml;base64," + base64<>(without_titles<>(svg)) + "\"></div>\n";
    return *this;
  }
  html_text& put(const html_text& inner) {
    text_ += inner.text_;
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  html_text& element(const std::string& name, std::string_view words) {
    text_ += "<" + name + ">" + html_words(words) + "</" + name + ">\n";
    return *this;
  }
  void row(const light_vector<std::string>& cells, std::size_t columns) {
    text_ += "<tr>";
    for (std::size_t c = 0; c < algorithms::max(cells.size(), columns); ++c) {
      const std::string words = c < cells.size() ? html_words(cells[c]) : "";
      text_ += c == 0 ? "<th scope=\"row\">" + words + "</th>" : "<td>" + words + "</td>";
    }
    text_ += "</tr>\n";
  }

  std::string text_;
};

}  // namespace impl

}  // namespace ipuflow::report
