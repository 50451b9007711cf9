// SPDX-License-Identifier: BSL-1.0
// What layers reach, in multiply-adds a second, and Eigen's matrix product on the same work. Eigen is given what suits it: for
// convolutions the product that im2col would end in, without the copy that makes it; for linear layers all samples as one
// matrix, which is not how they lie in memory.
#include <ipuflow/nn.hpp>

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#ifdef IPUFLOW_BENCH_EIGEN
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // g++ 12 sees one in its own header of AVX-512 intrinsics
#endif
#include <Eigen/Core>
#endif

using namespace ipuflow;

namespace {

enum class pass { forward, backward_inputs, backward_weights };

template <class Shape>
struct memory {
  std::vector<nn::lanes<float>> lanes;
  std::size_t samples;

  explicit memory(std::size_t count)
      : lanes(nn::groups_for(count) * Shape::elements, nn::lanes<float>::all(0.5f)), samples{count} {}
  nn::batch<float, Shape> view() { return {lanes.data(), nn::groups_for(samples), samples}; }
  nn::batch<const float, Shape> read() { return view().read(); }
};

void report(benchmark::State& state, std::size_t work, std::size_t samples) {
  // The library of benchmarks puts the unit behind, with a prefix: "14.0G/s", and of a time "10.3us".
  state.counters["MACs"] = benchmark::Counter(static_cast<double>(work * samples), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["a sample"] = benchmark::Counter(static_cast<double>(samples), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <pass Pass, class Layer, class In>
void layer(benchmark::State& state, Layer of, In in) {
  using out = decltype(output_of(of, in));
  constexpr nn::layer_facts known = facts(Layer{}, In{});
  const auto samples = static_cast<std::size_t>(state.range(0));
  memory<typename In::shape_type> x{samples}, d_x{samples};
  memory<typename out::shape_type> y{samples}, d_y{samples};
  std::vector<float> values(known.parameters, 0.01f), d_values(known.parameters);
  using ins = nn::in<typename In::shape_type>;
  using outs = nn::out<typename out::shape_type>;
  const float* p = values.data();
  for (auto _ : state) {
    if constexpr (Pass == pass::forward) forward(of, nn::forward_pass<float, ins, outs>{{x.read()}, {y.view()}, p});
    if constexpr (Pass == pass::backward_inputs) {
      using given = nn::inputs_pass<float, ins, outs>;
      backward_inputs(of, given{{x.read()}, {y.read()}, {d_y.read()}, {d_x.view()}, p});
    }
    if constexpr (Pass == pass::backward_weights) {
      using given = nn::weights_pass<float, ins, outs>;
      backward_weights(of, given{{x.read()}, {y.read()}, {d_y.read()}, d_values.data(), p});
    }
    benchmark::ClobberMemory();
  }
  const std::size_t work = Pass == pass::forward           ? known.forward_work
                           : Pass == pass::backward_inputs ? known.input_work
                                                           : known.weight_work;
  report(state, work, samples);
}

template <class Layer, class In>
void all_passes(const char* name, Layer of, In in, long samples) {
  const auto add = [&](const char* what, auto function) {
    benchmark::RegisterBenchmark((std::string{name} + what).c_str(), [=](benchmark::State& s) { function(s, of, in); })
        ->Arg(samples);
  };
  add("/forward", [](auto& s, auto l, auto i) { layer<pass::forward>(s, l, i); });
  add("/backward_inputs", [](auto& s, auto l, auto i) { layer<pass::backward_inputs>(s, l, i); });
  add("/backward_weights", [](auto& s, auto l, auto i) { layer<pass::backward_weights>(s, l, i); });
}

#ifdef IPUFLOW_BENCH_EIGEN
using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// rows x terms times terms x columns, `columns` being positions times samples.
void eigen(const char* name, long rows, long terms, long columns, std::size_t samples) {
  benchmark::RegisterBenchmark((std::string{name} + "/eigen").c_str(), [=](benchmark::State& state) {
    const matrix a = matrix::Constant(rows, terms, 0.01f), b = matrix::Constant(terms, columns, 0.5f);
    matrix c(rows, columns);
    for (auto _ : state) {
      c.noalias() = a * b;
      benchmark::ClobberMemory();
    }
    report(state, static_cast<std::size_t>(rows * terms * columns) / samples, samples);
  });
}
#else
void eigen(const char*, long, long, long, std::size_t) {}
#endif

/// The forward pass and both gradients of a convolution by the plain sums that Winograd's transforms stand in for, and the error of
/// either way forward against sums in double: the root of the mean square as a share of that of the outputs.
template <std::size_t F, std::size_t C, std::size_t N>
void plain(const char* name, long samples) {
  static constexpr nn::impl::conv2d_shape s = nn::impl::conv_shape_of<F, 3, 1, 1, 1, C, N, N>();
  using forward = nn::impl::correlator<nn::impl::forward_correlation(s), float>;
  using inputs = nn::impl::correlator<nn::impl::input_correlation(s, 0, 0), float>;
  using weights = nn::impl::weight_gradient<s, float>;
  struct values {
    memory<shape<C, N, N>> x;
    memory<shape<F, N, N>> y;
    std::vector<float> w = std::vector<float>(s.weights(), 0.01f);
  };
  const auto add = [&](const char* what, auto run) {
    benchmark::RegisterBenchmark((std::string{name} + what).c_str(), [=](benchmark::State& state) {
      const auto count = static_cast<std::size_t>(state.range(0));
      values v{memory<shape<C, N, N>>{count}, memory<shape<F, N, N>>{count}};
      for (auto _ : state) {
        for (std::size_t g = 0; g < nn::groups_for(count); ++g) run(v, v.x.view().group(g), v.y.view().group(g));
        benchmark::ClobberMemory();
      }
      report(state, F * C * N * N * 9, count);
    })->Arg(samples);
  };
  add("/plain forward", [](auto& v, auto* x, auto* y) { forward::run(v.w.data(), nullptr, x, y); });
  add("/plain backward_inputs", [](auto& v, auto* x, auto* y) { inputs::run(v.w.data(), nullptr, y, x); });
  add("/plain backward_weights", [](auto& v, auto* x, auto* y) { weights::run(x, y, v.w.data()); });
  benchmark::RegisterBenchmark((std::string{name} + "/error").c_str(), [](benchmark::State& state) {
    std::vector<nn::lanes<float>> x(s.in_elements()), made(s.out_elements()), summed(s.out_elements());
    std::vector<nn::lanes<double>> wide(s.in_elements()), expected(s.out_elements());
    std::vector<float> w(s.weights());
    std::vector<double> wide_w(s.weights());
    for (std::size_t i = 0; i < x.size() * nn::lane_count; ++i) {
      const float pixel = 2 * nn::random_unit(1, i) - 1;
      x[i / nn::lane_count].set(i % nn::lane_count, pixel);
      wide[i / nn::lane_count].set(i % nn::lane_count, pixel);
    }
    for (std::size_t i = 0; i < w.size(); ++i) wide_w[i] = w[i] = 2 * nn::random_unit(2, i) - 1;
    nn::impl::correlator<nn::impl::forward_correlation(s), double>::run(wide_w.data(), nullptr, wide.data(), expected.data());
    const auto error = [&](const std::vector<nn::lanes<float>>& y) {
      double difference = 0, size = 0;
      for (std::size_t i = 0; i < y.size() * nn::lane_count; ++i) {
        const double right = expected[i / nn::lane_count][i % nn::lane_count];
        const double off = static_cast<double>(y[i / nn::lane_count][i % nn::lane_count]) - right;
        difference += off * off;
        size += right * right;
      }
      return std::sqrt(difference / size);
    };
    for (auto _ : state) {
      nn::impl::winograd_correlation<float>::run(nn::impl::winograd_forward(s), w.data(), nullptr, x.data(), x.size(), made.data(),
                                                 made.size(), 1);
    }
    forward::run(w.data(), nullptr, x.data(), summed.data());
    state.counters["winograd"] = error(made);
    state.counters["plain"] = error(summed);
  });
}

/// A convolution of ResNet-18 on 32 x 32 pixels.
template <std::size_t F, std::size_t N>
void resnet_convolution(const char* name) {
  all_passes(name, without_biases(nn::conv2d<F, 3, 1, 1>), tensor<float, F, N, N>{}, 32);
  plain<F, F, N>(name, 32);
}

const bool registered = [] {
  all_passes("conv 10 of 1x28x28 by 5", nn::conv2d<10, 5>, tensor<float, 1, 28, 28>{}, 48);
  eigen("conv 10 of 1x28x28 by 5", 10, 25, 24 * 24 * 48, 48);
  all_passes("conv 20 of 10x12x12 by 5", nn::conv2d<20, 5>, tensor<float, 10, 12, 12>{}, 48);
  eigen("conv 20 of 10x12x12 by 5", 20, 250, 8 * 8 * 48, 48);
  all_passes("linear 320 to 256", nn::linear<256>, tensor<float, 320>{}, 48);
  eigen("linear 320 to 256", 256, 320, 48, 48);
  all_passes("linear 256 to 10", nn::linear<10>, tensor<float, 256>{}, 48);
  eigen("linear 256 to 10", 10, 256, 48, 48);
  all_passes("conv 64 of 64x56x56 by 3", nn::conv2d<64, 3, 1, 1>, tensor<float, 64, 56, 56>{}, 16);
  eigen("conv 64 of 64x56x56 by 3", 64, 576, 56 * 56 * 16, 16);
  resnet_convolution<64, 32>("conv 64 of 64x32x32 by 3");
  resnet_convolution<128, 16>("conv 128 of 128x16x16 by 3");
  resnet_convolution<256, 8>("conv 256 of 256x8x8 by 3");
  resnet_convolution<512, 4>("conv 512 of 512x4x4 by 3");
  all_passes("conv 64 of 64x28x28 by 1", nn::conv2d<64, 1>, tensor<float, 64, 28, 28>{}, 16);
  all_passes("linear 1024 to 1024", nn::linear<1024>, tensor<float, 1024>{}, 48);
  eigen("linear 1024 to 1024", 1024, 1024, 48, 48);
  eigen("linear 1024 to 1024 weights", 1024, 48, 1024, 48);
  all_passes("linear 1024 to 4096", nn::linear<4096>, tensor<float, 1024>{}, 256);
  eigen("linear 1024 to 4096", 4096, 1024, 256, 256);
  eigen("linear 1024 to 4096 weights", 4096, 256, 1024, 256);
  return true;
}();

}  // namespace
