// SPDX-License-Identifier: BSL-1.0
// A table of the memory of operations: the code, state, exchange code and control code that each puts on tiles.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/program/memory_report.hpp>
#include <ipuflow/report/drawing/numbers.hpp>
#include <ipuflow/report/drawing/text_table.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace ipuflow::report {

namespace impl {

/// The lines of an operation and, further in, of those within it; none of those that add nothing.
template <class = void>
void add_operation(text_table& t, const ipu::memory_report& m, std::size_t number, std::size_t depth) {
  light_vector<std::string> cells{std::string(2 * depth, ' ') + std::string(number == 0 ? "all" : m.operations[number].name.view())};
  bool any = number == 0;
  for (std::size_t c = 0; c < ipu::operation_memory{}.by_category.size(); ++c) {
    const std::uint64_t size = m.of_operation(number, static_cast<ipu::memory_category>(c));
    cells.push_back(with_commas(size));
    any = any || size > 0;
  }
  if (!any) return;
  t.row(std::move(cells));
  for (std::size_t o = 1; o < m.operations.size(); ++o) {
    if (m.operations[o].within == number) add_operation(t, m, o, depth + 1);
  }
}

}  // namespace impl

/// Bytes over all tiles; each line has what those within it have. Code that several operations have is the first one's.
template <class = void>
[[nodiscard]] std::string memory_by_operation(const ipu::memory_report& m) {
  if (m.operations.empty()) return "";
  light_vector<std::string> head{""};
  for (std::size_t c = 0; c < ipu::operation_memory{}.by_category.size(); ++c) head.push_back(std::string(name_of(static_cast<ipu::memory_category>(c))));
  text_table t(std::move(head));
  impl::add_operation(t, m, 0, 0);
  return t.text();
}

}  // namespace ipuflow::report
