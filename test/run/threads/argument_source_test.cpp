// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/graph.hpp>
#include <ipuflow/run/threads/argument_source.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>

namespace argument_source_test {

using namespace ipuflow;

constexpr auto cut = [](int x, int most) { return x < most ? x : most; };
constexpr auto p = single_stage(input<int>, per_run<"limit", int>, block<"a">(use<"limit">(cut)));
using p_type = std::remove_cv_t<decltype(p)>;
constexpr auto q = single_stage(input<int>, block<"a">([](int x) { return x; }));

static_assert(run::impl::takes_no_arguments<std::remove_cv_t<decltype(q)>> && !run::impl::takes_no_arguments<p_type>);
static_assert(!run::impl::takes_no_arguments<std::remove_cv_t<decltype(q)>, int>, "a sentence says that there is none");
static_assert(run::impl::takes_no_arguments<int>, "what is no pipeline is refused elsewhere");

TEST_CASE("each item is joined by the arguments, until the source ends; a bare item will do where it is all") {
  int next = 0;
  auto source = [&]() -> std::optional<int> { return next < 3 ? std::optional{next++} : std::nullopt; };
  const auto given = with<"limit">(7);
  run::impl::source_with_arguments<p_type, decltype(source), argument<"limit", int>> whole{source, given};
  for (int i = 0; i < 3; ++i) CHECK(*whole() == std::tuple{i, 7});
  CHECK(!whole());
}

}  // namespace argument_source_test
