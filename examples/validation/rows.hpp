// SPDX-License-Identifier: BSL-1.0
// Published measurements and what the library predicts for them: single codelets, stencils and transfers here, networks as
// networks.hpp says. Predictions are made by the functions and programs that users run. Sources and row numbers: docs/chips.md.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/ipu/cost/elementwise_cost.hpp>
#include <ipuflow/ipu/cost/matmul_cost.hpp>
#include <ipuflow/ipu/engine/costing.hpp>
#include <ipuflow/ipu/machine/chip_system.hpp>
#include <ipuflow/ipu/ops/stencil.hpp>
#include <validation/halo.hpp>
#include <validation/networks.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <future>
#include <string_view>
#include <thread>
#include <vector>

namespace validation {

using namespace ipuflow;
using namespace ipuflow::ipu;

/// TFLOPS of [n, 16] x [16, 16] in half on every tile, nothing exchanged.
constexpr double on_tile_matmul(const architecture& chip, std::size_t n) {
  const vertex_cost cost = matmul_cost(chip, {n, 16, 16, 1, amp_precision::half_half});
  return static_cast<double>(cost.flops * chip.tiles) / (alone(cost, chip) / chip.clock).value * 1e-12;
}

/// One codelet run over and over on all tiles, with nothing between but the sync; `moved` bytes and its flops on each
/// tile.
inline double bytes_a_second(const architecture& chip, const vertex_cost& cost, std::size_t moved,
                             std::size_t times = 1) {
  const cycles turn = chip.sync * times + alone(cost, chip);
  return static_cast<double>(moved * chip.tiles) / (turn / chip.clock).value;
}

/// The halo run of row H6: a grid of two columns of tiles, blocks of `edge` x `edge`, and the copies of that program as
/// it was written: 99 cells from above, one from below, 99 from the side, the corners; a vertex of 100 bundles.
inline profile halo_run(const architecture& chip, std::size_t edge, std::size_t iterations) {
  graph g(chip);
  const std::size_t cells = edge * edge;
  const std::size_t rows = chip.tiles / 2;
  const variable_id u = g.add_variable<float>("u", cells * chip.tiles, linear(cells * chip.tiles, chip.tiles));
  const std::size_t halo = 2 * edge + 2;
  const variable_id frame = g.add_variable<float>("frame", halo * chip.tiles, linear(halo * chip.tiles, chip.tiles));
  ipuflow::light_vector<copy_piece> pieces;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      const auto block = [&](std::size_t r, std::size_t c) { return (2 * r + c) * cells; };
      const std::size_t to = (2 * i + j) * halo;
      const std::size_t last = cells - edge;           // first cell of a block's last row
      const std::size_t near = j == 0 ? 0 : edge - 1;  // the other block's column that touches this one
      if (i > 0) pieces.push_back({.from = {u, block(i - 1, j) + last + 1}, .to = {frame, to}, .length = edge - 1});
      if (i + 1 < rows) pieces.push_back({.from = {u, block(i + 1, j) + edge - 1}, .to = {frame, to + edge}, .length = 1});
      pieces.push_back({.from = {u, block(i, 1 - j) + edge + near, edge}, .to = {frame, to + edge + 1, 1}, .length = 1, .count = edge - 1});
      if (i > 0) pieces.push_back({.from = {u, block(i - 1, 1 - j) + last + near}, .to = {frame, to + 2 * edge}, .length = 1});
      if (i + 1 < rows) pieces.push_back({.from = {u, block(i + 1, 1 - j) + near}, .to = {frame, to + 2 * edge + 1}, .length = 1});
    }
  }
  const std::size_t body = g.add_codelet(codelet(
      name_from("stencil"), 200_B, [](std::span<const float>, inout<float>) {},
      [](const architecture&, lengths) { return vertex_cost{.bundles = 100}; }));
  const compute_set_id set = g.add_compute_set("stencil");
  g.add_vertices(set, {body, 0, chip.tiles, 1, {part(frame, 0, halo, halo), part(u, 0, cells, cells)}});
  return cost(pod(chip, 1), g, repeat(2 * iterations, sequence(copy(pieces), execute(set))));
}

/// `steps` of the heat equation on `rows` x `columns` cells on all tiles of one chip, in float.
inline profile heat_run(const architecture& chip, std::size_t rows, std::size_t columns, std::size_t steps) {
  const stencil_grid grid = squarest(rows, columns, chip.tiles);
  graph g(chip);
  const std::size_t elements = grid.offsets().back();
  const variable_id u = g.add_variable<float>("u", elements, grid.map());
  const variable_id next = g.add_variable<float>("next", elements, grid.map());
  const five_points by{0.6f, 0.1f};
  const step there = five_point_step(g, grid, by, u, next);
  const step back = five_point_step(g, grid, by, next, u);
  return cost(pod(chip, 1), g, repeat(steps / 2, sequence(there, back)));
}

