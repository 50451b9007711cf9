// SPDX-License-Identifier: BSL-1.0
// Places of rounds by number, and numbers by place.
#include <ipuflow/schedule/analysis/round_index.hpp>

#include <doctest/doctest.h>

namespace round_index_test {

using namespace ipuflow;
using namespace ipuflow::schedule;
using namespace ipuflow::schedule::impl;

TEST_CASE("the n-th operation of an IPU, and of a stream, is where as many are before it") {
  run_log log;
  log.begin(4, 8, 1);
  log.begin_round();
  const std::uint16_t lanes[] = {2, 0, 2, 1, 0, 0, 2};
  const std::uint32_t ports[] = {1, 4, 3, 4, 4, 1, 1};
  for (std::size_t i = 0; i < 7; ++i) log.add(log.code_of({lanes[i], static_cast<std::uint16_t>(lanes[i]), ports[i]}, no_code));
  round_index index;
  CHECK_FALSE(index.known());
  index.read(log, log.sections()[0], 4);
  CHECK(index.known());
  const auto check = [&](const round_members& of, std::size_t size) {
    REQUIRE(of.size() == size);
    for (std::size_t n = 0; n < 5 * size; ++n) {
      const round_place at = of.at(n);
      CHECK(of.before(at.round, at.event) == n);
      CHECK(of.before(at.round, at.event + 1) == n + 1);
    }
  };
  check(index.of_lane(0), 3);
  check(index.of_lane(1), 1);
  check(index.of_lane(2), 3);
  CHECK(index.of_lane(3).size() == 0);
  check(index.of_stream(1), 3);
  check(index.of_stream(4), 3);
  CHECK(index.of_lane(2).at(4).round == 1);
  CHECK(index.of_lane(2).at(4).event == 2);
}

}  // namespace round_index_test
