// SPDX-License-Identifier: BSL-1.0
// A line about each schedule of the catalogue, for lists that a program shows.
#pragma once

#include <string_view>

namespace ipuflow::schedule {

/// The schedule of that name in a few words; empty if there is none.
[[nodiscard]] constexpr std::string_view about(std::string_view name) {
  constexpr struct {
    std::string_view name;
    std::string_view text;
  } all[] = {
      {"grouped", "all IPUs in step, a backward and a forward each; Graphcore's default"},
      {"interleaved", "an IPU alternates forwards and backwards, fewer values kept than grouped; Graphcore"},
      {"sequential", "one micro-batch after the other through all stages; Graphcore"},
      {"sharded", "sequential, as Graphcore's frameworks call it for a model that is cut but not pipelined"},
      {"phased", "phases one after the other on the same IPUs, weights in streaming memory between them; PopART"},
      {"gpipe", "all forwards, then all backwards; keeps every micro-batch; GPipe"},
      {"1f1b", "one forward, one backward as soon as a gradient comes; PipeDream with a flush"},
      {"eager_1f1b", "1F1B with forwards earlier, which hides messages that take time; Alpa"},
      {"interleaved_1f1b", "1F1B with several smaller stages on each IPU; Megatron-LM"},
      {"looped_bfs", "several smaller stages on each IPU, all micro-batches of one before the next; Lamy-Poirier"},
      {"zb1p", "zero bubble with the memory of 1F1B: gradients of weights fill the gaps; Qi et al."},
      {"zb2p", "zero bubble with twice the memory of 1F1B; Qi et al."},
      {"zbv", "zero bubble, stages there and back, the memory of 1F1B; Qi et al."},
      {"v_half", "stages there and back, half the memory of 1F1B; Qi et al."},
      {"v_min", "stages there and back, a third of the memory of 1F1B; Qi et al."},
      {"dualpipe", "micro-batches from both ends, two copies of the weights; DeepSeek"},
      {"dualpipev", "DualPipe folded there and back, one copy of the weights; DeepSeek and Sea AI"},
      {"chimera", "micro-batches from both ends, two copies of the weights; Li and Hoefler"},
      {"inference", "forwards only"},
  };
  for (const auto& one : all) {
    if (one.name == name) return one.text;
  }
  return {};
}

}  // namespace ipuflow::schedule
