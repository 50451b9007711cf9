// SPDX-License-Identifier: BSL-1.0
// A page with everything that it can show: runs on threads and on chips, plans and timetables. Who shows one of these alone includes
// document.hpp and the header of its part, which costs less to compile.
#pragma once

#include <ipuflow/report/page/chips_part.hpp>
#include <ipuflow/report/page/document.hpp>
#include <ipuflow/report/page/plan_part.hpp>
#include <ipuflow/report/page/schedule_part.hpp>
#include <ipuflow/report/page/threads_part.hpp>
