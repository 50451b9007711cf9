// SPDX-License-Identifier: BSL-1.0
// Everything of `run`: timetables executed.
#pragma once

#include <ipuflow/run/carry.hpp>
#include <ipuflow/run/crew.hpp>
#include <ipuflow/run/dealing.hpp>
#include <ipuflow/run/depth.hpp>
#include <ipuflow/run/edge.hpp>
#include <ipuflow/run/executor.hpp>
#include <ipuflow/run/failure.hpp>
#include <ipuflow/run/fit.hpp>
#include <ipuflow/run/itinerary.hpp>
#include <ipuflow/run/model_build.hpp>
#include <ipuflow/run/model_chip_work.hpp>
#include <ipuflow/run/model_ends.hpp>
#include <ipuflow/run/model_exchange.hpp>
#include <ipuflow/run/model_labels.hpp>
#include <ipuflow/run/model_options.hpp>
#include <ipuflow/run/model_parts.hpp>
#include <ipuflow/run/model_plan.hpp>
#include <ipuflow/run/model_profile.hpp>
#include <ipuflow/run/on_model.hpp>
#include <ipuflow/run/on_threads.hpp>
#include <ipuflow/run/step_loop.hpp>
#include <ipuflow/run/stream.hpp>
#include <ipuflow/run/stream_edges.hpp>
#include <ipuflow/run/trace.hpp>
