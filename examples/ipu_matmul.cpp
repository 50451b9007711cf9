// SPDX-License-Identifier: BSL-1.0
// A product of half matrices on one IPU: planned over its tiles, run on chips, checked, and profiled. Then the same
// on tiles with too little memory, to see what the check says.
#include <ipuflow/ipu/engine/engine.hpp>
#include <ipuflow/ipu/ops/matmul.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace ipuflow;

/// Halves between -1 and 1, the same at every run.
std::vector<half> some_halves(std::size_t n) {
  std::vector<half> made;
  for (std::size_t i = 0; i < n; ++i) made.push_back(half{static_cast<float>(i * 2654435761u % 2001) / 1000.0f - 1.0f});
  return made;
}

/// The largest error of some entries of out = a x b, as a part of the largest that rounding explains.
double error_of(const ipu::matmul_shape& s, const std::vector<half>& a, const std::vector<half>& b,
                const std::vector<half>& out) {
  double worst = 0;
  for (std::size_t i = 0; i < s.m; i += 37) {
    for (std::size_t j = 0; j < s.n; j += 41) {
      double sum = 0;
      for (std::size_t k = 0; k < s.k; ++k)
        sum += static_cast<double>(float{a[i * s.k + k]}) * static_cast<double>(float{b[k * s.n + j]});
      worst = std::fmax(worst, std::fabs(static_cast<double>(float{out[i * s.n + j]}) - sum) / 0.1);
    }
  }
  return worst;
}

int main() {
  // begin: run
  constexpr ipu::matmul_shape shape{.m = 512, .k = 512, .n = 512, .type = ipu::amp_precision::half_half};
  ipu::graph graph(ipu::mk2);
  const auto a = graph.add_variable<half>("a", 512 * 512, ipu::linear(512 * 512, graph.tiles()));
  const auto b = graph.add_variable<half>("b", 512 * 512, ipu::linear(512 * 512, graph.tiles()));
  const auto out = graph.add_variable<half>("out", 512 * 512, ipu::linear(512 * 512, graph.tiles()));
  const ipu::matmul_plan plan = ipu::plan_matmul(graph, shape);
  const ipu::step program = ipu::matmul(graph, shape, plan, a, b, out);

  ipu::engine engine(ipu::pod(ipu::mk2, 1), graph, program);
  const std::vector<half> x = some_halves(512 * 512), y = some_halves(512 * 512);
  engine.write(a, x);
  engine.write(b, y);
  const ipu::profile profile = engine.run();
  const bool right = error_of(shape, x, y, engine.read<half>(out)) < 1;
  // end: run
  std::printf("512 x 512 x 512 on %zu tiles: %zu x %zu x %zu parts, %s\n", plan.used(), plan.m_parts, plan.k_parts,
              plan.n_parts, right ? "right" : "WRONG");
  for (std::size_t p = 0; p < 3; ++p) {
    const auto phase = static_cast<ipu::phase>(p);
    std::printf("  %-9s %6llu cycles\n", ipu::name_of(phase).data(),
                static_cast<unsigned long long>(profile.chips[0][phase].value));
  }
  std::printf("  %.1f TFLOPS of %.1f, tiles balanced to %.0f %%\n", profile.flops() * 1e-12,
              ipu::peak_flops(ipu::mk2, shape.type) * 1e-12, 100 * profile.balance(0));

  // begin: too_large
  ipu::architecture small = ipu::mk2;
  small.tile_memory = 8_KiB;
  small.code_region = 4_KiB;
  ipu::graph tight(small);
  const auto large = tight.add_variable<half>("large", 4096 * 4096, ipu::linear(4096 * 4096, small.tiles));
  try {
    (void)ipu::cost(ipu::pod(small, 1), tight, ipu::copy_all(tight, large, large));
  } catch (const error& e) {
    std::puts(e.what());
  }
  // end: too_large
  return right ? 0 : 1;
}
