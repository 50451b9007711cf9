// SPDX-License-Identifier: BSL-1.0
#include "small_network.hpp"

#include <ipuflow/train/step_results.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <vector>

namespace step_results_test {

using namespace ipuflow;
using namespace ipuflow::train::impl;

using small = std::remove_cv_t<decltype(test::small_network)>;
static_assert(std::is_same_v<micro_batch_result<small>, std::tuple<std::vector<float>, float>>);

TEST_CASE("a row is given to the sink as its values: of samples their numbers, of a loss its mean") {
  results_of<small> columns{};
  columns[0] = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, 8};  // two samples of four scores a row
  columns[1] = {{0.5f, 0.25f}, 1};
  std::vector<float> scores;
  float loss = 0;
  const auto sink = [&](const std::vector<float>& s, float l) { scores = s, loss = l; };
  row_reader<small, const decltype(sink)> reader{columns, sink};
  row_reader<small, const decltype(sink)>::put(&reader, 1, 1);  // the second row, of a part of a step
  CHECK(scores == std::vector<float>{9, 10, 11, 12});
  CHECK(loss == 0.25f);
}

TEST_CASE("steps are taken from a function or a range, as many as are run") {
  int next = 0;
  std::size_t done = 0;
  auto five = [&] { return next < 5 ? std::optional{next++} : std::nullopt; };
  CHECK(!each_step(five, 3, done, [](int) {}));
  CHECK(next == 3);  // and no step more
  CHECK(each_step(five, 10, done, [](int) {}));
  CHECK(done == 5);

  std::vector<int> range{1, 2, 3};
  std::vector<int> seen;
  done = 0;
  CHECK(!each_step(range, 2, done, [&](int x) { seen.push_back(x); }));
  done = 0;
  CHECK(each_step(range, train::all_steps, done, [&](int x) { seen.push_back(x); }));
  CHECK(seen == std::vector{1, 2, 1, 2, 3});
}

TEST_CASE("of a range that nothing is run of no pass is begun") {
  struct counted {
    std::size_t begun = 0;
    std::vector<int> numbers{1, 2};

    auto begin() { return ++begun, numbers.begin(); }
    auto end() { return numbers.end(); }
  } range;
  std::size_t done = 0;
  CHECK(!each_step(range, 0, done, [](int) {}));
  CHECK(range.begun == 0);
  CHECK(!each_step(range, 1, done, [](int) {}));
  CHECK(range.begun == 1);
}

}  // namespace step_results_test
