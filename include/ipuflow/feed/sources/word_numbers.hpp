// SPDX-License-Identifier: BSL-1.0
// The numbers of words, found by hash: where each word of a list stands in it. The hash begins with a number of the process, so no
// file can be written whose words all fall on one place.
#pragma once

#include <ipuflow/core/wrapping.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ipuflow::feed::impl {

template <class = void>
class basic_word_numbers {
 public:
  /// The place of the first word of `words` that is `text`, or their number. Words may have come behind those of the last call.
  std::size_t find(const std::vector<std::string>& words, std::string_view text) {
    for (; known_ < words.size(); ++known_) add(words);
    if (places_.empty()) return words.size();
    const std::size_t number = places_[place_of(words, text)];
    return number == none ? words.size() : number;
  }

 private:
  static constexpr auto none = static_cast<std::size_t>(-1);

  void add(const std::vector<std::string>& words) {
    if (2 * (known_ + 1) > places_.size()) {
      places_.assign(places_.empty() ? 16 : 2 * places_.size(), none);
      for (std::size_t i = 0; i < known_; ++i) put(words, i);
    }
    put(words, known_);
  }
  void put(const std::vector<std::string>& words, std::size_t number) {
    std::size_t& at = places_[place_of(words, words[number])];
    if (at == none) at = number;
  }
  [[nodiscard]] std::size_t place_of(const std::vector<std::string>& words, std::string_view text) const {
    std::size_t at = hash(text) & (places_.size() - 1);
    while (places_[at] != none && words[places_[at]] != text) at = (at + 1) & (places_.size() - 1);
    return at;
  }
  static std::size_t hash(std::string_view text) {
    static const int somewhere = 0;
    std::size_t mixed = reinterpret_cast<std::uintptr_t>(&somewhere);
    for (const char c : text) {
      mixed = wrapping_product(mixed ^ static_cast<unsigned char>(c), 0x9e3779b97f4a7c15u);
      mixed ^= mixed >> 32;
    }
    return mixed;
  }

  std::vector<std::size_t> places_{};  // numbers of words, a power of two, at most half of them taken
  std::size_t known_ = 0;              // words that are there
};
using word_numbers = basic_word_numbers<>;

}  // namespace ipuflow::feed::impl
