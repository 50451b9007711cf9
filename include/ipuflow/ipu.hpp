// SPDX-License-Identifier: BSL-1.0
// Chips as records, programs on their tiles, what these cost, and engines that run or count them.
#pragma once

// Machines.
#include <ipuflow/ipu/machine/architecture.hpp>
#include <ipuflow/ipu/machine/chip_system.hpp>
#include <ipuflow/ipu/machine/links.hpp>
#include <ipuflow/ipu/machine/chip_order.hpp>
#include <ipuflow/ipu/machine/shortest_order.hpp>
#include <ipuflow/ipu/machine/replica_places.hpp>
#include <ipuflow/ipu/cost/collectives.hpp>
#include <ipuflow/ipu/cost/vertex_cost.hpp>
#include <ipuflow/ipu/cost/conv_cost.hpp>
#include <ipuflow/ipu/machine/element_type.hpp>
#include <ipuflow/ipu/machine/io_tiles.hpp>

// Programs.
#include <ipuflow/ipu/program/graph.hpp>
#include <ipuflow/ipu/program/variable.hpp>
#include <ipuflow/ipu/program/mapping.hpp>
#include <ipuflow/ipu/program/matrix_order.hpp>
#include <ipuflow/ipu/program/in_orders.hpp>
#include <ipuflow/ipu/program/codelet.hpp>
#include <ipuflow/ipu/program/step.hpp>
#include <ipuflow/ipu/program/step_kinds.hpp>
#include <ipuflow/ipu/program/step_kind.hpp>
#include <ipuflow/ipu/program/activity.hpp>
#include <ipuflow/ipu/program/arrange.hpp>
#include <ipuflow/ipu/program/plan_options.hpp>
#include <ipuflow/ipu/program/memory_proportions.hpp>
#include <ipuflow/ipu/program/abreast.hpp>
#include <ipuflow/ipu/program/program_check.hpp>
#include <ipuflow/ipu/program/program_walk.hpp>
#include <ipuflow/ipu/program/liveness.hpp>
#include <ipuflow/ipu/program/memory.hpp>
#include <ipuflow/ipu/program/memory_report.hpp>

// Operations.
#include <ipuflow/ipu/ops/elementwise.hpp>
#include <ipuflow/ipu/ops/functions.hpp>
#include <ipuflow/ipu/ops/reduce.hpp>
#include <ipuflow/ipu/ops/replica_parts.hpp>
#include <ipuflow/ipu/ops/gather.hpp>
#include <ipuflow/ipu/ops/row_parts.hpp>
#include <ipuflow/ipu/ops/row_codelets.hpp>
#include <ipuflow/ipu/ops/row_totals.hpp>
#include <ipuflow/ipu/ops/row_work.hpp>
#include <ipuflow/ipu/ops/row_layout.hpp>
#include <ipuflow/ipu/ops/softmax.hpp>
#include <ipuflow/ipu/ops/reduction_plan.hpp>
#include <ipuflow/ipu/ops/block_reduction.hpp>
#include <ipuflow/ipu/ops/matmul.hpp>
#include <ipuflow/ipu/ops/matmul_plan.hpp>
#include <ipuflow/ipu/ops/product_cut.hpp>
#include <ipuflow/ipu/ops/matrix_kernel.hpp>
#include <ipuflow/ipu/ops/convolution.hpp>
#include <ipuflow/ipu/ops/conv_shape.hpp>
#include <ipuflow/ipu/ops/conv_plan.hpp>
#include <ipuflow/ipu/ops/weight_gradient_plan.hpp>
#include <ipuflow/ipu/ops/conv_pick.hpp>
#include <ipuflow/ipu/ops/conv_kernels.hpp>
#include <ipuflow/ipu/ops/conv_shares.hpp>
#include <ipuflow/ipu/ops/pooling.hpp>
#include <ipuflow/ipu/ops/stencil.hpp>

// Engines.
#include <ipuflow/ipu/engine/engine.hpp>
#include <ipuflow/ipu/engine/costing.hpp>
#include <ipuflow/ipu/engine/profile.hpp>
#include <ipuflow/ipu/engine/timed_walk.hpp>
#include <ipuflow/ipu/engine/clock_walk.hpp>
#include <ipuflow/ipu/engine/box_times.hpp>
#include <ipuflow/ipu/engine/leaf_needs.hpp>
#include <ipuflow/ipu/engine/link_times.hpp>
#include <ipuflow/ipu/engine/meter.hpp>
#include <ipuflow/ipu/engine/tile_store.hpp>
#include <ipuflow/ipu/engine/tile_copies.hpp>
#include <ipuflow/ipu/engine/vertex_run.hpp>
#include <ipuflow/ipu/engine/replica_sum.hpp>
#include <ipuflow/ipu/engine/half_span.hpp>

// Costs.
#include <ipuflow/ipu/cost/matmul_cost.hpp>
#include <ipuflow/ipu/cost/elementwise_cost.hpp>
#include <ipuflow/ipu/cost/compute_cost.hpp>
#include <ipuflow/ipu/cost/exchange.hpp>
#include <ipuflow/ipu/cost/rearrangement.hpp>
#include <ipuflow/ipu/cost/tile_sends.hpp>
#include <ipuflow/ipu/cost/tile_receives.hpp>
#include <ipuflow/ipu/cost/copies.hpp>
#include <ipuflow/ipu/cost/copy_memo.hpp>
#include <ipuflow/ipu/cost/step_cost.hpp>
#include <ipuflow/ipu/cost/code_size.hpp>

// Exchange word by word: only the pattern. `ipu/exchange/exchange_schedule.hpp`, which gives every word its cycle, is included
// only where that is wanted.
#include <ipuflow/ipu/exchange/exchange_pattern.hpp>
