// SPDX-License-Identifier: BSL-1.0
// Rates of the simulated IPU on this machine: tile-supersteps counted, bytes exchanged and vertices run, words
// scheduled, and a half matrix product on one simulated chip beside Eigen's product of the same shape, in half and in
// float.
#include <ipuflow/ipu/engine/engine.hpp>
#include <ipuflow/ipu/exchange/exchange_schedule.hpp>
#include <ipuflow/ipu/ops/matmul.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <vector>

#ifdef IPUFLOW_BENCH_EIGEN
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // g++ 12 sees one in its own header of AVX-512 intrinsics
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <Eigen/Core>
#pragma GCC diagnostic pop
#endif

using namespace ipuflow;

namespace {

ipu::codelet increment() {
  return {ipu::name_from("increment"), bytes{64},
          [](std::span<const float> in, std::span<float> out) {
            for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i] + 1;
          },
          [](const ipu::architecture& chip, ipu::lengths n) {
            return ipu::binary_cost(chip, ipu::binary::add, ipu::element_type::f32, n[0]);
          }};
}

/// 1,000 different supersteps, each an exchange on every chip and a compute set on every tile.
void costing(benchmark::State& state) {
  const auto chips = static_cast<std::size_t>(state.range(0));
  constexpr std::size_t each = 64, supersteps = 1000;
  for (auto _ : state) {
    ipu::graph g(ipu::mk2, chips);
    const std::size_t n = g.tiles() * each;
    const auto a = g.add_variable<float>("a", n, ipu::linear(n, g.tiles()));
    const auto b = g.add_variable<float>("b", n, ipu::linear(n, g.tiles()));
    const std::size_t code = g.add_codelet(increment());
    std::vector<ipu::step> steps;
    for (std::size_t s = 0; s < supersteps; ++s) {
      const auto set = g.add_compute_set("increment");
      g.add_vertices(set, {code, 0, g.tiles(), 1, {ipu::part(a, 0, each, each), ipu::part(b, 0, each, each)}});
      light_vector<ipu::copy_piece> pieces;
      for (std::size_t c = 0; c < chips; ++c)
        pieces.push_back({{b, c * ipu::mk2.tiles * each}, {a, (c * ipu::mk2.tiles + 1) * each}, each});
      steps.push_back(ipu::sequence(ipu::execute(set), ipu::copy(pieces)));
    }
    benchmark::DoNotOptimize(ipu::cost(ipu::pod(ipu::mk2, chips), g, ipu::sequence(std::move(steps))).total);
  }
  state.counters["tile-supersteps"] = benchmark::Counter(static_cast<double>(supersteps * chips * ipu::mk2.tiles),
                                                         benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(costing)->Arg(1)->Arg(64)->Unit(benchmark::kMillisecond);

/// A shift of everything by half the chip, and a vertex on each tile; the engine is made once.
void functional(benchmark::State& state) {
  const auto each = static_cast<std::size_t>(state.range(0));
  ipu::graph g(ipu::mk2);
  const std::size_t n = g.tiles() * each;
  const auto a = g.add_variable<float>("a", n, ipu::linear(n, g.tiles()));
  const auto b = g.add_variable<float>("b", n, ipu::linear(n, g.tiles()));
  const auto set = g.add_compute_set("increment");
  g.add_vertices(
      set, {g.add_codelet(increment()), 0, g.tiles(), 1, {ipu::part(a, 0, each, each), ipu::part(b, 0, each, each)}});
  const ipu::step program =
      ipu::sequence(ipu::execute(set), ipu::copy({{{b}, {a, n / 2}, n / 2}, {{b, n / 2}, {a}, n / 2}}));
  ipu::engine engine(ipu::pod(ipu::mk2, 1), g, program);
  for (auto _ : state) benchmark::DoNotOptimize(engine.run().total);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(n * 4));
  state.counters["vertices"] =
      benchmark::Counter(static_cast<double>(g.tiles()), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(functional)->Arg(16)->Arg(1024)->Arg(16384)->Unit(benchmark::kMicrosecond);

void words_scheduled(benchmark::State& state) {
  ipu::exchange_pattern p(ipu::mk2.tiles);
  std::size_t seed = 1;
  const auto next = [&] { return (seed = seed * 6364136223846793005u + 1442695040888963407u) >> 33; };
  for (std::size_t m = 0; m < 20'000; ++m) p.add(next() % ipu::mk2.tiles, next() % ipu::mk2.tiles, 1 + next() % 30);
  for (auto _ : state) benchmark::DoNotOptimize(ipu::schedule_exchange(p).length);
  state.counters["words"] =
      benchmark::Counter(static_cast<double>(p.word_total()), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(words_scheduled)->Unit(benchmark::kMillisecond);

constexpr std::size_t side = 1024;

void count_flops(benchmark::State& state) {
  state.counters["flops"] = benchmark::Counter(2.0 * side * side * side, benchmark::Counter::kIsIterationInvariantRate);
}

void matmul_half_on_a_chip(benchmark::State& state) {
  ipu::graph g(ipu::mk2);
  const auto square = [&](std::string_view name) {
    return g.add_variable<half>(name, side * side, ipu::linear(side * side, g.tiles()));
  };
  const auto a = square("a"), b = square("b"), out = square("out");
  const ipu::step program = ipu::matmul(g, {side, side, side}, a, b, out);
  ipu::engine engine(ipu::pod(ipu::mk2, 1), g, program);
  const std::vector<half> values(side * side, half{0.5f});
  engine.write(a, values);
  engine.write(b, values);
  for (auto _ : state) benchmark::DoNotOptimize(engine.run().total);
  count_flops(state);
}
BENCHMARK(matmul_half_on_a_chip)->Unit(benchmark::kMillisecond);

#ifdef IPUFLOW_BENCH_EIGEN
template <class Element>
void matmul_eigen(benchmark::State& state) {
  using matrix = Eigen::Matrix<Element, Eigen::Dynamic, Eigen::Dynamic>;
  const matrix a = matrix::Constant(side, side, Element(0.5f));
  const matrix b = a;
  matrix out(side, side);
  for (auto _ : state) {
    out.noalias() = a * b;
    benchmark::DoNotOptimize(out.data());
  }
  count_flops(state);
}
BENCHMARK(matmul_eigen<float>)->Unit(benchmark::kMillisecond);
BENCHMARK(matmul_eigen<Eigen::half>)->Unit(benchmark::kMillisecond)->Iterations(1);
#endif

}  // namespace
