// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/sample_error.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>

namespace sample_error_test {

using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

namespace {

template <class Thrown>
std::exception_ptr failed_with(std::size_t index, Thrown thrown) {
  try {
    throw thrown;
  } catch (...) {
    return sample_failed(index);
  }
}

}  // namespace

TEST_CASE("a sample's failure carries its index, its reason and the exception itself") {
  try {
    std::rethrow_exception(failed_with(17, std::out_of_range{"no such pixel"}));
  } catch (const sample_error& wrong) {
    CHECK(wrong.index() == 17);
    CHECK(std::string{wrong.what()} ==
          "ipuflow: sample 17 cannot be loaded; its dataset or transform says: no such pixel");
    CHECK_THROWS_AS(std::rethrow_if_nested(wrong), std::out_of_range);
  }
}

TEST_CASE("whatever is thrown") {
  try {
    std::rethrow_exception(failed_with(3, 42));
  } catch (const sample_error& wrong) {
    CHECK(std::string{wrong.what()}.ends_with("an exception that is no std::exception"));
    CHECK_THROWS_AS(std::rethrow_if_nested(wrong), int);
  }
}

}  // namespace sample_error_test
