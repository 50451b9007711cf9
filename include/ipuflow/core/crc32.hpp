// SPDX-License-Identifier: BSL-1.0
// The checksum of zip files: CRC-32 of ISO 3309, polynomial 0xedb88320 with the bits of each byte from the lowest on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ipuflow {

namespace detail {

/// Row k is what a byte does to the sum k bytes later: four bytes go in at once. A template, so that only files that sum work it out.
template <class = void>
inline constexpr auto crc32_rows = [] {
  std::array<std::array<std::uint32_t, 256>, 4> rows{};
  std::uint32_t sum = 1;  // sums of bytes with one bit; those of others are added up, since compilers take their time
  for (std::size_t bit = 128; bit > 0; bit /= 2) {
    sum = sum & 1 ? sum >> 1 ^ 0xedb88320u : sum >> 1;
    for (std::size_t byte = 0; byte < 256; byte += 2 * bit) rows[0][byte + bit] = rows[0][byte] ^ sum;
  }
  for (std::size_t k = 1; k < rows.size(); ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) rows[k][byte] = rows[k - 1][byte] >> 8 ^ rows[0][rows[k - 1][byte] & 0xff];
  }
  return rows;
}();

}  // namespace detail

/// The checksum of bytes, behind those whose checksum is `before`.
template <class = void>
constexpr std::uint32_t crc32(const std::uint8_t* from, std::size_t count, std::uint32_t before = 0) {
  const auto& rows = detail::crc32_rows<>;
  std::uint32_t sum = ~before;
  for (; count >= 4; count -= 4, from += 4) {
    sum ^= std::uint32_t{from[0]} | std::uint32_t{from[1]} << 8 | std::uint32_t{from[2]} << 16 | std::uint32_t{from[3]} << 24;
    sum = rows[3][sum & 0xff] ^ rows[2][sum >> 8 & 0xff] ^ rows[1][sum >> 16 & 0xff] ^ rows[0][sum >> 24];
  }
  for (; count > 0; --count, ++from) sum = sum >> 8 ^ rows[0][(sum ^ *from) & 0xff];
  return ~sum;
}

}  // namespace ipuflow
