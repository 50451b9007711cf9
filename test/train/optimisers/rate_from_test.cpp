// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/graph.hpp>
#include <ipuflow/train/optimisers/rate_from.hpp>
#include <ipuflow/train/optimisers/sgd.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace rate_from_test {

using namespace ipuflow;
using namespace ipuflow::train;

constexpr auto p = pipeline(input<int>, per_sample<"speed", float>, per_run<"rate", float>, block<"a">([](int x) { return x; }),
                            block<"b">([](int x) { return x; }));
using p_type = std::remove_cv_t<decltype(p)>;
constexpr auto rule = rate_from<"rate">(sgd{.rate = 5, .momentum = 0.5f});

static_assert(rule.momentum == 0.5f && rule.states == sgd::states);
static_assert(!train::impl::verify_rate<p_type, std::remove_cv_t<decltype(rule)>>() && !train::impl::verify_rate<p_type, sgd>());
static_assert(train::impl::verify_rate<p_type, decltype(rate_from<"speed">(sgd{}))>().kind == argument_wrong::unknown,
              "what comes with every sample is no rate of a run");

TEST_CASE("the rate is what the run is given, among other arguments; any other optimiser keeps its own") {
  auto given = rule;
  train::impl::set_rate(given, with<"other">(1.0f), with<"rate">(0.25));
  CHECK(given.rate == 0.25f);
  sgd own{.rate = 3};
  train::impl::set_rate(own, with<"rate">(0.25f));
  CHECK(own.rate == 3);
}

}  // namespace rate_from_test
