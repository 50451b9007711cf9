// SPDX-License-Identifier: BSL-1.0
// Gradients on tiles keep their length unless it is more than it may be; the length is that over all stages.
#include <ipuflow/train/chips/gradient_norm.hpp>

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/engine/engine.hpp>
#include <ipuflow/nn/lowerings/lowering.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>

namespace gradient_norm_test {

using namespace ipuflow;

namespace {

/// An element of each and the factor: two tensors of ones and twos, in some size, on a few tiles, beside another stage
/// whose sum of squares is `others`.
ipuflow::light_vector<float> shortened(float max_norm, float loss_factor, float others, float size = 1) {
  ipu::architecture chip = ipu::mk2;
  chip.tiles = 24;
  ipu::graph g{chip};
  const ipu::plan_options where{.first_tile = 1};
  ipuflow::light_vector<ipu::variable_id> gradients;
  for (const std::size_t n : {700u, 3u})
    gradients.push_back(g.add_variable(ipu::name_from("g"), ipu::element_type::f32, n, nn::spread(g, ipu::element_type::f32, n, where)));
  const ipu::variable_id other = g.add_variable(ipu::name_from("other"), ipu::element_type::f32, 1, ipu::on_tile(1, 0));
  const train::impl::gradient_limit limit{max_norm, loss_factor, 3, {}, where};
  ipu::step program;
  const plan::carried told = train::impl::measure_gradients(g, "squares", gradients, train::impl::squares_codelet(loss_factor, max_norm), limit, program);
  program.then(ipu::copy({{{told.made}, {told.read, 0}, 1}, {{other}, {told.read, 2}, 1}}));  // the second seat tells nothing
  const ipu::variable_id factor = train::impl::shorten_gradients(g, gradients, limit, told.read, program);
  const ipu::chip_system one = ipu::pod(chip, 1);
  ipu::engine e(one, g, program, {.checked = true});
  e.write(gradients[0], ipuflow::light_vector<float>(700, size * loss_factor));
  e.write(gradients[1], ipuflow::light_vector<float>(3, 2 * size * loss_factor));
  const double unit = train::impl::length_unit(max_norm);
  e.write(other, ipuflow::light_vector<float>{static_cast<float>(static_cast<double>(others) / unit / unit)});
  CHECK(e.run() == ipu::cost(one, g, program));
  return {e.read<float>(gradients[0])[699], e.read<float>(gradients[1])[0], e.read<float>(factor)[0]};
}

}  // namespace

TEST_CASE("What is not too long stays as it is; what is longer is shortened, the other stages counted") {
  CHECK(shortened(27, 1, 0) == ipuflow::light_vector<float>{1, 2, 1});
  CHECK(shortened(27, 64, 0) == ipuflow::light_vector<float>{64, 128, 1});
  const float alone = 2 / std::sqrt(712.0f), together = 2 / std::sqrt(1000.0f);
  CHECK(shortened(2, 1, 0)[0] == doctest::Approx(alone));
  CHECK(shortened(2, 64, 0)[0] == doctest::Approx(64 * alone));
  CHECK(shortened(2, 64, 0)[2] == doctest::Approx(alone));
  CHECK(shortened(2, 1, 288)[1] == doctest::Approx(2 * together));
}

TEST_CASE("Gradients of any size are as long as they may be, whatever that is, although a float does not hold their squares") {
  for (const float max_norm : {1e-30f, 1e-3f, 1.0f, 1e30f}) {
    for (const float size : {1e-30f, 1e-20f, 1.0f, 1e20f, 1e30f}) {
      const double length = std::sqrt(712.0) * static_cast<double>(size);
      if (length > 1e33 * static_cast<double>(max_norm)) continue;
      const double wanted = std::fmin(1, static_cast<double>(max_norm) / length);
      CHECK(static_cast<double>(shortened(max_norm, 1, 0, size)[2]) == doctest::Approx(wanted).epsilon(1e-6).scale(0));
    }
  }
}

}  // namespace gradient_norm_test
