// SPDX-License-Identifier: BSL-1.0
// Everything of `train`: optimisers, and pipelines of layers trained and used.
#pragma once

#include <ipuflow/train/accumulation.hpp>
#include <ipuflow/train/adam.hpp>
#include <ipuflow/train/copy_state.hpp>
#include <ipuflow/train/evaluation.hpp>
#include <ipuflow/train/exchange.hpp>
#include <ipuflow/train/lamb.hpp>
#include <ipuflow/train/link.hpp>
#include <ipuflow/train/loss_scale.hpp>
#include <ipuflow/train/memory_block.hpp>
#include <ipuflow/train/model.hpp>
#include <ipuflow/train/model_file.hpp>
#include <ipuflow/train/model_host.hpp>
#include <ipuflow/train/model_numbers.hpp>
#include <ipuflow/train/model_session.hpp>
#include <ipuflow/train/model_stage.hpp>
#include <ipuflow/train/model_update.hpp>
#include <ipuflow/train/options.hpp>
#include <ipuflow/train/pipeline_work.hpp>
#include <ipuflow/train/precision.hpp>
#include <ipuflow/train/progress.hpp>
#include <ipuflow/train/seats.hpp>
#include <ipuflow/train/session.hpp>
#include <ipuflow/train/session_plan.hpp>
#include <ipuflow/train/sgd.hpp>
#include <ipuflow/train/stage_stash.hpp>
#include <ipuflow/train/stage_worker.hpp>
#include <ipuflow/train/stash.hpp>
#include <ipuflow/train/step_data.hpp>
#include <ipuflow/train/step_host.hpp>
#include <ipuflow/train/tensors.hpp>
#include <ipuflow/train/tile_update.hpp>
#include <ipuflow/train/updater.hpp>
