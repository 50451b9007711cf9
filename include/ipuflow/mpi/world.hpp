// SPDX-License-Identifier: BSL-1.0
// The world: all processes that `mpirun` has started, of which this is one; a program that is started alone is the only one. It
// moves bytes between them, waits for these no longer than it may, and ends all processes when one has failed.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/posix.hpp>
#include <ipuflow/mpi/alarms.hpp>
#include <ipuflow/mpi/call.hpp>
#include <ipuflow/mpi/core_share.hpp>
#include <ipuflow/mpi/mpi_fault.hpp>
#include <ipuflow/mpi/transfer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

namespace ipuflow::mpi {

/// Options of a world.
struct world_options {
  std::chrono::milliseconds limit{0};  ///< for the answer of another process, more than a step takes; 0: none
};

template <class = void>
class basic_world {
 public:
  /// Begins MPI, unless the program has. One of a program lives as long as it uses MPI, in its main thread.
  explicit basic_world(const world_options& o = {}) : options_{o} {
    int begun = 0, level = MPI_THREAD_SINGLE;
    impl::call(MPI_Initialized(&begun), "MPI_Initialized");
    if (begun == 0) {
      impl::call(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level), "MPI_Init_thread");
      finalizes_ = true;
    } else {
      impl::call(MPI_Query_thread(&level), "MPI_Query_thread");
    }
    if (level < MPI_THREAD_SERIALIZED) throw_if(mpi_fault{.kind = mpi_wrong::one_thread, .got = static_cast<std::size_t>(level)});
    int process = 0, processes = 1;
    impl::call(MPI_Comm_rank(MPI_COMM_WORLD, &process), "MPI_Comm_rank");
    impl::call(MPI_Comm_size(MPI_COMM_WORLD, &processes), "MPI_Comm_size");
    process_ = static_cast<std::size_t>(process);
    hosts_.resize(static_cast<std::size_t>(processes));
    alarms_.emplace(MPI_COMM_WORLD, process_, hosts_.size());  // takes its memory before it asks anything of others
    comm_.copy(MPI_COMM_WORLD);
    find_hosts();
    find_cores();
    if (cores_ >= 1) patience_ = 4096;
  }
  basic_world(const basic_world&) = delete;
  basic_world& operator=(const basic_world&) = delete;
  ~basic_world() {
    try {
      alarms_->send(impl::alarm_kind::ended, host(), "");
      if (finalizes_ && alarms_->last_of(process_) == impl::alarm_kind::ended) wait_for_ends();
    } catch (...) {  // what could be told of it would hide why all ends
    }
    alarms_.reset();
    comm_.free();
    if (finalizes_) (void)MPI_Finalize();
  }

  [[nodiscard]] std::size_t process() const { return process_; }
  [[nodiscard]] std::size_t processes() const { return hosts_.size(); }
  [[nodiscard]] std::string_view host() const { return hosts_[process_]; }
  [[nodiscard]] std::string_view host_of(std::size_t process) const { return hosts_[process]; }
  /// Among the processes of its host, and how many those are.
  [[nodiscard]] std::size_t local_process() const { return same_host(process_); }
  [[nodiscard]] std::size_t local_processes() const { return same_host(hosts_.size()); }
  /// The cores that this process may use, of those that others of its host may use as well its share; at least one.
  [[nodiscard]] std::size_t cores() const { return algorithms::max<std::size_t>(static_cast<std::size_t>(cores_), 1); }
  [[nodiscard]] const world_options& options() const { return options_; }
  [[nodiscard]] MPI_Comm communicator() const { return comm_.get(); }

