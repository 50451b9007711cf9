// SPDX-License-Identifier: BSL-1.0
// Alarms are the notes that processes send each other when one fails or ends. A process that waits for a message looks for them, so
// that none waits for a process that is gone, and the first failure in time is the one that is told.
#pragma once

#include <ipuflow/mpi/call.hpp>
#include <ipuflow/mpi/mpi_fault.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <vector>

namespace ipuflow::mpi::impl {

/// The reasons of a note: the process waits in vain, has ended as it should, or has failed.
enum class alarm_kind : unsigned char { none, waits, ended, failed };

/// A note of one process to all others. Clocks of hosts may differ by what their time service allows.
struct alarm_note {
  std::size_t process = 0;
  long long time = 0;  ///< microseconds of the system's clock
  alarm_kind kind = alarm_kind::none;
  fixed_string<60> host{};
  fixed_string<300> what{};
};

template <class = void>
class basic_alarms {
 public:
  basic_alarms(MPI_Comm world, std::size_t process, std::size_t processes) : me_{process}, notes_(processes) {
    for (std::size_t p = 0; p < processes; ++p) notes_[p].process = p;
    sends_.reserve((mine_.size() - 1) * processes);  // who has no memory left can still say so
    comm_.copy(world);
    call(MPI_Recv_init(&came_, sizeof came_, MPI_BYTE, MPI_ANY_SOURCE, 0, comm_.get(), &request_), "MPI_Recv_init");
    call(MPI_Start(&request_), "MPI_Start");
  }
  basic_alarms(const basic_alarms&) = delete;
  basic_alarms& operator=(const basic_alarms&) = delete;
  ~basic_alarms() {
    (void)MPI_Cancel(&request_);
    (void)MPI_Wait(&request_, MPI_STATUS_IGNORE);
    (void)MPI_Request_free(&request_);
    for (MPI_Request& r : sends_) (void)MPI_Wait(&r, MPI_STATUS_IGNORE);
  }

  /// Sends all others a note, once of each kind, and none after a failure.
  void send(alarm_kind kind, std::string_view host, std::string_view what) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    alarm_note& mine = mine_[static_cast<std::size_t>(kind)];
    if (notes_[me_].kind >= kind) return;
    mine = {me_, std::chrono::duration_cast<std::chrono::microseconds>(now).count(), kind, fixed_string<60>{host}, fixed_string<300>{what}};
    notes_[me_] = mine;
    any_failed_ = any_failed_ || (kind == alarm_kind::failed && notes_.size() > 1);
    for (std::size_t p = 0; p < notes_.size(); ++p) {
      if (p == me_) continue;
      sends_.push_back(MPI_REQUEST_NULL);
      call(MPI_Isend(&mine, sizeof mine, MPI_BYTE, static_cast<int>(p), 0, comm_.get(), &sends_.back()), "MPI_Isend");
    }
  }

  /// Reads the notes that have come.
  void look() {
    for (int here = 1; here != 0;) {
      call(MPI_Test(&request_, &here, MPI_STATUS_IGNORE), "MPI_Test");
      if (here == 0) return;
      notes_[came_.process] = came_;
      any_failed_ = any_failed_ || came_.kind == alarm_kind::failed;
      call(MPI_Start(&request_), "MPI_Start");
    }
  }
  /// A process has failed, be it this one: what it has begun with others comes to no end.
  [[nodiscard]] bool any_failed() const { return any_failed_; }
  [[nodiscard]] alarm_kind last_of(std::size_t process) const { return notes_[process].kind; }
  /// The failure that came first in time, of those that are known; none if its time is 0.
  [[nodiscard]] alarm_note first_failure() const {
    alarm_note first;
    for (const alarm_note& n : notes_) {
      if (n.kind == alarm_kind::failed && (first.time == 0 || n.time < first.time)) first = n;
    }
    return first;
  }

 private:
  std::size_t me_;
  communicator comm_;
  std::vector<alarm_note> notes_;  // the last of each process
  std::array<alarm_note, 4> mine_{};  // of each kind, as they are sent
  std::vector<MPI_Request> sends_;
  alarm_note came_{};
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool any_failed_ = false;
};
using alarms = basic_alarms<>;

}  // namespace ipuflow::mpi::impl
