// SPDX-License-Identifier: BSL-1.0
// The run of a sink: it is told when a run begins, if it wants to know, and closed when nothing can come any more, at the
// end of the source or after an exception. So a thread that follows an outfeed comes to its end whatever becomes of a run.
#pragma once

namespace ipuflow::feed {

template <class Sink>
class sink_run {
 public:
  explicit sink_run(Sink& to) : sink_{to} {
    if constexpr (requires { to.open(); }) to.open();
  }
  sink_run(const sink_run&) = delete;
  sink_run& operator=(const sink_run&) = delete;
  ~sink_run() {
    if constexpr (requires(Sink& to) { to.abandon(); }) {
      if (!finished_) sink_.abandon();
    }
  }

  /// The run has ended without an exception.
  void finish(bool source_ended) {
    finished_ = true;
    if constexpr (requires(Sink& to) { to.close(); }) {
      if (source_ended) sink_.close();
    }
  }

 private:
  Sink& sink_;
  bool finished_ = false;
};

}  // namespace ipuflow::feed
