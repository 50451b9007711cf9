// SPDX-License-Identifier: BSL-1.0
// The one file of the target `ipuflow::compiled`: what depends on no pipeline, schedule or optimiser, for the usual
// precisions. Whoever links the target gets these from here; the same headers say so where they are declared.
#include <ipuflow/core/half.hpp>
#include <ipuflow/run/threads/executor.hpp>
#include <ipuflow/train/threads/session_on_threads.hpp>

namespace ipuflow::run {
template outcome execute<>(const schedule::any_timetable&, any_work, crew&, const execution&);
}

namespace ipuflow::train {
template class session_on_threads<precision<>>;
template class session_on_threads<precision<float, half>>;
template class session_on_threads<precision<half, float>>;
}  // namespace ipuflow::train
