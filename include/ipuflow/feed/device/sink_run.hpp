// SPDX-License-Identifier: BSL-1.0
// The two ends of a run, which are told of it if they want to know. A sink is closed when nothing can come any more, at the end
// of the source or after an exception, and a source is told of an exception. So no thread at the other end of an infeed or
// outfeed waits for ever, whatever becomes of a run.
#pragma once

namespace ipuflow::feed {

/// While a run takes from a source.
template <class Source>
class source_run {
 public:
  explicit source_run(Source& from) : source_{from} {}
  source_run(const source_run&) = delete;
  source_run& operator=(const source_run&) = delete;
  ~source_run() {
    if constexpr (requires(Source& from) { from.abandon(); }) {
      if (!finished_) source_.abandon();
    }
  }

  /// The run has ended without an exception.
  void finish() { finished_ = true; }

 private:
  Source& source_;
  bool finished_ = false;
};

/// While a run gives to a sink.
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
