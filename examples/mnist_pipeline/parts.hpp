// SPDX-License-Identifier: BSL-1.0
// The parts of the program: a file for each, so that two cores share the work of compiling them, and only those that
// train are compiled for speed.
#pragma once

#include <ipuflow/run/trace.hpp>
#include <ipuflow/schedule/forms/table.hpp>
#include <ipuflow/train/options.hpp>

#include "settings.hpp"

using namespace ipuflow;

/// The schedule that was asked for; as a table all of them have one type.
schedule::table timetable_of(const settings& s);

/// Trains and tests on threads.
void train_in_floats(const schedule::table& timetable, const settings& s);
void train_in_halves(const schedule::table& timetable, const settings& s);

/// What the same takes on simulated chips; `events`: what threads did, for the page that shows both.
void show_in_floats(const schedule::table& timetable, const train::options& options, const settings& s, const run::trace& events);
void show_in_halves(const schedule::table& timetable, const train::options& options, const settings& s, const run::trace& events);
