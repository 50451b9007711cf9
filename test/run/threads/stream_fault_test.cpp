// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/threads/stream_fault.hpp>

#include <doctest/doctest.h>

#include "streams.hpp"

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace stream_fault_test {

using namespace ipuflow;
using run::stream_fault;
using run::stream_wrong;

namespace {

int sum(int x, int y) { return x + y; }
constexpr auto sums = single_stage(input<int>, input<int>, block<"sum">(sum));
constexpr auto timetable = schedule::inference(sums, micro_batches<2>);
using P = decltype(sums);
using T = decltype(timetable);

template <class Source, class Sink>
constexpr stream_wrong wrong_with = run::verify_stream<P, T, Source, Sink>().kind;

using pairs = std::optional<std::tuple<int, int>> (*)();
using sink = void (*)(int);

static_assert(wrong_with<pairs, sink> == stream_wrong::nothing);
static_assert(wrong_with<std::optional<std::tuple<short, long>> (*)(), void (*)(double)> == stream_wrong::nothing);  // as a call converts
static_assert(wrong_with<std::tuple<int, int>* (*)(), sink> == stream_wrong::nothing);  // a null pointer is an end, too
static_assert(wrong_with<int (*)(), sink> == stream_wrong::source);
static_assert(wrong_with<std::optional<int> (*)(int), sink> == stream_wrong::source);
static_assert(wrong_with<std::vector<int>, sink> == stream_wrong::source);
static_assert(wrong_with<std::optional<int> (*)(), sink> == stream_wrong::item);
static_assert(wrong_with<pairs, void (*)(int, int)> == stream_wrong::sink);
static_assert(wrong_with<pairs, int> == stream_wrong::sink);
static_assert(run::verify_stream<int, T, pairs, sink>().kind == stream_wrong::pipeline);
static_assert(run::verify_stream<P, int, pairs, sink>().kind == stream_wrong::timetable);

}  // namespace

TEST_CASE("a fault of a stream names the type that was given") {
  CHECK(sentence(run::verify_stream<P, int, pairs, sink>()).view() ==
        "ipuflow: a run follows a timetable, which int is not; make one, as schedule::inference(pipeline, micro_batches<8>) does");
  CHECK(sentence(run::verify_stream<P, T, pairs, std::string>()).view().find("is no sink of this pipeline") != std::string_view::npos);
}

}  // namespace stream_fault_test
