// SPDX-License-Identifier: BSL-1.0
// A timetable executed on host threads; on simulated chips: <ipuflow/chips.hpp>.
#pragma once

// On threads: callables from a source to a sink, or a pipeline and its timetable.
#include <ipuflow/run/stream.hpp>
#include <ipuflow/run/on_threads.hpp>
#include <ipuflow/run/stage_failed.hpp>
#include <ipuflow/run/trace.hpp>

// Ends of a run for other threads, where they are wanted: run/feeds.hpp.

// The parts of a run on threads; behind the executor, threads/follower.hpp, and behind the plan, threads/stream_planning.hpp.
#include <ipuflow/run/threads/executor.hpp>
#include <ipuflow/run/threads/traced_costs.hpp>
#include <ipuflow/run/threads/stream_plan.hpp>
#include <ipuflow/run/threads/stream_work.hpp>
#include <ipuflow/run/threads/intake.hpp>
#include <ipuflow/run/threads/stream_edges.hpp>
#include <ipuflow/run/threads/edge.hpp>
#include <ipuflow/run/threads/known_order.hpp>
#include <ipuflow/run/threads/placed_blocks.hpp>
#include <ipuflow/run/threads/run_fault.hpp>
