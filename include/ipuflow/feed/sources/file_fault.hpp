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

constexpr const char* wording(file_wrong wrong) {
  switch (wrong) {
    case file_wrong::nothing:
      break;
    case file_wrong::missing:
      return "ipuflow: there is no file '{file}'; correct the path, or get the data first";
    case file_wrong::unreadable:
      return "ipuflow: file '{file}' cannot be read, the system says error {got}; check your rights to it";
    case file_wrong::no_file:
      return "ipuflow: '{file}' is a directory, a device or a pipe; give the path of a plain file";
    case file_wrong::header_cut:
      return "ipuflow: file '{file}' has {got} byte{s} but its header alone takes {limit}; it is cut off, get it anew";
    case file_wrong::magic:
      return "ipuflow: the magic number of '{file}' is {got} where {limit} is expected; give an unpacked IDX file of 8-bit values, images before "
             "labels";
    case file_wrong::sizes_overflow:
      return "ipuflow: the sizes in the header of '{file}' multiply to more than 64 bits hold, {got} times {limit}; the file is damaged, get it anew";
    case file_wrong::no_elements:
      return "ipuflow: the header of '{file}' announces {got} element{s} a sample where at least {limit} is expected; the file is damaged, get it anew";
    case file_wrong::size_differs:
      return "ipuflow: file '{file}' has {got} byte{s} but its header announces {limit}; it is damaged, get it anew";
    case file_wrong::width_differs:
      return "ipuflow: the samples of '{file}' have {got} element{s} where {limit} {is|are} expected; ask for the extents that the file has";
    case file_wrong::count_differs:
      return "ipuflow: file '{file}' has {got} label{s} for {limit} image{s}; give the two files of one set";
    case file_wrong::not_whole_records:
      return "ipuflow: file '{file}' has {got} byte{s}, which is not a whole number of records of {limit}; give a CIFAR-10 file in binary form";
    case file_wrong::label_too_large:
      return "ipuflow: a record of '{file}' has label {got} where at most {limit} is expected; the file is damaged, get it anew";
  }
  return "";
}

constexpr message_text sentence(const file_fault& f) {
  const auto& file = f.where.text;
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"file", file}});
}

}  // namespace ipuflow::feed

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<feed::file_fault>;
}
#endif
