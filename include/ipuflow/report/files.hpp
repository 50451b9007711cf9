// SPDX-License-Identifier: BSL-1.0
// All that there is to see of a run, as files in a folder: host_trace.json and host_timeline.svg of a run on threads;
// chips_summary.txt, chips_trace.json, chips_timeline.svg, chips_memory.svg and chips_tiles.svg of one on chips.
#pragma once

#include <ipuflow/report/report_fault.hpp>  // first, or compilers print the long way to it before its message

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/whole_file.hpp>
#include <ipuflow/report/runs/chips_timeline_svg.hpp>
#include <ipuflow/report/runs/chips_trace_json.hpp>
#include <ipuflow/report/chips/memory_svg.hpp>
#include <ipuflow/report/chips/summary.hpp>
#include <ipuflow/report/runs/timeline_svg.hpp>
#include <ipuflow/report/runs/trace_json.hpp>

#include <sys/stat.h>

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace ipuflow::report {

enum class saving_wrong : unsigned char { nothing, unwritable };
using saving_fault = fault<saving_wrong, fixed_string<255>>;

constexpr message_text sentence(const saving_fault& f) {
  return filled("ipuflow: report '{where}' cannot be written; check its folder, and the space there", {{"where", f.where}});
}

namespace impl {

/// A file that takes texts and numbers by `<<`.
class output_file {
 public:
  explicit output_file(const std::string& path) : file_{path} {}

  output_file& operator<<(std::string_view text) {
    file_.write(text.data(), text.size());
    return *this;
  }
  /// Any number in as few digits as say which it is, and a single character.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  output_file& operator<<(Number number) {
    if constexpr (std::is_same_v<Number, char>) {
      return *this << std::string_view{&number, 1};
    } else if constexpr (std::is_same_v<Number, bool>) {
      return *this << (number ? '1' : '0');
    } else {
      char digits[64];
      const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
      return *this << std::string_view{digits, static_cast<std::size_t>(end - digits)};
    }
  }

  /// True if all of it is on the disk.
  [[nodiscard]] bool keep() { return file_.keep(); }

 private:
  whole_file file_;
};

/// Makes the folders that a path goes through; where that fails, the file says so as well.
template <class = void>
void make_folders(std::string path) {
  for (std::size_t end = path.find('/', 1); end != path.npos; end = path.find('/', end + 1)) {
    path[end] = '\0';
    ::mkdir(path.c_str(), 0777);
    path[end] = '/';
  }
}

}  // namespace impl

/// Throws now what `save` would throw after a run of hours.
template <class = void>
void check_can_save(const std::string& folder) {
  const std::string path = folder + "/chips_summary.txt";
  impl::make_folders(path);
  if (why_unwritable(path) != 0)
    throw_if(saving_fault{.kind = saving_wrong::unwritable, .where = fixed_string<255>{std::string_view{path}}});
}

/// Calls `write(out)` for a new file, which takes texts and numbers by `<<`; what cannot be written is thrown.
template <class Write>
void save_file(const std::string& path, Write write) {
  if constexpr (!std::is_invocable_v<Write&, impl::output_file&>) {
    impl::refuse<report_wrong::not_a_writer, Write>();
  } else {
    impl::make_folders(path);
    impl::output_file out{path};
    write(out);
    if (!out.keep())
      throw_if(saving_fault{.kind = saving_wrong::unwritable, .where = fixed_string<255>{std::string_view{path}}});
  }
}

template <class = void>
void save(const std::string& folder, const run::trace& traced) {
  save_file(folder + "/host_trace.json", [&](auto& out) { trace_json(out, traced); });
  save_file(folder + "/host_timeline.svg", [&](auto& out) { out << timeline_svg(traced); });
}

template <class = void>
void save(const std::string& folder, const run::chips_profile& p, const summary_options& options = {}) {
  save_file(folder + "/chips_summary.txt", [&](auto& out) { out << summary(p, options); });
  save_file(folder + "/chips_trace.json", [&](auto& out) { trace_json(out, p); });
  save_file(folder + "/chips_timeline.svg", [&](auto& out) { out << timeline_svg(p); });
  save_file(folder + "/chips_memory.svg", [&](auto& out) { out << memory_over_steps_svg(p.chips); });
  save_file(folder + "/chips_tiles.svg", [&](auto& out) { out << memory_by_tile_svg(p.chips); });
}

template <class Other>
void save(const std::string&, const Other&) {
  impl::refuse<report_wrong::not_a_run_to_save, Other>();
}

}  // namespace ipuflow::report
