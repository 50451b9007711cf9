// SPDX-License-Identifier: BSL-1.0
// Faults of processes that work together: a call of MPI that failed, another process that is gone, silent, or has begun something else.
#pragma once

#include <ipuflow/core/fault.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow::mpi {

enum class mpi_wrong : unsigned char { nothing, call, one_thread, silent, ended, failed, differs, not_plain, branches, no_job, no_run };

/// The place of a fault: texts are the call, what a process did, or what differs.
struct mpi_place {
  fixed_string<60> host{};
  fixed_string<300> what{};

  friend constexpr bool operator==(const mpi_place&, const mpi_place&) = default;
};
using mpi_fault = fault<mpi_wrong, mpi_place>;

constexpr const char* wording(mpi_wrong wrong) {
  switch (wrong) {
    case mpi_wrong::nothing:
      break;
    case mpi_wrong::call:
      return "ipuflow: MPI could not do what was asked of it, {what}; this run cannot go on";
    case mpi_wrong::one_thread:
      return "ipuflow: this MPI lets one thread call it, level {got}, and sessions need MPI_THREAD_SERIALIZED; build MPI with threads";
    case mpi_wrong::silent:
      return "ipuflow: process {got} on {host} has not answered within the limit of {limit} ms; it was stopped, takes other "
             "steps than this one, or the limit is shorter than a step";
    case mpi_wrong::ended:
      return "ipuflow: process {got} on {host} has ended, and this one still waits for it; let all take the same steps";
    case mpi_wrong::failed:
      return "ipuflow: process {got} on {host} has failed, and this one ends with it: {what}";
    case mpi_wrong::differs:
      return "ipuflow: process {got} on {host} has begun something else than process 0: {what}; start the same program with the same options in all";
    case mpi_wrong::not_plain:
      return "ipuflow: a value of {what} cannot go to another process; let stages exchange trivially copyable values";
    case mpi_wrong::branches:
      return "ipuflow: stage {got} is concurrent, which callables over processes cannot be; make it one stage, or train it";
    case mpi_wrong::no_job:
      return "ipuflow: what mpi::run is given is no function of a world that returns what main is to; give [](mpi::world& all) { ... return 0; }";
    case mpi_wrong::no_run:
      return "ipuflow: a pipeline over processes is not told what it needs; give over_processes(world, pipeline, timetable, source, sink), with a world that is no constant";
  }
  return "";
}

/// `got` is a process, or of `silent` and `ended` the process that is waited for.
constexpr message_text sentence(const mpi_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"what", f.where.what}, {"host", f.where.host}});
}

/// Thrown where another process has failed: that one says why.
class peer_failed : public rejected<mpi_fault> {
 public:
  using rejected<mpi_fault>::rejected;
};

}  // namespace ipuflow::mpi
