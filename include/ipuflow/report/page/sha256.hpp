// SPDX-License-Identifier: BSL-1.0
// SHA-256 [FIPS 180-4]: a page names the digest of its script, so that a browser runs this script and no other.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::array<std::uint32_t, 64> sha256_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/// Takes in 64 bytes.
constexpr void sha256_block(std::array<std::uint32_t, 8>& sum, std::string_view block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 64; ++i) w[i / 4] = w[i / 4] << 8 | static_cast<unsigned char>(block[i]);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
    const std::uint32_t b = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + a + w[i - 7] + b;
  }
  std::array<std::uint32_t, 8> s = sum;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t up = std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
    const std::uint32_t first = s[7] + up + ((s[4] & s[5]) ^ (~s[4] & s[6])) + sha256_constants[i] + w[i];
    const std::uint32_t down = std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
    const std::uint32_t second = down + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    s = {first + second, s[0], s[1], s[2], s[3] + first, s[4], s[5], s[6]};
  }
  for (std::size_t i = 0; i < 8; ++i) sum[i] += s[i];
}

/// The digest of a text, as 32 bytes.
template <class = void>
[[nodiscard]] std::string sha256(std::string_view text) {
  std::array<std::uint32_t, 8> sum{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::string_view rest = text;
  for (; rest.size() >= 64; rest.remove_prefix(64)) sha256_block(sum, rest);
  std::string last(rest);
  last += '\x80';
  while (last.size() % 64 != 56) last += '\0';
  for (std::size_t shift = 64; shift > 0; shift -= 8) last += static_cast<char>(std::uint64_t{text.size()} * 8 >> (shift - 8) & 0xff);
  for (std::size_t at = 0; at < last.size(); at += 64) sha256_block(sum, std::string_view{last}.substr(at, 64));
  std::string digest;
  for (const std::uint32_t word : sum) {
    for (std::size_t shift = 32; shift > 0; shift -= 8) digest += static_cast<char>(word >> (shift - 8) & 0xff);
  }
  return digest;
}

}  // namespace ipuflow::report::impl
