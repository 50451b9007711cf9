// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/threads/intake.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <stop_token>
#include <tuple>
#include <vector>

namespace intake_test {

namespace run = ipuflow::run;
using input = std::tuple<long>;

TEST_CASE("inputs come in order and in their form; after the end the source is not asked again") {
  int calls = 0;
  auto source = [&] { return ++calls <= 3 ? std::optional<int>{calls} : std::nullopt; };
  run::impl::intake<input, decltype(source)> one{source, {}};
  std::vector<long> seen;
  while (one.take([&](input& in) { seen.push_back(get<0>(in)); })) one.count(1);
  CHECK(!one.take([](input&) {}));
  CHECK(seen == std::vector<long>{1, 2, 3});
  CHECK(one.taken() == 3);
  CHECK(calls == 4);
}

TEST_CASE("a source may give pointers; a stop is its end") {
  long value = 7;
  auto source = [&] { return &value; };
  std::stop_source stop;
  run::impl::intake<input, decltype(source)> one{source, stop.get_token()};
  CHECK(one.take([](input& in) { CHECK(get<0>(in) == 7); }));
  stop.request_stop();
  CHECK(!one.take([](input&) {}));
}

}  // namespace intake_test
