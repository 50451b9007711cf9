// SPDX-License-Identifier: BSL-1.0
// The calls of a session on threads where other processes have a part of it. share_session.hpp answers them; a program pays for that
// only where a session has other processes.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/run/threads/crew.hpp>
#include <ipuflow/run/threads/executor.hpp>
#include <ipuflow/train/options.hpp>
#include <ipuflow/train/step_data.hpp>
#include <ipuflow/train/threads/network_code.hpp>
#include <ipuflow/train/threads/pipeline_work.hpp>
#include <ipuflow/train/threads/step_host.hpp>
#include <ipuflow/train/threads/updater.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow::train {

/// A session that several processes share; `on::threads` refers to it.
class shared_session {
 public:
  virtual ~shared_session() = default;
};

namespace impl {

/// `T`: what layers compute with.
template <class T>
class sharing : public shared_session {
 public:
  /// The lanes of this process, of which there are some in all.
  [[nodiscard]] virtual lane_range here(std::size_t lanes) const = 0;
  /// Threads that this process has, if nothing is said.
  [[nodiscard]] virtual std::size_t cores() const = 0;
  [[nodiscard]] virtual run::dealt deal(const schedule::any_timetable& t, std::size_t threads, light_span<const std::size_t> work) const = 0;

  /// To be called once, by the session. `ranges`: of all parameters; `rule`: the name of the optimiser.
  virtual void begin(const network_code<T>& code, const schedule::any_timetable& t, const options& o, const work_shape& shape,
                     const light_vector<piece>& tensors, std::string_view rule, const pipeline_work<T>& work, const dynamic_array<kept_range>& ranges) = 0;
  /// True if the optimiser's state of a piece is here, or its gradients are.
  [[nodiscard]] virtual bool keeps(const piece& p) const = 0;
  [[nodiscard]] virtual bool reads(const piece& p) const = 0;

  /// Before a step: throws in all processes if one was given other samples.
  virtual void begin_step(light_span<const column_code> columns, std::size_t samples) = 0;
  /// Runs the timetable once, and carries what crosses to other processes meanwhile; true if it was stopped.
  virtual bool execute(const schedule::any_timetable& t, pipeline_work<T>& work, run::crew& threads, const run::execution& how) = 0;
  /// True if what a process does does not depend on others until the end of a run.
  [[nodiscard]] virtual bool runs_alone() const = 0;
  /// Gradients of all copies, which `gradients` then gives.
  virtual void add_up(const pipeline_work<T>& work, run::crew& threads) = 0;
  virtual void gradients(std::size_t stage, std::size_t first, light_span<float> to) const = 0;
  virtual bool any(bool here) = 0;
  /// After an update: the parameters that others have changed, of `each` bytes, and the running state of layers of each copy.
  virtual void share(std::byte* values, std::size_t each, light_span<const parameter_view<T>> copies) = 0;
  /// Optimiser state in the order of the model, in runs of bytes that one replica keeps.
  virtual void share_optimiser(light_span<std::byte> numbers, const dynamic_array<kept_range>& runs) = 0;
  virtual void share_results(light_span<result_column> results, const step_host<T>& host) = 0;
  /// After a step: leaves the results of this process, if others do not get them.
  virtual void leave_own(light_span<result_column> results, const step_host<T>& host) = 0;
  /// While an exception is handled.
  virtual void failed() = 0;
};

}  // namespace impl

}  // namespace ipuflow::train
