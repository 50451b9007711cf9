// SPDX-License-Identifier: BSL-1.0
// A zip file (PKWARE's APPNOTE), read by the directory at its end, sizes of 64 bits included. Entries are bytes as they
// are in the file, or unpacked; each is held to its checksum when it is read.
#pragma once

#include <ipuflow/core/crc32.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/feed/sources/array_fault.hpp>
#include <ipuflow/feed/sources/inflate.hpp>
#include <ipuflow/feed/sources/mapped_file.hpp>
#include <ipuflow/feed/sources/npy_header.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ipuflow::feed::impl {

struct archive_entry {
  std::string name{};
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t checksum = 0;
  std::uint64_t packed = 0;
  std::uint64_t size = 0;
  std::uint64_t header = 0;  ///< where the entry begins
};

/// Bytes and what keeps them.
struct kept_bytes {
  light_span<const std::uint8_t> bytes{};
  shared<const void> keeps{};
};

class archive {
 public:
  explicit archive(shared<const mapped_file> file) : file_{std::move(file)} { read_directory(); }

  const std::vector<archive_entry>& entries() const { return entries_; }
  const std::string& path() const { return file_->path(); }

  /// The bytes of an entry; `name` stands in messages.
  kept_bytes read(const archive_entry& e, std::string_view name) const {
    constexpr std::size_t local_header = 30;
    need(e.header, local_header);
    if (number(e.header, 4) != 0x04034b50) refuse_array(array_wrong::entry_damaged, path(), e.header);
    if (e.flags & 1) refuse_array(array_wrong::encrypted, name);
    const std::uint64_t first = e.header + local_header + number(e.header + 26, 2) + number(e.header + 28, 2);
    need(first, e.packed);
    const auto packed = file_->bytes().subspan(first, e.packed);
    kept_bytes read{packed, file_};
    constexpr std::uint64_t most_ratio = 1032;  // of "deflate": a copy of 258 bytes takes at least two bits
    switch (e.method) {
      case 0:
        if (e.packed != e.size) refuse_array(array_wrong::unpacked, name, 0, e.size);
        break;
      case 8: {
        if (e.size / most_ratio > e.packed) refuse_array(array_wrong::unpacked, name, 0, e.size);
        auto room = share<std::vector<std::uint8_t>>(e.size);
        if (!inflater{packed, *room}.run()) refuse_array(array_wrong::unpacked, name, 0, e.size);
        read = {*room, std::move(room)};
        break;
      }
      default:
        refuse_array(array_wrong::method, name, e.method);
    }
    const std::uint32_t sum = crc32(read.bytes.data(), read.bytes.size());
    if (sum != e.checksum) refuse_array(array_wrong::checksum, name, sum, e.checksum);
    return read;
  }

 private:
  std::uint64_t number(std::uint64_t at, std::size_t count) const { return little(file_->bytes().data() + at, count); }
  void need(std::uint64_t from, std::uint64_t count) const {
    const std::uint64_t size = file_->bytes().size();
    if (from > size || count > size - from) refuse_array(array_wrong::archive_cut, path(), from + count < from ? from : from + count, size);
  }

  /// The place of the record at the end; behind it there may be a comment.
  std::uint64_t end_record() const {
    constexpr std::uint64_t length = 22;
    const std::uint64_t size = file_->bytes().size();
    for (std::uint64_t comment = 0; comment <= 0xffff && comment + length <= size; ++comment) {
      const std::uint64_t at = size - length - comment;
      if (number(at, 4) == 0x06054b50 && number(at + 20, 2) == comment) return at;
    }
    refuse_array(array_wrong::no_archive, path());
  }

  void read_directory() {
    const std::uint64_t end = end_record();
    std::uint64_t count = number(end + 10, 2);
    std::uint64_t at = number(end + 16, 4);
    if ((count == 0xffff || at == 0xffffffff) && end >= 20 && number(end - 20, 4) == 0x07064b50) {
      const std::uint64_t wide = number(end - 12, 8);
      need(wide, 56);
      if (number(wide, 4) != 0x06064b50) refuse_array(array_wrong::entry_damaged, path(), wide);
      count = number(wide + 32, 8);
      at = number(wide + 48, 8);
    }
    for (; count > 0; --count) {
      constexpr std::uint64_t length = 46;
      need(at, length);
      if (number(at, 4) != 0x02014b50) refuse_array(array_wrong::entry_damaged, path(), at);
      const std::uint64_t name = number(at + 28, 2);
      const std::uint64_t extra = number(at + 30, 2);
      need(at + length, name + extra + number(at + 32, 2));
      archive_entry e{.flags = static_cast<std::uint16_t>(number(at + 8, 2)),
                      .method = static_cast<std::uint16_t>(number(at + 10, 2)),
                      .checksum = static_cast<std::uint32_t>(number(at + 16, 4)),
                      .packed = number(at + 20, 4),
                      .size = number(at + 24, 4),
                      .header = number(at + 42, 4)};
      e.name.assign(reinterpret_cast<const char*>(file_->bytes().data() + at + length), name);
      widen(e, at + length + name, extra);
      entries_.push_back(std::move(e));
      at += length + name + extra + number(at + 32, 2);
    }
  }

  /// Sizes that take more than 32 bits are in a field behind the name, in this order, each only if it does.
  void widen(archive_entry& e, std::uint64_t at, std::uint64_t extra) const {
    const std::uint64_t end = at + extra;
    while (end - at >= 4) {
      const std::uint64_t kind = number(at, 2);
      const std::uint64_t length = number(at + 2, 2);
      at += 4;
      if (length > end - at) refuse_array(array_wrong::entry_damaged, path(), at);
      std::uint64_t next = at;
      at += length;
      if (kind != 1) continue;
      for (std::uint64_t* size : {&e.size, &e.packed, &e.header}) {
        if (*size != 0xffffffff) continue;
        if (at - next < 8) refuse_array(array_wrong::entry_damaged, path(), next);
        *size = number(next, 8);
        next += 8;
      }
    }
  }

  shared<const mapped_file> file_;
  std::vector<archive_entry> entries_;
};

}  // namespace ipuflow::feed::impl
