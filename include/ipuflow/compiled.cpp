// SPDX-License-Identifier: BSL-1.0
// The one file of the target `ipuflow::compiled`: what depends on no pipeline, schedule or optimiser, for the usual
// precisions. Whoever links the target gets these from here; the same headers say so where they are declared.
#include <ipuflow/core/half.hpp>
#include <ipuflow/feed/loading/step_loader.hpp>
#include <ipuflow/ipu/engine/costing.hpp>
#include <ipuflow/ipu/engine/engine.hpp>
#include <ipuflow/ipu/ops/convolution.hpp>
#include <ipuflow/ipu/ops/matmul.hpp>
#include <ipuflow/ipu/ops/pooling.hpp>
#include <ipuflow/ipu/ops/reduce.hpp>
#include <ipuflow/ipu/ops/softmax.hpp>
#include <ipuflow/run/on_chips.hpp>
#include <ipuflow/run/threads/follower.hpp>
#include <ipuflow/train/chips/session_on_chips.hpp>
#include <ipuflow/train/threads/session_engine.hpp>

namespace ipuflow::feed::impl {
template class step_loader<step_source>;
}  // namespace ipuflow::feed::impl

namespace ipuflow::ipu {
template profile cost<>(const chip_system&, const graph&, const step&, const run_options&);
template class basic_engine<>;
template step matmul<>(graph&, const matmul_shape&, const matmul_plan&, variable_id, variable_id, variable_id, std::size_t);
template step convolution<>(graph&, const conv_shape&, variable_id, variable_id, variable_id, const plan_options&);
template step convolution_of_input_gradient<>(graph&, const conv_shape&, variable_id, variable_id, variable_id,
                                              const plan_options&);
template step convolution_of_weight_gradient<>(graph&, const conv_shape&, variable_id, variable_id, variable_id,
                                               const plan_options&);
template step reduce<>(graph&, reduce_operation, const reduce_shape&, variable_id, variable_id, const plan_options&);
template step softmax<>(graph&, std::size_t, variable_id, variable_id, const plan_options&);
template step softmax_gradient<>(graph&, std::size_t, variable_id, variable_id, variable_id, const plan_options&);
template step cross_entropy<>(graph&, std::size_t, variable_id, variable_id, variable_id, variable_id, float,
                              const plan_options&);
template step pool<>(graph&, pooling, const pool_shape&, variable_id, variable_id, const plan_options&);
template step pool_gradient<>(graph&, pooling, const pool_shape&, variable_id, variable_id, variable_id,
                              const plan_options&);
}  // namespace ipuflow::ipu

namespace ipuflow::run {
template class impl::basic_chips_plan<>;
template class basic_chips_program<>;
template std::size_t thread_count<>(std::size_t, std::size_t);
template dealt deal_lanes<>(const schedule::any_timetable&, std::size_t, std::size_t, std::span<const std::size_t>);
template outcome execute<>(const schedule::any_timetable&, any_work, crew&, const execution&);
template outcome execute<>(const schedule::any_timetable&, any_work, std::size_t, const execution&);
}  // namespace ipuflow::run

namespace ipuflow::train {
template class session_on_threads<precision<>>;
template class session_on_threads<precision<float, half>>;
template class session_on_threads<precision<half, float>>;
template class impl::basic_session_on_chips<>;
template class session_on_threads<precision<double>>;
}  // namespace ipuflow::train
