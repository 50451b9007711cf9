// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/graph.hpp>
#include <ipuflow/graph/arguments.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>

namespace arguments_test {

using namespace ipuflow;

constexpr auto add_one = [](int x) { return x + 1; };
constexpr auto cut = [](int x, int most) { return x < most ? x : most; };

// In an order of its own: what is given per run stands between what comes with each item.
constexpr auto mixed = pipeline(per_run<"limit", int>, input<int>, per_sample<"label", std::string>, per_run<"rates", float, 4>,
                                input<double>, block<"a">([](int x, double) { return x; }, use<"limit">(cut)),
                                block<"b">(add_one));
using mixed_type = std::remove_cv_t<decltype(mixed)>;
constexpr auto plain = pipeline(input<int>, per_sample<"label", int>, block<"a">(add_one), block<"b">(add_one));
using plain_type = std::remove_cv_t<decltype(plain)>;

static_assert(takes_arguments<mixed_type> && !takes_arguments<plain_type>);
static_assert(std::is_same_v<item_of<mixed_type>, std::tuple<int, double, std::string>>);
static_assert(std::is_same_v<item_of<plain_type>, stage_input<plain_type, 0>>);
static_assert(std::is_same_v<entering_of<mixed_type>::types, stage_input<mixed_type, 0>>);

// It is the same pipeline in other stages and places.
static_assert(std::is_same_v<item_of<std::remove_cv_t<decltype(regroup(mixed, stage<"a", "b">()))>>, item_of<mixed_type>>);
static_assert(std::is_same_v<item_of<std::remove_cv_t<decltype(place<1, 0>(mixed))>>, item_of<mixed_type>>);

using limit = argument<"limit", int>;
using rates = argument<"rates", std::array<float, 4>>;
static_assert(!verify_arguments<mixed_type, limit, rates>() && !verify_arguments<mixed_type, rates, limit>());
static_assert(!verify_arguments<mixed_type, argument<"limit", short>, rates>());
static_assert(!verify_arguments<plain_type>());
static_assert(verify_arguments<mixed_type, limit>() ==
              argument_fault{argument_wrong::missing, 0, 1, {fixed_string<60>{"rates"}, {}}});
static_assert(verify_arguments<plain_type, limit>().kind == argument_wrong::unknown);
static_assert(verify_arguments<mixed_type, limit, rates, limit>().kind == argument_wrong::twice);
static_assert(verify_arguments<mixed_type, argument<"limit", std::string>, rates>().kind == argument_wrong::other_type);
static_assert(verify_arguments<mixed_type, limit, argument<"rates", std::array<float, 3>>>().kind == argument_wrong::other_type);
static_assert(verify_arguments<mixed_type, limit, int>().kind == argument_wrong::no_argument);
static_assert(verify_arguments<plain_type, argument<"label", int>>().kind == argument_wrong::unknown, "it comes with each item");

TEST_CASE("an item and the arguments of the run stand in their places") {
  constexpr auto p = pipeline(per_run<"limit", int>, input<int>, per_sample<"label", std::string>, input<double>,
                              block<"a">([](int x, double) { return x; }, use<"limit">(cut)), block<"b">(add_one));
  const auto given = entered<std::remove_cv_t<decltype(p)>>(std::tuple{7, 0.5, std::string{"seven"}}, with<"limit">(3));
  static_assert(std::is_same_v<decltype(with<"limit">(3)), limit>);
  CHECK(std::get<0>(given) == 7);
  CHECK(std::get<1>(given) == 0.5);
  CHECK(std::get<2>(given) == 3);
  CHECK(std::get<3>(given) == "seven");
}

constexpr auto narrow = pipeline(input<int>, per_run<"k", unsigned char>, per_run<"row", std::int8_t, 2>,
                                 block<"a">(use<"k">([](int x, unsigned char k) { return x + k; })), block<"b">(add_one));
using narrow_type = std::remove_cv_t<decltype(narrow)>;
template <class K, class Row>
constexpr argument_wrong wrong_numbers(K k, Row row) {
  return verify_numbers_of<narrow_type>(with<"row">(row), with<"k">(k)).kind;
}
using row = std::array<int, 2>;
static_assert(wrong_numbers(255, row{-128, 127}) == argument_wrong::nothing);
static_assert(verify_numbers_of<narrow_type>(with<"k">(300), with<"row">(row{})) ==
              argument_fault{argument_wrong::cut, 0, 8, {fixed_string<60>{"k"}, {}}});
static_assert(wrong_numbers(-1, row{}) == argument_wrong::cut && wrong_numbers(256u, row{}) == argument_wrong::cut);
static_assert(wrong_numbers(1, row{0, 128}) == argument_wrong::cut && wrong_numbers(1, row{-129, 0}) == argument_wrong::cut);
static_assert(wrong_numbers(7.0, std::array{-128.f, 127.f}) == argument_wrong::nothing);
static_assert(wrong_numbers(7.5, row{}) == argument_wrong::cut && wrong_numbers(256.0, row{}) == argument_wrong::cut);
static_assert(wrong_numbers(std::numeric_limits<double>::quiet_NaN(), row{}) == argument_wrong::cut);
static_assert(wrong_numbers(true, std::array{128.f, 0.f}) == argument_wrong::cut);
static_assert(!verify_numbers_of<plain_type>() && !verify_numbers_of<mixed_type>(with<"limit">(-3), rates{}));

struct argument_test_text {};

TEST_CASE("what is wrong with arguments is said with what to do") {
  CHECK(message(verify_arguments<mixed_type, limit>()).view() ==
        "ipuflow: the pipeline declares per_run<\"rates\", ...> but the run is not given it; add with<\"rates\">(value) behind "
        "the options of a run or the samples of a step");
  CHECK(message(verify_arguments<plain_type, limit>()).view() ==
        "ipuflow: a run is given 'limit', which the pipeline does not declare; declare it as per_run<\"limit\", T>, or leave "
        "it out");
  CHECK(message(verify_arguments<mixed_type, limit, limit, rates>()).view() ==
        "ipuflow: a run is given 'limit' twice; give it once");
  CHECK(message(verify_arguments<mixed_type, argument<"limit", argument_test_text>, rates>()).view() ==
        "ipuflow: a run is given 'limit' as arguments_test::argument_test_text, which does not become what the pipeline declares; "
        "give it a value of that type");
  CHECK(message(verify_arguments<mixed_type, int>()).view() ==
        "ipuflow: a run is given int as an argument; give with<\"name\">(value) for each value of per_run");
  CHECK(message(verify_numbers_of<narrow_type>(with<"k">(300), with<"row">(row{}))).view() ==
        "ipuflow: a run is given 'k' with a number that the 8 bits which the pipeline declares for it do not hold; declare a wider type, or "
        "give another number");
}

}  // namespace arguments_test
