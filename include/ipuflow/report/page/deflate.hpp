// SPDX-License-Identifier: BSL-1.0
// Deflate [RFC 1951]: repetitions are found by chains of equal hashes, looked at once more from the next byte on before one is
// taken, and each block has the code that makes it shortest: none at all, the fixed one, or its own.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/report/page/huffman.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ipuflow::report::impl {

/// The first length or distance of each symbol, and how many bits follow it.
struct deflate_range {
  std::uint16_t first = 0;
  std::uint8_t extra = 0;
};

inline constexpr auto length_ranges = [] {  // symbols 257 to 285
  std::array<deflate_range, 29> all{};
  std::uint16_t at = 3;
  for (std::size_t i = 0; i < 28; ++i) {
    all[i] = {at, static_cast<std::uint8_t>(i < 8 ? 0 : i / 4 - 1)};
    at = static_cast<std::uint16_t>(at + (1u << all[i].extra));
  }
  all[28] = {258, 0};
  return all;
}();
inline constexpr auto distance_ranges = [] {
  std::array<deflate_range, 30> all{};
  std::uint16_t at = 1;
  for (std::size_t i = 0; i < 30; ++i) {
    all[i] = {at, static_cast<std::uint8_t>(i < 4 ? 0 : i / 2 - 1)};
    at = static_cast<std::uint16_t>(at + (1u << all[i].extra));
  }
  return all;
}();
/// The symbol of each length from 3, less 257.
inline constexpr auto length_symbols = [] {
  std::array<std::uint8_t, 256> all{};
  for (std::size_t i = 0, symbol = 0; i < all.size(); ++i) {
    while (symbol < 28 && i + 3 >= length_ranges[symbol + 1].first) ++symbol;
    all[i] = static_cast<std::uint8_t>(symbol);
  }
  return all;
}();
constexpr std::size_t distance_symbol(std::size_t distance) {
  std::size_t bits = 0;
  for (std::size_t d = distance - 1; d > 3; d >>= 1) ++bits;
  return 2 * bits + ((distance - 1) >> bits);
}

/// A byte, or a repetition of earlier bytes.
struct deflate_token {
  std::uint16_t distance = 0;  ///< 0: a byte
  std::uint16_t length = 0;    ///< or the byte
};

/// Text that takes bits, the lowest first; bytes come in after `align`.
class bit_text {
 public:
  void put(std::uint32_t bits, std::size_t count) {
    held_ |= std::uint64_t{bits} << filled_;
    filled_ += count;
    if (filled_ >= 32) flush(4);
  }
  /// Goes on at the next whole byte.
  void align() {
    filled_ = (filled_ + 7) / 8 * 8;
    flush(filled_ / 8);
  }
  void bytes(std::string_view all) { text_ += all; }
  [[nodiscard]] std::string& text() { return text_; }

 private:
  void flush(std::size_t bytes) {
    char some[8];
    for (std::size_t byte = 0; byte < bytes; ++byte, held_ >>= 8) some[byte] = static_cast<char>(held_ & 0xff);
    text_.append(some, bytes);
    filled_ -= 8 * bytes;
  }

  std::string text_;
  std::uint64_t held_ = 0;
  std::size_t filled_ = 0;
};

/// Writes blocks of tokens.
template <class = void>
class basic_deflate_blocks {
 public:
  explicit basic_deflate_blocks(bit_text& out) : out_{out} {
    fixed_literals_.lengths.assign(288, 8);
    for (std::size_t s = 144; s < 280; ++s) fixed_literals_.lengths[s] = s < 256 ? 9 : 7;
    fixed_literals_.words = canonical_words<>(fixed_literals_.lengths);
    fixed_distances_.lengths.assign(30, 5);
    fixed_distances_.words = canonical_words<>(fixed_distances_.lengths);
  }

  /// `raw`: the bytes that the tokens stand for.
  void write(light_span<const deflate_token> tokens, std::string_view raw, bool last) {
    std::array<std::uint32_t, 286> literals{};
    std::array<std::uint32_t, 30> distances{};
    literals[256] = 1;
    for (const deflate_token t : tokens) {
      ++literals[t.distance == 0 ? t.length : 257u + length_symbols[t.length - 3u]];
      if (t.distance > 0) ++distances[distance_symbol(t.distance)];
    }
    const huffman_code own = huffman_of<>(literals, 15), own_distances = huffman_of<>(distances, 15);
    const light_vector<std::uint32_t> lengths = run_lengths(own, own_distances);
    std::array<std::uint32_t, 19> kinds{};
    for (const std::uint32_t l : lengths) ++kinds[l & 31];
    const huffman_code of_lengths = huffman_of<>(kinds, 7);
    const std::size_t sent = lengths_sent(of_lengths);
    std::size_t head = 14 + 3 * sent;
    for (const std::uint32_t l : lengths) head += of_lengths.lengths[l & 31] + extra_of(l & 31);
    const std::size_t dynamic = head + bits_of(own, literals, own_distances, distances);
    const std::size_t fixed = bits_of(fixed_literals_, literals, fixed_distances_, distances);
    const std::size_t stored = 8 * raw.size() + 40 * (raw.size() / 0xffff + 1);
    if (stored < dynamic && stored < fixed) return store(raw, last);
    out_.put(last ? 1 : 0, 1);
    if (fixed <= dynamic) {
      out_.put(1, 2);
      return put_tokens(tokens, fixed_literals_, fixed_distances_);
    }
    out_.put(2, 2);
    put_head(own, own_distances, lengths, of_lengths, sent);
    put_tokens(tokens, own, own_distances);
  }

