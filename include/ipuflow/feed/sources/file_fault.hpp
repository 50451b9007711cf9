// SPDX-License-Identifier: BSL-1.0
// Faults of files of samples. The sentence names the file, the value found in it and the value expected.
#pragma once

#include <ipuflow/core/fault.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow::feed {

enum class file_wrong : unsigned char {
  nothing,
  missing,
  unreadable,
  no_file,
  header_cut,
  magic,
  sizes_overflow,
  no_elements,
  size_differs,
  width_differs,
  count_differs,
  not_whole_records,
  label_too_large
};

/// A path, of a long one its end.
struct file_name {
  fixed_string<200> text{};

  constexpr file_name() = default;
  constexpr file_name(std::string_view path) {
    constexpr std::size_t most = 200;
    if (path.size() > most) {
      text += "...";
      path.remove_prefix(path.size() - (most - 3));
    }
    text += path;
  }
  friend constexpr bool operator==(const file_name&, const file_name&) = default;
};

using file_fault = fault<file_wrong, file_name>;

constexpr message_text sentence(const file_fault& f) {
  const auto& file = f.where.text;
  switch (f.kind) {
    case file_wrong::nothing:
      break;
    case file_wrong::missing:
      return words("ipuflow: there is no file '", file, "'; correct the path, or get the data first");
    case file_wrong::unreadable:
      return words("ipuflow: file '", file, "' cannot be read, the system says error ", f.got,
                   "; check your rights to it");
    case file_wrong::no_file:
      return words("ipuflow: '", file, "' is a directory, a device or a pipe; give the path of a plain file");
    case file_wrong::header_cut:
      return words("ipuflow: file '", file, "' has ", f.got, " bytes but its header alone takes ", f.limit,
                   "; it is cut off, get it anew");
    case file_wrong::magic:
      return words("ipuflow: the magic number of '", file, "' is ", f.got, " where ", f.limit,
                   " is expected; give an unpacked IDX file of 8-bit values, images before labels");
    case file_wrong::sizes_overflow:
      return words("ipuflow: the sizes in the header of '", file, "' multiply to more than 64 bits hold, ", f.got,
                   " times ", f.limit, "; the file is damaged, get it anew");
    case file_wrong::no_elements:
      return words("ipuflow: the header of '", file, "' announces ", f.got, " elements a sample where at least ",
                   f.limit, " is expected; the file is damaged, get it anew");
    case file_wrong::size_differs:
      return words("ipuflow: file '", file, "' has ", f.got, " bytes but its header announces ", f.limit,
                   "; it is damaged, get it anew");
    case file_wrong::width_differs:
      return words("ipuflow: the samples of '", file, "' have ", f.got, " elements where ", f.limit,
                   " are expected; ask for the extents that the file has");
    case file_wrong::count_differs:
      return words("ipuflow: file '", file, "' has ", f.got, " labels for ", f.limit,
                   " images; give the two files of one set");
    case file_wrong::not_whole_records:
      return words("ipuflow: file '", file, "' has ", f.got, " bytes, which is not a whole number of records of ",
                   f.limit, "; give a CIFAR-10 file in binary form");
    case file_wrong::label_too_large:
      return words("ipuflow: a record of '", file, "' has label ", f.got, " where at most ", f.limit,
                   " is expected; the file is damaged, get it anew");
  }
  return {};
}

}  // namespace ipuflow::feed

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<feed::file_fault>;
}
#endif
