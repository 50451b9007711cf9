// SPDX-License-Identifier: BSL-1.0
// Mistakes in the stages of a `run::stream`, found in types before anything is made of them, each with its sentence.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/type_name.hpp>

#include <cstddef>

namespace ipuflow::run {

enum class stream_stage_wrong : unsigned char { nothing, no_source, no_stage, options_behind, cannot_take, gives_nothing, lends, filter, filter_map, flat_map, expand, empty_batch, sink };

/// The types that a fault is about, as text, and the stage's name where it has one.
struct stream_site {
  fixed_string<60> block{};
  type_text stage{};
  type_text item{};

  friend constexpr bool operator==(const stream_site&, const stream_site&) = default;
};

/// `got` is the number of the stage.
using stream_stage_fault = fault<stream_stage_wrong, stream_site>;

constexpr const char* wording(stream_stage_wrong wrong) {
  switch (wrong) {
    case stream_stage_wrong::nothing:
      return "";
    case stream_stage_wrong::no_source:
      return "ipuflow: a stream cannot be read from {item}; give a range of what can be copied, or a function without arguments that returns a "
             "std::optional";
    case stream_stage_wrong::no_stage:
      return "ipuflow: a stream has a source, at least one stage and a sink; give run::stream three or more of them";
    case stream_stage_wrong::options_behind:
      return "ipuflow: the options of a stream stand behind its source; put them in front";
    case stream_stage_wrong::cannot_take:
      return "ipuflow: {stage}, {callable}, cannot take {item}; change its parameter or the stage before it";
    case stream_stage_wrong::gives_nothing:
      return "ipuflow: {stage} returns nothing for {item}; return what the next stage takes, or make it the sink";
    case stream_stage_wrong::lends:
      return "ipuflow: {stage} only lends what it makes of {item}, which cannot be copied; return it as a value, to be moved";
    case stream_stage_wrong::filter:
      return "ipuflow: the filter of {stage} says nothing of {item}; give a function that takes it as const and returns bool";
    case stream_stage_wrong::filter_map:
      return "ipuflow: filter_map in {stage} makes no std::optional of {item}; give a function that takes it and returns one";
    case stream_stage_wrong::flat_map:
      return "ipuflow: flat_map in {stage} makes no range of {item}; give a function that takes it and returns one";
    case stream_stage_wrong::expand:
      return "ipuflow: expand in {stage} cannot be given {item}; give what(item, give), and at_end(give) if there is an end";
    case stream_stage_wrong::empty_batch:
      return "ipuflow: a batch of 0 items is never full; give run::batch a size of at least 1";
    case stream_stage_wrong::sink:
      return "ipuflow: {callable} is no sink for {item}; give a function that takes it";
  }
  return "";
}

constexpr message_text sentence(const stream_stage_fault& f) {
  const auto stage = f.where.block.empty() ? filled("stage {got}", {{"got", f.got}}) : filled("block '{block}'", {{"block", f.where.block}});
  return filled(wording(f.kind), {{"item", f.where.item}, {"stage", stage}, {"callable", f.where.stage}});
}

}  // namespace ipuflow::run
