// SPDX-License-Identifier: BSL-1.0
// The header of NumPy's format (numpy.lib.format), versions 1.0 to 3.0: six characters, two of version, the length of the
// text behind them, and that text, a dictionary of Python: 'descr', 'fortran_order' and 'shape'.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/feed/sources/array_fault.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace ipuflow::feed {

/// An array in NumPy's format.
struct npy_header {
  char kind = 'f';                ///< b: true or false, i: whole numbers with a sign, u: without, f: real numbers
  std::size_t element_bytes = 4;
  bool big_endian = false;
  bool fortran_order = false;     ///< the first axis is the one whose elements are neighbours
  bounded_vector<std::size_t, 32> extents{};
  std::size_t elements = 1;
  std::size_t offset = 0;         ///< where the elements begin

  friend constexpr bool operator==(const npy_header&, const npy_header&) = default;

  /// As NumPy writes it, "<f4".
  [[nodiscard]] constexpr fixed_string<8> element_text() const {
    fixed_string<8> text{std::string_view{element_bytes == 1 ? "|" : big_endian ? ">" : "<"}};
    text += std::string_view{&kind, 1};
    text += element_bytes;
    return text;
  }
  /// "(60000, 28, 28)".
  [[nodiscard]] constexpr fixed_string<60> shape_text() const {
    fixed_string<60> text{std::string_view{"("}};
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      if (axis > 0) text += std::string_view{", "};
      text += extents[axis];
    }
    text += std::string_view{extents.size() == 1 ? ",)" : ")"};
    return text;
  }
};

namespace impl {

/// Reads the dictionary, keys in any order.
class npy_text {
 public:
  npy_text(std::string_view text, std::string_view path) : text_{text}, path_{path} {}

  void read(npy_header& header) {
    bool type = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !type) {
        type = true;
        read_type(header);
      } else if (key == "fortran_order" && !order) {
        order = true;
        header.fortran_order = word("True");
        if (!header.fortran_order && !word("False")) fail();
      } else if (key == "shape" && !shape) {
        shape = true;
        read_shape(header);
      } else {
        fail();
      }
      if (!accept(',') && peek() != '}') fail();
    }
    if (!type || !order || !shape || peek() != '\0') fail();
  }

 private:
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail();
  }
  bool word(std::string_view wanted) {
    (void)peek();
    if (!text_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }
  std::string_view quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail();
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == text_.npos) fail();
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return inside;
  }

  void read_type(npy_header& header) {
    if (peek() == '[') refuse_array(array_wrong::element_type, path_, 0, 0, text_.substr(at_));
    const std::string_view type = quoted();
    constexpr std::string_view known[] = {"b1", "i1", "u1", "i2", "u2", "f2", "i4", "u4", "f4", "i8", "u8", "f8"};
    for (const std::string_view k : known) {
      if (type.size() != 3 || type.substr(1) != k || std::string_view{"<>|="}.find(type[0]) == type.npos) continue;
      header.kind = k[0];
      header.element_bytes = static_cast<std::size_t>(k[1] - '0');
      header.big_endian = type[0] == '>' && header.element_bytes > 1;
      return;
    }
    refuse_array(array_wrong::element_type, path_, 0, 0, type);
  }

  void read_shape(npy_header& header) {
    expect('(');
    while (!accept(')')) {
      std::size_t extent = 0;
      if (peek() < '0' || peek() > '9' || header.extents.size() == header.extents.capacity()) fail();
      for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
        const auto digit = static_cast<std::size_t>(text_[at_] - '0');
        if (extent > (std::numeric_limits<std::size_t>::max() - digit) / 10) fail();
        extent = extent * 10 + digit;
      }
      (void)word("L");  // of Python 2
      header.extents.push_back(extent);
      if (!accept(',') && peek() != ')') fail();
    }
  }

  [[noreturn]] void fail() const { refuse_array(array_wrong::header_text, path_, at_, 0, text_.substr(at_)); }

  std::string_view text_;
  std::string_view path_;
  std::size_t at_ = 0;
};

/// A little-endian number.
constexpr std::uint64_t little(const std::uint8_t* from, std::size_t count) {
  std::uint64_t number = 0;
  for (std::size_t i = count; i-- > 0;) number = number << 8 | from[i];
  return number;
}

}  // namespace impl

/// Reads the header of an array that takes all of `bytes`; throws unless it is whole.
template <class = void>
[[nodiscard]] npy_header parse_npy(light_span<const std::uint8_t> bytes, std::string_view path) {
  const std::string_view all{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  if (!all.starts_with("\x93NUMPY")) impl::refuse_array(array_wrong::magic, path);
  if (all.size() < 8) impl::refuse_array(array_wrong::header_cut, path, all.size(), 10);
  const std::size_t version = bytes[6];
  if (version < 1 || version > 3 || bytes[7] != 0) impl::refuse_array(array_wrong::version, path, version, 3);
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  npy_header header;
  header.offset = 8 + length_bytes;
  if (all.size() < header.offset) impl::refuse_array(array_wrong::header_cut, path, all.size(), header.offset);
  const std::size_t text = impl::little(bytes.data() + 8, length_bytes);
  if (all.size() - header.offset < text) impl::refuse_array(array_wrong::header_cut, path, all.size(), header.offset + text);
  impl::npy_text{all.substr(header.offset, text), path}.read(header);
  header.offset += text;
  bool none = false;
  for (const std::size_t extent : header.extents) none = none || extent == 0;
  constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max();
  for (const std::size_t extent : header.extents) {
    if (!none && extent > most / header.element_bytes / header.elements) impl::refuse_array(array_wrong::sizes_overflow, path, 0, most);
    header.elements = none ? 0 : header.elements * extent;
  }
  const std::size_t there = all.size() - header.offset;
  const std::size_t wanted = header.elements * header.element_bytes;
  if (there != wanted) impl::refuse_array(array_wrong::size_differs, path, there, wanted);
  return header;
}

}  // namespace ipuflow::feed
