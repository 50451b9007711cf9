// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/drawing/numbers.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace numbers_test {

using namespace ipuflow::report;
using namespace ipuflow::report::impl;

TEST_CASE("without its commas a number is itself, and there is one before every third digit") {
  for (std::uint64_t n : {0ull, 7ull, 999ull, 1000ull, 12345ull, 999'999ull, 1'000'000ull, 18446744073709551615ull}) {
    const std::string text = with_commas(n);
    std::string bare;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool comma = (text.size() - i) % 4 == 0;
      CHECK((text[i] == ',') == comma);
      if (!comma) bare += text[i];
    }
    CHECK(bare == std::to_string(n));
  }
}

TEST_CASE("real numbers are rounded, and have commas only before the point") {
  CHECK(with_digits(1234567.125, 2) == "1,234,567.12");
  CHECK(with_digits(999.96, 1) == "1,000.0");
  CHECK(with_digits(0.5, 3) == "0.500");
  CHECK(with_digits(1234567.0, 0) == "1,234,567");
  CHECK(with_digits(0, 1) == "0.0");
  CHECK(with_digits(1e300, 0).size() == 301 + 100);
}

TEST_CASE("percentages of a whole, and of nothing") {
  CHECK(percent(std::uint64_t{1}, std::uint64_t{8}) == "12.5");
  CHECK(percent(std::uint64_t{3}, std::uint64_t{3}) == "100.0");
  CHECK(percent(std::uint64_t{3}, std::uint64_t{0}) == "0.0");
}

TEST_CASE("bytes and times have the unit that leaves few digits") {
  CHECK(short_bytes(0) == "0 B");
  CHECK(short_bytes(999) == "999 B");
  CHECK(short_bytes(1000) == "1.0 kB");
  CHECK(short_bytes(999'949) == "999.9 kB");
  CHECK(short_bytes(999'950) == "1.0 MB");
  CHECK(short_bytes(940'572'672) == "940.6 MB");
  CHECK(short_bytes(std::numeric_limits<std::uint64_t>::max()) == "18.4 EB");
  CHECK(short_time(0) == "0.000 s");
  CHECK(short_time(2.5) == "2.500 s");
  CHECK(short_time(0.25) == "250.000 ms");
  CHECK(short_time(12.3456e-6) == "12.346 us");
  CHECK(short_time(5e-10) == "0.500 ns");
}

}  // namespace numbers_test
