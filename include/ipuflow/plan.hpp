// SPDX-License-Identifier: BSL-1.0
// A stage as programs on tiles, which layers make and a run puts in order; and the partition of blocks into stages.
#pragma once

// A stage on tiles.
#include <ipuflow/plan/lowered.hpp>

// Which blocks are a stage: the partition with the least longest stage.
#include <ipuflow/plan/partition/balance.hpp>
#include <ipuflow/plan/partition/in_stages.hpp>
#include <ipuflow/plan/partition/chain.hpp>
#include <ipuflow/plan/partition/balance_fault.hpp>
#include <ipuflow/plan/partition/balance_search.hpp>
#include <ipuflow/plan/partition/stage_search.hpp>
#include <ipuflow/plan/partition/least_recomputation.hpp>
#include <ipuflow/plan/partition/chain_costs.hpp>
#include <ipuflow/plan/partition/wide_sum.hpp>
