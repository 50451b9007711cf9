// SPDX-License-Identifier: BSL-1.0
// A reader of gzip files and of base64, for tests: slow, strict, and written from the standards [RFC 1951, 1952, 4648] without a look
// at the writer. Anything that they do not allow throws.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace inflate {

class bits {
 public:
  explicit bits(std::string_view text) : text_{text} {}

  std::size_t take(std::size_t count) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value |= one() << i;
    return value;
  }
  std::size_t one() {
    if (at_ / 8 >= text_.size()) throw std::runtime_error{"the bits end too early"};
    const std::size_t bit = static_cast<unsigned char>(text_[at_ / 8]) >> at_ % 8 & 1;
    ++at_;
    return bit;
  }
  void align() { at_ = (at_ + 7) / 8 * 8; }
  std::size_t bytes_read() const { return at_ / 8; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

/// A code by the lengths of its words; over-subscribed and incomplete ones throw, as zlib has it.
class code {
 public:
  explicit code(std::vector<std::size_t> lengths, bool may_be_incomplete = false) : lengths_{std::move(lengths)} {
    std::size_t room = 1;
    for (const std::size_t l : lengths_) ++counts_[l];
    counts_[0] = 0;
    for (std::size_t l = 1; l < counts_.size(); ++l) {
      room = 2 * room;
      if (room < counts_[l]) throw std::runtime_error{"more words than there are"};
      room -= counts_[l];
    }
    if (room > 0 && !may_be_incomplete) throw std::runtime_error{"an incomplete code"};
  }
  std::size_t next(bits& from) const {
    std::size_t word = 0, first = 0, before = 0;
    for (std::size_t length = 1; length < counts_.size(); ++length) {
      word = word << 1 | from.one();
      first = (first + before) << 1;
      before = counts_[length];
      if (word < first + before) return symbol(length, word - first);
    }
    throw std::runtime_error{"a word that is none"};
  }

 private:
  std::size_t symbol(std::size_t length, std::size_t number) const {
    for (std::size_t s = 0; s < lengths_.size(); ++s) {
      if (lengths_[s] == length && number-- == 0) return s;
    }
    throw std::runtime_error{"no symbol"};
  }

  std::vector<std::size_t> lengths_;
  std::array<std::size_t, 16> counts_{};
};

/// The kinds of blocks that were read.
struct kinds_seen {
  std::size_t stored = 0, fixed = 0, dynamic = 0;
};

inline void read_tokens(bits& in, const code& literals, const code& distances, std::string& out) {
  constexpr std::size_t length_first[] = {3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  constexpr std::size_t length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  constexpr std::size_t distance_first[] = {1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
  constexpr std::size_t distance_bits[] = {0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};
  for (;;) {
    const std::size_t symbol = literals.next(in);
    if (symbol == 256) return;
    if (symbol < 256) {
      out += static_cast<char>(symbol);
      continue;
    }
    if (symbol > 285) throw std::runtime_error{"no length"};
    const std::size_t length = length_first[symbol - 257] + in.take(length_bits[symbol - 257]);
    const std::size_t d = distances.next(in);
    if (d > 29) throw std::runtime_error{"no distance"};
    const std::size_t distance = distance_first[d] + in.take(distance_bits[d]);
    if (distance > out.size()) throw std::runtime_error{"a distance to before the text"};
    for (std::size_t i = 0; i < length; ++i) out += out[out.size() - distance];
  }
}

inline void read_dynamic(bits& in, std::string& out) {
  const std::size_t literals = in.take(5) + 257, distances = in.take(5) + 1, sent = in.take(4) + 4;
  constexpr std::size_t order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  std::vector<std::size_t> of_lengths(19, 0), lengths;
  for (std::size_t i = 0; i < sent; ++i) of_lengths[order[i]] = in.take(3);
  const code words{of_lengths};
  while (lengths.size() < literals + distances) {
    const std::size_t kind = words.next(in);
    if (kind < 16) {
      lengths.push_back(kind);
      continue;
    }
    if (kind == 16 && lengths.empty()) throw std::runtime_error{"nothing to repeat"};
    const std::size_t value = kind == 16 ? lengths.back() : 0;
    const std::size_t times = kind == 16 ? 3 + in.take(2) : kind == 17 ? 3 + in.take(3) : 11 + in.take(7);
    lengths.insert(lengths.end(), times, value);
  }
  if (lengths.size() > literals + distances) throw std::runtime_error{"too many lengths"};
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(literals);
  read_tokens(in, code{{lengths.begin(), middle}}, code{{middle, lengths.end()}, true}, out);
}

inline std::uint32_t checksum(std::string_view text) {
  std::uint32_t sum = 0xffffffff;
  for (const char c : text) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) sum = sum & 1 ? sum >> 1 ^ 0xedb88320u : sum >> 1;
  }
  return ~sum;
}

/// The bytes in a gzip file.
inline std::string gunzip(std::string_view file, kinds_seen* seen = nullptr) {
  if (file.substr(0, 4) != std::string_view{"\x1f\x8b\x08\0", 4}) throw std::runtime_error{"no gzip file"};
  bits in{file.substr(10)};
  kinds_seen counts;
  std::string out;
  for (bool last = false; !last;) {
    last = in.one() == 1;
    const std::size_t kind = in.take(2);
    if (kind == 0) {
      in.align();
      const std::size_t size = in.take(16);
      if (in.take(16) != (~size & 0xffff)) throw std::runtime_error{"a wrong size of a stored block"};
      for (std::size_t i = 0; i < size; ++i) out += static_cast<char>(in.take(8));
      ++counts.stored;
    } else if (kind == 1) {
      std::vector<std::size_t> lengths(288, 8);
      for (std::size_t s = 144; s < 280; ++s) lengths[s] = s < 256 ? 9 : 7;
      read_tokens(in, code{lengths}, code{std::vector<std::size_t>(32, 5)}, out);
      ++counts.fixed;
    } else if (kind == 2) {
      read_dynamic(in, out);
      ++counts.dynamic;
    } else {
      throw std::runtime_error{"no kind of block"};
    }
  }
  in.align();
  if (in.take(32) != checksum(out)) throw std::runtime_error{"a wrong checksum"};
  if (in.take(32) != (out.size() & 0xffffffff)) throw std::runtime_error{"a wrong size"};
  if (in.bytes_read() + 10 != file.size()) throw std::runtime_error{"bytes behind the end"};
  if (seen != nullptr) *seen = counts;
  return out;
}

/// The bytes of a text in base64.
inline std::string from_base64(std::string_view text) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 != 0) throw std::runtime_error{"base64 comes in fours"};
  std::string out;
  for (std::size_t from = 0; from < text.size(); from += 4) {
    std::size_t word = 0, count = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t value = letters.find(text[from + i]);
      const bool pads = text[from + i] == '=' && from + 4 == text.size() && i >= 2;
      if (value == letters.npos && !pads) throw std::runtime_error{"no letter of base64"};
      if (pads && i == 2 && text[from + 3] != '=') throw std::runtime_error{"no end of base64"};
      word = word << 6 | (pads ? 0 : value);
      count += pads ? 0 : 1;
    }
    for (std::size_t i = 0; i + 1 < count; ++i) out += static_cast<char>(word >> (16 - 8 * i) & 0xff);
  }
  return out;
}

}  // namespace inflate
