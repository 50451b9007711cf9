// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/page/base64.hpp>

#include <doctest/doctest.h>

#include "report/inflate.hpp"

#include <string>

namespace base64_test {

using namespace ipuflow;

TEST_CASE("the vectors of the standard") {  // RFC 4648, 10
  CHECK(report::base64("") == "");
  CHECK(report::base64("f") == "Zg==");
  CHECK(report::base64("fo") == "Zm8=");
  CHECK(report::base64("foo") == "Zm9v");
  CHECK(report::base64("foob") == "Zm9vYg==");
  CHECK(report::base64("fooba") == "Zm9vYmE=");
  CHECK(report::base64("foobar") == "Zm9vYmFy");
}

TEST_CASE("all bytes come back") {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  CHECK(report::base64(all).find("+/") != std::string::npos);
  for (std::size_t size = 250; size <= 256; ++size) CHECK(inflate::from_base64(report::base64(all.substr(0, size))) == all.substr(0, size));
}

}  // namespace base64_test
