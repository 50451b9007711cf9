// SPDX-License-Identifier: BSL-1.0
// Calls of MPI's C interface: what they return becomes an exception with a sentence, and counts fit into its `int`.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/mpi/mpi_fault.hpp>

#include <chrono>
#include <cstddef>
#include <string_view>
#include <thread>

#include <mpi.h>

namespace ipuflow::mpi::impl {

/// The most bytes of one message of MPI; larger ones go in pieces of this size.
inline constexpr std::size_t piece_bytes = std::size_t{1} << 30;

/// The number of pieces of a message; one that is empty is sent, too.
constexpr std::size_t pieces_of(std::size_t bytes, std::size_t piece = piece_bytes) { return bytes == 0 ? 1 : (bytes + piece - 1) / piece; }

template <class = void>
[[noreturn, gnu::cold]] void throw_call(int code, std::string_view name) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  fixed_string<300> what{name};
  what += " says ";
  what += std::string_view{text, static_cast<std::size_t>(length)};
  throw rejected<mpi_fault>{mpi_fault{.kind = mpi_wrong::call, .where = {{}, what}}};
}

/// Throws if a call has failed.
inline void call(int code, std::string_view name) {
  if (code != MPI_SUCCESS) [[unlikely]]
    throw_call(code, name);
}

/// Ends a request whose memory is about to go. What is under way comes soon or, if its other end has failed, never: then a receive is given up.
inline void end_request(MPI_Request& r, bool receives, std::chrono::steady_clock::time_point until) noexcept {
  int done = 0;
  const auto tested = [&] { return r == MPI_REQUEST_NULL || MPI_Test(&r, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0; };
  while (!tested()) {
    if (std::chrono::steady_clock::now() < until) {
      std::this_thread::yield();
      continue;
    }
    if (receives && MPI_Cancel(&r) == MPI_SUCCESS) (void)tested();
    return;
  }
}

/// A communicator that is freed in the end.
class communicator {
 public:
  communicator() = default;
  explicit communicator(MPI_Comm made) : comm_{made} { call(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler"); }
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;
  ~communicator() { free(); }

  /// A copy of its own, in which no message meets those of another.
  void copy(MPI_Comm of) {
    call(MPI_Comm_dup(of, &comm_), "MPI_Comm_dup");
    call(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  void free() {
    if (comm_ != MPI_COMM_NULL) (void)MPI_Comm_free(&comm_);
  }
  [[nodiscard]] MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace ipuflow::mpi::impl
