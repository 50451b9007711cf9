// SPDX-License-Identifier: BSL-1.0
// A Huffman code of bounded length, as deflate writes it: canonical [RFC 1951, 3.2.2], the bits of a word in the order in
// which they are sent. Words that would be too long are shortened, and others lengthened, until the code is full again.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::report::impl {

/// The word of each symbol; a length of 0 is that of a symbol that does not occur.
struct huffman_code {
  light_vector<std::uint8_t> lengths{};
  light_vector<std::uint16_t> words{};  ///< the bit that is sent first is the lowest
};

/// The number of words of each length in a full code for symbols that are sorted by how often they occur, rarest first.
template <class = void>
[[nodiscard]] std::array<std::size_t, 33> word_lengths(light_span<const std::pair<std::uint32_t, std::uint16_t>> sorted) {
  // Two queues: leaves as they are sorted, and the sums of two, which come in order by themselves.
  const std::size_t leaves = sorted.size();
  light_vector<std::uint64_t> sums;
  light_vector<std::size_t> parents(2 * leaves);
  std::size_t leaf = 0, sum = 0;
  const auto least = [&] {
    const bool is_leaf = sum == sums.size() || (leaf < leaves && sorted[leaf].first <= sums[sum]);
    const std::size_t node = is_leaf ? leaf++ : leaves + sum++;
    parents[node] = leaves + sums.size();
    return node < leaves ? std::uint64_t{sorted[node].first} : sums[node - leaves];
  };
  while (sums.size() + 1 < leaves) {
    const std::uint64_t first = least();
    sums.push_back(first + least());
  }
  std::array<std::size_t, 33> counts{};
  light_vector<std::uint8_t> depths(2 * leaves, 0);
  for (std::size_t node = leaves + sums.size() - 1; node-- > 0;) {
    depths[node] = static_cast<std::uint8_t>(algorithms::min(depths[parents[node]] + 1, 32));
    if (node < leaves) ++counts[depths[node]];
  }
  return counts;
}

/// Shortens words to at most `most` bits and keeps the sum of 2^-length at one.
constexpr void bound_lengths(std::array<std::size_t, 33>& counts, std::size_t most) {
  std::uint64_t used = 0;  // in units of 2^-most
  for (std::size_t length = most + 1; length < counts.size(); ++length) counts[most] += algorithms::exchange(counts[length], 0);
  for (std::size_t length = 1; length <= most; ++length) used += std::uint64_t{counts[length]} << (most - length);
  for (; used > std::uint64_t{1} << most; --used) {
    --counts[most];
    std::size_t shorter = most - 1;
    while (counts[shorter] == 0) --shorter;
    --counts[shorter];
    counts[shorter + 1] += 2;
  }
}

/// The canonical words of lengths.
template <class = void>
[[nodiscard]] light_vector<std::uint16_t> canonical_words(light_span<const std::uint8_t> lengths) {
  std::array<std::uint32_t, 17> next{};
  for (const std::uint8_t length : lengths) next[length + 1u] += length > 0 ? 1u : 0u;
  for (std::size_t length = 1; length < next.size(); ++length) next[length] = (next[length - 1] + next[length]) << 1;
  light_vector<std::uint16_t> words(lengths.size(), 0);
  for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    if (lengths[symbol] == 0) continue;
    std::uint32_t word = next[lengths[symbol]]++;
    for (std::size_t bit = 0; bit < lengths[symbol]; ++bit, word >>= 1) words[symbol] = static_cast<std::uint16_t>(std::uint32_t{words[symbol]} << 1 | (word & 1));
  }
  return words;
}

/// The best code of words of at most `most` bits for symbols that occur so often.
template <class = void>
[[nodiscard]] huffman_code huffman_of(light_span<const std::uint32_t> often, std::size_t most) {
  huffman_code code{.lengths = light_vector<std::uint8_t>(often.size(), 0)};
  light_vector<std::pair<std::uint32_t, std::uint16_t>> sorted;
  for (std::size_t symbol = 0; symbol < often.size(); ++symbol) {
    if (often[symbol] > 0) sorted.emplace_back(often[symbol], static_cast<std::uint16_t>(symbol));
  }
  algorithms::sort(sorted.begin(), sorted.end());
  if (sorted.size() == 1) code.lengths[sorted[0].second] = 1;
  if (sorted.size() > 1) {
    std::array<std::size_t, 33> counts = word_lengths<>(sorted);
    bound_lengths(counts, most);
    std::size_t length = most;
    for (const auto& [times, symbol] : sorted) {
      while (counts[length] == 0) --length;
      --counts[length];
      code.lengths[symbol] = static_cast<std::uint8_t>(length);
    }
  }
  code.words = canonical_words<>(code.lengths);
  return code;
}

}  // namespace ipuflow::report::impl
