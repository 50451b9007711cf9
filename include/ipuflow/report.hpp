// SPDX-License-Identifier: BSL-1.0
// Schedules and the profiles of runs as text, traces for Perfetto and pictures; those of chips are in
// <ipuflow/chips.hpp>.
#pragma once

// Schedules.
#include <ipuflow/report/schedule_text.hpp>
#include <ipuflow/report/schedule_svg.hpp>
#include <ipuflow/report/schedule_trace.hpp>

// Text.
#include <ipuflow/report/text_table.hpp>
#include <ipuflow/report/numbers.hpp>
#include <ipuflow/report/distribution.hpp>

// Timelines.
#include <ipuflow/report/timeline.hpp>
#include <ipuflow/report/host_timeline.hpp>
#include <ipuflow/report/slice.hpp>
#include <ipuflow/report/run_marks.hpp>
#include <ipuflow/report/extent.hpp>

// Traces and pictures.
#include <ipuflow/report/trace_json.hpp>
#include <ipuflow/report/timeline_svg.hpp>
#include <ipuflow/report/distribution_svg.hpp>
#include <ipuflow/report/area_chart.hpp>
#include <ipuflow/report/svg_canvas.hpp>
#include <ipuflow/report/json_text.hpp>
#include <ipuflow/report/utf8.hpp>
#include <ipuflow/report/report_fault.hpp>
