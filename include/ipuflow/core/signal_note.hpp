// SPDX-License-Identifier: BSL-1.0
// A note that a signal came, for a loop that asks between two steps: a handler may do nothing but set it. What was done on the signal
// before is done again once the note is gone.
#pragma once

#include <signal.h>

#include <atomic>
#include <cerrno>

namespace ipuflow {

namespace detail {

inline std::atomic<bool> signal_came{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a handler may touch nothing else");

template <class = void>
void note_signal(int) {
  signal_came.store(true, std::memory_order_relaxed);  // no partner: carries nothing but itself
}

}  // namespace detail

/// One at a time: there is one note for all.
class signal_note {
 public:
  /// 0: of no signal, and so is one that the system does not let be caught.
  explicit signal_note(int signal) : signal_{signal} {
    if (signal_ == 0) return;
    detail::signal_came.store(false, std::memory_order_relaxed);  // no partner: of a note that is gone
    struct sigaction how{};
    how.sa_handler = detail::note_signal<>;
    how.sa_flags = SA_RESTART;
    if (::sigaction(signal_, &how, &before_) == 0) return;
    wrong_ = errno;
    signal_ = 0;
  }
  signal_note(const signal_note&) = delete;
  signal_note& operator=(const signal_note&) = delete;
  ~signal_note() {
    if (signal_ != 0) ::sigaction(signal_, &before_, nullptr);
  }

  /// Why the signal cannot be noted (errno), or 0.
  [[nodiscard]] int wrong() const { return wrong_; }
  /// True once for each time that it came.
  [[nodiscard]] bool take() { return signal_ != 0 && detail::signal_came.exchange(false, std::memory_order_relaxed); }  // no partner: see above

 private:
  int signal_;
  int wrong_ = 0;
  struct sigaction before_{};
};

/// True if a process of this number runs, for all that can be seen from here.
template <class = void>
bool process_runs(int process) {
  return ::kill(process, 0) == 0 || errno != ESRCH;
}

}  // namespace ipuflow
