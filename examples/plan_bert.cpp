// SPDX-License-Identifier: BSL-1.0
// BERT on Bow, in twelve configurations whose speed was published, on sequences of 128 tokens and longer ones. Large: stages of the
// embeddings and 3 layers, 7, 7 and 7 layers, micro-batches of 8; for SQuAD eight stages and micro-batches of 4. Base: the embeddings, and
// thrice 4 layers, micro-batches of 32, of 8 where sequences are long. It prints the planned speed beside the published one. No constant
// is fitted to these.
#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <pipeline_planner/blocks.hpp>
#include <pipeline_planner/networks.hpp>
#include <plan_bert/long_sequences.hpp>

#include <cstdio>
#include <initializer_list>
#include <utility>
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
std::vector<published_run> runs_of_large(const std::vector<std::size_t>& cuts) {
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

/// Four chips a replica, four replicas, and the state off the chips, as above.
std::vector<published_run> runs_of_base(const std::vector<std::size_t>& cuts) {
  plan::configuration c = runs_of_large(cuts)[2].with;
  c.micro_batch = 32, c.accumulation = 512;
  c.memory_proportion = .25;
  std::vector<published_run> made{{"base: PyTorch, Pod16", 15'911, c}};
  c.memory_proportion = .28;
  made.push_back({"base: PopART, Pod16", 16'391, c});
  c.shard_optimiser = false, c.memory_proportion = {.28, .26, .28, .28};
  made.push_back({"base: TensorFlow, Pod16", 15'173, c});
  return made;
}

/// The second training of base: as the first, but for the micro-batches.
std::vector<published_run> second_training(const char* name, double sequences_a_second, plan::configuration first) {
  first.micro_batch = 8;
  return {{name, sequences_a_second, first}};
}
std::vector<published_run> runs_over_512(const std::vector<std::size_t>& cuts) {
  return second_training("base, 512 tokens: PopART, Pod16", 3656, runs_of_base(cuts)[1].with);
}
std::vector<published_run> runs_over_384(const std::vector<std::size_t>& cuts) {
  return second_training("base, 384 tokens: TensorFlow, Pod16", 4387, runs_of_base(cuts)[2].with);
}

/// Two replicas of eight chips, and the state on the chips.
std::vector<published_run> runs_of_questions(const std::vector<std::size_t>& cuts) {
  plan::configuration c = runs_of_large(cuts)[2].with;
  c.ipus = 8, c.replicas = 2, c.micro_batch = 4, c.accumulation = 32, c.optimiser_off_chip = false;
  c.memory_proportion = {.10, .30, .32, .34, .36, .38, .40, .32};
  std::vector<published_run> made{{"large, SQuAD: PopART, Pod16", 1183, c}};
  c.memory_proportion = {.08, .28, .32, .32, .36, .38, .40, .32};
  made.push_back({"large, SQuAD: PyTorch, Pod16", 1009, c});
  return made;
}

/// Prints the runs of a network whose stages begin with these blocks; the planned speeds.
std::vector<double> print_runs(std::vector<train::planned_network> versions, std::initializer_list<const char*> begins,
                               std::vector<published_run> (&runs)(const std::vector<std::size_t>&)) {
  train::planner planner(ipu::bow, std::move(versions));
  const nn::network_on_tiles& network = planner.network({.precision = plan::numbers::f16_16});
  std::vector<std::size_t> cuts;
  for (const char* first : begins) cuts.push_back(pipeline_planner::block_of(network, first));
  std::vector<double> speeds;
  for (const published_run& run : runs(cuts)) {
    const plan::prediction p = planner(run.with);
    const double speed = p.samples_per_second();
    std::printf("%-36s %9.0f %9.0f %+6.1f%% %6.1f%%\n", run.name, run.sequences_a_second, speed, 100 * (speed / run.sequences_a_second - 1),
                100 * static_cast<double>(p.memory[p.fullest()].bytes.total()) / static_cast<double>(p.tile_memory.value));
    speeds.push_back(speed);
  }
  return speeds;
}

}  // namespace

int main() {
  std::printf("%-36s %9s %9s %7s %7s\n", "sequences a second", "published", "plan", "error", "tile");
  const std::vector<double> speeds = print_runs(pipeline_planner::bert_large(), {"layer[3]", "layer[10]", "layer[17]"}, runs_of_large);
  const std::vector<double> base = print_runs(pipeline_planner::bert_base(), {"layer[0]", "layer[4]", "layer[8]"}, runs_of_base);
  print_runs(plan_bert::base_over_512_tokens(), {"layer[0]", "layer[4]", "layer[8]"}, runs_over_512);
  print_runs(plan_bert::base_over_384_tokens(), {"layer[0]", "layer[4]", "layer[8]"}, runs_over_384);
  print_runs(plan_bert::large_for_questions(), {"layer[2]", "layer[5]", "layer[8]", "layer[11]", "layer[14]", "layer[17]", "layer[20]"},
             runs_of_questions);
  const auto ratio = [&](const char* name, double published, double planned) {
    std::printf("%-36s %9.2f %9.2f %+6.1f%%\n", name, published, planned, 100 * (planned / published - 1));
  };
  ratio("Pod64 by Pod16 (T2 by T1)", 4.02, speeds[1] / speeds[0]);
  ratio("PopART by TensorFlow (T3 by T1)", 5179.0 / 4527, speeds[2] / speeds[0]);
  ratio("base by large, PopART", 16'391.0 / 5179, base[1] / speeds[2]);
  ratio("base by large, TensorFlow", 15'173.0 / 4527, base[2] / speeds[0]);
}
