// SPDX-License-Identifier: BSL-1.0
// The back end of a session that runs on threads of this machine.
#pragma once

#include <ipuflow/core/stop_signal.hpp>
#include <ipuflow/run/threads/executor.hpp>

#include <cstddef>

namespace ipuflow::train {
class shared_session;
}

namespace ipuflow::on {

/// The back end of host threads.
struct threads {
  std::size_t count = 0;         ///< 0: one a core, at most one an IPU
  stop_signal stop{};        ///< a step that is stopped leaves the model as it was
  run::trace* events = nullptr;  ///< notes when each operation ran
  train::shared_session* others = nullptr;  ///< processes that have a part of the replicas or IPUs: `on::processes` sets it
};

}  // namespace ipuflow::on
