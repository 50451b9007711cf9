// SPDX-License-Identifier: BSL-1.0
// Enumerators have their names, numbers are exact, what is inside stands further to the right.
#include <ipuflow/core/field_text.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <optional>
#include <string>

namespace field_text_test {

using namespace ipuflow;

enum class colour : unsigned char { red, green = 3, blue = 31 };
enum class answer : bool { no, yes };

TEST_CASE("an enumerator has its name, a value without one has none") {
  CHECK(enumerator_name(colour::red) == "field_text_test::colour::red");
  CHECK(enumerator_name(colour::green) == "field_text_test::colour::green");
  CHECK(enumerator_name(colour::blue) == "field_text_test::colour::blue");
  CHECK(enumerator_name(static_cast<colour>(7)).empty());
  CHECK(enumerator_name(answer::yes) == "field_text_test::answer::yes");
}

TEST_CASE("each kind of value as it would be written") {
  const std::string inner = field_text{""}.add("a", 1).add("b", true).text();
  CHECK(field_text{"options"}
            .add("count", std::size_t{40})
            .add("rate", 0.1f)
            .add("whole", 2.0f)
            .add("share", 0.6)
            .add("most", std::numeric_limits<float>::infinity())
            .add("time", seconds{0.001})
            .add("seed", std::optional<int>{})
            .add("all", static_cast<std::size_t>(-1))
            .add("inner", inner)
            .text() == "options{\n  .count = 40,\n  .rate = 0.1f,\n  .whole = 2.0f,\n  .share = 0.6,\n"
                       "  .most = std::numeric_limits<float>::infinity(),\n  .time = seconds{0.001},\n  .seed = std::nullopt,\n"
                       "  .all = 18446744073709551615u,\n"
                       "  .inner = {\n    .a = 1,\n    .b = true\n  }\n}");
  constexpr double infinite = std::numeric_limits<double>::infinity();
  CHECK(field_text{"limits"}.add("a", infinite).add("b", -infinite).add("c", -std::numeric_limits<float>::infinity()).text() ==
        "limits{\n  .a = std::numeric_limits<double>::infinity(),\n  .b = -std::numeric_limits<double>::infinity(),\n"
        "  .c = -std::numeric_limits<float>::infinity()\n}");
  CHECK(field_text{"nothing"}.text() == "nothing{}");
}

}  // namespace field_text_test
