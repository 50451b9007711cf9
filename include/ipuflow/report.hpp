// SPDX-License-Identifier: BSL-1.0
// Schedules and the profiles of runs as text, traces for Perfetto and pictures; those of chips are in
// <ipuflow/chips.hpp>.
#pragma once

// Schedules. What a search found, where it is wanted: schedules/frontier_text.hpp, schedules/frontier_svg.hpp.
#include <ipuflow/report/schedules/schedule_text.hpp>
#include <ipuflow/report/schedules/schedule_svg.hpp>
#include <ipuflow/report/schedules/schedule_trace.hpp>

// Text.
#include <ipuflow/report/drawing/text_table.hpp>
#include <ipuflow/report/drawing/numbers.hpp>
#include <ipuflow/report/distribution.hpp>

// Timelines.
#include <ipuflow/report/runs/timeline.hpp>
#include <ipuflow/report/runs/host_timeline.hpp>
#include <ipuflow/report/runs/slice.hpp>
#include <ipuflow/report/runs/run_marks.hpp>
#include <ipuflow/report/runs/extent.hpp>

// Traces and pictures.
#include <ipuflow/report/runs/trace_json.hpp>
#include <ipuflow/report/runs/timeline_svg.hpp>
#include <ipuflow/report/distribution_svg.hpp>
#include <ipuflow/report/drawing/area_chart.hpp>
#include <ipuflow/report/drawing/bands.hpp>
#include <ipuflow/report/drawing/svg_legend.hpp>
#include <ipuflow/report/drawing/svg_canvas.hpp>
#include <ipuflow/report/drawing/json_text.hpp>
#include <ipuflow/report/drawing/utf8.hpp>
#include <ipuflow/report/report_fault.hpp>
