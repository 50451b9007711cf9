// SPDX-License-Identifier: BSL-1.0
// Training and inference on host threads: sessions, optimisers, precision; on simulated chips: <ipuflow/chips.hpp>.
#pragma once

// Types of numbers.
#include <ipuflow/train/precision.hpp>
#include <ipuflow/train/accumulator_type.hpp>

// Sessions.
#include <ipuflow/train/session.hpp>
#include <ipuflow/train/options.hpp>
#include <ipuflow/train/session_fault.hpp>
#include <ipuflow/train/reduction.hpp>
#include <ipuflow/train/scaling.hpp>
#include <ipuflow/train/how.hpp>
#include <ipuflow/train/threads/back_end.hpp>
#include <ipuflow/train/contract.hpp>
#include <ipuflow/train/loss_scale.hpp>
#include <ipuflow/train/evaluation.hpp>
#include <ipuflow/train/loss_fault.hpp>
#include <ipuflow/train/progress_bar.hpp>

// A prediction for one sample: train/predict.hpp. Weights by name for other programs: train/safetensors.hpp,
// train/npz_weights.hpp.

// Training that is interrupted and goes on: train/checkpoints.hpp.

// Ends of a session for other threads, where they are wanted: train/feeds.hpp.

// Learned numbers.
#include <ipuflow/train/model.hpp>
#include <ipuflow/train/named_tensors.hpp>
#include <ipuflow/train/model_file.hpp>
#include <ipuflow/train/training_state.hpp>
#include <ipuflow/train/tensors.hpp>

// Optimisers.
#include <ipuflow/train/optimisers/learning_rate.hpp>
#include <ipuflow/train/optimisers/sgd.hpp>
#include <ipuflow/train/optimisers/adam.hpp>
#include <ipuflow/train/optimisers/lamb.hpp>
#include <ipuflow/train/optimisers/lars.hpp>
#include <ipuflow/train/optimisers/rmsprop.hpp>
#include <ipuflow/train/optimisers/groups.hpp>
#include <ipuflow/train/optimisers/state.hpp>
#include <ipuflow/train/optimisers/optimiser_code.hpp>

// On threads; what a session is made of is in threads/session_engine.hpp.
#include <ipuflow/train/threads/session_on_threads.hpp>
#include <ipuflow/train/threads/network_code.hpp>
#include <ipuflow/train/threads/seats.hpp>

// Samples and results.
#include <ipuflow/train/step_data.hpp>
