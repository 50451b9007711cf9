// SPDX-License-Identifier: BSL-1.0
// Names are the compiler's, so only what both compilers agree on is spelled out.
#include <ipuflow/core/tensor.hpp>
#include <ipuflow/core/type_name.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace elsewhere {
struct frame {};
}  // namespace elsewhere
namespace my_std {
struct frame {};
}  // namespace my_std

namespace type_name_test {

using namespace ipuflow;

namespace {

template <class... T>
struct repeated {};

static_assert(type_name<int>() == fixed_string{"int"});
static_assert(type_name<double>() == fixed_string{"double"});
static_assert(type_name<elsewhere::frame>() == fixed_string{"elsewhere::frame"});
static_assert(type_name<tensor<float, 1, 28, 28>>() == fixed_string{"tensor<float, 1, 28, 28>"});
static_assert(type_name<my_std::frame>() == fixed_string{"my_std::frame"}, "std:: is cut only where it is a word");

}  // namespace

TEST_CASE("this library's namespaces and std are left out wherever they stand") {
  CHECK(type_name<std::tuple<tensor<float, 2>, elsewhere::frame>>().view() == "tuple<tensor<float, 2>, elsewhere::frame>");
  CHECK(type_name<std::optional<std::optional<half>>>().view().find("::") == std::string_view::npos);
  CHECK(type_name<std::string>().view().find("__cxx11") == std::string_view::npos);
}

TEST_CASE("a name that is too long is cut and says so") {
  using one = std::tuple<tensor<float, 1, 28, 28>, tensor<float, 1, 28, 28>, tensor<float, 1, 28, 28>>;
  const auto name = type_name<repeated<one, one, one>>();
  CHECK(name.size() == 120);
  CHECK(name.view().substr(117) == "...");
}

TEST_CASE("different types have different names") {
  const std::string_view names[] = {"int", "int&", "const int&", "int&&"};
  const type_text ours[] = {type_name<int>(), type_name<int&>(), type_name<const int&>(), type_name<int&&>()};
  for (std::size_t i = 0; i < 4; ++i) {
    std::string without_space{ours[i].view()};
    if (const auto at = without_space.find(" &"); at != std::string::npos) without_space.erase(at, 1);
    CHECK(without_space == names[i]);
  }
}

}  // namespace type_name_test
