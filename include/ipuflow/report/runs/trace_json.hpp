// SPDX-License-Identifier: BSL-1.0
// A run in the trace event format, for ui.perfetto.dev and chrome://tracing: a process for the IPUs with a row for
// each, and one for the host; a complete event for each slice. Times are whole nanoseconds; exact cycles are among the
// args.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/report/drawing/json_text.hpp>
#include <ipuflow/report/drawing/numbers.hpp>
#include <ipuflow/report/report_fault.hpp>
#include <ipuflow/report/runs/host_timeline.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace ipuflow::report {

/// Options of a trace.
struct trace_options {
  std::string name{};          ///< of the process that the IPUs are shown as
  std::size_t most = 200'000;  ///< slices; what is behind them is left out, and the trace says so
};

namespace impl {

/// Writes to anything that takes texts by `<<`: a stream of the standard library would write numbers as its locale has them.
template <class Out>
class trace_writer {
 public:
  trace_writer(Out& out, const timeline& t) : out_{out}, t_{t} {
    std::size_t next = 1;
    for (const row& r : t.rows) {
      first_.push_back(next);
      next += r.lanes;
    }
  }

  void write(const std::string& name) {
    out_ << "{\"displayTimeUnit\":\"" << (t_.in_cycles ? "ns" : "ms") << "\",\"otherData\":{";
    if (t_.in_cycles) {
      out_ << "\"clock\":" << json_text(with_digits(t_.ticks.value, 0) + " Hz") << ",\"cycles\":\"" << number(t_.length)
           << "\",";
    }
    out_ << "\"note\":" << json_text(note()) << "},\"traceEvents\":[\n";
    named("process_name", of_ipus, 0, name);
    named("process_name", of_host, 0, "host");
    for (std::size_t r = 0; r < t_.rows.size(); ++r) rows(r);
    for (const slice& s : t_.slices) event(s);
    if (!t_.complete) cut();
    out_ << "\n]}\n";
  }

 private:
  static constexpr std::size_t of_ipus = 1;
  static constexpr std::size_t of_host = 2;

  static std::string number(std::uint64_t n) { return std::to_string(n); }
  std::size_t process_of(std::size_t r) const { return t_.rows[r].host ? of_host : of_ipus; }

  Out& begin() {
    out_ << separator_;
    separator_ = ",\n";
    return out_;
  }

  void named(const char* what, std::size_t pid, std::size_t tid, const std::string& name) {
    begin() << "{\"name\":\"" << what << "\",\"ph\":\"M\",\"pid\":" << number(pid) << ",\"tid\":" << number(tid)
            << ",\"args\":{\"name\":" << json_text(name) << "}}";
  }
  void rows(std::size_t r) {
    for (std::size_t lane = 0; lane < t_.rows[r].lanes; ++lane) {
      const std::size_t tid = first_[r] + lane;
      named("thread_name", process_of(r), tid, t_.rows[r].name + (lane == 0 ? "" : ", at the same time"));
      begin() << R"({"name":"thread_sort_index","ph":"M","pid":)" << number(process_of(r)) << ",\"tid\":" << number(tid)
              << ",\"args\":{\"sort_index\":" << number(tid) << "}}";
    }
  }

  std::uint64_t nanoseconds(std::uint64_t time) const {
    return t_.in_cycles ? static_cast<std::uint64_t>(t_.seconds_of(time) * 1e9 + 0.5) : time;
  }
  static std::string micro(std::uint64_t nanoseconds) {
    const std::string rest = std::to_string(nanoseconds % 1000);
    return std::to_string(nanoseconds / 1000) + "." + std::string(3 - rest.size(), '0') + rest;
  }
  /// Perfetto cuts times, which it reads as doubles, to whole nanoseconds. Half a nanosecond more on all of them keeps
  /// a slice from beginning before the one in front of it has ended, and so from being dropped.
  std::string time(std::uint64_t at) const { return micro(nanoseconds(at)) + "5"; }

  static const char* category_of(slice_kind kind) {
    if (is_pass(kind)) return "pass";
    switch (kind) {
      case slice_kind::infeed:
      case slice_kind::outfeed:
        return "stream";
      case slice_kind::stash:
      case slice_kind::restore:
        return "stash";
      case slice_kind::load:
      case slice_kind::store:
        return "streaming memory";
      case slice_kind::run:
        return "run";
      case slice_kind::exchange:
        return "exchange";
      default:
        return "update";
    }
  }

  void event(const slice& s) {
    begin() << "{\"name\":" << json_text(name_of(s)) << ",\"cat\":\"" << category_of(s.kind)
            << "\",\"ph\":\"X\",\"ts\":" << time(s.start)
            << ",\"dur\":" << micro(nanoseconds(s.finish) - nanoseconds(s.start)) << ",\"pid\":" << number(process_of(s.row))
            << ",\"tid\":" << number(first_[s.row] + s.lane) << ",\"args\":{";
    const char* separator = "";
    const auto argument = [&](const char* name, std::uint64_t value, bool known) {
      if (!known) return;
      out_ << separator << "\"" << name << "\":" << number(value);
      separator = ",";
    };
    argument("stage", s.stage, s.stage != schedule::nowhere);
    argument("micro_batch", s.micro_batch, s.micro_batch != schedule::nowhere);
    argument("run", s.run, s.run != schedule::nowhere);
    argument("thread", s.thread, s.thread != schedule::nowhere);
    argument("first_cycle", s.start, t_.in_cycles);
    argument("cycles", s.finish - s.start, t_.in_cycles);
    out_ << "}}";
  }

  std::string note() const {
    std::string text = joined("the whole run of ", short_time(t_.seconds_of(t_.length)));
    if (t_.complete) return text;
    const std::uint64_t end = t_.slices.empty() ? 0 : t_.slices.back().start;
    text = joined("cut at ", short_time(t_.seconds_of(end)), " of ", short_time(t_.seconds_of(t_.length)));
    if (!t_.in_cycles) text += joined(": ", with_commas(t_.left_out), " operations are missing");
    return text + "; a higher limit shows more";
  }
  void cut() {
    const std::uint64_t end = t_.slices.empty() ? 0 : t_.slices.back().start;
    begin() << "{\"name\":" << json_text(note()) << ",\"cat\":\"cut\",\"ph\":\"i\",\"s\":\"g\",\"ts\":" << time(end)
            << ",\"pid\":" << number(of_ipus) << ",\"tid\":1}";
  }

  Out& out_;
  const timeline& t_;
  light_vector<std::size_t> first_;
  const char* separator_ = "";
};

}  // namespace impl

/// A stream that a trace can be written to.
template <class Out>
concept trace_stream = requires(Out& out) { out << "text" << std::uint64_t{}; };

template <trace_stream Out>
void trace_json(Out& out, const run::trace& traced, const trace_options& options = {}) {
  const timeline t = timeline_of(traced, options.most);
  impl::trace_writer{out, t}.write(options.name.empty() ? "host threads" : options.name);
}

template <class Out, class Other>
void trace_json(Out&&, const Other&, const trace_options& = {}) {
  constexpr bool writes = trace_stream<std::remove_reference_t<Out>>;
  impl::refuse<writes ? report_wrong::not_a_run : report_wrong::not_a_stream, Other>();
}

}  // namespace ipuflow::report
