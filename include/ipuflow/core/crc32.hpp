// SPDX-License-Identifier: BSL-1.0
// The checksum of zip files: CRC-32 of ISO 3309, polynomial 0xedb88320 with the bits of each byte from the lowest on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ipuflow {

namespace detail {

constexpr std::uint32_t crc32_of_byte(std::uint32_t byte) {
  for (int bit = 0; bit < 8; ++bit) byte = byte & 1 ? byte >> 1 ^ 0xedb88320u : byte >> 1;
  return byte;
}

/// Row k is what a byte does to the sum k bytes later: four bytes go in at once. Worked out by the first sum, not by compilers, which
/// take their time.
struct crc32_rows {
  std::uint32_t of[4][256];

  crc32_rows() {
    for (std::uint32_t byte = 0; byte < 256; ++byte) of[0][byte] = crc32_of_byte(byte);
    for (std::size_t k = 1; k < 4; ++k) {
      for (std::size_t byte = 0; byte < 256; ++byte) of[k][byte] = of[k - 1][byte] >> 8 ^ of[0][of[k - 1][byte] & 0xff];
    }
  }
};

template <class = void>
std::uint32_t crc32_behind(std::uint32_t sum, const std::uint8_t* from, std::size_t count) {
  static const crc32_rows made;
  const auto& rows = made.of;
  for (; count >= 4; count -= 4, from += 4) {
    sum ^= std::uint32_t{from[0]} | std::uint32_t{from[1]} << 8 | std::uint32_t{from[2]} << 16 | std::uint32_t{from[3]} << 24;
    sum = rows[3][sum & 0xff] ^ rows[2][sum >> 8 & 0xff] ^ rows[1][sum >> 16 & 0xff] ^ rows[0][sum >> 24];
  }
  for (; count > 0; --count, ++from) sum = sum >> 8 ^ rows[0][(sum ^ *from) & 0xff];
  return sum;
}

}  // namespace detail

/// The checksum of bytes, behind those whose checksum is `before`.
template <class = void>
constexpr std::uint32_t crc32(const std::uint8_t* from, std::size_t count, std::uint32_t before = 0) {
  std::uint32_t sum = ~before;
  if (!std::is_constant_evaluated()) return ~detail::crc32_behind<>(sum, from, count);
  for (; count > 0; --count, ++from) sum = sum >> 8 ^ detail::crc32_of_byte((sum ^ *from) & 0xff);
  return ~sum;
}

}  // namespace ipuflow
