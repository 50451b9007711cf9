// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/page/deflate.hpp>

#include <doctest/doctest.h>

#include "report/inflate.hpp"

#include <string>
#include <vector>

namespace deflate_test {

using namespace ipuflow;
using report::impl::deflate_token;

/// What blocks of tokens stand for, read by an inflate that knows nothing of them.
std::string read(const std::vector<deflate_token>& tokens, const std::string& raw) {
  report::impl::bit_text out;
  report::impl::basic_deflate_blocks<> blocks{out};
  blocks.write(tokens, raw, true);
  out.align();
  inflate::bits in{out.text()};
  CHECK(in.one() == 1);
  std::string text;
  const std::size_t kind = in.take(2);
  if (kind == 2) {
    inflate::read_dynamic(in, text);
  } else {
    CHECK(kind == 1);
    std::vector<std::size_t> lengths(288, 8);
    for (std::size_t s = 144; s < 280; ++s) lengths[s] = s < 256 ? 9 : 7;
    inflate::read_tokens(in, inflate::code{lengths}, inflate::code{std::vector<std::size_t>(32, 5)}, text);
  }
  return text;
}

TEST_CASE("lengths and distances have the symbols of the standard's tables") {
  CHECK(report::impl::length_symbols[0] == 0);           // 3
  CHECK(report::impl::length_symbols[11 - 3] == 8);      // 11 and 12
  CHECK(report::impl::length_symbols[257 - 3] == 27);    // 227 to 257
  CHECK(report::impl::length_symbols[258 - 3] == 28);    // alone
  CHECK(report::impl::length_ranges[27].first == 227);
  CHECK(report::impl::distance_symbol(1) == 0);
  CHECK(report::impl::distance_symbol(5) == 4);
  CHECK(report::impl::distance_symbol(24576) == 28);
  CHECK(report::impl::distance_symbol(24577) == 29);
  CHECK(report::impl::distance_symbol(32768) == 29);
  CHECK(report::impl::distance_ranges[29].first == 24577);
}

TEST_CASE("every length and many distances come back") {
  for (const std::size_t distance : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7}, std::size_t{100}, std::size_t{257}, std::size_t{24577}, std::size_t{32768}}) {
    std::vector<deflate_token> tokens;
    std::string text;
    for (std::size_t i = 0; i < distance; ++i) {
      const auto byte = static_cast<unsigned char>(i * i % 251);
      tokens.push_back({0, byte});
      text += static_cast<char>(byte);
    }
    for (std::size_t length = 3; length <= 258; ++length) {
      tokens.push_back({static_cast<std::uint16_t>(distance), static_cast<std::uint16_t>(length)});
      for (std::size_t i = 0; i < length; ++i) text += text[text.size() - distance];
    }
    CHECK(read(tokens, text) == text);
  }
}

TEST_CASE("a block without a byte is one") { CHECK(read({}, "") == ""); }

}  // namespace deflate_test
