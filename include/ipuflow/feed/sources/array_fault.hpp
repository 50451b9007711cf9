// SPDX-License-Identifier: BSL-1.0
// Faults of NumPy's files, .npy and .npz, and of the zip files that the latter are.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/feed/sources/file_fault.hpp>

#include <cstddef>

namespace ipuflow::feed {

enum class array_wrong : unsigned char {
  nothing,
  magic,
  version,
  header_cut,
  header_text,
  element_type,
  other_type,
  sizes_overflow,
  no_samples,
  size_differs,
  width_differs,
  no_archive,
  archive_cut,
  entry_damaged,
  method,
  encrypted,
  unpacked,
  checksum,
  no_such_entry
};

struct array_place {
  file_name file{};             ///< of an array in an archive, the file and in brackets the name
  fixed_string<60> text{};      ///< that was found, or is asked for
  fixed_string<100> wanted{};

  friend constexpr bool operator==(const array_place&, const array_place&) = default;
};

using array_fault = fault<array_wrong, array_place>;

constexpr const char* wording(array_wrong wrong) {
  switch (wrong) {
    case array_wrong::nothing:
      break;
    case array_wrong::magic:
      return "ipuflow: '{file}' is no .npy file, it does not begin with \\x93NUMPY; write it with numpy.save";
    case array_wrong::version:
      return "ipuflow: '{file}' is a .npy file of version {got}, versions 1 to {limit} are known; write it with numpy.save";
    case array_wrong::header_cut:
      return "ipuflow: '{file}' has {got} byte{s} but the header of the array takes {limit}; it is cut off, get it anew";
    case array_wrong::header_text:
      return "ipuflow: the header of the array '{file}' cannot be read from character {got} on, '{text}'; it is damaged, get it anew";
    case array_wrong::element_type:
      return "ipuflow: the elements of '{file}' are '{text}', neither bool nor numbers of 1 to 8 bytes; convert them, as in numpy.save(path, "
             "a.astype('float32'))";
    case array_wrong::other_type:
      return "ipuflow: the elements of '{file}' are '{text}', which is not {wanted}; ask for the type that the file has, and convert samples with "
             "feed::convert";
    case array_wrong::sizes_overflow:
      return "ipuflow: the extents in the header of '{file}' multiply to more than the {limit} byte{s} that there can be; it is damaged, get it anew";
    case array_wrong::no_samples:
      return "ipuflow: '{file}' is a single number and no array of samples; save an array of at least one axis";
    case array_wrong::size_differs:
      return "ipuflow: the array '{file}' has {got} byte{s} of elements but its header announces {limit}; it is damaged, get it anew";
    case array_wrong::width_differs:
      return "ipuflow: the samples of the array '{file}' have {got} element{s} where {limit} {is|are} asked for, its shape is {text}; ask for the extents "
             "behind the first";
    case array_wrong::no_archive:
      return "ipuflow: '{file}' is no .npz file, it has no directory of a zip file at its end; write it with numpy.savez";
    case array_wrong::archive_cut:
      return "ipuflow: the directory of '{file}' says that something ends at byte {got} but the file has {limit}; it is damaged, get it anew";
    case array_wrong::entry_damaged:
      return "ipuflow: the directory of '{file}' is damaged at byte {got}; get the file anew";
    case array_wrong::method:
      return "ipuflow: '{file}' is packed by method {got} of zip, 0 and 8 are known; write it with numpy.savez or savez_compressed";
    case array_wrong::encrypted:
      return "ipuflow: '{file}' is encrypted; write the archive without a password";
    case array_wrong::unpacked:
      return "ipuflow: what is packed in '{file}' does not unpack to the {limit} byte{s} announced; it is damaged, get it anew";
    case array_wrong::checksum:
      return "ipuflow: '{file}' has changed since it was packed, its checksum is {got} and should be {limit}; get it anew";
    case array_wrong::no_such_entry:
      return "ipuflow: there is no array '{text}' in '{file}'; its arrays are {wanted}";
  }
  return "";
}

constexpr message_text sentence(const array_fault& f) {
  const auto& file = f.where.file.text;
  const auto& text = f.where.text;
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"file", file}, {"text", text}, {"wanted", f.where.wanted}});
}

namespace impl {

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_array(array_wrong kind, std::string_view path, std::size_t got = 0,
                                                                std::size_t limit = 0, std::string_view text = {},
                                                                std::string_view wanted = {}) {
  throw rejected{array_fault{kind, got, limit, {file_name{path}, fixed_string<60>{text}, fixed_string<100>{wanted}}}};
}

}  // namespace impl

}  // namespace ipuflow::feed
