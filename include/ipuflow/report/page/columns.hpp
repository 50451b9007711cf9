// SPDX-License-Identifier: BSL-1.0
// The payload of a page: columns of numbers, each in the form that takes fewest bytes, and for each the reference that the header
// has in its place. A container is the header's length, the header, zeros up to a multiple of eight, and the payload.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/report/drawing/json_members.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ipuflow::report {

namespace impl {

/// Small for numbers near zero, of both signs.
constexpr std::uint64_t zigzag(std::uint64_t difference) { return difference << 1 ^ (0 - (difference >> 63)); }

/// Bytes that a number takes as a LEB128.
constexpr std::size_t leb128_size(std::uint64_t number) { return static_cast<std::size_t>((70 - std::countl_zero(number | 1)) / 7); }

}  // namespace impl

template <class = void>
class basic_page_columns {
 public:
  /// A column of `of(0)`, ..., `of(count - 1)`, whole numbers: u8, u16, u32 or delta. Returns its reference.
  template <class Of>
  std::string add(std::size_t count, Of of) {
    std::uint64_t most = 0, before = 0;
    std::size_t deltas = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = static_cast<std::uint64_t>(of(i));
      most = algorithms::max(most, value);
      deltas += impl::leb128_size(impl::zigzag(value - before));
      before = value;
    }
    const std::size_t width = most < 0x100 ? 1 : most < 0x10000 ? 2 : most < 0x1'0000'0000 ? 4 : 8;
    if (deltas < width * count || width == 8) return add_differences(count, of, deltas);
    constexpr const char* names[] = {"", "u8", "u16", "", "u32"};
    const std::string reference = begin(width, count, names[width]);
    char* to = more(width * count);
    for (std::size_t i = 0; i < count; ++i, to += width) put(to, static_cast<std::uint64_t>(of(i)), width);
    return reference;
  }
  template <class Values>
  std::string add(const Values& values) {
    return add(values.size(), [&](std::size_t i) { return values[i]; });
  }

  /// A column of doubles.
  template <class Of>
  std::string add_reals(std::size_t count, Of of) {
    const std::string reference = begin(8, count, "f64");
    char* to = more(8 * count);
    for (std::size_t i = 0; i < count; ++i, to += 8) put(to, std::bit_cast<std::uint64_t>(static_cast<double>(of(i))), 8);
    return reference;
  }

  /// All columns behind a header, as one container.
  [[nodiscard]] std::string container(std::string_view header) const {
    std::string all;
    all.reserve(header.size() + bytes_.size() + 12);
    for (std::size_t byte = 0; byte < 4; ++byte) all += static_cast<char>(header.size() >> (8 * byte) & 0xff);
    all += header;
    while (all.size() % 8 != 0) all += '\0';
    return all += bytes_;
  }

 private:
  template <class Of>
  std::string add_differences(std::size_t count, const Of& of, std::size_t size) {
    const std::string reference = begin(1, count, "delta");
    char* to = more(size);
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = static_cast<std::uint64_t>(of(i));
      std::uint64_t rest = impl::zigzag(value - before);
      for (; rest >= 0x80; rest >>= 7) *to++ = static_cast<char>((rest & 0x7f) | 0x80);
      *to++ = static_cast<char>(rest);
      before = value;
    }
    return reference;
  }
  std::string begin(std::size_t width, std::size_t count, std::string_view type) {
    while (bytes_.size() % width != 0) bytes_ += '\0';
    return impl::json_members{}.add("at", bytes_.size()).add("count", count).add("type", type).text();
  }
  /// Room for more bytes.
  char* more(std::size_t count) {
    bytes_.resize(bytes_.size() + count);
    return bytes_.data() + (bytes_.size() - count);
  }
  static void put(char* to, std::uint64_t value, std::size_t width) {
    for (std::size_t byte = 0; byte < width; ++byte) to[byte] = static_cast<char>(value >> (8 * byte) & 0xff);
  }

  std::string bytes_;
};
using page_columns = basic_page_columns<>;

}  // namespace ipuflow::report
