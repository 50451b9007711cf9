// SPDX-License-Identifier: BSL-1.0
// A transfer is the messages that a process sends to others, and expects of them, at one time. One that will not come to its end is
// ended before the memory of its messages is gone.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/mpi/call.hpp>

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

namespace ipuflow::mpi::impl {

/// Bytes to a process, or room for those of one.
struct outgoing {
  std::size_t process = 0;
  const void* data = nullptr;
  std::size_t bytes = 0;
};
struct incoming {
  std::size_t process = 0;
  void* data = nullptr;
  std::size_t bytes = 0;
};

template <class = void>
class basic_transfer {
 public:
  /// Begins all messages; those of more bytes than a piece go in pieces. It takes its memory before the first of them.
  void begin(MPI_Comm comm, std::span<const outgoing> out, std::span<const incoming> in, std::size_t piece) {
    first_ = 0;
    receives_ = 0;
    std::size_t count = 0;
    for (const incoming& m : in) receives_ += pieces_of(m.bytes, piece);
    for (const outgoing& m : out) count += pieces_of(m.bytes, piece);
    requests_.assign(receives_ + count, MPI_REQUEST_NULL);
    others_.assign(receives_ + count, 0);
    std::size_t next = 0;
    for (const incoming& m : in) {
      for_each_piece(m.bytes, piece, [&](std::size_t at, int bytes) {
        others_[next] = m.process;
        call(MPI_Irecv(static_cast<char*>(m.data) + at, bytes, MPI_BYTE, static_cast<int>(m.process), 0, comm, &requests_[next++]), "MPI_Irecv");
      });
    }
    for (const outgoing& m : out) {
      for_each_piece(m.bytes, piece, [&](std::size_t at, int bytes) {
        others_[next] = m.process;
        call(MPI_Isend(static_cast<const char*>(m.data) + at, bytes, MPI_BYTE, static_cast<int>(m.process), 0, comm, &requests_[next++]), "MPI_Isend");
      });
    }
  }
  /// True if all messages have come or are on their way.
  [[nodiscard]] bool over() const { return first_ == requests_.size(); }
  /// The other process of the first one that has not.
  [[nodiscard]] std::size_t awaited() const { return others_[first_]; }
  /// Looks at that one; true if it is done.
  bool advance() {
    int done = 0;
    call(MPI_Test(&requests_[first_], &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) ++first_;
    return done != 0;
  }
  /// Ends what is left.
  void end() noexcept {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds{100};
    for (std::size_t i = 0; i < requests_.size(); ++i) end_request(requests_[i], i < receives_, until);
    first_ = requests_.size();
  }

 private:
  template <class Visit>
  static void for_each_piece(std::size_t bytes, std::size_t piece, const Visit& visit) {
    for (std::size_t i = 0; i < pieces_of(bytes, piece); ++i) visit(i * piece, static_cast<int>(algorithms::min(bytes - i * piece, piece)));
  }

  std::vector<MPI_Request> requests_;  // receives, then sends
  std::vector<std::size_t> others_;    // the other end of each
  std::size_t receives_ = 0;
  std::size_t first_ = 0;  // that is not done
};
using transfer = basic_transfer<>;

}  // namespace ipuflow::mpi::impl
