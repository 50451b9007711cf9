// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/streams/item_failed.hpp>

#include <doctest/doctest.h>

#include <exception>
#include <stdexcept>

namespace item_failed_test {

using namespace ipuflow;

TEST_CASE("the sentence says where, which item and what was thrown") {
  const auto cause = std::make_exception_ptr(std::runtime_error{"no number"});
  const run::item_failed failed{"block 'parse'", "parse", 1234, false, cause};
  CHECK(failed.what() == std::string_view{"ipuflow: block 'parse' failed, item 1234: no number"});
  CHECK(failed.block() == "parse");
  CHECK(failed.item() == 1234);
  CHECK(!failed.at_end());
  CHECK(failed.cause() == cause);
  const run::item_failed late{"stage 2", "stage 2", 7, true, std::make_exception_ptr(7)};
  CHECK(late.what() == std::string_view{"ipuflow: stage 2 failed at the end of the stream: something that is no std::exception"});
  CHECK(late.at_end());
}

}  // namespace item_failed_test
