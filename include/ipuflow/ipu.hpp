// SPDX-License-Identifier: BSL-1.0
// Everything of `ipu`: chips as records, what their tiles compute, exchange and hold, and engines that run or count a program.
#pragma once

#include <ipuflow/ipu/amp.hpp>
#include <ipuflow/ipu/architecture.hpp>
#include <ipuflow/ipu/chip_system.hpp>
#include <ipuflow/ipu/code_size.hpp>
#include <ipuflow/ipu/codelet.hpp>
#include <ipuflow/ipu/compute_cost.hpp>
#include <ipuflow/ipu/copies.hpp>
#include <ipuflow/ipu/costing.hpp>
#include <ipuflow/ipu/element_type.hpp>
#include <ipuflow/ipu/elementwise_cost.hpp>
#include <ipuflow/ipu/engine.hpp>
#include <ipuflow/ipu/exchange.hpp>
#include <ipuflow/ipu/exchange_pattern.hpp>
#include <ipuflow/ipu/exchange_schedule.hpp>
#include <ipuflow/ipu/graph.hpp>
#include <ipuflow/ipu/liveness.hpp>
#include <ipuflow/ipu/mapping.hpp>
#include <ipuflow/ipu/memory.hpp>
#include <ipuflow/ipu/memory_report.hpp>
#include <ipuflow/ipu/profile.hpp>
#include <ipuflow/ipu/program_check.hpp>
#include <ipuflow/ipu/program_walk.hpp>
#include <ipuflow/ipu/replica_sum.hpp>
#include <ipuflow/ipu/stencil.hpp>
#include <ipuflow/ipu/step.hpp>
#include <ipuflow/ipu/step_cost.hpp>
#include <ipuflow/ipu/tile_store.hpp>
#include <ipuflow/ipu/validation.hpp>
#include <ipuflow/ipu/variable.hpp>
#include <ipuflow/ipu/vertex_run.hpp>
#include <ipuflow/ipu/word_matching.hpp>
#include <ipuflow/ipu/workers.hpp>
