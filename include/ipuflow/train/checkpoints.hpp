// SPDX-License-Identifier: BSL-1.0
// Checkpoints of a training, in a folder: written every few steps or when a signal comes, on a thread of their own while the next
// steps run; the newest ones stay. After a crash the newest that is whole is taken, and training goes on as if nothing had been.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/folder.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/signal_note.hpp>
#include <ipuflow/core/posix.hpp>
#include <ipuflow/core/type_name.hpp>
#include <ipuflow/core/whole_file.hpp>
#include <ipuflow/train/checkpoint_file.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace ipuflow::train {

/// Options of the checkpoints of a training.
struct checkpoint_options {
  std::size_t every = 0;  ///< steps; 0: when asked or told by the signal alone
  std::size_t keep = 3;   ///< the newest, which stay; 0: all
  int signal = 0;         ///< SIGUSR1, or SIGTERM of a program that is to end; 0: none
  bool writes = true;     ///< false: another process of the same session writes them
};

enum class checkpoints_wrong : unsigned char { nothing, no_folder, no_names, no_signal, no_state };
using checkpoints_fault = fault<checkpoints_wrong, fixed_string<200>>;

constexpr const char* wording(checkpoints_wrong wrong) {
  switch (wrong) {
    case checkpoints_wrong::nothing:
      break;
    case checkpoints_wrong::no_folder:
      return "ipuflow: cannot keep checkpoints in {where}, the system says error {got}; check its path and who may write there";
    case checkpoints_wrong::no_names:
      return "ipuflow: cannot see which checkpoints there are in {where}, the system says error {got}; check who may read that folder, and its disk";
    case checkpoints_wrong::no_signal:
      return "ipuflow: no program can be told of signal {got} (checkpoint_options::signal); ask for one like SIGUSR1";
    case checkpoints_wrong::no_state:
      return "ipuflow: {where} has no state() that a checkpoint could keep; give a session that trains on threads";
  }
  return "";
}

/// `where` is the folder, or the name of a type.
constexpr message_text sentence(const checkpoints_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"where", f.where}});
}

namespace impl {

/// A session whose state can be kept.
template <class Session>
concept has_training_state = requires(Session& s) { s.go_on(s.state()); };

template <class Session>
constexpr checkpoints_fault verify_has_state() {
  if (has_training_state<Session>) return {};
  return {.kind = checkpoints_wrong::no_state, .where = fixed_string<200>{std::string_view{type_name<Session>()}}};
}

/// A step with all its digits, so that names are in the order of steps.
template <class = void>
std::string checkpoint_name(std::uint64_t step) {
  const std::string digits = std::to_string(step);
  return "step-" + std::string(20 - digits.size(), '0') + digits + ".checkpoint";
}

template <class = void>
bool is_checkpoint_name(std::string_view name) {
  const std::string like = checkpoint_name(0);
  if (name.size() != like.size() || name.substr(25) != std::string_view{like}.substr(25) || name.substr(0, 5) != "step-") return false;
  return algorithms::all_of(name.begin() + 5, name.begin() + 25, [](char c) { return c >= '0' && c <= '9'; });
}

/// The files of a folder that are called as checkpoints are, newest first. Removes those that processes which are no more were writing.
template <class = void>
folder_names checkpoints_in(const std::string& folder) {
  folder_names all = names_in(folder), found;
  found.wrong = all.wrong;
  for (std::string& name : all.names) {
    if (is_checkpoint_name(name)) found.names.push_back(name);
    if (const int process = whole_file::writer_of(name); process > 0 && !process_runs(process)) remove_file(folder + "/" + name);
  }
  algorithms::reverse(found.names.begin(), found.names.end());
  return found;
}

}  // namespace impl

/// `Number`: of the session's model.
template <class Number = float>
class checkpoints {
 public:
  /// Makes the folder if there is none.
  explicit checkpoints(std::string folder, const checkpoint_options& o = {}) : folder_{std::move(folder)}, options_{o}, signal_{o.signal} {
    int wrong = make_folder(folder_);
    if (wrong == 0) wrong = why_unwritable(folder_ + "/" + impl::checkpoint_name(0));
    if (wrong != 0) refuse(checkpoints_wrong::no_folder, wrong);
    if (signal_.wrong() != 0) refuse(checkpoints_wrong::no_signal, o.signal);
  }
  checkpoints(const checkpoints&) = delete;
  checkpoints& operator=(const checkpoints&) = delete;
  /// Ends when all that was begun is written; a fault of that is told by wait() alone.
  ~checkpoints() {
    now_.wait(doing::writes, std::memory_order_acquire);  // partner: the release in serve()
    now_.store(doing::ends, std::memory_order_release);   // partner: the acquire there
    now_.notify_one();
  }

