// SPDX-License-Identifier: BSL-1.0
// The fault of a training that is not proved to fit its chips: the chip, the use of its memory that is largest, and by how much the bound
// is too large. A layer that has no bound is one, too.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/type_name.hpp>
#include <ipuflow/feed/batching.hpp>
#include <ipuflow/ipu/machine/architecture.hpp>
#include <ipuflow/ipu/program/memory_proportions.hpp>
#include <ipuflow/plan/predict/counted_chip.hpp>
#include <ipuflow/train/session_fault.hpp>

#include <cstddef>
#include <cstdint>

namespace ipuflow::train {

enum class bound_wrong : unsigned char { nothing, layer_unknown, crossed, not_proved, code_region, proportions, stages, no_samples, chip };

/// A chip, what takes most of its fullest tile, and the layer that has no bound.
struct bound_place {
  std::size_t chip = 0;
  std::size_t stage = 0;  ///< of a layer without a bound
  plan::memory_use largest = plan::memory_use::weights;
  std::uint64_t largest_bytes = 0;
  type_text layer{};
  ipu::architecture_fault figure{};  ///< of a chip that is none

  friend constexpr bool operator==(const bound_place&, const bound_place&) = default;
};

/// `got` and `limit` are bytes.
using bound_fault = fault<bound_wrong, bound_place>;

constexpr const char* wording(bound_wrong wrong) {
  switch (wrong) {
    case bound_wrong::nothing:
      break;
    case bound_wrong::layer_unknown:
      return "ipuflow: it is not known what {layer} of stage {stage} takes on a tile; give it bound_on_tiles(layer, in, out, question), or count "
             "the network with train::planner";
    case bound_wrong::crossed:
      return "ipuflow: memory is not bounded where a stage is on two chips, as stage {stage} is; count the step with train::session";
    case bound_wrong::not_proved:
      return "ipuflow: it is not proved that chip {chip} has enough memory: its fullest tile takes at most {got} byte{s} and may have {limit}, "
             "{beyond} too few; most are {largest}, at most {largest_bytes}: train::planner counts what it takes";
    case bound_wrong::code_region:
      return "ipuflow: it is not proved that the code of chip {chip} has room: a tile takes at most {got} byte{s} of code but its region has {limit}; "
             "most is {largest}: cut the network into more stages";
    case bound_wrong::proportions:  // these have sentences elsewhere
    case bound_wrong::stages:
    case bound_wrong::no_samples:
    case bound_wrong::chip:
      break;
  }
  return "";
}

constexpr message_text sentence(const bound_fault& f) {
  if (f.kind == bound_wrong::proportions) {
    return sentence(ipu::proportions_fault{ipu::proportions_wrong::count, static_cast<std::size_t>(f.got), static_cast<std::size_t>(f.limit)});
  }
  if (f.kind == bound_wrong::stages) return sentence(session_fault{session_wrong::stages, f.got, f.limit});
  if (f.kind == bound_wrong::no_samples) return sentence(feed::batching_fault{feed::batching_wrong::no_micro_batch, f.got, f.limit});
  if (f.kind == bound_wrong::chip) return sentence(f.where.figure);
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"layer", f.where.layer}, {"stage", f.where.stage}, {"chip", f.where.chip},
                 {"beyond", f.got - f.limit}, {"largest", name_of(f.where.largest)}, {"largest_bytes", f.where.largest_bytes}});
}

}  // namespace ipuflow::train
