// SPDX-License-Identifier: BSL-1.0
// Threads that stay: they sleep between runs, so that a run costs a wake-up and not a thread. The caller is one of them.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/posix.hpp>

#include <atomic>
#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>

namespace ipuflow::run {

class crew {
 public:
  /// At least the caller. Throws std::system_error if there are no threads to be had.
  explicit crew(std::size_t threads) : failures_(threads == 0 ? 1 : threads) {
    try {
      threads_.reserve(threads);
      for (std::size_t i = 1; i < threads; ++i) threads_.push_back(posix::thread{[this, i] { serve(i); }});
    } catch (...) {
      dismiss();
      throw;
    }
  }
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;
  ~crew() { dismiss(); }

  [[nodiscard]] std::size_t size() const { return threads_.size() + 1; }

  /// Calls `job(i)` once for each i below size(), each on a thread of its own, and returns when all have returned; throws
  /// what the one with the lowest i threw, if any did. The job must not run something on this crew.
  template <class Job>
  void run(const Job& job) {
    subject_ = &job;
    job_ = [](const void* subject, std::size_t i, std::exception_ptr& failure) noexcept {
      if constexpr (std::is_nothrow_invocable_v<const Job&, std::size_t>) {
        (*static_cast<const Job*>(subject))(i);
      } else {
        try {
          (*static_cast<const Job*>(subject))(i);
        } catch (...) {
          failure = std::current_exception();
        }
      }
    };
    busy_.store(threads_.size(), std::memory_order_relaxed);  // ordered before the workers by the release in call()
    call();
    job_(subject_, 0, failures_[0]);
    for (std::size_t left = busy_.load(std::memory_order_acquire); left != 0;
         left = busy_.load(std::memory_order_acquire)) {  // partner: the release in serve()
      busy_.wait(left, std::memory_order_acquire);        // the same partner
    }
    if constexpr (!std::is_nothrow_invocable_v<const Job&, std::size_t>) rethrow_first();
  }

 private:
  void rethrow_first() {
    std::exception_ptr first;
    for (std::exception_ptr& failure : failures_) {
      if (!first) first = failure;
      failure = nullptr;
    }
    if (first) std::rethrow_exception(std::move(first));
  }

  void call() {
    round_.fetch_add(1, std::memory_order_release);  // partner: the acquire in serve()
    round_.notify_all();
  }

  void dismiss() {
    job_ = nullptr;
    call();
  }

  void serve(std::size_t index) {
    for (std::size_t seen = 0;; ++seen) {
      round_.wait(seen, std::memory_order_acquire);  // partner: the release in call()
      if (job_ == nullptr) return;
      job_(subject_, index, failures_[index]);
      if (busy_.fetch_sub(1, std::memory_order_release) == 1) busy_.notify_one();  // partner: the acquires in run()
    }
  }

  std::atomic<std::size_t> round_{0};
  std::atomic<std::size_t> busy_{0};
  void (*job_)(const void*, std::size_t, std::exception_ptr&) noexcept = nullptr;
  const void* subject_ = nullptr;
  dynamic_array<std::exception_ptr> failures_;  // of each thread, its own; read after all have returned
  dynamic_array<posix::thread> threads_;  // last, so that they end before what they use
};

}  // namespace ipuflow::run