 private:
  static constexpr std::array<std::uint8_t, 19> order{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

  static std::size_t used(const huffman_code& code, std::size_t least) {
    std::size_t count = code.lengths.size();
    while (count > least && code.lengths[count - 1] == 0) --count;
    return count;
  }
  static constexpr std::size_t extra_of(std::uint32_t kind) { return kind == 16 ? 2 : kind == 17 ? 3 : kind == 18 ? 7 : 0; }
  static std::size_t lengths_sent(const huffman_code& of_lengths) {
    std::size_t count = 19;
    while (count > 4 && of_lengths.lengths[order[count - 1]] == 0) --count;
    return count;
  }

  /// The lengths of both codes, runs of equal ones as a kind from 16 with its extra bits from bit 5 on.
  static light_vector<std::uint32_t> run_lengths(const huffman_code& literals, const huffman_code& distances) {
    light_vector<std::uint8_t> all(literals.lengths.begin(), literals.lengths.begin() + static_cast<std::ptrdiff_t>(used(literals, 257)));
    all.insert(all.end(), distances.lengths.begin(), distances.lengths.begin() + static_cast<std::ptrdiff_t>(used(distances, 1)));
    light_vector<std::uint32_t> made;
    for (std::size_t i = 0; i < all.size();) {
      std::size_t run = 1;
      while (i + run < all.size() && all[i + run] == all[i]) ++run;
      const std::uint8_t length = all[i];
      i += run;
      if (length > 0) made.push_back(length), --run;
      while (run >= 3) {
        const std::size_t now = algorithms::min<std::size_t>(run, length > 0 ? 6 : 138);
        const std::uint32_t kind = length > 0 ? 16 : now > 10 ? 18 : 17;
        made.push_back(kind | static_cast<std::uint32_t>(now - (kind == 18 ? 11 : 3)) << 5);
        run -= now;
      }
      made.resize(made.size() + run, length);
    }
    return made;
  }

  template <class Literals, class Distances>
  static std::size_t bits_of(const huffman_code& code, const Literals& literals, const huffman_code& distance_code, const Distances& distances) {
    std::size_t bits = 0;
    for (std::size_t s = 0; s < literals.size(); ++s) bits += std::size_t{literals[s]} * (code.lengths[s] + (s > 256 ? length_ranges[s - 257].extra : 0u));
    for (std::size_t s = 0; s < distances.size(); ++s) bits += std::size_t{distances[s]} * (distance_code.lengths[s] + distance_ranges[s].extra);
    return bits;
  }

  void put_head(const huffman_code& literals, const huffman_code& distances, const light_vector<std::uint32_t>& lengths,
                const huffman_code& of_lengths, std::size_t sent) {
    out_.put(static_cast<std::uint32_t>(used(literals, 257) - 257), 5);
    out_.put(static_cast<std::uint32_t>(used(distances, 1) - 1), 5);
    out_.put(static_cast<std::uint32_t>(sent - 4), 4);
    for (std::size_t i = 0; i < sent; ++i) out_.put(of_lengths.lengths[order[i]], 3);
    for (const std::uint32_t l : lengths) {
      out_.put(of_lengths.words[l & 31], of_lengths.lengths[l & 31]);
      out_.put(l >> 5, extra_of(l & 31));
    }
  }

  void put_tokens(light_span<const deflate_token> tokens, const huffman_code& literals, const huffman_code& distances) {
    for (const deflate_token t : tokens) {
      if (t.distance == 0) {
        out_.put(literals.words[t.length], literals.lengths[t.length]);
        continue;
      }
      const std::size_t s = length_symbols[t.length - 3u], d = distance_symbol(t.distance);
      out_.put(literals.words[257 + s], literals.lengths[257 + s]);
      out_.put(static_cast<std::uint32_t>(t.length - length_ranges[s].first), length_ranges[s].extra);
      out_.put(distances.words[d], distances.lengths[d]);
      out_.put(static_cast<std::uint32_t>(t.distance - distance_ranges[d].first), distance_ranges[d].extra);
    }
    out_.put(literals.words[256], literals.lengths[256]);
  }

  void store(std::string_view raw, bool last) {
    do {
      const std::string_view now = raw.substr(0, 0xffff);
      raw.remove_prefix(now.size());
      out_.put(last && raw.empty() ? 1 : 0, 3);
      out_.align();
      out_.put(static_cast<std::uint32_t>(now.size()), 16);
      out_.put(static_cast<std::uint32_t>(~now.size() & 0xffff), 16);
      out_.align();
      out_.bytes(now);
    } while (!raw.empty());
  }

  bit_text& out_;
  huffman_code fixed_literals_{}, fixed_distances_{};
};

}  // namespace ipuflow::report::impl
