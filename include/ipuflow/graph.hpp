// SPDX-License-Identifier: BSL-1.0
// The description: blocks in stages on IPUs, and the types that flow between them.
#pragma once

// The description that a user writes.
#include <ipuflow/graph/op.hpp>
#include <ipuflow/graph/ops.hpp>
#include <ipuflow/graph/input.hpp>
#include <ipuflow/graph/stage.hpp>
#include <ipuflow/graph/repeat.hpp>
#include <ipuflow/graph/pipeline.hpp>
#include <ipuflow/graph/foldable.hpp>
#include <ipuflow/graph/regroup.hpp>
#include <ipuflow/graph/cut.hpp>

// Its facts and faults.
#include <ipuflow/graph/describe.hpp>
#include <ipuflow/graph/placement.hpp>
#include <ipuflow/graph/stage_facts.hpp>
#include <ipuflow/graph/graph_fault.hpp>

// The walk over types, and running a stage.
#include <ipuflow/graph/flow/point.hpp>
#include <ipuflow/graph/flow/walk.hpp>
#include <ipuflow/graph/flow/run_stage.hpp>
#include <ipuflow/graph/flow/run_branch.hpp>
