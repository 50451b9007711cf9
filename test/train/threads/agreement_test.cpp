// SPDX-License-Identifier: BSL-1.0
// What is compared by the processes of a session is tested with it, in share_session_test.cpp; here, its parts.
#include <ipuflow/train/threads/agreement.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace agreement_test {

using namespace ipuflow;
using train::impl::piece;

TEST_CASE("the three smallest tensors of each group, with their copies") {
  const light_vector<piece> tensors{{.begin = 0, .count = 9}, {.begin = 9, .count = 3}, {.begin = 12, .count = 3}, {.begin = 15, .count = 5, .group = 2},
                                    {.begin = 20, .count = 4}, {.begin = 24, .count = 3, .copy_of = 9}, {.begin = 27, .count = 9, .copy_of = 0}};
  const auto all = train::impl::smallest_of_groups(tensors);
  for (std::size_t i = 0; i < 36; ++i) {
    CAPTURE(i);
    CHECK(train::impl::has_parameter(all, i) == (i >= 9 && i < 27));
  }
  CHECK(train::impl::smallest_of_groups({}).empty());
}

TEST_CASE("a number of bytes is another one where any of them is") {
  std::vector<std::byte> bytes(19);
  const auto number = [&] { return train::impl::number_of_bytes(bytes); };
  const auto first = number();
  for (std::byte& b : bytes) {
    b = std::byte{0x80};
    CHECK(number() != first);
    b = std::byte{};
  }
  CHECK(number() == first);
}

}  // namespace agreement_test
