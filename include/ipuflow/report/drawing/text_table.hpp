// SPDX-License-Identifier: BSL-1.0
// A table for a terminal: the first column stands to the left, all others to the right. Columns that do not fit into
// the width continue below, beside the first one again.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/report/drawing/utf8.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace ipuflow::report {

template <class = void>
class basic_text_table {
 public:
  /// `together`: the number of columns, after the first, that are not parted from each other; 0 is as 1.
  explicit basic_text_table(light_vector<std::string> head, std::size_t together = 1) : together_{together == 0 ? 1 : together} {
    row(std::move(head));
  }

  /// Cells that are missing at the end are empty.
  void row(light_vector<std::string> cells) {
    if (cells.size() > widths_.size()) widths_.resize(cells.size());
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (impl::characters_in(cells[c]) > widths_[c]) widths_[c] = impl::characters_in(cells[c]);
    }
    rows_.push_back(std::move(cells));
  }

  [[nodiscard]] std::string text(std::size_t width = 100) const {
    std::string all;
    std::size_t begin = 1;
    do {
      std::size_t end = begin;
      for (std::size_t used = widths_[0]; end < widths_.size(); end = after(end)) {
        for (std::size_t c = end; c < after(end); ++c) used += gap(c) + widths_[c];
        if (used > width && end > begin) break;
      }
      if (begin > 1) all += "\n";
      for (const light_vector<std::string>& cells : rows_) all += line(cells, begin, end);
      begin = end;
    } while (begin < widths_.size());
    return all;
  }

 private:
  std::size_t after(std::size_t c) const {
    const std::size_t end = c + together_;
    return end < widths_.size() ? end : widths_.size();
  }
  /// Space before a column.
  std::size_t gap(std::size_t c) const { return (c - 1) % together_ == 0 ? 2 : 1; }

  std::string line(const light_vector<std::string>& cells, std::size_t begin, std::size_t end) const {
    std::string text = cells.empty() ? "" : cells[0];
    text.append(widths_[0] - impl::characters_in(text), ' ');
    for (std::size_t c = begin; c < end; ++c) {
      const std::string cell = c < cells.size() ? cells[c] : "";
      text.append(gap(c) + widths_[c] - impl::characters_in(cell), ' ');
      text += cell;
    }
    return text.erase(text.find_last_not_of(' ') + 1) + "\n";
  }

  std::size_t together_;
  light_vector<std::size_t> widths_{0};
  light_vector<light_vector<std::string>> rows_;
};
using text_table = basic_text_table<>;

}  // namespace ipuflow::report
