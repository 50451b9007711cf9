// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/page/gzip.hpp>

#include <doctest/doctest.h>

#include "report/inflate.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gzip_test {

using namespace ipuflow;

struct random_bytes {
  std::uint64_t state = 1;
  std::uint32_t next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state >> 33);
  }
};

TEST_CASE("what is read back is what was written, of any kind and size") {
  for (const std::size_t size : std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 100, 258, 259, 300, 5000, 40000}) {
    random_bytes random{size + 1};
    for (const std::uint32_t kinds : {1u, 2u, 3u, 16u, 256u}) {
      std::string text;
      for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(random.next() % kinds);
      CHECK(inflate::gunzip(report::gzip(text)) == text);
      std::string twice = text + "|" + text;
      CHECK(inflate::gunzip(report::gzip(twice)) == twice);
    }
  }
}

TEST_CASE("repetitions at the edge of the window, and one byte beyond it, come back") {
  for (const std::size_t distance : std::vector<std::size_t>{32766, 32767, 32768, 32769}) {
    random_bytes random;
    std::string text;
    for (std::size_t i = 0; i < distance; ++i) text += static_cast<char>(random.next() % 256);
    text += text.substr(0, 1000);
    CHECK(inflate::gunzip(report::gzip(text)) == text);
  }
}

TEST_CASE("each kind of block is used where it is the shortest") {
  random_bytes random;
  std::string noise;
  for (std::size_t i = 0; i < 100'000; ++i) noise += static_cast<char>(random.next() % 256);
  inflate::kinds_seen seen;
  CHECK(inflate::gunzip(report::gzip(noise), &seen) == noise);
  CHECK(seen.stored > 0);
  CHECK(report::gzip(noise).size() <= noise.size() + 64);
  CHECK(inflate::gunzip(report::gzip("abc"), &seen) == "abc");
  CHECK(seen.fixed == 1);
  std::string words;
  for (std::size_t i = 0; i < 20'000; ++i) words += "forward backward update "[random.next() % 24];
  CHECK(inflate::gunzip(report::gzip(words), &seen) == words);
  CHECK(seen.dynamic > 0);
  CHECK(report::gzip(words).size() < words.size() * 11 / 20);  // 4 bits of a letter
}

TEST_CASE("what repeats shrinks to a small part") {
  std::string columns;
  for (std::uint32_t i = 0; i < 50'000; ++i) columns += {static_cast<char>(i % 7), static_cast<char>(i % 16), 0, 0};
  CHECK(report::gzip(columns).size() < columns.size() / 50);
  CHECK(inflate::gunzip(report::gzip(columns)) == columns);
  const std::string zeros(1'000'000, '\0');
  CHECK(report::gzip(zeros).size() < 2'000);
  CHECK(inflate::gunzip(report::gzip(zeros)) == zeros);
}

TEST_CASE("the file begins as the standard has it, and is the same each time") {
  const std::string file = report::gzip("the same");
  CHECK(file.substr(0, 10) == std::string{"\x1f\x8b\x08\0\0\0\0\0\0\xff", 10});
  CHECK(file == report::gzip("the same"));
}

}  // namespace gzip_test
