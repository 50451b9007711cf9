// SPDX-License-Identifier: BSL-1.0
// Everything of `graph`: typed dataflow, described as constants.
#pragma once

#include <ipuflow/graph/stage.hpp>  // first, so that its refusals are told with few lines of "included from"

#include <ipuflow/graph/call_branch.hpp>
#include <ipuflow/graph/call_stage.hpp>
#include <ipuflow/graph/describe.hpp>
#include <ipuflow/graph/flow.hpp>
#include <ipuflow/graph/graph_fault.hpp>
#include <ipuflow/graph/input.hpp>
#include <ipuflow/graph/op.hpp>
#include <ipuflow/graph/pipeline.hpp>
#include <ipuflow/graph/placement.hpp>
#include <ipuflow/graph/regroup.hpp>
#include <ipuflow/graph/stage_facts.hpp>
#include <ipuflow/graph/trace.hpp>
