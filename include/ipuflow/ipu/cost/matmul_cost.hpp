// SPDX-License-Identifier: BSL-1.0
// Cycles of the multiply-accumulate array for a matmul or convolution on one tile: its weights are loaded pass by pass,
// and the workers stream positions through it. Formulas: [PL] poplibs, poplin/PerformanceEstimation.hpp, restated.
// One constant is not derived: `amp_call`, 38 cycles around the codelet, fitted to the four points of row M (3.1).
#pragma once

#include <ipuflow/ipu/cost/vertex_cost.hpp>
#include <ipuflow/ipu/machine/architecture.hpp>

#include <cstddef>

namespace ipuflow::ipu {

namespace impl {

/// The product that one tile computes: `positions` rows of `in` channels with weights of `out` columns, in `groups`.
struct amp_work {
  std::size_t positions = 0;
  std::size_t in = 0;
  std::size_t out = 0;
  std::size_t groups = 1;
  amp_precision type = amp_precision::half_half;
};

inline constexpr std::size_t amp_call = 38;

constexpr std::size_t weight_loads(const architecture& chip, amp_precision type) {
  return array_of(chip, type).units * 32 / chip.weight_load_width;  // 32 bytes of weights a unit
}

/// True if the codelet is the common one of the wide array and of float sums of halves; others are written for their types.
constexpr bool common_codelet(const amp_array& array, amp_precision type) {
  return type != amp_precision::float_float && (array.units == 16 || type == amp_precision::half_float);
}

/// Bundles of a worker for one pass over its positions; the first pass also zeroes what is summed into.
constexpr std::size_t pass_bundles(const amp_array& array, amp_precision type, std::size_t n, bool zero) {
  constexpr std::size_t start_float[] = {24, 47, 46, 46};
  constexpr std::size_t start_half[] = {24, 39, 40, 41};
  constexpr std::size_t start_common[] = {20, 31, 40, 37};
  const std::size_t row = n < 3 ? n : 3;
  const std::size_t streamed = n < 3 ? 0 : array.core * (n - 3);
  if (type == amp_precision::float_float) {
    return start_float[row] + streamed + (zero ? 2 + (array.units == 16 ? 8 : 4) * n : 0);
  }
  if (!common_codelet(array, type)) return start_half[row] + streamed + (zero ? 2 + 2 * n : 0);
  const std::size_t extra = zero ? (n < 3 ? 1u : 0u) : (n < 3 ? 2u : 1u);
  return start_common[row] + streamed + extra - 7;  // 7: the state of the weights' pointers is kept
}

}  // namespace impl

/// Cycles of the 1 x 1 codelet, which every matmul runs [PL poplin, ConvPartial1x1Out].
constexpr vertex_cost matmul_cost(const architecture& chip, const impl::amp_work& work) {
  const impl::amp_array& array = impl::array_of(chip, work.type);
  const bool common = impl::common_codelet(array, work.type);
  const std::size_t n = divided_up(work.positions, chip.workers);
  const std::size_t in_groups = divided_up(work.in, array.channels);
  const std::size_t passes = divided_up(work.out, array.units);
  const std::size_t loads = impl::weight_loads(chip, work.type);
  const std::size_t bundles = passes * ((in_groups - 1) * impl::pass_bundles(array, work.type, n, false) +
                                        impl::pass_bundles(array, work.type, n, true));
  const std::size_t retained = work.type == amp_precision::float_float ? 0 : 6 * (7 + 3 * (in_groups * work.groups - 1));
  const std::size_t later = 15 + (common ? 19 : 20) + passes * (6 + loads);
  const std::size_t first = 11 + (common ? 18 : 19) + passes * (7 + loads);
  const std::size_t head = common ? 13 : 12;
  return {.bundles = work.groups * bundles,
          .supervisor = 50 + impl::amp_call + retained + work.groups * (head + (in_groups - 1) * later + first),
          .all_workers = true,
          .flops = 2 * work.positions * work.in * work.out * work.groups};
}

namespace impl {

/// The same product or its transpose, whose result must then be turned: the operands of `matmul_cost` change places, so that few
/// positions are loaded once and many outputs stream [PL poplin, ConvPlan: swapped operands].
constexpr vertex_cost turned_cost(const architecture& chip, const amp_work& work) {
  amp_work turned = work;
  turned.positions = work.out;
  turned.out = work.positions;
  return matmul_cost(chip, turned);
}

}  // namespace impl

}  // namespace ipuflow::ipu
