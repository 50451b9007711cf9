// SPDX-License-Identifier: BSL-1.0
// Bytes as a gzip file [RFC 1952], which every browser reads by itself (DecompressionStream), and gzip -d as well. It is made
// for columns of numbers: fast, since a profile has tens of millions of bytes, rather than the last per cent smaller.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/crc32.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/report/page/deflate.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace ipuflow::report {

namespace impl {

/// The repetitions of a text: of each place the last ones before it with the same hash.
template <class = void>
class basic_repetitions {
 public:
  explicit basic_repetitions(std::string_view text) : text_{text}, heads_(std::size_t{1} << hash_bits, 0), before_(window, 0) {}

  static constexpr std::size_t window = 32768;
  static constexpr std::size_t longest = 258;
  static constexpr std::size_t least = 4;  ///< that is looked for: shorter ones are worth little

  /// The longest one at a place, of more than `than` bytes, and makes a note of the place.
  deflate_token find(std::size_t at, std::size_t than) {
    deflate_token best{0, static_cast<std::uint16_t>(than)};
    if (at + least > text_.size()) return best;
    const std::size_t room = algorithms::min(longest, text_.size() - at);
    std::size_t candidate = note(at);
    for (std::size_t tries = 0; candidate > 0 && tries < most_tries && best.length < room; ++tries) {
      const std::size_t from = candidate - 1;
      if (at - from > window - 1) break;
      if (text_[from + best.length] == text_[at + best.length]) {
        const std::size_t length = same(from, at, room);
        if (length > best.length) best = {static_cast<std::uint16_t>(at - from), static_cast<std::uint16_t>(length)};
        if (length >= long_enough) break;
      }
      candidate = before_[from % window];
    }
    if (best.length < least) return {};
    return best;
  }
  /// A place that a repetition goes over; of long ones not every one.
  void skip(std::size_t from, std::size_t to) {
    const std::size_t every = to - from > 64 ? 4 : 1;
    for (std::size_t at = from; at < to && at + least <= text_.size(); at += every) note(at);
  }

 private:
  static constexpr std::size_t hash_bits = 15;
  static constexpr std::size_t most_tries = 8;
  static constexpr std::size_t long_enough = 96;

  std::size_t note(std::size_t at) {
    std::uint32_t word = 0;
    std::memcpy(&word, text_.data() + at, sizeof word);
    std::uint32_t& head = heads_[word * 2654435761u >> (32 - hash_bits)];
    const std::uint32_t before = head;
    before_[at % window] = before;
    head = static_cast<std::uint32_t>(at + 1);
    return before;
  }
  std::size_t same(std::size_t from, std::size_t at, std::size_t room) const {
    std::size_t length = 0;
    while (length + 8 <= room && std::memcmp(text_.data() + from + length, text_.data() + at + length, 8) == 0) length += 8;
    while (length < room && text_[from + length] == text_[at + length]) ++length;
    return length;
  }

  std::string_view text_;
  light_vector<std::uint32_t> heads_;   // of each hash, one past its last place
  light_vector<std::uint32_t> before_;  // of each place of the window, one past the place before with the same hash
};

template <class = void>
void deflate(std::string_view bytes, bit_text& out) {
  constexpr std::size_t block = 32768;
  basic_repetitions<> repetitions{bytes};
  basic_deflate_blocks<> blocks{out};
  light_vector<deflate_token> tokens;
  std::size_t begin = 0, at = 0;
  deflate_token ahead{};  // at `at`, if it was looked for
  bool looked = false;
  while (at < bytes.size()) {
    const deflate_token here = looked ? ahead : repetitions.find(at, 0);
    looked = false;
    const bool repeats = here.distance > 0;
    if (repeats && here.length < 32 && at + 1 < bytes.size()) {
      ahead = repetitions.find(at + 1, here.length);
      looked = ahead.distance > 0;
    }
    if (!repeats || looked) {
      tokens.push_back({0, static_cast<unsigned char>(bytes[at])});
      ++at;
    } else {
      tokens.push_back(here);
      repetitions.skip(at + (here.length < 32 ? 2 : 1), at + here.length);
      at += here.length;
    }
    if (tokens.size() < block) continue;
    blocks.write(tokens, bytes.substr(begin, at - begin), at == bytes.size());
    tokens.clear();
    begin = at;
  }
  if (begin < bytes.size() || bytes.empty()) blocks.write(tokens, bytes.substr(begin), true);
  out.align();
}

}  // namespace impl

/// The bytes of a gzip file, without a name or a time.
template <class = void>
[[nodiscard]] std::string gzip(std::string_view bytes) {
  impl::bit_text out;
  out.bytes({"\x1f\x8b\x08\0\0\0\0\0\0\xff", 10});
  impl::deflate<>(bytes, out);
  std::uint32_t sum = 0;
  for (std::string_view rest = bytes; !rest.empty();) {
    std::uint8_t some[4096];
    const std::size_t count = algorithms::min(rest.size(), sizeof some);
    std::memcpy(some, rest.data(), count);
    sum = crc32(some, count, sum);
    rest.remove_prefix(count);
  }
  out.put(sum & 0xffff, 16);
  out.put(sum >> 16, 16);
  out.put(static_cast<std::uint32_t>(bytes.size() & 0xffff), 16);
  out.put(static_cast<std::uint32_t>(bytes.size() >> 16 & 0xffff), 16);
  out.align();
  return std::move(out.text());
}

}  // namespace ipuflow::report
