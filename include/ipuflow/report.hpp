// SPDX-License-Identifier: BSL-1.0
// What a schedule is and what a run took: text, traces for Perfetto, pictures.
#pragma once

// Schedules.
#include <ipuflow/report/schedule_text.hpp>
#include <ipuflow/report/schedule_svg.hpp>
#include <ipuflow/report/schedule_trace.hpp>

// All of a run into a folder.
#include <ipuflow/report/files.hpp>

// Text.
#include <ipuflow/report/summary.hpp>
#include <ipuflow/report/chip_summary.hpp>
#include <ipuflow/report/memory_summary.hpp>
#include <ipuflow/report/text_table.hpp>
#include <ipuflow/report/numbers.hpp>

// Timelines.
#include <ipuflow/report/timeline.hpp>
#include <ipuflow/report/host_timeline.hpp>
#include <ipuflow/report/chips_timeline.hpp>
#include <ipuflow/report/slice.hpp>
#include <ipuflow/report/run_marks.hpp>
#include <ipuflow/report/extent.hpp>

// Traces and pictures.
#include <ipuflow/report/trace_json.hpp>
#include <ipuflow/report/timeline_svg.hpp>
#include <ipuflow/report/memory_svg.hpp>
#include <ipuflow/report/area_chart.hpp>
#include <ipuflow/report/svg_canvas.hpp>
