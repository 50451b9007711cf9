// SPDX-License-Identifier: BSL-1.0
// One step of the flow of types: a point, an op, the point behind it. Everything here is decided by the compiler; the
// cases at the end say so once more for what is counted.
#include <ipuflow/graph/flow/point.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <tuple>
#include <type_traits>

namespace point_test {

using namespace ipuflow;
using namespace ipuflow::flow;

namespace {

using box = std::unique_ptr<int>;
struct to_double {
  double operator()(int) const;
};
struct split {
  std::tuple<int, box> operator()(int) const;
};
struct swallow {
  void operator()(int, box) const;
};
struct refer {
  const box& operator()(const box&) const;
};
struct scale {
  int operator()(int, const float&) const;
};

template <class Op, std::size_t Index = 0>
using here = op_at<op_site{2, 0, fixed_string<60>{std::string_view{"b"}}, Index}, Op>;

template <class From, class... Step>
using after_steps = decltype((From{} >> ... >> Step{}));

template <class... T>
using at = point<values<T...>>;

static_assert(std::is_same_v<after_steps<at<int>, here<to_double>>, at<double>>);
static_assert(std::is_same_v<after_steps<at<int>, here<split>>, at<int, box>>);
static_assert(std::is_same_v<after_steps<at<int>, here<split>, here<swallow>>, at<>>, "a move-only value goes through");
static_assert(std::is_same_v<after_steps<at<const int&>, here<to_double>>, at<double>>, "a branch looks at its value");

template <class T>
inline constexpr graph_wrong wrong_in = graph_wrong::nothing;
template <graph_fault Found>
inline constexpr graph_wrong wrong_in<stuck<Found>> = Found.kind;
template <class T>
inline constexpr graph_fault fault_of{};
template <graph_fault Found>
inline constexpr graph_fault fault_of<stuck<Found>> = Found;

using misfit = after_steps<at<std::string>, here<to_double, 3>>;
static_assert(fault_of<misfit>.kind == graph_wrong::cannot_take && fault_of<misfit>.where.stage == 2 &&
              fault_of<misfit>.where.op == 3 && fault_of<misfit>.where.name == fixed_string{"b"});
static_assert(std::is_same_v<after_steps<misfit, here<to_double>, named<"x", int>, here<split>>, misfit>,
              "the first fault stays");
static_assert(wrong_in<after_steps<at<const box&>, here<swallow>>> == graph_wrong::branches_differ);
static_assert(wrong_in<after_steps<at<box>, here<refer>>> == graph_wrong::immovable);

// Named values.
using with_rate = point<values<int>, named<"rate", float>>;
static_assert(std::is_same_v<after_steps<with_rate, here<use_t<scale, "rate">>>, with_rate>);
static_assert(std::is_same_v<after_steps<with_rate, here<to_double>>, point<values<double>, named<"rate", float>>>,
              "a named value goes past the ops that do not use it");
static_assert(wrong_in<after_steps<at<int>, here<use_t<scale, "rate">>>> == graph_wrong::unknown_value);
static_assert(fault_of<after_steps<with_rate, here<use_t<scale, "rate", "x", "y">>>>.where.name == fixed_string{"x"},
              "the first that is unknown is told");
static_assert(wrong_in<after_steps<with_rate, named<"rate", int>>> == graph_wrong::repeated_value);
static_assert(wrong_in<after_steps<with_rate, here<use_t<to_double, "rate">>>> == graph_wrong::cannot_take);

// set_aside<...>
static_assert(std::is_same_v<after_steps<with_rate, here<set_aside_t<"i">>>,
                             point<values<>, named<"rate", float>, named<"i", int>>>);
static_assert(std::is_same_v<after_steps<at<int, char>, here<set_aside_t<"i", "c">>, here<use_t<to_double, "i">>>,
                             point<values<double>, named<"i", int>, named<"c", char>>>);
static_assert(wrong_in<after_steps<at<int, char>, here<set_aside_t<"i">>>> == graph_wrong::kept_count);
static_assert(wrong_in<after_steps<at<box>, here<set_aside_t<"b">>>> == graph_wrong::kept_move_only);

// keep<...>
static_assert(std::is_same_v<after_steps<at<int, char>, here<keep_t<"i", "c">>>,
                             point<values<int, char>, named<"i", int>, named<"c", char>>>);
static_assert(std::is_same_v<after_steps<at<>, here<keep_t<>>>, at<>>);
static_assert(wrong_in<after_steps<at<int>, here<keep_t<"i", "c">>>> == graph_wrong::kept_count);
static_assert(wrong_in<after_steps<at<int, box>, here<keep_t<"i", "b">>>> == graph_wrong::kept_move_only);
static_assert(wrong_in<after_steps<with_rate, here<keep_t<"rate">>>> == graph_wrong::repeated_value);
static_assert(wrong_in<after_steps<at<int, int>, here<keep_t<"i", "i">>>> == graph_wrong::repeated_value);

// Names that are empty or too long to show.
constexpr fixed_string<60> longest{
    std::string_view{"a name of sixty characters, which is the longest there may be"}.substr(0, 60)};
constexpr fixed_string<61> too_long{
    std::string_view{"a name of sixty-one characters, which is one more than there may be"}.substr(0, 61)};
static_assert(wrong_in<after_steps<at<int>, here<keep_t<"">>>> == graph_wrong::unnamed_value);
static_assert(wrong_in<after_steps<with_rate, here<use_t<scale, "">>>> == graph_wrong::unnamed_value);
static_assert(wrong_in<after_steps<point<void>, input_t<int>, per_sample_t<"", int>>> == graph_wrong::unnamed_value);
static_assert(wrong_in<after_steps<point<void>, input_t<int>, per_run_t<too_long, int>>> ==
              graph_wrong::long_value_name);
static_assert(fault_of<after_steps<at<int>, here<keep_t<too_long>>>>.got == 61);
static_assert(std::is_same_v<after_steps<at<int>, here<keep_t<longest>>>, point<values<int>, named<longest, int>>>);

// Declarations.
using nothing = point<void>;
static_assert(std::is_same_v<after_steps<nothing, input_t<int>, input_t<std::tuple<char, box>>>, at<int, char, box>>,
              "several inputs are several values, and so is a tuple");
static_assert(std::is_same_v<after_steps<nothing, per_run_t<"rate", float>, input_t<int>>, with_rate>);
static_assert(std::is_same_v<after_steps<nothing, input_t<int>, per_sample_t<"rate", float>>, with_rate>);
static_assert(wrong_in<after_steps<nothing, per_run_t<"r", int>, input_t<int>, per_sample_t<"r", int>>> ==
              graph_wrong::repeated_value);

static_assert(
    std::is_same_v<after_steps<at<int>, only_if<true, named<"x", int>>>, point<values<int>, named<"x", int>>>);
static_assert(std::is_same_v<after_steps<at<int>, only_if<false, named<"x", int>>>, at<int>>);

}  // namespace

TEST_CASE("a fault found in types is a value that throws its sentence") {
  CHECK_THROWS_WITH_AS(
      throw_if(fault_of<after_steps<at<int>, here<use_t<scale, "rate">>>>),
      "ipuflow: nothing before op 0 of block 'b' provides the value 'rate'; declare it with per_sample or "
      "per_run, or keep it earlier",
      error);
  CHECK_THROWS_WITH_AS(throw_if(fault_of<after_steps<at<int>, here<keep_t<"x", "y">, 1>>>),
                       "ipuflow: keep in block 'b', op 1, has 2 names for 1 value (int); give one name for each",
                       error);
  CHECK_NOTHROW(throw_if(fault_of<after_steps<at<int>, here<to_double>>>));
}

}  // namespace point_test
