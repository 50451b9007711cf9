// SPDX-License-Identifier: BSL-1.0
// Timetables: which operation an IPU does at which step; generated, verified, measured, lowered.
#pragma once

// Vocabulary, and the one question everybody asks.
#include <ipuflow/schedule/op.hpp>
#include <ipuflow/schedule/timetable.hpp>
#include <ipuflow/schedule/verify.hpp>
#include <ipuflow/schedule/schedule_fault.hpp>

// Generators, and the list of them; side by side for measured costs: generators/compare.hpp, generators/about.hpp,
// analysis/measured_costs.hpp.
#include <ipuflow/schedule/generators/setup.hpp>
#include <ipuflow/schedule/generators/generator.hpp>
#include <ipuflow/schedule/generators/catalogue.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>
#include <ipuflow/schedule/generators/interleaved.hpp>
#include <ipuflow/schedule/generators/sequential.hpp>
#include <ipuflow/schedule/generators/phased.hpp>
#include <ipuflow/schedule/generators/inference.hpp>
#include <ipuflow/schedule/generators/gpipe.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>
#include <ipuflow/schedule/generators/interleaved_1f1b.hpp>
#include <ipuflow/schedule/generators/looped_bfs.hpp>
#include <ipuflow/schedule/generators/zb1p.hpp>
#include <ipuflow/schedule/generators/zb2p.hpp>
#include <ipuflow/schedule/generators/zbv.hpp>
#include <ipuflow/schedule/generators/v_half.hpp>
#include <ipuflow/schedule/generators/v_min.hpp>
#include <ipuflow/schedule/generators/chimera.hpp>
#include <ipuflow/schedule/generators/dualpipe.hpp>
#include <ipuflow/schedule/generators/grouping.hpp>
#include <ipuflow/schedule/generators/device_generator.hpp>
#include <ipuflow/schedule/generators/device_rules.hpp>
#include <ipuflow/schedule/generators/squeeze.hpp>
#include <ipuflow/schedule/generators/zb2p_filled.hpp>

// Searches are not of this map: search/search.hpp and stop_after.hpp, which have search_memory.hpp, search_fault.hpp, problem.hpp
// and, behind them, instance.hpp, heads.hpp, bound.hpp, greedy.hpp, keys.hpp, evaluation.hpp, improvement.hpp, engine.hpp.

// Forms that a timetable can have.
#include <ipuflow/schedule/forms/line.hpp>
#include <ipuflow/schedule/forms/modular.hpp>
#include <ipuflow/schedule/forms/modular_walk.hpp>
#include <ipuflow/schedule/forms/program.hpp>
#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/schedule/forms/repeating.hpp>
#include <ipuflow/schedule/forms/grid.hpp>
#include <ipuflow/schedule/forms/device_map.hpp>
#include <ipuflow/schedule/forms/recomputation.hpp>
#include <ipuflow/schedule/forms/liveness.hpp>
#include <ipuflow/schedule/forms/any_timetable.hpp>

// Analyses: rows, sizes, times, orders. What decides the makespan, where it is wanted: analysis/critical_path.hpp,
// analysis/repeating_path.hpp, analysis/path_shares.hpp.
#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/analysis/depths.hpp>
#include <ipuflow/schedule/analysis/until.hpp>
#include <ipuflow/schedule/analysis/closed_counts.hpp>
#include <ipuflow/schedule/analysis/program_shape.hpp>
#include <ipuflow/schedule/analysis/timing.hpp>
#include <ipuflow/schedule/analysis/closed_times.hpp>
#include <ipuflow/schedule/analysis/steady_run.hpp>
#include <ipuflow/schedule/analysis/timeline.hpp>
#include <ipuflow/schedule/analysis/costs.hpp>
#include <ipuflow/schedule/analysis/traffic.hpp>
#include <ipuflow/schedule/analysis/neighbours.hpp>
#include <ipuflow/schedule/analysis/passes_done.hpp>
#include <ipuflow/schedule/analysis/run_order.hpp>
#include <ipuflow/schedule/analysis/verify_closed.hpp>

// Lowering to sends and receives, and files; those are written by lowering/csv.hpp.
#include <ipuflow/schedule/lowering/action.hpp>
#include <ipuflow/schedule/lowering/lower.hpp>
#include <ipuflow/schedule/lowering/channels.hpp>
#include <ipuflow/schedule/lowering/csv_read.hpp>
#include <ipuflow/schedule/lowering/csv_fault.hpp>
