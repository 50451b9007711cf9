// SPDX-License-Identifier: BSL-1.0
// The seam between a session on threads and the same session in other processes: which of them this one is, and bytes that go
// between them. A session knows nothing of what carries the bytes; `mpi/` has it over MPI.
#pragma once

#include <ipuflow/core/owner.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace ipuflow::train {

/// A channel to another process, of messages of one size that arrive in their order.
class message_sender {
 public:
  virtual ~message_sender() = default;
  /// The place where the next message is to be written; none while all are under way.
  virtual std::byte* room() = 0;
  /// Sends what was written there.
  virtual void send() = 0;
};

/// The other end of one.
class message_receiver {
 public:
  virtual ~message_receiver() = default;
  /// The oldest message that has come and was not released, behind `skipped` others; none if there is none yet.
  virtual std::byte* message(std::size_t skipped) = 0;
  /// Gives the place of the oldest back.
  virtual void release() = 0;
};

/// Bytes that one process has and all shall have.
struct owned_bytes {
  std::size_t process = 0;
  std::byte* data = nullptr;
  std::size_t count = 0;
};

/// A fact that all processes of a session have to agree on.
struct agreed_fact {
  std::string_view name{};
  std::string_view value{};
};

/// The processes of a session. All of them call the same functions in the same order; a call that the others do not join waits,
/// or throws where a time limit or the failure of another process ends that.
class other_processes {
 public:
  virtual ~other_processes() = default;

  [[nodiscard]] virtual std::size_t process() const = 0;
  [[nodiscard]] virtual std::size_t processes() const = 0;
  /// Cores of this process, if nothing else is said.
  [[nodiscard]] virtual std::size_t cores() const = 0;
  /// True if all processes are to have the results of all; otherwise each has those of its own replicas.
  [[nodiscard]] virtual bool gathers_results() const = 0;
  /// True if all processes are given the same samples; otherwise each may have those of its own IPUs alone.
  [[nodiscard]] virtual bool compares_samples() const { return true; }

  /// Throws in all processes if a fact differs between two.
  virtual void agree(std::span<const agreed_fact> facts) = 0;
  /// Both ends of a channel have one tag, which no other channel has. `places`: messages that may be under way.
  virtual owner<message_sender> sender(std::size_t to, std::size_t tag, std::size_t bytes, std::size_t places) = 0;
  virtual owner<message_receiver> receiver(std::size_t from, std::size_t tag, std::size_t bytes, std::size_t places) = 0;
  /// To be called again and again while a message is waited for, with whether any has come since: throws if it will not come.
  virtual void waiting(bool anything_came) = 0;

  /// Begins to send bytes to another process, or to receive as many as that sends, of at most 1 GiB; they may not move or change until
  /// that is done. Those of one tag, less than 32768, arrive in their order. Returns the number of the message until it is done.
  virtual std::size_t begin_send(std::size_t to, std::size_t tag, std::span<const std::byte> bytes) = 0;
  virtual std::size_t begin_receive(std::size_t from, std::size_t tag, std::span<std::byte> bytes) = 0;
  /// True, once, if it is.
  virtual bool done(std::size_t message) = 0;

  /// Every process has all of them afterwards.
  virtual void share(std::span<const owned_bytes> parts) = 0;
  /// True if it is in any process.
  virtual bool any(bool here) = 0;
  /// To be called while an exception is handled that ends a step: the others then end theirs, and no message is under way any more.
  virtual void failed() = 0;
};

}  // namespace ipuflow::train
