// SPDX-License-Identifier: BSL-1.0
// A mask leaves what is seen as it is, for every head alike, and no gradient flows to what is hidden.
#include "../layer_check.hpp"

#include <ipuflow/nn/layers/attention_masks.hpp>

#include <cstddef>
#include <cstdint>

namespace attention_masks_test {

using namespace ipuflow;
using namespace nn_test;

namespace {

constexpr std::size_t positions = 5, heads = 3, scores = heads * positions;

template <class In>
concept masked = requires { output_of(nn::causal_mask, In{}); };
static_assert(masked<tensor<half, 4, 12>> && !masked<tensor<float, 4, 13>> && !masked<tensor<float, 12>> && !masked<tensor<int, 4, 12>>);

template <class T>
void check_causal(std::size_t samples) {
  bench<T, nn::causal_mask_t, tensor<T, positions, scores>> test{samples};
  test.forward();
  test.backward();
  for (std::size_t s = 0; s < samples; ++s) {
    for (std::size_t e = 0; e < positions * scores; ++e) {
      const bool seen = e % positions <= e / scores;
      REQUIRE(test.y.get(s, e) == (seen ? test.x.get(s, e) : nn::number<T>(-65504)));
      REQUIRE(test.d_x.get(s, e) == (seen ? test.d_y.get(s, e) : T{}));
    }
  }
}

template <class T>
void check_segments(std::size_t samples) {
  using in = nn::in<shape<positions, scores>, tensor<std::int64_t, positions>>;
  using out = nn::out<shape<positions, scores>>;
  owned<T, shape<positions, scores>> x{samples}, y{samples}, d_x{samples};
  owned<std::int64_t, shape<positions>> segments{samples};
  x.randomise(1);
  const auto number_of = [](std::size_t s, std::size_t p) { return p < 1 + s % positions ? -1 : std::int64_t{1} << 40; };
  for (std::size_t s = 0; s < samples; ++s)
    for (std::size_t p = 0; p < positions; ++p) segments.set(s, p, number_of(s, p));
  nn::impl::run_forward(nn::segment_mask, nn::forward_pass<T, in, out>{{x.read(), segments.read()}, {y.view()}});
  nn::impl::run_backward_inputs(nn::segment_mask,
                                nn::inputs_pass<T, in, out>{{x.read(), segments.read()}, {y.read()}, {x.read()}, {d_x.view()}});
  for (std::size_t s = 0; s < samples; ++s) {
    for (std::size_t e = 0; e < positions * scores; ++e) {
      const bool seen = number_of(s, e % positions) == number_of(s, e / scores);
      REQUIRE(y.get(s, e) == (seen ? x.get(s, e) : nn::number<T>(-65504)));
      REQUIRE(d_x.get(s, e) == (seen ? x.get(s, e) : T{}));
    }
  }
}

}  // namespace

TEST_CASE("a query sees the keys up to its own position") {
  for (const std::size_t samples : {std::size_t{1}, nn::lane_count + 1}) {
    check_causal<half>(samples);
    check_causal<float>(samples);
    check_causal<double>(samples);
  }
}

TEST_CASE("a query sees the keys of its number") {
  for (const std::size_t samples : {std::size_t{1}, nn::lane_count + 1}) {
    check_segments<half>(samples);
    check_segments<double>(samples);
  }
}

TEST_CASE("padding of masks changes nothing") { check_padding<float, nn::causal_mask_t, tensor<float, positions, scores>>(nn::lane_count - 1); }

}  // namespace attention_masks_test
