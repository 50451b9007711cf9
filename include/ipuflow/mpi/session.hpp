// SPDX-License-Identifier: BSL-1.0
// A session that several processes share: `on::processes` around `on::threads`. The IPUs of all replicas are dealt out to the
// processes, neighbours together, and every process calls the session as one that is alone would, with the same samples.
#pragma once

#include <ipuflow/core/owner.hpp>
#include <ipuflow/mpi/processes.hpp>
#include <ipuflow/train/session.hpp>
#include <ipuflow/train/threads/share_session.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow::on {

/// The back end of several processes.
struct processes {
  using runs_sessions = void;
  mpi::world& world;
  threads inner{};  ///< of each process
  mpi::results outputs = mpi::results::gathered;
  bool compares_samples = true;  ///< throws where processes are given others; false: each fills in those of its own IPUs alone
};

}  // namespace ipuflow::on

namespace ipuflow::mpi {

namespace impl {

/// The processes of a session, made before it and kept behind it.
struct keeps_processes {
  owner<session_processes> others;
  owner<train::shared_session> shared;

  /// An argument of a session on processes as one on threads takes it.
  template <class Precision, class How>
  decltype(auto) on_threads(const How& how, std::size_t lanes) {
    if constexpr (std::is_same_v<How, on::processes>) {
      on::threads inner = how.inner;
      if (how.world.processes() > 1) {
        others = make_owner<session_processes>(how.world, how.outputs, how.compares_samples);
        shared = train::share_session<Precision>(*others, lanes);
        inner.others = shared.get();
      }
      return inner;
    } else {
      return how;
    }
  }
};

}  // namespace impl

}  // namespace ipuflow::mpi

namespace ipuflow::train {

template <class P, class T, class Optimiser, class Precision>
class session<P, T, Optimiser, on::processes, Precision> : mpi::impl::keeps_processes, public session<P, T, Optimiser, on::threads, Precision> {
 public:
  template <class... How>
  session(const P& pipeline, const T& timetable, const Optimiser& optimiser, const options& o = {}, How... how)
      : session<P, T, Optimiser, on::threads, Precision>{pipeline, timetable, optimiser, o, this->template on_threads<Precision>(how, o.replicas * timetable.where.ipus)...} {}
  template <class First, class... How>
    requires(!std::is_convertible_v<First, options>)
  session(const P& pipeline, const T& timetable, const Optimiser& optimiser, First first, How... how)
      : session{pipeline, timetable, optimiser, options{}, std::move(first), std::move(how)...} {}
};

}  // namespace ipuflow::train
