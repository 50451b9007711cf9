// SPDX-License-Identifier: BSL-1.0
// expect: ipuflow: numbers are to be converted, or seen as an image, but the first field of a sample holds none; make it a span, an array or a vector of numbers
#include <ipuflow/feed/images/convert.hpp>
#include <ipuflow/feed/sources/zip.hpp>

#include <array>
#include <vector>

using namespace ipuflow;

using pictures = std::vector<std::array<float, 784>>;

auto converts(const pictures& digits, const std::vector<int>& labels) {
#ifdef EXPECT_FAILURE
  return feed::zip(labels, digits) | feed::convert<half>(1.0 / 255);
#else
  return feed::zip(digits, labels) | feed::convert<half>(1.0 / 255);
#endif
}
