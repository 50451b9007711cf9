// SPDX-License-Identifier: BSL-1.0
// Faults of files of weights that other programs read and write, too: what a file has against what a model has.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/feed/sources/file_fault.hpp>

#include <cstddef>

namespace ipuflow::train {

enum class weights_wrong : unsigned char { nothing, header_cut, header_text, twice, offsets, places, element_type, missing, unknown, extents, copies_differ, too_large };

struct weights_place {
  feed::file_name file{};
  fixed_string<60> tensor{};
  fixed_string<60> found{};
  fixed_string<60> wanted{};

  friend constexpr bool operator==(const weights_place&, const weights_place&) = default;
};

using weights_fault = fault<weights_wrong, weights_place>;

constexpr const char* wording(weights_wrong wrong) {
  switch (wrong) {
    case weights_wrong::nothing:
      break;
    case weights_wrong::header_cut:
      return "ipuflow: '{file}' has {got} byte{s} but the header of a safetensors file ends at byte {limit}; it is cut off, or another kind of file";
    case weights_wrong::header_text:
      return "ipuflow: the header of '{file}' cannot be read from character {got} on, '{found}'; the safetensors file is damaged, get it anew";
    case weights_wrong::twice:
      return "ipuflow: '{file}' has '{tensor}' twice; the file is damaged, get it anew";
    case weights_wrong::offsets:
      return "ipuflow: tensor '{tensor}' of '{file}' is said to end at byte {got} of {limit} or not to be as large as its shape; the safetensors "
             "file is damaged, get it anew";
    case weights_wrong::places:
      return "ipuflow: a tensor of '{file}' ends at byte {got} but what is next begins at byte {limit}; the safetensors file is damaged, get it anew";
    case weights_wrong::element_type:
      return "ipuflow: tensor '{tensor}' of '{file}' is of {found}; weights are read from halves, floats and doubles, so convert it";
    case weights_wrong::missing:
      return "ipuflow: there is no tensor '{tensor}' in '{file}', its first is '{found}'; load it into the network that it was saved from, or "
             "rename its tensors";
    case weights_wrong::unknown:
      return "ipuflow: '{file}' has a tensor '{tensor}' that the network has not; load it into the network that it was saved from";
    case weights_wrong::extents:
      return "ipuflow: tensor '{tensor}' of '{file}' has the shape {found} but the network wants {wanted}; load it into a network with layers of "
             "the same sizes";
    case weights_wrong::copies_differ:
      return "ipuflow: tensor '{tensor}' of '{file}' differs from '{found}', although the network has both as one; leave one of them out, or tie "
             "the layers no more";
    case weights_wrong::too_large:
      return "ipuflow: the weights for '{file}' take {got} byte{s} or are too many tensors, a .npz file holds less than 4 GiB and 65535 arrays; save "
             "them with save_safetensors";
  }
  return "";
}

constexpr message_text sentence(const weights_fault& f) {
  const auto& file = f.where.file.text;
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"file", file}, {"found", f.where.found}, {"tensor", f.where.tensor},
                 {"wanted", f.where.wanted}});
}

}  // namespace ipuflow::train
