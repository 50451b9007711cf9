// SPDX-License-Identifier: BSL-1.0
// Channels between processes: messages of one size over persistent sends and receives, which a static schedule allows, since it
// knows all messages. Each end has as many places as messages may be under way.
#pragma once

#include <ipuflow/mpi/call.hpp>
#include <ipuflow/train/threads/other_processes.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <thread>
#include <vector>

namespace ipuflow::mpi {

namespace impl {

/// Places for messages side by side, and a persistent request for each piece of each.
template <class = void>
class basic_places {
 public:
  basic_places(std::size_t bytes, std::size_t places, std::size_t piece)
      : bytes_{bytes}, piece_{piece}, each_{(bytes + alignment - 1) / alignment * alignment}, memory_{make(each_ * places)},
        requests_(places * pieces_of(bytes, piece), MPI_REQUEST_NULL), under_way_(places) {}
  basic_places(const basic_places&) = delete;
  basic_places& operator=(const basic_places&) = delete;
  ~basic_places() {
    for (MPI_Request& r : requests_) {
      if (r != MPI_REQUEST_NULL) (void)MPI_Request_free(&r);
    }
  }

  /// `init(data, bytes, request)` for each piece.
  template <class Init>
  void init(const Init& begin) {
    const std::size_t pieces = pieces_of(bytes_, piece_);
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const std::size_t at = i % pieces * piece_;
      begin(place(i / pieces) + at, static_cast<int>(bytes_ - at < piece_ ? bytes_ - at : piece_), &requests_[i]);
    }
  }
  [[nodiscard]] std::size_t count() const { return under_way_.size(); }
  [[nodiscard]] std::byte* place(std::size_t i) { return memory_.get() + i * each_; }
  void start(std::size_t i) {
    const std::size_t pieces = pieces_of(bytes_, piece_);
    for (std::size_t k = 0; k < pieces; ++k) call(MPI_Start(&requests_[i * pieces + k]), "MPI_Start");
    under_way_[i] = 1;
  }
  /// True if nothing of a place is under way.
  bool done(std::size_t i) {
    if (under_way_[i] == 0) return true;
    const std::size_t pieces = pieces_of(bytes_, piece_);
    int all = 0;
    call(MPI_Testall(static_cast<int>(pieces), &requests_[i * pieces], &all, MPI_STATUSES_IGNORE), "MPI_Testall");
    if (all != 0) under_way_[i] = 0;
    return all != 0;
  }
  /// Returns when all has arrived; if it does not, as in a failure, the memory stays where MPI may still read it.
  void finish() noexcept {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{1};
    try {
      for (std::size_t i = 0; i < count(); ++i) {
        while (!done(i)) {
          if (std::chrono::steady_clock::now() > until) return (void)memory_.release();
          std::this_thread::yield();
        }
      }
    } catch (...) {
      (void)memory_.release();
    }
  }
  /// Ends what is under way and will not be needed.
  void cancel() {
    for (std::size_t i = 0; i < count(); ++i) {
      if (done(i)) continue;
      const std::size_t pieces = pieces_of(bytes_, piece_);
      for (std::size_t k = 0; k < pieces; ++k) {
        (void)MPI_Cancel(&requests_[i * pieces + k]);
        (void)MPI_Wait(&requests_[i * pieces + k], MPI_STATUS_IGNORE);
      }
    }
  }

 private:
  static constexpr std::size_t alignment = 128;
  struct free_memory {
    void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t{alignment}); }
  };
  static std::byte* make(std::size_t bytes) {
    return static_cast<std::byte*>(::operator new(bytes == 0 ? alignment : bytes, std::align_val_t{alignment}));
  }

  std::size_t bytes_;
  std::size_t piece_;
  std::size_t each_;
  std::unique_ptr<std::byte, free_memory> memory_;
  std::vector<MPI_Request> requests_;
  std::vector<unsigned char> under_way_;  // of each place
};
using places = basic_places<>;

}  // namespace impl

/// The sending end of a channel.
template <class = void>
class basic_sender final : public train::message_sender {
 public:
  basic_sender(MPI_Comm comm, std::size_t to, std::size_t tag, std::size_t bytes, std::size_t count, std::size_t piece = impl::piece_bytes)
      : places_{bytes, count, piece} {
    places_.init([&](std::byte* data, int size, MPI_Request* r) {
      impl::call(MPI_Send_init(data, size, MPI_BYTE, static_cast<int>(to), static_cast<int>(tag), comm, r), "MPI_Send_init");
    });
  }
  basic_sender(const basic_sender&) = delete;
  basic_sender& operator=(const basic_sender&) = delete;
  ~basic_sender() override { places_.finish(); }
  std::byte* room() override { return places_.done(next_) ? places_.place(next_) : nullptr; }
  void send() override {
    places_.start(next_);
    next_ = (next_ + 1) % places_.count();
  }

 private:
  impl::places places_;
  std::size_t next_ = 0;
};
using sender = basic_sender<>;

/// The receiving end; all its places wait for messages from the beginning.
template <class = void>
class basic_receiver final : public train::message_receiver {
 public:
  basic_receiver(MPI_Comm comm, std::size_t from, std::size_t tag, std::size_t bytes, std::size_t count, std::size_t piece = impl::piece_bytes)
      : places_{bytes, count, piece} {
    places_.init([&](std::byte* data, int size, MPI_Request* r) {
      impl::call(MPI_Recv_init(data, size, MPI_BYTE, static_cast<int>(from), static_cast<int>(tag), comm, r), "MPI_Recv_init");
    });
    for (std::size_t i = 0; i < count; ++i) places_.start(i);
  }
  basic_receiver(const basic_receiver&) = delete;
  basic_receiver& operator=(const basic_receiver&) = delete;
  ~basic_receiver() override {
    try {
      places_.cancel();
    } catch (...) {  // MPI is in no state to say more
    }
  }
  std::byte* message(std::size_t skipped) override {
    if (skipped >= places_.count()) return nullptr;
    const std::size_t at = (oldest_ + skipped) % places_.count();
    return places_.done(at) ? places_.place(at) : nullptr;
  }
  void release() override {
    places_.start(oldest_);
    oldest_ = (oldest_ + 1) % places_.count();
  }

 private:
  impl::places places_;
  std::size_t oldest_ = 0;
};
using receiver = basic_receiver<>;

}  // namespace ipuflow::mpi
