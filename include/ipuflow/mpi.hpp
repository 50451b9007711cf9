// SPDX-License-Identifier: BSL-1.0
// The map of `mpi`: one session over several processes and hosts. It needs an MPI, so it is not in the umbrella of all; CMake's target
// `ipuflow::mpi` has what it takes.
#pragma once

// Processes: who they are, bytes between them, and what happens when one fails.
#include <ipuflow/mpi/mpi_fault.hpp>
#include <ipuflow/mpi/call.hpp>
#include <ipuflow/mpi/alarms.hpp>
#include <ipuflow/mpi/transfer.hpp>
#include <ipuflow/mpi/world.hpp>
#include <ipuflow/mpi/channel.hpp>

// Sessions that they share.
#include <ipuflow/mpi/processes.hpp>
#include <ipuflow/mpi/session.hpp>
#include <ipuflow/mpi/topology.hpp>

// Pipelines of callables.
#include <ipuflow/mpi/over_processes.hpp>
