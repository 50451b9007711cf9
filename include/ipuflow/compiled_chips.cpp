// SPDX-License-Identifier: BSL-1.0
// The half of the target `ipuflow::compiled` that runs on chips: the engine, the costing, the large operations, programs
// made from timetables and sessions.
#include <ipuflow/ipu/engine/costing.hpp>
#include <ipuflow/ipu/engine/engine.hpp>
#include <ipuflow/ipu/ops/convolution.hpp>
#include <ipuflow/ipu/ops/matmul.hpp>
#include <ipuflow/ipu/ops/pooling.hpp>
#include <ipuflow/ipu/ops/reduce.hpp>
#include <ipuflow/ipu/ops/row_work.hpp>
#include <ipuflow/ipu/ops/softmax.hpp>
#include <ipuflow/nn/stage/stage_lowering.hpp>
#include <ipuflow/run/on_chips.hpp>
#include <ipuflow/train/chips/session_on_chips.hpp>

namespace ipuflow::ipu {
template profile cost<>(const chip_system&, const graph&, const step&, const run_options&);
template class basic_engine<>;
template step matmul<>(graph&, const matmul_shape&, const matmul_plan&, variable_id, variable_id, variable_id, std::size_t,
                       const matmul_orders&);
template step convolution<>(graph&, const conv_shape&, variable_id, variable_id, variable_id, const plan_options&);
template step convolution_of_input_gradient<>(graph&, const conv_shape&, variable_id, variable_id, variable_id,
                                              const plan_options&);
template step convolution_of_weight_gradient<>(graph&, const conv_shape&, variable_id, variable_id, variable_id,
                                               const plan_options&);
template step reduce<>(graph&, reduce_operation, const reduce_shape&, variable_id, variable_id, const plan_options&);
template class basic_row_totals<>;
template class basic_row_work<>;
template step softmax<>(graph&, std::size_t, variable_id, variable_id, const plan_options&);
template step softmax_gradient<>(graph&, std::size_t, variable_id, variable_id, variable_id, const plan_options&);
template step pool<>(graph&, pooling, const pool_shape&, variable_id, variable_id, const plan_options&);
template step pool_gradient<>(graph&, pooling, const pool_shape&, variable_id, variable_id, variable_id,
                              const plan_options&);
}  // namespace ipuflow::ipu

namespace ipuflow::nn {
template class impl::basic_stage_lowering<>;
}  // namespace ipuflow::nn

namespace ipuflow::run {
template class impl::basic_chips_plan<>;
template class basic_chips_program<>;
}  // namespace ipuflow::run

namespace ipuflow::train {
template class impl::basic_session_on_chips<>;
}  // namespace ipuflow::train
