// SPDX-License-Identifier: BSL-1.0
// Threads, locks and naps of POSIX: <thread> and <mutex> bring streams and clocks along, a third of what <ranges> costs.
#pragma once

#include <ipuflow/core/clock.hpp>
#include <ipuflow/core/owner.hpp>

#include <cerrno>
#include <cstddef>
#include <ctime>
#include <system_error>

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

namespace ipuflow::posix {

/// A thread that is joined where its object ends: a std::jthread without a stop token. Moving one onto another joins the latter first.
class thread {
 public:
  constexpr thread() = default;
  /// Calls `work()`, which must not throw. Throws std::system_error if there is no thread to be had.
  template <class Work>
    requires(!__is_same(Work, thread))
  explicit thread(Work work) : thread{ipuflow::make_owner<Work>(static_cast<Work&&>(work))} {}
  thread(thread&& other) noexcept : id_{other.id_}, runs_{other.runs_} { other.runs_ = false; }
  thread& operator=(thread&& other) noexcept {
    join();
    id_ = other.id_;
    runs_ = other.runs_;
    other.runs_ = false;
    return *this;
  }
  ~thread() { join(); }

  [[nodiscard]] bool joinable() const noexcept { return runs_; }
  void join() noexcept {
    if (runs_) ::pthread_join(id_, nullptr);
    runs_ = false;
  }

 private:
  template <class Work>
  explicit thread(owner<Work> work) {
    begin([](void* held) noexcept -> void* {
      const owner<Work> mine{static_cast<Work*>(held)};
      (*mine)();
      return nullptr;
    }, work.get());
    static_cast<void>(work.release());
  }
  void begin(void* (*run)(void*), void* with) {
    if (const int wrong = ::pthread_create(&id_, nullptr, run, with)) throw std::system_error{wrong, std::generic_category()};
    runs_ = true;
  }

  pthread_t id_{};
  bool runs_ = false;
};

class mutex {
 public:
  constexpr mutex() = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;
  ~mutex() { ::pthread_mutex_destroy(&is_); }
  void lock() noexcept { ::pthread_mutex_lock(&is_); }
  void unlock() noexcept { ::pthread_mutex_unlock(&is_); }

 private:
  pthread_mutex_t is_ = PTHREAD_MUTEX_INITIALIZER;
};

/// A hold on a mutex, of whatever type, to the end of its block.
template <class Mutex>
class lock {
 public:
  explicit lock(Mutex& held) : held_{held} { held_.lock(); }
  lock(const lock&) = delete;
  lock& operator=(const lock&) = delete;
  ~lock() { held_.unlock(); }

 private:
  Mutex& held_;
};

/// Lets others run first.
inline void yield() noexcept { ::sched_yield(); }

inline void sleep_for(std::chrono::nanoseconds time) noexcept {
  if (time.count() <= 0) return;
  constexpr long long second = 1'000'000'000;
  timespec left{static_cast<std::time_t>(time.count() / second), static_cast<long>(time.count() % second)};
  while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

/// The number of threads that can run at once, on the cores that the calling thread may use; 0 if the system does not say.
[[nodiscard]] inline std::size_t cores() noexcept {
#if defined(CPU_COUNT)  // Linux: `taskset` and containers leave a program some of the cores
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) return static_cast<std::size_t>(CPU_COUNT(&allowed));
#endif
  const long found = ::sysconf(_SC_NPROCESSORS_ONLN);
  return found < 0 ? 0 : static_cast<std::size_t>(found);
}

/// Cores of this machine, by their numbers: a bit each.
struct core_set {
  static constexpr std::size_t most = 1024;
  unsigned long long bits[most / 64]{};

  [[nodiscard]] bool has(std::size_t core) const { return (bits[core / 64] >> core % 64 & 1) != 0; }
  void add(std::size_t core) { bits[core / 64] |= 1ull << core % 64; }
};

/// Those that the calling thread may use; where the system does not tell which, the first ones.
[[nodiscard]] inline core_set allowed_cores() noexcept {
  core_set found;
#if defined(CPU_COUNT)
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    for (std::size_t c = 0; c < core_set::most && c < CPU_SETSIZE; ++c) {
      if (CPU_ISSET(c, &allowed)) found.add(c);
    }
    return found;
  }
#endif
  for (std::size_t c = 0; c < cores() && c < core_set::most; ++c) found.add(c);
  return found;
}

}  // namespace ipuflow::posix
