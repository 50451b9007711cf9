// SPDX-License-Identifier: BSL-1.0
// Comma-separated text as a dataset, with a type for each column: `csv<std::array<float, 4>, label<>>("iris.csv")`. It is
// read once, column by column into memory, so loaders hand it out without copies.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/core/type_name.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/sources/csv_cells.hpp>
#include <ipuflow/feed/sources/csv_scanner.hpp>
#include <ipuflow/feed/sources/mapped_file.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace ipuflow::feed {

/// A column of a file: by its name in the header, or by its position, counted from 0.
struct csv_column {
  std::optional<std::string> name{};  ///< in the header; none: by position
  std::size_t position = 0;           ///< in the line, from 0

  csv_column(const char* text) : name{text} {}
  csv_column(std::string text) : name{std::move(text)} {}
  template <std::integral Position>
  csv_column(Position at) : position{static_cast<std::size_t>(at)} {}
};

/// Options of reading a CSV file.
struct csv_options {
  bool header = true;                   ///< the first line has the names of the columns
  char separator = ',';                 ///< between cells
  std::vector<csv_column> columns{};    ///< in the order of the types; none: all columns of the file
  std::vector<std::string> classes{};  ///< of labels, in the order of their numbers; none: those found, in the alphabet's
};

namespace impl {

/// The place where the cells of a column go.
struct cell_sink {
  void* field = nullptr;  ///< none: the column is not read
  table_wrong (*put)(void* field, std::size_t at, std::string_view text) = nullptr;
  std::size_t width = 1;
  std::size_t offset = 0;
  std::string_view wanted{};
  std::size_t most_classes = 0;
};

template <class = void>
[[nodiscard]] fixed_string<120> names_in_a_row(const std::vector<std::string>& names) {
  fixed_string<120> row;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) row += std::string_view{", "};
    row += std::string_view{names[i]};
  }
  return row;
}

/// The position that each of the `taken` columns has in the file; `first` are the cells of its first line.
template <class = void>
[[nodiscard]] std::vector<std::size_t> csv_positions(const std::vector<std::string>& first, std::size_t taken, const csv_options& o,
                                                     const file_name& file) {
  std::vector<std::size_t> found;
  const auto reject = [&](table_wrong kind, std::size_t got, std::size_t limit, const std::string& text) {
    throw_if(table_fault{kind, got, limit, {file, 1, 0, fixed_string<60>{std::string_view{text}}, names_in_a_row(first)}});
  };
  if (o.columns.empty()) {
    if (first.size() != taken) reject(table_wrong::columns_taken, first.size(), taken, first.empty() ? std::string{} : first[0]);
    for (std::size_t i = 0; i < taken; ++i) found.push_back(i);
    return found;
  }
  if (o.columns.size() != taken) reject(table_wrong::columns_chosen, o.columns.size(), taken, {});
  for (const csv_column& column : o.columns) {
    std::size_t at = column.position;
    if (column.name) {
      if (!o.header) reject(table_wrong::no_header, 0, 0, *column.name);
      at = static_cast<std::size_t>(algorithms::find(first.begin(), first.end(), *column.name) - first.begin());
      if (at == first.size()) reject(table_wrong::no_such_column, 0, 0, *column.name);
      const auto again = static_cast<std::size_t>(algorithms::find(first.begin() + static_cast<std::ptrdiff_t>(at) + 1, first.end(), *column.name) - first.begin());
      if (again < first.size()) reject(table_wrong::name_twice, at, again, *column.name);
    }
    if (at >= first.size()) reject(table_wrong::no_such_position, at, first.size(), {});
    if (algorithms::find(found.begin(), found.end(), at) != found.end()) reject(table_wrong::taken_twice, at, 0, first[at]);
    found.push_back(at);
  }
  return found;
}

/// True if each cell of a first line that is to be a number is one: then it names no columns.
template <class = void>
[[nodiscard]] bool looks_like_data(const std::vector<std::string>& first, light_span<const cell_sink> taken) {
  std::size_t numbers = 0;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (taken[i].most_classes > 0 || taken[i].wanted == "std::string") continue;
    double number = 0;
    if (read_number(first[i], number) != table_wrong::nothing) return false;
    ++numbers;
  }
  return numbers > 0;
}

