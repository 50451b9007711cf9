// SPDX-License-Identifier: BSL-1.0
// A timetable executed, on host threads or on modelled chips.
#pragma once

// On threads.
#include <ipuflow/run/on_threads.hpp>
#include <ipuflow/run/failure.hpp>
#include <ipuflow/run/trace.hpp>

// What that is made of.
#include <ipuflow/run/threads/executor.hpp>
#include <ipuflow/run/threads/crew.hpp>
#include <ipuflow/run/threads/dealing.hpp>
#include <ipuflow/run/threads/itinerary.hpp>
#include <ipuflow/run/threads/stream.hpp>
#include <ipuflow/run/threads/stream_edges.hpp>
#include <ipuflow/run/threads/edge.hpp>
#include <ipuflow/run/threads/depth.hpp>
#include <ipuflow/run/threads/fit.hpp>

// On chips.
#include <ipuflow/run/on_chips.hpp>

// What that is made of.
#include <ipuflow/run/chips/options.hpp>
#include <ipuflow/run/chips/profile.hpp>
#include <ipuflow/run/chips/plan.hpp>
#include <ipuflow/run/chips/carry.hpp>
#include <ipuflow/run/chips/step_loop.hpp>
#include <ipuflow/run/chips/parts.hpp>
#include <ipuflow/run/chips/labels.hpp>
#include <ipuflow/run/chips/chip_work.hpp>
#include <ipuflow/run/chips/exchange.hpp>
#include <ipuflow/run/chips/ends.hpp>
#include <ipuflow/run/chips/build.hpp>
