// SPDX-License-Identifier: BSL-1.0
// The cells of a text file as fields of samples: numbers, words, and words that are numbered as classes. Each kind of
// field says how many columns it takes, what holds it in memory, and how a cell is read.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/feed/column.hpp>
#include <ipuflow/feed/sources/read_characters.hpp>
#include <ipuflow/feed/sources/table_fault.hpp>
#include <ipuflow/feed/sources/word_numbers.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::feed {

/// A column of words that stand for classes, read as numbers from 0 on: in the order of the alphabet, or as it is said.
template <std::unsigned_integral Number = std::uint8_t>
struct label {};

namespace impl {

/// True if a decimal number is nearer to zero than one: if no type has it, because it is too small.
constexpr bool is_below_one(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  const std::string_view digits = text.substr(0, e);
  const std::size_t first = digits.find_first_of("123456789"), point = algorithms::min(digits.find('.'), digits.size());
  if (first == std::string_view::npos) return true;
  const auto place = static_cast<long long>(point) - static_cast<long long>(first) - (first < point ? 1 : 0);  // power of ten of that digit
  long long power = 0;
  bool falls = false;
  for (const char c : e == std::string_view::npos ? std::string_view{} : text.substr(e + 1)) {
    if (c == '-') falls = true;
    if (c >= '0' && c <= '9' && power < std::numeric_limits<long long>::max() / 16) power = 10 * power + (c - '0');
  }
  return place + (falls ? -power : power) < 0;
}

/// Numbers that text stands for; a wchar_t or a char8_t is a letter.
template <class T>
concept cell_number = tensor_element<T> && (std::is_same_v<T, half> || has_characters<T>);

/// Blanks around a number and a plus before it do not count; what is too small for a type is zero, or nearly.
template <cell_number Number>
table_wrong read_number(std::string_view text, Number& to) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  std::conditional_t<std::is_same_v<Number, half>, float, Number> number{};
  auto read = read_characters(text.data(), end, number);
  if constexpr (std::is_floating_point_v<decltype(number)>) {
    if (read.ec == std::errc::result_out_of_range && read.ptr == end && is_below_one(text)) {
      double wide = 0;
      read_characters(text.data(), end, wide);
      number = static_cast<decltype(number)>(wide);
      read.ec = {};
    }
  }
  if (read.ec == std::errc::result_out_of_range && read.ptr == end) return table_wrong::out_of_range;
  if (read.ec != std::errc{} || read.ptr != end) return table_wrong::no_number;
  if constexpr (std::is_floating_point_v<decltype(number)>) {
    if (number != number || number - number != 0) return table_wrong::not_finite;  // it would go through a whole network
  }
  to = static_cast<Number>(number);
  if constexpr (std::is_same_v<Number, half>) {
    if ((to.bits & 0x7fff) == 0x7c00) return table_wrong::out_of_range;
  }
  return table_wrong::nothing;
}

/// One field of all samples while a file is read.
template <class Field>
struct csv_field;

template <cell_number Number>
struct csv_field<Number> {
  using element_type = Number;
  using view_type = Number;
  static constexpr std::size_t width = 1;
  static constexpr std::string_view wanted = number_name<Number>();
  static constexpr std::size_t most_classes = 0;

  std::vector<element_type> elements{};

  void make_room(std::size_t rows) { elements.resize(rows * width); }
  table_wrong put(std::size_t at, std::string_view text) { return read_number(text, elements[at]); }
  static const view_type& view(const element_type* at) { return *at; }
};

template <cell_number Number, std::size_t Width>
struct csv_field<std::array<Number, Width>> : csv_field<Number> {
  using view_type = std::span<const Number, Width>;
  static constexpr std::size_t width = Width;

  void make_room(std::size_t rows) { this->elements.resize(rows * width); }
  static view_type view(const Number* at) { return view_type{at, Width}; }
};

template <>
struct csv_field<std::string> {
  using element_type = std::string;
  using view_type = std::string;
  static constexpr std::size_t width = 1;
  static constexpr std::string_view wanted = "std::string";
  static constexpr std::size_t most_classes = 0;

  std::vector<std::string> elements{};

  void make_room(std::size_t rows) { elements.resize(rows); }
  table_wrong put(std::size_t at, std::string_view text) {
    elements[at].assign(text);
    return table_wrong::nothing;
  }
  static const view_type& view(const element_type* at) { return *at; }
};

template <cell_number Number>
struct csv_field<label<Number>> : csv_field<Number> {
  static constexpr std::size_t most_classes = std::size_t{std::numeric_limits<Number>::max()} + (sizeof(Number) < sizeof(std::size_t));

  std::vector<std::string> classes{};  ///< as given, or as found, until they are sorted in the end
  std::vector<std::size_t> seen{};     ///< the class of each row, as they were found
  word_numbers numbers{};              ///< of the classes
  bool given = false;

  void make_room(std::size_t rows) {
    this->elements.resize(rows);
    seen.resize(rows);
  }
  table_wrong put(std::size_t at, std::string_view text) {
    const std::size_t number = numbers.find(classes, text);
    if (given && number == classes.size()) return table_wrong::no_such_class;
    if (number >= most_classes) return table_wrong::too_many_classes;
    if (number == classes.size()) classes.emplace_back(text);
    seen[at] = number;
    this->elements[at] = static_cast<Number>(number);  // of classes that were found, their rank in the end
    return table_wrong::nothing;
  }
  /// Numbers in the order of the alphabet, once all words are known.
  void finish() {
    numbers = {};
    const std::vector<std::size_t> found = std::exchange(seen, {});
    if (given) return;
    std::vector<std::size_t> order(classes.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    algorithms::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return classes[a] < classes[b]; });
    std::vector<Number> rank(order.size());
    std::vector<std::string> sorted(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      rank[order[i]] = static_cast<Number>(i);
      sorted[i] = std::move(classes[order[i]]);
    }
    classes = std::move(sorted);
    for (std::size_t i = 0; i < found.size(); ++i) this->elements[i] = rank[found[i]];
  }
};

template <class Field>
concept read_from_cells = requires { typename csv_field<Field>::view_type; };
template <class Field>
concept of_classes = requires(csv_field<Field>& f) { f.finish(); };

}  // namespace impl

}  // namespace ipuflow::feed
