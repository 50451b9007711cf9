// SPDX-License-Identifier: BSL-1.0
// The second back end: what all modules have for simulated chips. Programs that run on threads do not pay for it.
#pragma once

// First, since compilers print the way to it before each sentence.
#include <ipuflow/core/fault.hpp>

// The machine.
#include <ipuflow/ipu.hpp>
#include <ipuflow/plan.hpp>

// Training and running on it.
#include <ipuflow/train/on_chips.hpp>
#include <ipuflow/run/on_chips.hpp>
#include <ipuflow/train/chips/back_end.hpp>
#include <ipuflow/train/chips/session_on_chips.hpp>
#include <ipuflow/train/chips/stage.hpp>
#include <ipuflow/train/chips/numbers.hpp>
#include <ipuflow/train/chips/gradients.hpp>
#include <ipuflow/train/chips/host.hpp>
#include <ipuflow/train/chips/update.hpp>
#include <ipuflow/train/chips/update_options.hpp>
#include <ipuflow/train/chips/tile_update.hpp>
#include <ipuflow/train/chips/tile_scale.hpp>
#include <ipuflow/run/chips/options.hpp>
#include <ipuflow/run/chips/chips_fault.hpp>
#include <ipuflow/run/chips/memory_remedy.hpp>
#include <ipuflow/run/chips/profile.hpp>
#include <ipuflow/run/chips/stage_costs.hpp>
#include <ipuflow/run/chips/stage_waits.hpp>
#include <ipuflow/run/chips/plan.hpp>
#include <ipuflow/run/chips/part_event.hpp>
#include <ipuflow/run/chips/carry.hpp>
#include <ipuflow/run/chips/step_loop.hpp>
#include <ipuflow/run/chips/part.hpp>
#include <ipuflow/run/chips/parts.hpp>
#include <ipuflow/run/chips/labels.hpp>
#include <ipuflow/run/chips/chip_work.hpp>
#include <ipuflow/run/chips/exchange.hpp>
#include <ipuflow/run/chips/ends.hpp>
#include <ipuflow/run/chips/arguments.hpp>
#include <ipuflow/run/chips/collectives.hpp>
#include <ipuflow/run/chips/updates.hpp>
#include <ipuflow/run/chips/build.hpp>

// Layers as programs on tiles.
#include <ipuflow/nn/lowerings/lowering.hpp>
#include <ipuflow/nn/lowerings/lowering_calls.hpp>
#include <ipuflow/nn/lowerings/cast_lowering.hpp>
#include <ipuflow/nn/lowerings/normalise_lowering.hpp>
#include <ipuflow/nn/lowerings/linear_lowering.hpp>
#include <ipuflow/nn/lowerings/conv2d_lowering.hpp>
#include <ipuflow/nn/lowerings/activation_lowering.hpp>
#include <ipuflow/nn/lowerings/pool_lowering.hpp>
#include <ipuflow/nn/lowerings/channel_lowering.hpp>
#include <ipuflow/nn/lowerings/norm_codelets.hpp>
#include <ipuflow/nn/lowerings/norm_passes.hpp>
#include <ipuflow/nn/lowerings/batch_norm_lowering.hpp>
#include <ipuflow/nn/lowerings/sample_norm_lowering.hpp>
#include <ipuflow/nn/lowerings/dropout_lowering.hpp>
#include <ipuflow/nn/lowerings/softmax_lowering.hpp>
#include <ipuflow/nn/lowerings/loss_lowering.hpp>
#include <ipuflow/nn/lowerings/sequence_loss_lowering.hpp>
#include <ipuflow/nn/lowerings/embedding_lowering.hpp>
#include <ipuflow/nn/lowerings/tied_lowering.hpp>
#include <ipuflow/nn/lowerings/attention_lowering.hpp>
#include <ipuflow/nn/lowerings/attention_masks_lowering.hpp>
#include <ipuflow/nn/lowerings/attention_parts_lowering.hpp>
#include <ipuflow/nn/lowerings/sequence_parts_lowering.hpp>
#include <ipuflow/nn/lowerings/copy_lowering.hpp>
#include <ipuflow/nn/lowerings/bias_lowering.hpp>
#include <ipuflow/nn/lowerings/row_lowering.hpp>
#include <ipuflow/nn/layers/layer_name.hpp>
#include <ipuflow/nn/stage/stage_arguments.hpp>
#include <ipuflow/nn/stage/stage_scalars.hpp>
#include <ipuflow/nn/stage/stage_variables.hpp>
#include <ipuflow/nn/stage/stage_numbers.hpp>
#include <ipuflow/nn/stage/stage_lowering.hpp>
#include <ipuflow/nn/stage/tile_stage.hpp>
#include <ipuflow/nn/stage/stage_cut.hpp>
#include <ipuflow/nn/stage/network_on_tiles.hpp>
#include <ipuflow/nn/stage/block_chain.hpp>

// Reports.
#include <ipuflow/report/files.hpp>
#include <ipuflow/report/chips/summary.hpp>
#include <ipuflow/report/chips/chip_summary.hpp>
#include <ipuflow/report/chips/memory_summary.hpp>
#include <ipuflow/report/runs/chips_timeline.hpp>
#include <ipuflow/report/runs/chips_timeline_svg.hpp>
#include <ipuflow/report/runs/chips_trace_json.hpp>
#include <ipuflow/report/chips/memory_svg.hpp>
