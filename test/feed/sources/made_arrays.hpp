// SPDX-License-Identifier: BSL-1.0
// NumPy's files byte by byte, for tests.
#pragma once

#include <ipuflow/core/crc32.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ipuflow::test {

using byte_list = std::vector<std::uint8_t>;

inline void add_number(byte_list& to, std::uint64_t number, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to.push_back(static_cast<std::uint8_t>(number >> 8 * i));
}
inline void add_text(byte_list& to, std::string_view text) { to.insert(to.end(), text.begin(), text.end()); }

/// A file with that text for its header.
inline byte_list npy_of(std::string_view text, const byte_list& elements, int version = 1) {
  byte_list all;
  add_text(all, "\x93NUMPY");
  add_number(all, static_cast<std::uint64_t>(version), 2);
  add_number(all, text.size(), version == 1 ? 2 : 4);
  add_text(all, text);
  all.insert(all.end(), elements.begin(), elements.end());
  return all;
}

/// The header as NumPy writes it, its end on a multiple of 64.
inline std::string npy_text(std::string_view type, std::string_view shape, bool fortran = false) {
  std::string text = "{'descr': '" + std::string{type} + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + std::string{shape} + ", }";
  text.resize((text.size() + 10) / 64 * 64 + 64 - 11, ' ');
  return text + "\n";
}

/// One of the files in an archive; `packed` is empty if it is stored as it is.
struct zipped_file {
  std::string name{};
  byte_list bytes{};
  byte_list packed{};
  bool wide = false;  ///< sizes of 64 bits
};

inline byte_list zip_of(const std::vector<zipped_file>& files, std::string_view comment = {}) {
  byte_list all;
  byte_list directory;
  for (const zipped_file& f : files) {
    const std::size_t at = all.size();
    const byte_list& body = f.packed.empty() ? f.bytes : f.packed;
    const auto facts = [&](byte_list& to) {
      add_number(to, 0, 2);  // flags
      add_number(to, f.packed.empty() ? 0 : 8, 2);
      add_number(to, 0, 4);  // time
      add_number(to, crc32(f.bytes.data(), f.bytes.size()), 4);
      add_number(to, f.wide ? 0xffffffff : body.size(), 4);
      add_number(to, f.wide ? 0xffffffff : f.bytes.size(), 4);
      add_number(to, f.name.size(), 2);
      add_number(to, f.wide ? 28 : 0, 2);
    };
    const auto behind = [&](byte_list& to) {
      add_text(to, f.name);
      if (!f.wide) return;
      add_number(to, 0x7777, 2);  // a field that is skipped
      add_number(to, 0, 2);
      add_number(to, 1, 2);
      add_number(to, 20, 2);
      add_number(to, f.bytes.size(), 8);
      add_number(to, body.size(), 8);
      add_number(to, 0, 4);
    };
    add_number(all, 0x04034b50, 4);
    add_number(all, 45, 2);
    facts(all);
    behind(all);
    all.insert(all.end(), body.begin(), body.end());
    add_number(directory, 0x02014b50, 4);
    add_number(directory, 45, 2);
    add_number(directory, 45, 2);
    facts(directory);
    directory.insert(directory.end(), 10, 0);  // comment, disk, attributes
    add_number(directory, at, 4);
    behind(directory);
  }
  const std::size_t first = all.size();
  all.insert(all.end(), directory.begin(), directory.end());
  const bool wide = !files.empty() && files[0].wide;
  if (wide) {
    const std::size_t at = all.size();
    add_number(all, 0x06064b50, 4);
    add_number(all, 44, 8);
    add_number(all, 45, 2);
    add_number(all, 45, 2);
    add_number(all, 0, 8);
    add_number(all, files.size(), 8);
    add_number(all, files.size(), 8);
    add_number(all, directory.size(), 8);
    add_number(all, first, 8);
    add_number(all, 0x07064b50, 4);
    add_number(all, 0, 4);
    add_number(all, at, 8);
    add_number(all, 1, 4);
  }
  add_number(all, 0x06054b50, 4);
  add_number(all, 0, 4);
  add_number(all, wide ? 0xffff : files.size(), 2);
  add_number(all, wide ? 0xffff : files.size(), 2);
  add_number(all, directory.size(), 4);
  add_number(all, wide ? 0xffffffff : first, 4);
  add_number(all, comment.size(), 2);
  add_text(all, comment);
  return all;
}

}  // namespace ipuflow::test
