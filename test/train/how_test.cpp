// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/how.hpp>

#include <ipuflow/core/half.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <type_traits>

namespace how_test {

using namespace ipuflow;
using train::how_wrong;
using train::precision;
using shared = std::shared_ptr<train::model<>>;

TEST_CASE("A back end, a precision and a model are found in any order, or are what they are by default") {
  CHECK(std::is_same_v<train::impl::back_end_of<>, on::threads>);
  CHECK(std::is_same_v<train::impl::precision_of<>, precision<>>);
  CHECK(std::is_same_v<train::impl::back_end_of<precision<half, float>, on::chips, shared>, on::chips>);
  CHECK(std::is_same_v<train::impl::precision_of<shared, on::threads, precision<half, float>>, precision<half, float>>);
  const auto m = std::make_shared<train::model<>>();
  CHECK(train::impl::shared_model<float>(on::threads{}, m) == m);
  CHECK(train::impl::shared_model<float>(on::threads{}) == nullptr);
  CHECK(train::impl::said<on::threads>(m, on::threads{.count = 3}).count == 3);
  CHECK(train::impl::said<on::threads>(m).count == 0);
}

TEST_CASE("Each is said at most once, and nothing else is") {
  CHECK_FALSE(train::impl::verify_how<>());
  CHECK_FALSE(train::impl::verify_how<shared, precision<>, on::threads>());
  CHECK(train::impl::verify_how<on::threads, on::chips>().kind == how_wrong::back_end_twice);
  CHECK(train::impl::verify_how<precision<>, precision<double>>().kind == how_wrong::precision_twice);
  CHECK(train::impl::verify_how<shared, shared>().kind == how_wrong::model_twice);
  CHECK(train::impl::verify_how<on::threads, int>().kind == how_wrong::unknown);
  CHECK(train::impl::verify_how<shared, precision<double>>().kind == how_wrong::model_differs);
  CHECK_FALSE(train::impl::verify_how<precision<float, half>, shared>());
}

}  // namespace how_test
