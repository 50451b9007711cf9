// SPDX-License-Identifier: BSL-1.0
// A reader of pages, for tests: finds the data in the file and reads them as a browser's script has to, by the description of
// the format in docs/page.md alone.
#pragma once

#include "report/inflate.hpp"
#include "report/json.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace page_reader {

class container {
 public:
  explicit container(std::string bytes) : bytes_{std::move(bytes)} {
    std::size_t size = 0;
    for (std::size_t i = 4; i-- > 0;) size = size << 8 | static_cast<unsigned char>(bytes_.at(i));
    payload_ = (4 + size + 7) / 8 * 8;
    if (payload_ > bytes_.size() + 7) throw std::runtime_error{"the header is cut off"};
    header = json::parser{std::string_view{bytes_}.substr(4, size)}.parse();
  }

  /// The numbers that a reference stands for.
  std::vector<double> numbers(const json::value& reference) const {
    std::size_t at = payload_ + static_cast<std::size_t>(reference["at"].number);
    const auto count = static_cast<std::size_t>(reference["count"].number);
    const std::string& type = reference["type"].text;
    std::vector<double> all;
    if (type == "delta") {
      std::int64_t value = 0;
      for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t zigzag = 0;
        for (unsigned shift = 0;; shift += 7) {
          const auto byte = static_cast<unsigned char>(bytes_.at(at++));
          zigzag |= std::uint64_t{byte & 0x7fu} << shift;
          if (byte < 0x80) break;
        }
        value += static_cast<std::int64_t>(zigzag >> 1) ^ -static_cast<std::int64_t>(zigzag & 1);
        all.push_back(static_cast<double>(value));
      }
      return all;
    }
    const std::size_t width = type == "u8" ? 1 : type == "u16" ? 2 : type == "u32" ? 4 : type == "f64" ? 8 : 0;
    if (width == 0) throw std::runtime_error{"no type of column: " + type};
    if ((at - payload_) % width != 0) throw std::runtime_error{"a column that is not aligned"};
    for (std::size_t i = 0; i < count; ++i, at += width) {
      std::uint64_t value = 0;
      for (std::size_t byte = width; byte-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes_.at(at + byte));
      double real = 0;
      std::memcpy(&real, &value, sizeof real);
      all.push_back(type == "f64" ? real : static_cast<double>(value));
    }
    return all;
  }

  const json::value& part(std::size_t number) const { return header["parts"].items.at(number); }

  json::value header{};

 private:
  std::string bytes_;
  std::size_t payload_ = 0;
};

/// The data of a whole page.
inline container data_of(std::string_view page) {
  constexpr std::string_view opens = R"(<script id="data" type="text/plain">)";
  const std::size_t begin = page.find(opens);
  if (begin == page.npos) throw std::runtime_error{"no data"};
  page.remove_prefix(begin + opens.size());
  return container{inflate::gunzip(inflate::from_base64(page.substr(0, page.find("</script>"))))};
}

}  // namespace page_reader
