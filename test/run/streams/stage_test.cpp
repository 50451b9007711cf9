// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/streams/stage.hpp>

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>
#include <vector>

namespace stage_test {

using namespace ipuflow;
using namespace ipuflow::run::impl;

template <class Token, class Stage>
auto carried_by(Stage& stage, Token token) {
  using work = typename stage_parts<Stage>::template work<typename Token::item>;
  auto at_work = stage_parts<Stage>::template begin<typename Token::item>(stage);
  return token_op<Token, work>{&at_work}(std::move(token));
}

TEST_CASE("one value stays one, without a container, as long as every op gives one") {
  auto both = block<"both">([](int n) { return n + 1; }, [](int n) { return 2.0 * n; });
  const auto made = carried_by(both, one<int>{3});
  static_assert(std::is_same_v<decltype(made), const one<double>>);
  CHECK(made.value == 8.0);
  static_assert(stage_parts<decltype(both)>::name == "both");
}

TEST_CASE("ops of a block follow each other item by item; an end passes through all of them") {
  auto pairs = block<"pairs">(run::flat_map([](int n) { return std::vector<int>(2, n); }), run::batch(3), [](const std::vector<int>& all) { return all.size(); });
  using work = stage_parts<decltype(pairs)>::work<int>;
  static_assert(work::ends && !work::gives_one);
  work at_work = stage_parts<decltype(pairs)>::begin<int>(pairs);
  const token_op<some<int>, work> op{&at_work};
  std::vector<std::size_t> got;
  bool ended = false;
  const auto give = [&](some<int> token) {
    auto made = op(std::move(token));
    made.take_each([&](std::size_t n) { got.push_back(n); });
    ended = made.ends();
  };
  give(some<int>{1});
  CHECK(got.empty());
  give(some<int>{1});
  CHECK(got == std::vector<std::size_t>{3});
  CHECK(!ended);
  give(some<int>::end());
  CHECK(got == std::vector<std::size_t>{3, 1});
  CHECK(ended);
}

}  // namespace stage_test
