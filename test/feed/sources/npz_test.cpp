// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/per_stage.hpp>
#include <ipuflow/feed/sources/npz.hpp>

#include <ipuflow/feed/load.hpp>
#include <ipuflow/feed/sources/zip.hpp>

#include "made_arrays.hpp"
#include "made_file.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace npz_test {

using namespace ipuflow;
using test::byte_list;

namespace {

/// 24 halves of 0, 1, 2, ... as floats of 6 samples of 4.
byte_list floats() {
  byte_list elements(24 * sizeof(float));
  for (std::size_t i = 0; i < 24; ++i) {
    const float x = 0.5f * static_cast<float>(i);
    std::memcpy(elements.data() + i * sizeof x, &x, sizeof x);
  }
  return test::npy_of(test::npy_text("<f4", "(6, 4)"), elements);
}
/// The same as zlib packs it.
const byte_list packed_floats{
    155, 236, 23,  234, 27,  16,  201, 200, 80,  198, 80,  173, 158, 146, 90,  156, 92,  164, 110, 165, 160, 110, 147,
    102, 162, 174, 163, 160, 158, 150, 95,  84,  82,  148, 152, 23,  159, 95,  148, 146, 10,  18,  119, 75,  204, 41,
    78,  5,   138, 23,  103, 36,  22,  164, 2,   249, 26,  102, 58,  10,  38,  154, 58,  10,  181, 10,  100, 3,   46,
    6,   8,   176, 103, 96,  104, 0,   226, 3,   64,  204, 224, 192, 192, 160, 0,   196, 14,  64,  156, 0,   196, 13,
    64,  60,  1,   136, 23,  0,   241, 6,   32,  62,  0,   196, 23,  128, 248, 1,   16,  127, 0,   98,  6,   71,  6,
    6,   14,  32,  22,  0,   98,  9,   32,  86,  0,   98,  13,  32,  54,  0,   98,  11,  71,  0};

byte_list labels() { return test::npy_of(test::npy_text("|u1", "(6,)"), {0, 1, 2, 0, 1, 2}); }

byte_list two_arrays() { return test::zip_of({{"x.npy", floats(), packed_floats}, {"y.npy", labels()}}); }

}  // namespace

TEST_CASE("arrays of an archive are datasets by their names, packed or not") {
  const test::made_file made{"two.npz", two_arrays()};
  const std::string path = made.path();
  // begin: use
  const feed::npz file{path};
  const auto samples = feed::zip(file.array<float, 4>("x"), file.array<std::uint8_t>("y"));
  // end: use
  CHECK(file.names() == std::vector<std::string>{"x", "y"});
  CHECK(file.header("x").extents == per_stage(6, 4));
  std::size_t seen = 0;
  for (auto& [x, y] : feed::load(samples, 3)) {
    CHECK(x[0][0] == (seen == 0 ? 0.0f : 6.0f));
    CHECK(x[2][3] == (seen == 0 ? 5.5f : 11.5f));
    CHECK(y[1] == 1);
    ++seen;
  }
  CHECK(seen == 2);
}

TEST_CASE("an array outlives the archive that it was read from") {
  const test::made_file made{"two.npz", two_arrays()};
  const auto x = feed::npz{made.path()}.array<float, 4>("x");
  const auto y = feed::npz{made.path()}.array<std::uint8_t>("y");
  CHECK(x[5][3] == 11.5f);
  CHECK(y[5] == 2);
}

TEST_CASE("an array that is not there, or is another one, is refused with its name") {
  const test::made_file made{"two.npz", two_arrays()};
  const feed::npz file{made.path()};
  const auto refused = [&](auto act) { return test::sentence_of<rejected<feed::array_fault>>(made.path(), act); };
  CHECK(refused([&] { (void)file.array<float>("z"); }) == "ipuflow: there is no array 'z' in 'f'; its arrays are x, y");
  CHECK(refused([&] { (void)file.array<float, 5>("x"); }).find("the samples of the array 'f[x]' have 4 elements") != std::string::npos);
  CHECK(refused([&] { (void)file.array<float>("y"); }).find("the elements of 'f[y]' are '|u1', which is not float") != std::string::npos);
}

TEST_CASE("an archive of which a byte has changed, or that is cut, is read as it was or refused with a sentence") {
  const byte_list whole = two_arrays();
  std::size_t refused = 0, read = 0;
  const auto look = [&](const byte_list& bytes) {
    const test::made_file made{"flipped.npz", bytes};
    try {
      const feed::npz file{made.path()};
      const auto x = file.array<float, 4>("x");
      const auto y = file.array<std::uint8_t>("y");
      ++read;
      CHECK(x[5][3] == 11.5f);  // what has changed does not matter
      CHECK(y[5] == 2);
    } catch (const ipuflow::error& wrong) {
      ++refused;
      CHECK(std::string_view{wrong.what()}.starts_with("ipuflow: "));
    }
  };
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int by : {1, 0x80, 0xff}) {
      byte_list changed = whole;
      changed[i] = static_cast<std::uint8_t>(changed[i] ^ by);
      look(changed);
    }
  }
  CHECK(refused > 3 * packed_floats.size());
  CHECK(read > 0);
  const std::size_t before = read;
  for (std::size_t cut = 0; cut < whole.size(); ++cut) look({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut)});
  CHECK(read == before);
}

}  // namespace npz_test
