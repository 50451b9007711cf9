// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/streams/verify_stages.hpp>

#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <optional>
#include <string>

namespace verify_stages_test {

using namespace ipuflow;
using run::stream_stage_wrong;
using run::impl::verify_stream_of;
using numbers = std::array<int, 3>;
using twice = int (*)(int);
using length = std::size_t (*)(const std::string&);
using print = void (*)(int);

TEST_CASE("the first part that does not fit is found, with its number and what it is given") {
  static_assert(!verify_stream_of<numbers, twice, print>());
  static_assert(!verify_stream_of<std::optional<int> (*)(), twice, print>());
  static_assert(!verify_stream_of<const int* (*)(), twice, print>());
  static_assert(verify_stream_of<int, twice, print>().kind == stream_stage_wrong::no_source);
  static_assert(verify_stream_of<numbers, print>().kind == stream_stage_wrong::no_stage);
  static_assert(verify_stream_of<numbers>().kind == stream_stage_wrong::no_stage);

  constexpr auto found = verify_stream_of<numbers, twice, twice, length, twice, print>();
  static_assert(found.kind == stream_stage_wrong::cannot_take && found.got == 3);
  CHECK(found.where.item.view() == "int");
  static_assert(verify_stream_of<numbers, twice, print, print>().kind == stream_stage_wrong::gives_nothing);
  static_assert(verify_stream_of<numbers, twice, length>().kind == stream_stage_wrong::sink);
  static_assert(verify_stream_of<numbers, std::unique_ptr<int>& (*)(int), print>().kind == stream_stage_wrong::lends);
}

TEST_CASE("within a block it is the op that does not fit, and the block's name") {
  auto inner = block<"inner">([](int n) { return n; }, run::filter([](const std::string&) { return true; }));
  constexpr auto found = verify_stream_of<numbers, decltype(inner), print>();
  static_assert(found.kind == stream_stage_wrong::filter && found.got == 1);
  CHECK(found.where.block.view() == "inner");
}

}  // namespace verify_stages_test
