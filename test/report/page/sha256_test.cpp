// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/page/sha256.hpp>

#include <doctest/doctest.h>

#include <string>

namespace sha256_test {

using namespace ipuflow;

std::string hex(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    text += "0123456789abcdef"[static_cast<unsigned char>(c) / 16];
    text += "0123456789abcdef"[static_cast<unsigned char>(c) % 16];
  }
  return text;
}

TEST_CASE("the vectors of the standard") {  // NIST, FIPS 180-4, examples with intermediate values
  CHECK(hex(report::impl::sha256("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hex(report::impl::sha256("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hex(report::impl::sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(hex(report::impl::sha256(std::string(1'000'000, 'a'))) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace sha256_test
