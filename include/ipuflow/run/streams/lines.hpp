// SPDX-License-Identifier: BSL-1.0
// The lines of a text as the source of a stream. Any std::istream is read while the stream runs, line by line, so a file may
// be larger than memory and a pipe may have no end.
#pragma once

#include <ipuflow/core/fault.hpp>

#include <cstddef>
#include <iosfwd>  // declares std::basic_string, which each stream has whole
#include <optional>

namespace ipuflow::run {

enum class lines_wrong : unsigned char { nothing, no_stream, not_open, not_read };

/// `got` counts the lines before.
using lines_fault = fault<lines_wrong>;

constexpr const char* wording(lines_wrong wrong) {
  switch (wrong) {
    case lines_wrong::nothing:
      break;
    case lines_wrong::no_stream:
      return "ipuflow: lines are read from a stream; give lines_of a std::ifstream of the file, or std::cin";
    case lines_wrong::not_open:
      return "ipuflow: the lines of a text are asked for that cannot be read; open the file, and look whether it is there";
    case lines_wrong::not_read:
      return "ipuflow: a text cannot be read on behind line {got}; look whether it is a file, and whole";
  }
  return "";
}

constexpr message_text sentence(const lines_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}});
}

/// A source of std::string, one for each line of `text`, which has to last as long; include <fstream> or <iostream>. Throws
/// if the text cannot be read: now, if it was not opened.
template <class Stream>
[[nodiscard]] auto lines_of(Stream& text) {
  constexpr lines_fault found{requires { typename Stream::char_type; } ? lines_wrong::nothing : lines_wrong::no_stream};
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  if constexpr (!found) {
    bool readable = text || text.eof();
    if constexpr (requires { text.is_open(); }) readable = readable && text.is_open();  // nothing has failed yet, if not
    if (!readable) throw_if(lines_fault{lines_wrong::not_open});
    return [&text, count = std::size_t{0}]() mutable {
      std::optional<std::basic_string<typename Stream::char_type>> line{std::in_place};
      if (getline(text, *line)) {
        ++count;
      } else {
        if (text.bad() || !text.eof()) throw_if(lines_fault{lines_wrong::not_read, count});
        line.reset();
      }
      return line;
    };
  }
}
template <class Stream>
void lines_of(const Stream&&) = delete;  // ipuflow: a source reads its text while the stream runs; give the text a name

}  // namespace ipuflow::run