/// Reads all rows into sinks, one for each column that is taken; returns how many there were. `make_room` is told before
/// how many there are at most.
template <class MakeRoom>
std::size_t read_csv(light_span<const std::uint8_t> bytes, const std::string& path, const csv_options& o,
                     light_span<const cell_sink> taken, MakeRoom make_room) {
  std::vector<std::string> first;
  std::string_view text;
  csv_scanner scan{bytes, path, o.separator};
  if (scan.next_row()) {
    while (scan.next_cell(text)) first.emplace_back(text);
  } else if (o.columns.empty()) {
    return 0;
  }
  std::vector<cell_sink> sinks(first.size());
  const std::vector<std::size_t> positions = csv_positions(first, taken.size(), o, file_name{path});
  for (std::size_t i = 0; i < positions.size(); ++i) sinks[positions[i]] = taken[i];
  // A row takes a byte for each of its cells, but for one that is cut short: a wide first line with empty ones behind it has no rows.
  const auto ends = static_cast<std::size_t>(algorithms::count(bytes.begin(), bytes.end(), std::uint8_t{'\n'}));
  make_room(algorithms::min(ends, bytes.size() / algorithms::max<std::size_t>(first.size(), 1)) + 1);

  if (!o.header) {
    scan = {bytes, path, o.separator};
  } else if (o.columns.empty() && looks_like_data(first, taken)) {
    throw_if(table_fault{table_wrong::looks_like_data, 0, 0, {file_name{path}, 1, 1, fixed_string<60>{std::string_view{first[0]}}, {}}});
  }
  std::size_t row = 0;
  for (; scan.next_row(); ++row) {
    std::size_t cells = 0;
    const auto reject = [&](table_wrong kind, std::size_t got, std::size_t limit) {
      const std::string_view wanted = cells <= sinks.size() ? sinks[cells - 1].wanted : std::string_view{};
      throw_if(table_fault{kind, got, limit,
                           {file_name{path}, scan.line(), scan.column(), fixed_string<60>{text},
                            kind == table_wrong::no_such_class ? names_in_a_row(o.classes) : fixed_string<120>{wanted}}});
    };
    while (scan.next_cell(text)) {
      if (++cells > sinks.size()) continue;
      const cell_sink& to = sinks[cells - 1];
      if (to.field == nullptr) continue;
      const table_wrong wrong = to.put(to.field, row * to.width + to.offset, text);
      if (wrong == table_wrong::too_many_classes) reject(wrong, to.most_classes + 1, to.most_classes);
      if (wrong != table_wrong::nothing) reject(wrong, 0, 0);
    }
    if (cells != sinks.size()) reject(table_wrong::cells, cells, sinks.size());
  }
  return row;
}

/// The first type that no cell becomes.
template <class... Field>
constexpr table_fault verify_fields() {
  table_fault found{};
  ((!found && !read_from_cells<Field>
        ? void(found = {table_wrong::no_field, 0, 0, {.wanted = fixed_string<120>{type_name<Field>().view()}}})
        : void()),
   ...);
  return found;
}

}  // namespace impl

/// The rows of a file: each field of a sample is what its types say.
template <impl::read_from_cells... Field>
class csv_dataset : public dataset_view {
  using fields = std::tuple<impl::csv_field<Field>...>;
  using indices = std::index_sequence_for<Field...>;

 public:
  /// Throws unless every cell is what its type says.
  csv_dataset(const std::string& path, const csv_options& o) {
    const mapped_file file{path};
    auto read = share<fields>();
    const auto each = [&](auto act) { std::apply([&](auto&... field) { (act(field), ...); }, *read); };
    std::vector<impl::cell_sink> sinks;
    each([&]<class F>(F& field) {
      for (std::size_t i = 0; i < F::width; ++i) sinks.push_back({&field, &put<F>, F::width, i, F::wanted, F::most_classes});
      if constexpr (requires { field.given; }) {
        field.classes = o.classes;
        field.given = !o.classes.empty();
      }
    });
    size_ = impl::read_csv(file.bytes(), path, o, sinks, [&](std::size_t rows) { each([&](auto& field) { field.make_room(rows); }); });
    each([&](auto& field) {
      field.make_room(size_);
      if constexpr (requires { field.finish(); }) field.finish();
    });
    fields_ = std::move(read);
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  std::tuple<typename impl::csv_field<Field>::view_type...> operator[](std::size_t index) const {
    return std::apply([&](const auto&... field) {
      return std::tuple<typename impl::csv_field<Field>::view_type...>{field.view(field.elements.data() + index * field.width)...};
    }, *fields_);
  }
  std::tuple<column_view<field_t<typename impl::csv_field<Field>::view_type>>...> columns() const {
    return std::apply([&](const auto&... field) {
      return std::tuple{column_view<field_t<typename impl::csv_field<Field>::view_type>>{field.elements.data(), size_, field.width}...};
    }, *fields_);
  }

  /// The names of the classes, in the order of their numbers; of several columns of labels, of the first.
  const std::vector<std::string>& classes() const
    requires(impl::of_classes<Field> || ...)
  {
    constexpr bool labels[] = {impl::of_classes<Field>...};
    constexpr auto first = static_cast<std::size_t>(algorithms::find(std::begin(labels), std::end(labels), true) - std::begin(labels));
    return std::get<first>(*fields_).classes;
  }

 private:
  template <class F>
  static table_wrong put(void* field, std::size_t at, std::string_view text) {
    return static_cast<F*>(field)->put(at, text);
  }

  shared<const fields> fields_;
  std::size_t size_ = 0;
};

/// The rows of a file. A type takes a column, an array as many as it has elements.
template <class... Field>
  requires(sizeof...(Field) > 0)
auto csv(const std::string& path, const csv_options& o = {}) {
  constexpr table_fault found = impl::verify_fields<Field...>();
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  if constexpr (!found) return csv_dataset<Field...>{path, o};
}

}  // namespace ipuflow::feed
