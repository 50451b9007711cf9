// SPDX-License-Identifier: BSL-1.0
#include "lowering_check.hpp"

#include <ipuflow/nn/lowerings/normalise_lowering.hpp>

namespace normalise_lowering_test {

using namespace nn_test;

inline constexpr auto photos = nn::normalise<nn::channels{0.485, 0.456, 0.406}, nn::channels{0.229, 0.224, 0.225}>;
using photos_type = std::remove_const_t<decltype(photos)>;

TEST_CASE("Normalisation on tiles is that of the host, forward and back") {
  check_lowering(photos, tensor<float, 3, 3, 5>{});
  check_lowering(nn::normalise<0.1307, 0.3081>, tensor<float, 33>{});
}

TEST_CASE("Bytes are normalised on tiles to the very floats of the host") {
  for (const std::size_t samples : {1u, 5u, 43u}) {
    CAPTURE(samples);
    using value = tensor<std::uint8_t, 3, 3, 5>;
    owned<std::uint8_t, shape<3, 3, 5>> x{samples};
    owned<float, shape<3, 3, 5>> y{samples};
    for (std::size_t s = 0; s < samples; ++s) {
      for (std::size_t e = 0; e < 45; ++e) x.set(s, e, static_cast<std::uint8_t>((s * 45 + e) * 37 % 256));
    }
    nn::impl::run_forward(photos, nn::forward_pass<float, nn::in<value>, nn::out<shape<3, 3, 5>>>{{x.read()}, {y.view()}, nullptr, nullptr, {}});
    tile_bench t;
    t.l.samples = samples;
    const auto from = t.value<std::uint8_t, shape<45>>(), to = t.value<float, shape<45>>();
    const ipu::step program = lower_forward(
        photos_type{}, nn::forward_lowering<nn::in<value>, nn::out<tensor<float, 3, 3, 5>>>{t.l, {from}, {to}});
    run_on_tiles(t, program, {{from.variable, samples_of(x)}},
                 [&](ipu::engine& runs) { CHECK(read(runs, t.g, to.variable) == samples_of(y)); });
  }
}

TEST_CASE("By hand: 192 floats on 6 tiles") {
  // A worker has 6 of a tile's 32: 3 vectors, a bundle each.
  CHECK(count_forward(nn::normalise<0.1307, 0.3081>, tensor<float, 64>{}, 3) == counted{.compute = 11 + 6 * (29 + 3), .vertices = 6});
}

}  // namespace normalise_lowering_test
