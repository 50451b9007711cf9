// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/sources/word_numbers.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace word_numbers_test {

using ipuflow::feed::impl::word_numbers;

TEST_CASE("each word is found where it stands first, while words are added and behind them") {
  word_numbers numbers;
  std::vector<std::string> words;
  CHECK(numbers.find(words, "") == 0);
  for (std::size_t i = 0; i < 5000; ++i) {
    const std::string word = std::to_string(i * i % 3001);  // some come again
    const std::size_t found = numbers.find(words, word);
    std::size_t first = 0;
    while (first < words.size() && words[first] != word) ++first;
    REQUIRE(found == first);
    if (i % 7 == 0 || found == words.size()) words.push_back(word);
  }
  CHECK(numbers.find(words, "3002") == words.size());
  CHECK(numbers.find(words, std::string(1, '\0')) == words.size());
}

TEST_CASE("a list that is there at once, with the empty word and one word twice") {
  word_numbers numbers;
  const std::vector<std::string> words{"b", "", "a", "b", std::string("a\0", 2)};
  CHECK(numbers.find(words, "b") == 0);
  CHECK(numbers.find(words, "") == 1);
  CHECK(numbers.find(words, "a") == 2);
  CHECK(numbers.find(words, std::string("a\0", 2)) == 4);
  CHECK(numbers.find(words, "c") == 5);
}

}  // namespace word_numbers_test
