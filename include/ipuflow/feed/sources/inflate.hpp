// SPDX-License-Identifier: BSL-1.0
// Unpacks "deflate" (RFC 1951), the compression of zip files: blocks of bytes as they are, or of Huffman codes for bytes
// and for copies of what came before. Damaged input ends it early; it never reads or writes outside of what it is given.
#pragma once

#include <ipuflow/core/light_span.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace ipuflow::feed::impl {

/// A Huffman code: of each length how many symbols, and the symbols in the order of their codes.
struct prefix_code {
  static constexpr std::size_t longest = 15;
  static constexpr unsigned none = 1000;  ///< no symbol

  std::array<std::uint16_t, longest + 1> count{};
  std::array<std::uint16_t, 288> symbol{};

  /// False if more codes are asked for than there are; fewer are in order, and then some bits are no symbol.
  constexpr bool assign(light_span<const std::uint8_t> lengths) {
    count = {};
    for (const std::uint8_t length : lengths) ++count[length];
    count[0] = 0;
    int left = 1;
    std::array<std::uint16_t, longest + 2> next{};
    for (std::size_t length = 1; length <= longest; ++length) {
      left = left * 2 - count[length];
      if (left < 0) return false;
      next[length + 1] = static_cast<std::uint16_t>(next[length] + count[length]);
    }
    for (std::size_t s = 0; s < lengths.size(); ++s) {
      if (lengths[s] != 0) symbol[next[lengths[s]]++] = static_cast<std::uint16_t>(s);
    }
    return true;
  }
};

class inflater {
 public:
  constexpr inflater(light_span<const std::uint8_t> from, light_span<std::uint8_t> to) : from_{from}, to_{to} {}

  /// True if the input is sound and fills the output exactly.
  constexpr bool run() {
    for (bool last = false; !last;) {
      last = bits(1) != 0;
      const unsigned kind = bits(2);
      if (cut_ || !(kind == 0 ? stored() : kind == 1 ? fixed() : kind == 2 && dynamic())) return false;
    }
    return made_ == to_.size();
  }

 private:
  constexpr unsigned bits(unsigned wanted) {
    while (held_ < wanted) {
      if (read_ == from_.size()) {
        cut_ = true;
        return 0;
      }
      hold_ |= std::uint64_t{from_[read_++]} << held_;
      held_ += 8;
    }
    const auto value = static_cast<unsigned>(hold_ & ((std::uint64_t{1} << wanted) - 1));
    hold_ >>= wanted;
    held_ -= wanted;
    return value;
  }

  /// Bit by bit: codes of one length follow each other, and those of the next length follow them.
  constexpr unsigned symbol(const prefix_code& code) {
    unsigned value = 0;
    unsigned first = 0;
    std::size_t before = 0;
    for (std::size_t length = 1; length <= prefix_code::longest; ++length) {
      value |= bits(1);
      if (cut_) break;
      if (value - first < code.count[length]) return code.symbol[before + (value - first)];
      before += code.count[length];
      first = (first + code.count[length]) << 1;
      value <<= 1;
    }
    return prefix_code::none;
  }

  constexpr bool stored() {
    hold_ >>= held_ % 8;  // the rest of the byte
    held_ -= held_ % 8;
    const unsigned count = bits(16);
    const unsigned check = bits(16);
    if (cut_ || (count ^ check) != 0xffff || count > to_.size() - made_) return false;
    for (unsigned i = 0; i < count; ++i) to_[made_++] = static_cast<std::uint8_t>(bits(8));
    return !cut_;
  }

  constexpr bool fixed() {
    std::array<std::uint8_t, 288> lengths{};
    for (std::size_t s = 0; s < lengths.size(); ++s) lengths[s] = s < 144 ? 8 : s < 256 ? 9 : s < 280 ? 7 : 8;
    std::array<std::uint8_t, 30> far{};
    far.fill(5);
    return literals_.assign(lengths) && distances_.assign(far) && codes();
  }

  constexpr bool dynamic() {
    const std::size_t literals = bits(5) + 257;
    const std::size_t distances = bits(5) + 1;
    const std::size_t used = bits(4) + 4;
    if (cut_ || literals > 286 || distances > 30) return false;
    constexpr std::uint8_t order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    std::array<std::uint8_t, 316> lengths{};
    for (std::size_t i = 0; i < used; ++i) lengths[order[i]] = static_cast<std::uint8_t>(bits(3));
    if (cut_ || !literals_.assign(light_span<const std::uint8_t>{lengths}.first(19))) return false;
    const prefix_code of_lengths = literals_;
    lengths = {};
    for (std::size_t at = 0; at < literals + distances;) {
      const unsigned s = symbol(of_lengths);
      if (s < 16) {
        lengths[at++] = static_cast<std::uint8_t>(s);
        continue;
      }
      if (s > 18 || (s == 16 && at == 0)) return false;
      const std::uint8_t again = s == 16 ? lengths[at - 1] : std::uint8_t{0};
      const std::size_t times = s == 16 ? 3 + bits(2) : s == 17 ? 3 + bits(3) : 11 + bits(7);
      if (cut_ || times > literals + distances - at) return false;
      for (std::size_t i = 0; i < times; ++i) lengths[at++] = again;
    }
    return lengths[256] != 0 && literals_.assign(light_span<const std::uint8_t>{lengths}.first(literals)) &&
           distances_.assign(light_span<const std::uint8_t>{lengths}.subspan(literals, distances)) && codes();
  }

  /// Bytes and copies up to the end of a block.
  constexpr bool codes() {
    constexpr std::uint16_t length_base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                             31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    constexpr std::uint8_t length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    constexpr std::uint16_t distance_base[] = {1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
                                               193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    for (;;) {
      const unsigned s = symbol(literals_);
      if (s < 256) {
        if (made_ == to_.size()) return false;
        to_[made_++] = static_cast<std::uint8_t>(s);
        continue;
      }
      if (s == 256) return true;
      if (s > 285) return false;
      const std::size_t length = length_base[s - 257] + bits(length_bits[s - 257]);
      const unsigned d = symbol(distances_);
      if (d > 29) return false;
      const std::size_t distance = distance_base[d] + bits(d < 4 ? 0 : d / 2 - 1);
      if (cut_ || distance > made_ || length > to_.size() - made_) return false;
      for (std::size_t i = 0; i < length; ++i, ++made_) to_[made_] = to_[made_ - distance];
    }
  }

  light_span<const std::uint8_t> from_;
  light_span<std::uint8_t> to_;
  std::size_t read_ = 0;
  std::size_t made_ = 0;
  std::uint64_t hold_ = 0;  // bits read and not used, the next one lowest
  unsigned held_ = 0;
  bool cut_ = false;
  prefix_code literals_{};
  prefix_code distances_{};
};

}  // namespace ipuflow::feed::impl
