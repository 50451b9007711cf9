// SPDX-License-Identifier: BSL-1.0
// Branches run one at a time and joined give what the stage gives.
#include <ipuflow/graph/describe.hpp>
#include <ipuflow/graph/flow/run_branch.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <tuple>
#include <utility>

namespace run_branch_test {

using namespace ipuflow;

namespace {

struct image {
  int pixels = 0;
};

constexpr auto camera = pipeline(
    input<image>, per_run<"limit", int>,
    block<"decode">([](image i) { return image{i.pixels + 1}; }, keep<"seen">),
    concurrent(block<"faces">([](const image& i) { return i.pixels * 10; }, keep<"faces_kept">),
               block<"plates">([](const image& i) { return std::tuple{i.pixels * 100, 'p'}; })),
    block<"merge">(use<"limit", "faces_kept", "seen">(
        [](int faces, int plates, char, int limit, int kept, const image& seen) {
          return faces + plates + limit * 100000 + kept * 1000 + seen.pixels;
        })));
using camera_type = std::remove_const_t<decltype(camera)>;

template <int Pixels>
constexpr bool branches_make_the_stage() {
  auto in = call_stage<0>(camera, image{Pixels}, 7);
  const auto whole = std::apply([](const auto&... x) { return call_stage<1>(camera, x...); }, in);
  auto faces = call_branch<1, 0>(camera, in);
  auto plates = call_branch<1, 1>(camera, in);
  const auto parts = join<camera_type, 1>(in, faces, plates);
  const auto same = [](const auto& a, const auto& b) {
    return std::apply([&](int f, int p, char c, int limit, const image& seen, int kept) {
      return std::tuple{f, p, c, limit, kept, seen.pixels} ==
             std::tuple{std::get<0>(b), std::get<1>(b), std::get<2>(b), std::get<3>(b), std::get<5>(b), std::get<4>(b).pixels};
    }, a);
  };
  return same(parts, whole);
}

static_assert(branches_make_the_stage<0>() && branches_make_the_stage<41>());

}  // namespace

TEST_CASE("branches run one at a time and joined give what the stage gives") { CHECK(branches_make_the_stage<3>()); }

TEST_CASE("branches share a value that cannot be copied") {
  const auto p = pipeline(input<std::unique_ptr<int>>,
                          concurrent(block<"a">([](const std::unique_ptr<int>& x) { return std::make_unique<int>(*x + 1); }),
                                     block<"b">([](const std::unique_ptr<int>& x) { return *x + 2; })),
                          block<"c">([](std::unique_ptr<int> a, int b) { return *a * 100 + b; }));
  using type = std::remove_const_t<decltype(p)>;
  stage_input<type, 0> in{std::make_unique<int>(5)};
  auto a = call_branch<0, 0>(p, in);
  auto b = call_branch<0, 1>(p, in);
  auto out = join<type, 0>(in, a, b);
  CHECK(*std::get<0>(out) == 6);
  CHECK(std::get<1>(out) == 7);
}

}  // namespace run_branch_test
