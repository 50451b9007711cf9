// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/graph/numbered_name.hpp>

namespace numbered_name_test {

using namespace ipuflow::impl;

static_assert(numbered<60>("encoder", 12) == ipuflow::fixed_string{"encoder[12]"});
static_assert(numbered<60>("encoder", 0, "[7]") == ipuflow::fixed_string{"encoder[0][7]"});

constexpr bool reads(std::string_view name, std::string_view before, std::string_view inside) {
  return bracketed_in(name).name == before && bracketed_in(name).inside == inside;
}
static_assert(reads("layer3[8]", "layer3", "8") && reads("encoder[2][8]", "encoder[2]", "8") && reads("a[4:8]", "a", "4:8"));
static_assert(reads("layer3", "layer3", "") && reads("a[1]b", "a[1]b", "") && reads("a]", "a]", "") && reads("", "", ""));
static_assert(reads("[1]", "[1]", "") && reads("a[]", "a", "") && reads("a[", "a[", ""));

static_assert(number_in("0") == 0 && number_in("007") == 7 && number_in("999999999") == 999'999'999);
static_assert(number_in("") == no_number && number_in("-1") == no_number && number_in("1x") == no_number);
static_assert(number_in("1000000000") == no_number && number_in("99999999999999999999") == no_number);

}  // namespace numbered_name_test