inline std::vector<validation_row> memory_rows() {
  std::vector<validation_row> rows;
  // As many elements as the three arrays leave room for in a tile of mk1, beside 16 KiB of code.
  const std::size_t n = (mk1.tile_memory.value - 16'384) / 12;
  const std::size_t halves = 2 * n;
  const auto by_worker = [](std::size_t elements, loop_turn turn) {
    return vertex_cost{29 + divided_up(elements, mk1.workers) * turn.bundles(), 11, true, 2 * elements};
  };
  const auto naive_float = by_worker(n, {.loads = 2, .arithmetic_after_loads = 2, .stores = 1});
  // A half is stored by loading its word and merging: two bundles more.
  const auto naive_half = by_worker(halves, {.loads = 3, .arithmetic_after_loads = 3, .stores = 1});
  const auto primitives = [&](element_type type, std::size_t elements) {
    vertex_cost both = binary_cost(mk1, binary::mul, type, elements);
    const vertex_cost add = binary_cost(mk1, binary::add, type, elements);
    both.bundles += add.bundles;
    both.supervisor += add.supervisor;
    return both;
  };
  const auto by_hand = by_worker(n / 2, {.loads = 2, .arithmetic_after_loads = 1, .stores = 1, .branch = false});
  rows.push_back(
      {"H1", "STREAM triad, plain C++, float, mk1", "GB/s", 3726, bytes_a_second(mk1, naive_float, 12 * n) * 1e-9});
  rows.push_back(
      {"H1", "STREAM triad, plain C++, half, mk1", "GB/s", 1488, bytes_a_second(mk1, naive_half, 6 * halves) * 1e-9});
  rows.push_back({"H2", "STREAM triad, primitives, float, mk1", "GB/s", 7261,
                  bytes_a_second(mk1, primitives(element_type::f32, n), 12 * n, 2) * 1e-9});
  rows.push_back({"H2", "STREAM triad, primitives, half, mk1", "GB/s", 7490,
                  bytes_a_second(mk1, primitives(element_type::f16, halves), 6 * halves, 2) * 1e-9});
  rows.push_back(
      {"H3", "STREAM triad, assembly, float, mk1", "GB/s", 12420, bytes_a_second(mk1, by_hand, 12 * n) * 1e-9});
  constexpr std::size_t tile = 6 * 7500;  // elements of an array, as that program has it
  const vertex_cost triad = triad_cost(mk2, element_type::f32, tile);
  const double best = bytes_a_second(mk2, triad, 12 * tile);
  rows.push_back({"H4", "STREAM triad, best, float, mk2", "TB/s", 46.55, best * 1e-12});
  rows.push_back({"H4", "the same in flops", "TFLOPS", 7.76, best / 12 * 2 * 1e-12});
  const double read = static_cast<double>(mk1.load_width * mk1.tiles) * mk1.clock.value * 1e-12;
  const std::size_t words = (mk1.tile_memory.value - 16'384) / mk1.load_width;
  const vertex_cost loads{29 + divided_up(words, mk1.workers), 11, true, 0};
  rows.push_back({"H5", "reads, theoretical, mk1", "TB/s", 31.1, read});
  rows.push_back(
      {"H5", "reads, assembly loop, mk1", "TB/s", 30.7, bytes_a_second(mk1, loads, words * mk1.load_width) * 1e-12});
  return rows;
}

inline std::vector<validation_row> stencil_rows() {
  constexpr auto stencils = row_class::stencils;
  std::vector<validation_row> rows;
  const auto count = [](cycles c) { return static_cast<double>(c.value); };
  const profile halo = halo_run(mk1, 100, 10);
  rows.push_back({"H6", "20 halo supersteps, compute, mk1", "cycles", 12'000, count(halo.chips[0][phase::compute]), stencils});
  rows.push_back(
      {"H6", "  compute without idle workers", "cycles", 2'000, count(halo.chips[0].tile_issued / mk1.tiles), stencils});
  rows.push_back({"H6", "  exchange", "cycles", 5'682, count(halo.chips[0][phase::exchange]), stencils, fitted::sync_of_mk1});
  rows.push_back({"H6", "  sync", "cycles", 3'328, count(halo.chips[0][phase::sync]), stencils, fitted::sync_of_mk1});
  rows.push_back({"H6", "  total", "cycles", 21'010, count(halo.total), stencils, fitted::sync_of_mk1});
  const profile waves = two_wave_halo_run(mk1, 100, 10);
  constexpr published_halo two_waves;
  rows.push_back({"H7", "20 supersteps in two waves, total, mk1", "cycles", two_waves.total, count(waves.total), stencils});
  rows.push_back({"H7", "  compute", "cycles", two_waves.compute, count(waves.chips[0][phase::compute]), stencils});
  rows.push_back({"H7", "  exchange", "cycles", two_waves.exchange, count(waves.chips[0][phase::exchange]), stencils});
  rows.push_back({"H7", "  sync", "cycles", two_waves.sync, count(waves.chips[0][phase::sync]), stencils});
  const profile heat = heat_run(mk2, 8000, 8000, 1000);
  rows.push_back({"H10", "heat equation 8000^2, 1000 steps, mk2", "s", 0.30, heat.time().value, stencils});
  rows.push_back({"H10", "  the same in flops", "TFLOPS", 1.28, heat.flops() * 1e-12, stencils});
  rows.push_back({"H10", "  the same in bytes", "TB/s", 4.28, heat.flops() / 6 * 20 * 1e-12, stencils});
  const profile small = heat_run(mk1, 4000, 4000, 10);
  rows.push_back({"H17", "halo exchange of a stencil, one chip", "%", 1.0,
                  100 * small.average(phase::exchange) / count(small.total), stencils, fitted::none, true});
  return rows;
}

/// The array on every tile, without exchange.
inline std::vector<validation_row> array_rows() {
  std::vector<validation_row> rows;
  const auto row = [&](std::string_view what, double measured, std::size_t n) {
    rows.push_back({"M", what, "TFLOPS", measured, on_tile_matmul(bow, n), row_class::codelets, fitted::array_call});
  };
  row("on-tile matmul, N = 16, bow", 55.49, 16);
  row("on-tile matmul, N = 64, bow", 152.80, 64);
  row("on-tile matmul, N = 256, bow", 264.01, 256);
  row("on-tile matmul, N = 1024, bow", 322.73, 1024);
  return rows;
}

/// Bytes from a chip to its host.
inline std::vector<validation_row> transfer_rows() {
  const auto time = [](double size) { return size / host_rate(pod(mk2, 4)); };
  constexpr auto of = row_class::transfers;
  return {{"S1", "8.8 MB from a chip to the host", "ms", 1.6, time(8.8e6) * 1e3, of, fitted::host_share},
          {"S2", "1.37 KB from a chip to the host", "us", 0.5, time(1370) * 1e6, of, fitted::none, true}};
}

/// A network whose configuration is not published, by its clocks.
inline std::vector<validation_row> clock_rows() {
  const double faster = bow.clock.value / mk2.clock.value;
  constexpr auto of = row_class::transformers;
  return {{"T20", "Conformer, Bow by mk2, Pod4", "x", 1.375, faster, of},
          {"T20", "Conformer, Bow by mk2, Pod16", "x", 1.360, faster, of},
          {"T20", "Conformer, Bow by mk2, Pod64", "x", 1.353, faster, of}};
}

/// The rows that no network is made for.
inline std::vector<validation_row> rows_without_networks() {
  std::vector<validation_row> all;
  for (const auto& rows : {array_rows(), memory_rows(), stencil_rows(), transfer_rows(), clock_rows()}) all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

/// All rows of the reference that the library has a prediction for. As many networks are counted at a time as there are cores: all at
/// once would take several times the memory.
inline std::vector<validation_row> rows() {
  constexpr std::array makes{tutorial_rows, perceptron_rows, digits_rows, bert_rows, resnet_rows, efficientnet_rows, resnext_rows, vit_rows,
                             bert_profile_rows, parameter_rows};
  std::array<std::vector<validation_row>, makes.size()> counted;
  std::atomic<std::size_t> begun{0};
  const auto count = [&] {
    for (std::size_t i = begun++; i < makes.size(); i = begun++) counted[i] = makes[i]();
  };
  std::vector<std::future<void>> cores(algorithms::max(1u, std::thread::hardware_concurrency()));
  for (std::future<void>& core : cores) core = std::async(std::launch::async, count);
  std::vector<validation_row> all = rows_without_networks();
  for (std::future<void>& core : cores) core.get();
  for (const auto& made : counted) all.insert(all.end(), made.begin(), made.end());
  return all;
}

/// Measured, and not to be predicted from what is published.
struct unpredicted_row {
  std::string_view id;
  std::string_view what;
  std::string_view measured;
  std::string_view reason;
};

inline constexpr std::array<unpredicted_row, 10> unpredicted{{
    {"H15", "congestion on the chip; off the chip", "+24 %; 4.0 to 7.7 x", "its table of distances is not to be had"},
    {"H17", "exchange of stencils on 16 chips", "more than half", "sizes and rearrangement are not said"},
    {"S1", "the same transfer, by its authors", "3.1 ms", "contradicts their own 8.8 MB at 5.5 GB/s"},
    {"T15", "ResNet-50, MLPerf: time to train; Pod256", "28.3 min; 12 x", "epochs and batches are not said"},
    {"T20", "Conformer: Pod16 by Pod4, Pod64 by Pod16", "3.86 x; 3.70 x", "its parameters and shapes are not said"},
    {"T24", "ResNet-50 of TensorFlow, Bow Pod16", "42029 img/s", "its norms are over two replicas"},
    {"B2", "BERT-L: layer 0; programs", "139178102; 3105", "reports say no variables by layer, and have other steps"},
    {"R", "4 replicas by 1: exchange between chips", "4.50 x", "its code, 4.66 MB then, is not simulated"},
    {"R", "4 replicas by 1: exchange with the host", "1.002 x", "its code, 66 MB, is not simulated"},
    {"X", "sparse by dense products", "0.4 to 5.6 x", "sparse operations are not simulated"},
}};

}  // namespace validation