  /// Makes a session and, if there is one, its loader go on from the newest checkpoint that is whole; false if there is none. One
  /// that is whole and of another network, optimiser or precision is no accident: that throws.
  template <class Session, class... Loader>
  bool resume(Session& session, Loader&... loader) {
    constexpr checkpoints_fault no_state = impl::verify_has_state<Session>();
    [[maybe_unused]] auto none = true ? problem_of<no_state>() : nothing_wrong{};
    if constexpr (!no_state) return resume_from(session, loader...);
    return false;
  }
  /// The faults of the checkpoints that the last resume() did not take.
  [[nodiscard]] const light_vector<std::string>& passed_over() const { return passed_over_; }

  /// To be called after each step: begins to write a checkpoint if it is time for one. True if the signal has come since the last
  /// call; then the checkpoint is on the disk. Throws what writing the one before has thrown.
  template <class Session, class... Loader>
  bool after_step(const Session& session, const Loader&... loader) {
    constexpr checkpoints_fault no_state = impl::verify_has_state<Session>();
    [[maybe_unused]] auto none = true ? problem_of<no_state>() : nothing_wrong{};
    if constexpr (!no_state) {
      const bool told = signal_.take();
      if (told || (options_.every != 0 && session.steps() % options_.every == 0)) write(session, loader...);
      if (told) wait();
      return told;
    }
    return false;
  }

  /// Begins to write a checkpoint: copies what has to be kept, and leaves the rest to a thread.
  template <class Session, class... Loader>
  void write(const Session& session, const Loader&... loader) {
    static_assert(sizeof...(Loader) <= 1, "one loader");
    wait();
    kept_.state = session.state(std::move(kept_.state));
    ((kept_.place = loader.place()), ...);
    if (!options_.writes) return;  // but all processes of a session give its state together
    if (!writer_.joinable()) writer_ = posix::thread{[this] { serve(); }};
    now_.store(doing::writes, std::memory_order_release);  // partner: the acquire in serve()
    now_.notify_one();
  }

  /// Returns when all that was begun is on the disk. Throws what writing it has thrown, once.
  void wait() {
    now_.wait(doing::writes, std::memory_order_acquire);  // partner: the release in serve()
    if (failed_) std::rethrow_exception(algorithms::exchange(failed_, nullptr));
  }

 private:
  enum class doing : int { nothing, writes, ends };

  /// The writer, which stays: to wake it holds up a step less than to begin a thread.
  void serve() {
    for (;;) {
      now_.wait(doing::nothing, std::memory_order_acquire);  // partners: the releases in write() and at the end
      if (now_.load(std::memory_order_acquire) == doing::ends) return;
      try {
        save(kept_, folder_ + "/" + impl::checkpoint_name(kept_.state.steps));
        forget_old();
      } catch (...) {
        failed_ = std::current_exception();
      }
      now_.store(doing::nothing, std::memory_order_release);  // partner: the acquire of who waits for it
      now_.notify_one();
    }
  }

  template <class Session, class... Loader>
  bool resume_from(Session& session, Loader&... loader) {
    static_assert(sizeof...(Loader) <= 1, "one loader");
    passed_over_.clear();
    const folder_names all = impl::checkpoints_in(folder_);
    if (all.wrong != 0) refuse(checkpoints_wrong::no_names, all.wrong);  // none, or an older one, would pass for the newest
    for (const std::string& name : all.names) {
      checkpoint<Number> found;
      try {
        found = load_checkpoint<Number>(folder_ + "/" + name);
      } catch (const rejected<checkpoint_fault>& wrong) {
        if (wrong.found().kind == checkpoint_wrong::version || wrong.found().kind == checkpoint_wrong::other_numbers) throw;
        passed_over_.emplace_back(wrong.what());
        continue;
      }
      go_on(session, found, loader...);
      return true;
    }
    return false;
  }

  /// Both go on, or neither does.
  template <class Session>
  static void go_on(Session& session, const checkpoint<Number>& from) {
    session.go_on(from.state);
  }
  template <class Session, class Loader>
  static void go_on(Session& session, const checkpoint<Number>& from, Loader& loader) {
    const feed::loader_place before = loader.place();
    loader.start_at(from.place);
    try {
      session.go_on(from.state);
    } catch (...) {
      loader.start_at(before);
      throw;
    }
  }

  void forget_old() const {
    if (options_.keep == 0) return;
    // One that is not seen, or cannot be removed, goes the next time: these are older ones in any case.
    const light_vector<std::string> all = impl::checkpoints_in(folder_).names;
    for (std::size_t i = options_.keep; i < all.size(); ++i) remove_file(folder_ + "/" + all[i]);
  }

  [[noreturn]] void refuse(checkpoints_wrong kind, int got) const {
    throw rejected{checkpoints_fault{kind, static_cast<std::size_t>(got), 0, fixed_string<200>{std::string_view{folder_}}}};
  }

  std::string folder_;
  checkpoint_options options_;
  signal_note signal_;
  light_vector<std::string> passed_over_{};
  checkpoint<Number> kept_{};    // the writer's while it runs; the next one has its memory
  std::exception_ptr failed_{};  // of the writer, read when that does nothing
  std::atomic<doing> now_{doing::nothing};
  posix::thread writer_{};        // the last member: its thread uses all others
};

}  // namespace ipuflow::train
