// SPDX-License-Identifier: BSL-1.0
// Everything of `report`: profiles as text, as traces and as pictures.
#pragma once

#include <ipuflow/report/area_chart.hpp>
#include <ipuflow/report/chip_summary.hpp>
#include <ipuflow/report/extent.hpp>
#include <ipuflow/report/files.hpp>
#include <ipuflow/report/host_timeline.hpp>
#include <ipuflow/report/memory_summary.hpp>
#include <ipuflow/report/memory_svg.hpp>
#include <ipuflow/report/model_timeline.hpp>
#include <ipuflow/report/numbers.hpp>
#include <ipuflow/report/run_marks.hpp>
#include <ipuflow/report/slice.hpp>
#include <ipuflow/report/summary.hpp>
#include <ipuflow/report/text_table.hpp>
#include <ipuflow/report/timeline.hpp>
#include <ipuflow/report/timeline_svg.hpp>
#include <ipuflow/report/trace_json.hpp>
