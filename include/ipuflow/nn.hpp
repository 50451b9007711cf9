// SPDX-License-Identifier: BSL-1.0
// Layers with shapes in their types, and what they compute on the host; on tiles: <ipuflow/chips.hpp>.
#pragma once

// Layers.
#include <ipuflow/nn/layers/cast.hpp>
#include <ipuflow/nn/layers/normalise.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/nn/layers/conv2d.hpp>
#include <ipuflow/nn/layers/activation.hpp>
#include <ipuflow/nn/layers/pool.hpp>
#include <ipuflow/nn/layers/global_average_pool.hpp>
#include <ipuflow/nn/layers/squeeze_excite.hpp>
#include <ipuflow/nn/layers/norm.hpp>
#include <ipuflow/nn/layers/dropout.hpp>
#include <ipuflow/nn/layers/flatten.hpp>
#include <ipuflow/nn/layers/residual.hpp>
#include <ipuflow/nn/layers/checkpoint.hpp>
#include <ipuflow/nn/layers/copy.hpp>
#include <ipuflow/nn/layers/softmax.hpp>
#include <ipuflow/nn/layers/embedding.hpp>
#include <ipuflow/nn/layers/tied.hpp>
#include <ipuflow/nn/layers/attention.hpp>
#include <ipuflow/nn/layers/attention_masks.hpp>
#include <ipuflow/nn/layers/attention_parts.hpp>
#include <ipuflow/nn/layers/sequence_parts.hpp>
#include <ipuflow/nn/layers/loss.hpp>
#include <ipuflow/nn/layers/sequence_loss.hpp>

// The contract of a layer, batches and faults.
#include <ipuflow/nn/layer.hpp>
#include <ipuflow/nn/batch.hpp>
#include <ipuflow/nn/nn_fault.hpp>

// Their kernels on the host.
#include <ipuflow/nn/kernels/linear_kernels.hpp>
#include <ipuflow/nn/kernels/pool_kernels.hpp>
#include <ipuflow/nn/kernels/moments.hpp>
#include <ipuflow/nn/kernels/sample_mask.hpp>
#include <ipuflow/nn/kernels/batch_norm_kernels.hpp>
#include <ipuflow/nn/kernels/sample_norm_kernels.hpp>
#include <ipuflow/nn/kernels/initialise.hpp>
#include <ipuflow/nn/kernels/packing.hpp>
#include <ipuflow/nn/kernels/table_rows.hpp>
#include <ipuflow/nn/kernels/attention_head.hpp>
#include <ipuflow/nn/kernels/position_products.hpp>
#include <ipuflow/nn/kernels/kernel_calls.hpp>
#include <ipuflow/nn/kernels/correlation.hpp>
#include <ipuflow/nn/kernels/conv2d_shape.hpp>
#include <ipuflow/nn/kernels/conv2d_weights.hpp>

// Vectors of the host.
#include <ipuflow/nn/simd/lanes.hpp>
#include <ipuflow/nn/simd/half_lanes.hpp>
#include <ipuflow/nn/simd/lane_math.hpp>
#include <ipuflow/nn/simd/register_block.hpp>
#include <ipuflow/nn/simd/rounding.hpp>
#include <ipuflow/nn/simd/transpose.hpp>

// A stage of them.
#include <ipuflow/nn/stage/stage_plan.hpp>
#include <ipuflow/nn/stage/plan_of_stage.hpp>
#include <ipuflow/nn/stage/slot_types.hpp>
#include <ipuflow/nn/stage/stage_walk.hpp>
#include <ipuflow/nn/stage/block_walk.hpp>
#include <ipuflow/nn/stage/stage_steps.hpp>
#include <ipuflow/nn/stage/stage_memory.hpp>
#include <ipuflow/nn/stage/verify_kernels.hpp>
#include <ipuflow/nn/stage/stage_program.hpp>
#include <ipuflow/nn/stage/ties.hpp>
#include <ipuflow/nn/stage/host_stage.hpp>
#include <ipuflow/nn/stage/step_kernels.hpp>
