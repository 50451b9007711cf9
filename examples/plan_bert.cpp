// SPDX-License-Identifier: BSL-1.0
// BERT-large on Bow, in five configurations whose speed was published: stages of the embeddings and 3 layers, 7, 7 and 7 layers, whole
// micro-batches of 8 sequences of 128 tokens. It prints the planned speed beside the published one. No constant is fitted to these.
#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <pipeline_planner/blocks.hpp>
#include <pipeline_planner/networks.hpp>

#include <cstdio>
#include <string>
#include <vector>

using namespace ipuflow;

namespace {

struct published_run {
  const char* name;
  double sequences_a_second;
  plan::configuration with;
};

// begin: runs
/// As their files say: each gives the memory of operations by chip. Grouped passes come in fours, so accumulations that do not divide
/// by four are rounded up.
std::vector<published_run> runs(const std::vector<std::size_t>& cuts) {
  plan::configuration c{.cuts{cuts.begin(), cuts.end()},
                        .schedule = "grouped",
                        .ipus = 4,
                        .replicas = 4,
                        .micro_batch = 8,
                        .accumulation = 2040,
                        .precision = plan::numbers::f16_16,
                        .recompute = schedule::all_stages,
                        .half_partials = true,
                        .optimiser_off_chip = true,
                        .memory_proportion = {.10, .19, .20, .25}};
  std::vector<published_run> made{{"TensorFlow, Pod16 (T1)", 4527, c}};
  plan::configuration pod64 = c;
  pod64.replicas = 16, pod64.accumulation = 512, pod64.shard_optimiser = true, pod64.memory_proportion = {.10, .19, .20, .20};
  made.push_back({"TensorFlow, Pod64 (T2)", 4.02 * 4527, pod64});
  c.accumulation = 2048, c.shard_optimiser = true, c.memory_proportion = {.15, .25, .25, .25};
  made.push_back({"PopART, Pod16 (T3)", 5179, c});
  c.accumulation = 1752;  // 2048 / 1.17: packs of 1.17 sequences
  made.push_back({"PyTorch, packed, Pod16 (T4), packs", 5600 / 1.17, c});
  c.replicas = 16, c.accumulation = 512;
  made.push_back({"PopART, Pod64 (T3)", 19'353, c});
  return made;
}
// end: runs

}  // namespace

int main() {
  train::planner planner(ipu::bow, pipeline_planner::bert_large());
  const nn::network_on_tiles& network = planner.network({.precision = plan::numbers::f16_16});
  std::vector<std::size_t> cuts;
  for (const char* first : {"layer[3]", "layer[10]", "layer[17]"}) cuts.push_back(pipeline_planner::block_of(network, first));
  std::printf("%-36s %9s %9s %7s %7s\n", "sequences a second", "published", "plan", "error", "tile");
  std::vector<double> speeds;
  for (const published_run& run : runs(cuts)) {
    const plan::prediction p = planner(run.with);
    const double speed = p.samples_per_second();
    std::printf("%-36s %9.0f %9.0f %+6.1f%% %6.1f%%\n", run.name, run.sequences_a_second, speed, 100 * (speed / run.sequences_a_second - 1),
                100 * static_cast<double>(p.memory[p.fullest()].bytes.total()) / static_cast<double>(p.tile_memory.value));
    speeds.push_back(speed);
  }
  const auto ratio = [&](const char* name, double published, double planned) {
    std::printf("%-36s %9.2f %9.2f %+6.1f%%\n", name, published, planned, 100 * (planned / published - 1));
  };
  ratio("Pod64 by Pod16 (T2 by T1)", 4.02, speeds[1] / speeds[0]);
  ratio("PopART by TensorFlow (T3 by T1)", 5179.0 / 4527, speeds[2] / speeds[0]);
}
