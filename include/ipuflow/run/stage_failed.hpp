// SPDX-License-Identifier: BSL-1.0
// An exception in a stage, on its way to the caller of the run with the place where it happened.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/schedule/op.hpp>

#include <atomic>
#include <cstddef>
#include <exception>
#include <utility>

namespace ipuflow::run {

namespace impl {

/// The text of an exception, for the sentence of another.
inline fixed_string<300> text_of(const std::exception_ptr& cause) {
  try {
    std::rethrow_exception(cause);
  } catch (const std::exception& e) {
    return fixed_string<300>{std::string_view{e.what()}};
  } catch (...) {
    return fixed_string<300>{std::string_view{"something that is no std::exception"}};
  }
}

}  // namespace impl

/// Thrown out of a run. `cause()` is what the stage threw.
class stage_failed : public error {
 public:
  /// `replica`: of how many copies it was; `nowhere` if there is but one.
  stage_failed(const schedule::op& where, std::exception_ptr cause, std::size_t replica = schedule::nowhere)
      : error{filled("ipuflow: stage {stage} failed in the {pass} of micro-batch {micro_batch}{of_replica}: {cause}",
                     {{"stage", where.stage}, {"pass", schedule::name_of(where.kind)}, {"micro_batch", where.micro_batch},
                      {"of_replica", of(replica)}, {"cause", impl::text_of(cause)}})},
        where_{where},
        replica_{replica == schedule::nowhere ? 0 : replica},
        cause_{cause} {}

  [[nodiscard]] std::size_t stage() const noexcept { return where_.stage; }
  [[nodiscard]] std::size_t micro_batch() const noexcept { return where_.micro_batch; }
  [[nodiscard]] std::size_t replica() const noexcept { return replica_; }
  [[nodiscard]] schedule::pass pass() const noexcept { return where_.kind; }
  [[nodiscard]] std::exception_ptr cause() const noexcept { return cause_; }

 private:
  static fixed_string<40> of(std::size_t replica) {
    fixed_string<40> text;
    if (replica == schedule::nowhere) return text;
    text += " of replica ";
    text += replica;
    return text;
  }
  schedule::op where_;
  std::size_t replica_;
  std::exception_ptr cause_;
};

/// A work throws this out of `perform` when an operation other than the first fails.
struct failed_after {
  std::exception_ptr cause;
  std::size_t done = 0;  ///< operations before it
};

namespace impl {

/// A work throws this out of `perform` when an operation failed that is none of those it was given.
struct failed_at {
  std::exception_ptr cause;
  schedule::op where{};
};

/// To be called while an exception is handled, with where it happened.
template <class = void>
[[noreturn, gnu::cold, gnu::noinline]] void fail_at(const schedule::op& where) {
  throw failed_at{std::current_exception(), where};
}

/// Keeps the first of several failures.
class first_failure {
 public:
  /// To be called while the exception is handled, with the first of the operations that were tried and, where there
  /// are several replicas, with the number of the one.
  void set(schedule::op where, std::size_t replica = schedule::nowhere) {
    try {
      throw;
    } catch (const failed_after& inner) {
      where.micro_batch += inner.done;
      keep(inner.cause, where, replica);
    } catch (const failed_at& elsewhere) {
      keep(elsewhere.cause, elsewhere.where, replica);
    } catch (...) {
      keep(std::current_exception(), where, replica);
    }
  }
  void rethrow() const {
    if (cause_) throw stage_failed{where_, cause_, replica_};
  }

 private:
  void keep(std::exception_ptr cause, const schedule::op& where, std::size_t replica) {
    if (taken_.exchange(true, std::memory_order_relaxed)) return;  // only one gets past; read after joining the threads
    cause_ = std::move(cause);
    where_ = where;
    replica_ = replica;
  }

  std::atomic<bool> taken_{false};
  std::exception_ptr cause_{};
  schedule::op where_{};
  std::size_t replica_ = schedule::nowhere;
};

}  // namespace impl

}  // namespace ipuflow::run
