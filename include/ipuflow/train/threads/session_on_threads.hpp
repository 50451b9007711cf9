// SPDX-License-Identifier: BSL-1.0
// A session on host threads outside of the types of its pipeline, timetable and optimiser. What it does is in
// session_engine.hpp, compiled once for a precision; this header has what is needed to make and to use one, no more.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/schedule/forms/any_timetable.hpp>
#include <ipuflow/train/model.hpp>
#include <ipuflow/train/optimisers/optimiser_code.hpp>
#include <ipuflow/train/options.hpp>
#include <ipuflow/train/threads/back_end.hpp>
#include <ipuflow/train/threads/network_code.hpp>
#include <ipuflow/train/training_state.hpp>

#include <cstddef>

namespace ipuflow::train::impl {

/// `Lanes`: a part of the name, so that what is compiled for other vectors is not linked.
template <class Precision, std::size_t Lanes = nn::lane_count>
class session_on_threads {
  using compute = typename Precision::compute;
  using number = typename Precision::number;

 public:
  /// The parts of a session; all that they refer to has to last as long.
  struct parts {
    const network_code<compute>& code;
    const light_vector<piece>& tensors;
    const schedule::any_timetable& timetable;
    const schedule::schedule_fault& wrong;  ///< what `schedule::verify` says of the timetable
    const options& asked;
    const shared<model<number>>& learned;
    const optimiser_code<number>& rule;
    const on::threads& where;
  };
  explicit session_on_threads(const parts& of);
  session_on_threads(const session_on_threads&) = delete;
  session_on_threads& operator=(const session_on_threads&) = delete;
  ~session_on_threads();

  /// Runs one step; if it throws, the model is what it was.
  void step(light_span<const column_code> columns, std::size_t samples, light_span<result_column> results, const result_sink& reader);

  void reserve(light_span<result_column> results) const;
  std::size_t samples_per_step() const;
  std::size_t threads() const;
  const shared<model<number>>& parameters() const;
  light_span<const float> gradients() const;
  const loss_scaler& scale() const;
  std::size_t updates() const;
  std::size_t stash_bytes(std::size_t stage) const;
  std::size_t optimiser_bytes() const;
  std::size_t steps() const;
  training_state<number> state(training_state<number> room) const;
  void go_on(const training_state<number>& from);

 private:
  class engine;
  engine* engine_;
};

/// Complete where session_engine.hpp is included.
template <class Precision>
struct session_engine_of;

}  // namespace ipuflow::train::impl

// None of the functions above is inline, so that a file which declares them as instantiated elsewhere does not compile
// them.
#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has these
namespace ipuflow::train::impl {
extern template class session_on_threads<precision<>>;
extern template class session_on_threads<precision<float, half>>;
extern template class session_on_threads<precision<half, float>>;
extern template class session_on_threads<precision<double>>;
template <>
struct session_engine_of<precision<>> {};
template <>
struct session_engine_of<precision<float, half>> {};
template <>
struct session_engine_of<precision<half, float>> {};
template <>
struct session_engine_of<precision<double>> {};
}  // namespace ipuflow::train::impl
#else
#include <ipuflow/train/threads/session_engine.hpp>
#endif