  /// The sum over all processes, in their order.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  [[nodiscard]] Number sum(Number mine) {
    std::vector<Number> all(processes());
    all[process_] = mine;
    share(std::span{all});
    Number total{};
    for (const Number& n : all) total += n;
    return total;
  }
  /// Each process has one of `all`, that of its number; every one has all afterwards. Returns when all processes have called it.
  template <class Plain>
    requires std::is_trivially_copyable_v<Plain>
  void share(std::span<Plain> all) {
    std::vector<impl::outgoing> out;
    std::vector<impl::incoming> in;
    for (std::size_t p = 0; p < processes(); ++p) {
      if (p == process_) continue;
      out.push_back({p, &all[process_], sizeof(Plain)});
      in.push_back({p, &all[p], sizeof(Plain)});
    }
    transfer(out, in);
  }
  /// Returns when all processes have come here.
  void meet() { (void)sum(0); }

  /// Moves bytes: processes send each other as many as they expect, in the same order. Messages of over 1 GiB go in pieces.
  void transfer(std::span<const impl::outgoing> out, std::span<const impl::incoming> in, std::size_t piece = impl::piece_bytes) {
    must_be_whole();
    try {
      transfer_.begin(comm_.get(), out, in, piece);
      wait();
    } catch (...) {
      transfer_.end();
      throw;
    }
  }

  /// To be called again and again while something of `process` is waited for, with whether anything has come since: throws if a process has failed,
  /// if that one has ended, or if the limit is over.
  void waiting(bool came, std::size_t process) {
    using std::chrono::steady_clock;
    alarms_->look();
    must_be_whole();
    if (came || !since_) {
      since_ = steady_clock::now();
      return;
    }
    const auto waited = steady_clock::now() - *since_;
    if (alarms_->last_of(process) == impl::alarm_kind::ended && waited > time_of_last_messages)
      throw_if(mpi_fault{mpi_wrong::ended, process, 0, {hosts_[process], {}}});
    if (options_.limit.count() > 0 && waited > options_.limit) give_up(process);
  }
  /// Looks for a message until others are to have the core.
  [[nodiscard]] std::size_t patience() const { return patience_; }
  /// To be called when the wait is over.
  void came() {
    must_be_whole();
    since_.reset();
  }
  /// Throws if a process is known to have failed, be it this one: what comes then may be of what it has broken off.
  void must_be_whole() const {
    if (alarms_->any_failed()) throw_failed();
  }

  /// To be called while an exception is handled: tells all other processes, unless the failure is theirs. If MPI fails at that as well, the
  /// exception at hand is the one to know of.
  void failed() noexcept {
    const fixed_string<512> mine = text_now();
    try {
      throw;
    } catch (const peer_failed&) {
    } catch (...) {
      try {
        alarms_->send(impl::alarm_kind::failed, host(), mine);
      } catch (...) {
      }
    }
  }
  /// The same, and ends all processes, with the sentence of the first failure in time. A single process just returns.
  void end_all() noexcept {
    failed();
    const fixed_string<512> mine = text_now();
    try {
      const auto until = std::chrono::steady_clock::now() + time_of_notes;
      while (std::chrono::steady_clock::now() < until) {
        alarms_->look();
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
      }
    } catch (...) {  // of what has come by then the first is told
    }
    const impl::alarm_note first = alarms_->first_failure();
    if (first.process != process_) std::this_thread::sleep_for(time_of_first);  // to be told by the one whose it is, which ends this one, too
    const char* const what = first.process == process_ ? mine.data() : first.what.data();
    if (processes() == 1)
      std::fprintf(stderr, "%s\n", what);
    else
      std::fprintf(stderr, "process %zu of %zu on %s failed first: %s\n", first.process, processes(), first.host.data(), what);
    std::fflush(stderr);
    if (processes() > 1) (void)MPI_Abort(comm_.get(), 1);
  }

 private:
  static constexpr std::chrono::milliseconds time_of_last_messages{1000};
  static constexpr std::chrono::milliseconds time_of_notes{300};
  static constexpr std::chrono::milliseconds time_of_first{2000};

  /// Until all have ended. Where one has failed it most likely ends all: in MPI_Finalize, which would wait as well, starters of processes
  /// have crashed and stood still when others abort.
  void wait_for_ends() {
    using std::chrono::steady_clock;
    auto until = steady_clock::time_point::max();
    for (std::size_t p = 0; p < processes() && steady_clock::now() < until;) {
      alarms_->look();
      if (alarms_->any_failed() && until == steady_clock::time_point::max()) until = steady_clock::now() + 2 * time_of_first;
      if (p == process_ || alarms_->last_of(p) == impl::alarm_kind::ended) ++p;
      else std::this_thread::sleep_for(std::chrono::microseconds{200});
    }
  }

  std::size_t same_host(std::size_t below) const {
    return static_cast<std::size_t>(algorithms::count(hosts_.begin(), hosts_.begin() + static_cast<std::ptrdiff_t>(below), hosts_[process_]));
  }
  void find_hosts() {
    char name[MPI_MAX_PROCESSOR_NAME] = {};
    int length = 0;
    impl::call(MPI_Get_processor_name(name, &length), "MPI_Get_processor_name");
    hosts_[process_] = fixed_string<60>{std::string_view{name, static_cast<std::size_t>(length)}};
    share(std::span{hosts_});
  }
  void find_cores() {
    std::vector<posix::core_set> all(processes()), local;
    all[process_] = posix::allowed_cores();
    share(std::span{all});
    for (std::size_t p = 0; p < processes(); ++p) {
      if (hosts_[p] == hosts_[process_]) local.push_back(all[p]);
    }
    cores_ = impl::core_share(local, local_process());
  }

  /// The text of the exception that is handled: on its way through a session it has got names.
  static fixed_string<512> text_now() {
    try {
      throw;
    } catch (const std::exception& e) {
      return fixed_string<512>{std::string_view{e.what()}};
    } catch (...) {
      return fixed_string<512>{std::string_view{"something that is no std::exception"}};
    }
  }
  /// Until the transfer is over.
  void wait() {
    since_.reset();
    for (std::size_t rounds = 0; !transfer_.over(); ++rounds) {
      if (transfer_.advance()) {
        since_.reset();
      } else if (rounds % patience_ == patience_ - 1) {
        waiting(false, transfer_.awaited());
        std::this_thread::yield();
      }
    }
    since_.reset();
  }
  /// The limit is over. Processes that wait, too, say so; the one that says nothing is the one that all wait for.
  [[noreturn, gnu::cold]] void give_up(std::size_t process) {
    alarms_->send(impl::alarm_kind::waits, host(), "");
    const auto until = std::chrono::steady_clock::now() + time_of_notes;
    while (std::chrono::steady_clock::now() < until) {
      alarms_->look();
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    must_be_whole();
    for (std::size_t p = 0; p < processes(); ++p) {
      if (p == process_ || alarms_->last_of(p) != impl::alarm_kind::none) continue;
      process = p;
      break;
    }
    throw rejected<mpi_fault>{mpi_fault{mpi_wrong::silent, process, static_cast<std::size_t>(options_.limit.count()), {hosts_[process], {}}}};
  }
  [[noreturn]] void throw_failed() const {
    const impl::alarm_note first = alarms_->first_failure();
    throw peer_failed{mpi_fault{mpi_wrong::failed, first.process, 0, {first.host, first.what}}};
  }

  world_options options_;
  bool finalizes_ = false;
  std::size_t process_ = 0;
  impl::communicator comm_;
  std::vector<fixed_string<60>> hosts_;  // of each process
  double cores_ = 0;
  std::optional<impl::alarms> alarms_;
  std::size_t patience_ = 16;
  impl::transfer transfer_;
  std::optional<std::chrono::steady_clock::time_point> since_;  // when the wait of now began
};
using world = basic_world<>;

/// Runs `job(world)` as a program of one or many processes, and returns what main is to: if it throws in any process, all end, and the first
/// failure in time is told with its process and host.
template <class Job>
int run(const Job& job, const world_options& o = {}) {
  constexpr bool is_job = requires(int& returned, world& all) { returned = job(all); };
  constexpr mpi_fault wrong{is_job ? mpi_wrong::nothing : mpi_wrong::no_job};
  [[maybe_unused]] auto taken = true ? problem_of<wrong>() : nothing_wrong{};
  if constexpr (is_job) {
    world all{o};
    try {
      return job(all);
    } catch (...) {
      all.end_all();
      return 1;
    }
  }
}

}  // namespace ipuflow::mpi
