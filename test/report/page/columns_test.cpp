// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/page/columns.hpp>

#include <doctest/doctest.h>

#include "report/page_reader.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace columns_test {

using namespace ipuflow;

/// Columns of these, read back, and the types that they got.
struct kept {
  report::page_columns columns{};
  std::string header = "{";

  void add(const char* name, const std::string& reference) {
    header += (header.size() > 1 ? ",\"" : "\"") + std::string(name) + "\":" + reference;
  }
  page_reader::container read() const { return page_reader::container{columns.container(header + "}")}; }
};

TEST_CASE("columns come back, each in its narrowest form, aligned to its width") {
  kept k;
  const std::vector<std::uint64_t> few{0, 255, 7, 0, 255}, more{65535, 0, 1, 65535}, wide{0xffff'ffff, 0, 0x8000'0000};
  const std::vector<std::uint64_t> rising{1'000'000, 1'000'003, 1'000'004, 1'000'200}, huge{std::uint64_t{1} << 40, 3, std::uint64_t{1} << 52};
  k.add("few", k.columns.add(few));  // ends at an odd byte
  k.add("more", k.columns.add(more));
  k.add("odd", k.columns.add(std::vector<std::size_t>{1}));
  k.add("wide", k.columns.add(wide));
  k.add("rising", k.columns.add(rising));
  k.add("huge", k.columns.add(huge));
  k.add("real", k.columns.add_reals(2, [](std::size_t i) { return i == 0 ? 1.5 : -2e300; }));
  k.add("none", k.columns.add(std::vector<std::size_t>{}));
  const std::uint64_t edges[] = {0x100, 0x10000, 0x1'0000'0000};
  for (const std::uint64_t edge : edges) k.add(("edge" + std::to_string(edge)).c_str(), k.columns.add(std::vector<std::uint64_t>{edge, 0, edge}));
  const page_reader::container read = k.read();
  const auto type = [&](const char* name) { return read.header[name]["type"].text; };
  CHECK(type("few") == "u8");
  CHECK(type("more") == "u16");
  CHECK(type("wide") == "u32");
  CHECK(type("rising") == "delta");
  CHECK(type("huge") == "delta");
  CHECK(type("real") == "f64");
  const auto same = [&](const char* name, const std::vector<std::uint64_t>& values) {
    CHECK(read.numbers(read.header[name]) == std::vector<double>(values.begin(), values.end()));
  };
  for (const std::uint64_t edge : edges) same(("edge" + std::to_string(edge)).c_str(), {edge, 0, edge});
  same("few", few);
  same("more", more);
  same("odd", {1});
  same("wide", wide);
  same("rising", rising);
  same("huge", huge);
  same("none", {});
  CHECK(read.numbers(read.header["real"]) == std::vector<double>{1.5, -2e300});
}

TEST_CASE("numbers near each other take a byte, however large, and falling ones as well") {
  using namespace report::impl;
  CHECK(zigzag(0) == 0);
  CHECK(zigzag(static_cast<std::uint64_t>(-1)) == 1);
  CHECK(zigzag(1) == 2);
  CHECK(zigzag(static_cast<std::uint64_t>(-64)) == 127);
  CHECK(leb128_size(0) == 1);
  CHECK(leb128_size(127) == 1);
  CHECK(leb128_size(128) == 2);
  CHECK(leb128_size(static_cast<std::uint64_t>(-1)) == 10);
}

TEST_CASE("the payload begins at a multiple of eight behind a header of any length") {
  for (std::size_t length = 0; length < 9; ++length) {
    report::page_columns columns;
    const std::string reference = columns.add_reals(1, [](std::size_t) { return 3.25; });
    const std::string header = "{\"c\":" + reference + std::string(length, ' ') + "}";
    const page_reader::container read{columns.container(header)};
    CHECK(columns.container(header).size() % 8 == 0);
    CHECK(read.numbers(read.header["c"]) == std::vector<double>{3.25});
  }
}

}  // namespace columns_test
