// SPDX-License-Identifier: BSL-1.0
// Everything of `nn`: layers as types, what they compute, and a pipeline's stage of them as a program.
#pragma once

#include <ipuflow/nn/activation.hpp>
#include <ipuflow/nn/activation_kernels.hpp>
#include <ipuflow/nn/batch.hpp>
#include <ipuflow/nn/batch_norm_kernels.hpp>
#include <ipuflow/nn/conv2d.hpp>
#include <ipuflow/nn/conv2d_kernels.hpp>
#include <ipuflow/nn/conv2d_weights.hpp>
#include <ipuflow/nn/copy_kernels.hpp>
#include <ipuflow/nn/correlation.hpp>
#include <ipuflow/nn/dropout.hpp>
#include <ipuflow/nn/flatten.hpp>
#include <ipuflow/nn/initialise.hpp>
#include <ipuflow/nn/kernel_calls.hpp>
#include <ipuflow/nn/lane_math.hpp>
#include <ipuflow/nn/lanes.hpp>
#include <ipuflow/nn/linear.hpp>
#include <ipuflow/nn/linear_kernels.hpp>
#include <ipuflow/nn/loss.hpp>
#include <ipuflow/nn/loss_kernels.hpp>
#include <ipuflow/nn/nn_fault.hpp>
#include <ipuflow/nn/norm.hpp>
#include <ipuflow/nn/pool.hpp>
#include <ipuflow/nn/pool_kernels.hpp>
#include <ipuflow/nn/residual.hpp>
#include <ipuflow/nn/sample_norm_kernels.hpp>
#include <ipuflow/nn/softmax.hpp>
#include <ipuflow/nn/stage_memory.hpp>
#include <ipuflow/nn/stage_plan.hpp>
#include <ipuflow/nn/stage_planned.hpp>
#include <ipuflow/nn/stage_program.hpp>
#include <ipuflow/nn/stage_steps.hpp>
#include <ipuflow/nn/stage_walk.hpp>
#include <ipuflow/nn/tile.hpp>
#include <ipuflow/nn/transpose.hpp>
