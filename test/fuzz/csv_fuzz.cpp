// SPDX-License-Identifier: BSL-1.0
// libFuzzer against the reader of CSV: whatever a file holds, it is refused with a sentence that names the file, or it is a table
// that is the same when its cells are written again, quoted, and read. The first byte of the input chooses the columns and the options.
#include "../made_file.hpp"
#include "memory_file.hpp"

#include <ipuflow/feed/sources/csv.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

using namespace ipuflow;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using fuzz::expect;
using fuzz::memory_file;

std::string written(const std::string& text, char separator) {
  const bool plain = !text.empty() && text.find_first_of("\"\r\n") == text.npos && text.find(separator) == text.npos && !text.starts_with("\xEF");
  if (plain) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string{"\"\""} : std::string(1, c);
  return quoted + '"';
}
template <class Number>
  requires std::is_arithmetic_v<Number>
std::string written(Number number, char) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}
std::string written(half number, char separator) { return written(static_cast<float>(number), separator); }
template <class Number, std::size_t Width>
std::string written(std::span<const Number, Width> numbers, char separator) {
  std::string all;
  for (const Number n : numbers) all += (all.empty() ? "" : std::string(1, separator)) + written(n, separator);
  return all;
}

/// A table as text: a row for each sample, and a header if one is asked for.
template <class Dataset>
std::string text_of(const Dataset& data, const feed::csv_options& o, std::size_t columns) {
  std::string text;
  for (std::size_t i = 0; o.header && i < columns; ++i) text += (i == 0 ? "c" : std::string(1, o.separator) + "c") + std::to_string(i);
  if (o.header) text += '\n';
  for (std::size_t row = 0; row < data.size(); ++row) {
    std::apply([&](const auto& first, const auto&... rest) {
      text += written(first, o.separator);
      ((text += o.separator, text += written(rest, o.separator)), ...);
    }, data[row]);
    text += '\n';
  }
  return text;
}

template <class... Field>
void read(std::span<const std::uint8_t> bytes, feed::csv_options o, std::size_t columns) {
  const memory_file file{bytes};
  try {
    const auto data = feed::csv<Field...>(file.path(), o);
    o.columns.clear();
    if constexpr (requires { data.classes(); }) {
      expect(o.classes.empty() || data.classes() == o.classes);
      for (std::size_t i = 1; o.classes.empty() && i < data.classes().size(); ++i) expect(data.classes()[i - 1] < data.classes()[i]);
      // Labels were numbered: the words that they stand for are read again as numbers.
    } else {
      const std::string text = text_of(data, o, columns);
      const memory_file again{{reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}};
      const auto same = feed::csv<Field...>(again.path(), o);
      expect(same.size() == data.size());
      expect(text_of(same, o, columns) == text);
    }
    std::size_t sum = 0;
    for (std::size_t i = 0; i < data.size(); ++i) sum += text_of(data, o, columns).size() > 0 ? 1 : 0, i += data.size() / 16;
    (void)sum;
  } catch (const error& wrong) {
    const std::string_view said = wrong.what();
    expect(said.starts_with("ipuflow: ") && said.find("/proc/self/fd/") != said.npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::span<const std::uint8_t> bytes{data + 1, size - 1};
  feed::csv_options o;
  o.header = (data[0] & 1) != 0;
  o.separator = ",;\t|"[data[0] >> 1 & 3];
  switch (data[0] >> 3 & 7) {
    case 0:
      read<std::string>(bytes, o, 1);
      break;
    case 1:
      read<std::string, std::string>(bytes, o, 2);
      break;
    case 2:
      read<std::array<float, 2>, std::uint8_t>(bytes, o, 3);
      break;
    case 3:
      read<float, feed::label<>>(bytes, o, 2);
      break;
    case 4:
      o.classes = {"a", "b", ""};
      read<feed::label<std::uint16_t>, std::string>(bytes, o, 2);
      break;
    case 5:
      o.columns = {"b", 0};
      read<half, std::int64_t>(bytes, o, 2);
      break;
    case 6:
      o.columns = {2, 1};
      read<double, std::string>(bytes, o, 2);
      break;
    default:
      o.columns = {1};
      read<feed::label<>>(bytes, o, 1);
  }
  return 0;
}

/// Sometimes puts a piece of the format somewhere, or repeats the whole; otherwise changes bytes.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned int seed) {
  constexpr std::string_view words[] = {",", ";", "\"", "\"\"", "\n", "\r\n", "\r", "\xEF\xBB\xBF", "1e999", "-0", "+1", " 2 ", "0x1",
                                        "nan", "inf", "1e-400", "9223372036854775807", "-9223372036854775808", "65536", "a", "b", ".5", "\t", "65504", "65520"};
  const std::string_view word = words[seed / 8 % (sizeof words / sizeof *words)];
  if (seed % 64 == 1 && 2 * size <= most) {
    std::memcpy(data + size, data, size);
    return 2 * size;
  }
  if (seed % 3 != 0 || size + word.size() > most || size == 0) return LLVMFuzzerMutate(data, size, most);
  const std::size_t at = 1 + seed / 256 % size;
  std::memmove(data + at + word.size(), data + at, size - at);
  std::memcpy(data + at, word.data(), word.size());
  return size + word.size();
}
