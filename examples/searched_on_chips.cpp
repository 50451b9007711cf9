// SPDX-License-Identifier: BSL-1.0
// Schedules that are searched for with costs that simulated chips counted, beside those of the catalogue, in counted cycles; and the
// frontier of time and memory of a language model with these costs.   usage: searched_on_chips [mnist | gpt | frontier]
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/nn/stage/block_chain.hpp>
#include <ipuflow/report/schedules/frontier_text.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/schedule/generators/catalogue_points.hpp>
#include <ipuflow/schedule/search/frontier.hpp>
#include <ipuflow/train.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

using namespace ipuflow;

namespace {

constexpr auto mnist = single_stage(input<half, 1, 28, 28>, per_sample<"label", std::uint8_t>,
    block<"B1">(nn::conv2d<10, 5>, nn::max_pool<2>, nn::relu), block<"B2">(nn::conv2d<20, 5>, nn::max_pool<2>, nn::relu),
    block<"B3">(nn::flatten, nn::linear<256>, nn::relu), block<"B4">(nn::linear<10>, use<"label">(nn::cross_entropy)));
constexpr auto mnist_stages = regroup(mnist, stage<"B1">().ipu<0>(), stage<"B2">().ipu<1>(), stage<"B3">().ipu<2>(), stage<"B4">().ipu<3>());

constexpr std::size_t positions = 64, width = 96, vocabulary = 96;
constexpr auto layer = block<"layer">(
    keep<"x">, nn::layer_norm, nn::linear<3 * width>, nn::causal_attention<4>, nn::linear<width>, use<"x">(nn::add),
    keep<"y">, nn::layer_norm, nn::linear<4 * width>, nn::gelu, nn::linear<width>, use<"y">(nn::add));
constexpr auto gpt = single_stage(input<std::uint8_t, positions>, per_sample<"next", tensor<std::uint8_t, positions>>,
    block<"embed">(nn::embedding<vocabulary, width>, nn::position_embedding), repeat<6>(layer),
    block<"head">(nn::layer_norm, nn::linear<vocabulary>, use<"next">(nn::cross_entropy)));
constexpr auto gpt_stages = regroup(gpt, stage<"embed", "layer[0:2]">().ipu<0>(), stage<"layer[2:4]">().ipu<1>(),
                                    stage<"layer[4:6]">().ipu<2>(), stage<"head">().ipu<3>());

constexpr train::options options{.micro_batch = 8};
using numbers = train::precision<float, half>;

/// Chips that wait only for neighbours.
on::chips chips() {
  ipu::architecture chip = ipu::mk2;
  chip.tiles = 368;  // fewer are quicker to lay out
  return {.system = ipu::pod(chip, 4), .synthetic = true, .io_tiles = 16, .sync = run::waits_for::neighbours};
}

template <class Pipeline, class Timetable>
run::chips_profile counted(const Pipeline& stages, const Timetable& timetable) {
  return train::session(stages, timetable, train::sgd{.rate = 0.1f}, options, numbers{}, chips()).cost();
}

/// What the blocks of each stage keep for their backward, until the gradients of their weights are over.
template <class Whole>
dynamic_array<schedule::activation_bytes> kept(const Whole& whole, std::initializer_list<std::size_t> ends) {
  const auto chain = nn::block_chain(whole, chips().system.chip, {.samples = options.micro_batch, .training = true});
  dynamic_array<schedule::activation_bytes> made;
  std::size_t block = 0;
  for (const std::size_t end : ends) {
    std::ptrdiff_t bytes = 0;
    for (; block < end; ++block) bytes += static_cast<std::ptrdiff_t>(chain[block].activation_bytes);
    made.push_back({bytes, 0, -bytes});
  }
  return made;
}

/// Costs with the cycles of the larger message that a stage sends, of values forward or gradients back.
template <class Pipeline>
schedule::costs_of_stages<schedule::most_stages> with_messages(const Pipeline& network, schedule::costs_of_stages<schedule::most_stages> costs) {
  const auto facts = stages(network);
  for (std::size_t s = 0; s < costs.stage.size(); ++s) {
    const std::size_t forward = s + 1 < facts.size() ? facts[s].output_bytes.value : 0;
    const std::size_t back = s > 0 ? facts[s - 1].output_bytes.value : 0;
    const std::vector<ipu::chip_transfer> one{{0, 1, bytes{options.micro_batch * std::max(forward, back)}}};
    costs.stage[s].communication = ipu::transfer_time(chips().system, one).value;
  }
  return costs;
}

constexpr std::size_t count = 16;
constexpr schedule::grid where{.ipus = 4, .stages = 4, .micro_batches = count};

/// Prints the cycles of the catalogue's schedules, and of two that are searched for within the same memory: with whole backwards and
/// with split ones, each with the costs that chips counted of such passes. False if both are slower than the catalogue's fastest.
template <class Pipeline>
bool compare(const char* name, const Pipeline& stages, const dynamic_array<schedule::activation_bytes>& bytes) {
  // begin: costs
  const auto whole = schedule::one_f_one_b(stages, micro_batches<count>);
  const auto split = schedule::zb1p(stages, micro_batches<count>);
  const auto costs_of_whole = with_messages(stages, run::costs_in(counted(stages, whole), whole, 0));
  const auto costs_of_split = with_messages(stages, run::costs_in(counted(stages, split), split, 0));
  // end: costs
  std::cout << name << '\n';
  report::text_table table{{"schedule", "cycles", "expected", "no less than", "bytes"}};
  std::size_t fastest = static_cast<std::size_t>(-1);
  schedule::search_memory memory;
  memory.stages = bytes;
  memory.limits = dynamic_array<std::size_t>(1, 0);
  for (const auto& point : schedule::catalogue_points(where, costs_of_split, bytes, schedule::search_metric::makespan)) {
    schedule::with_schedule(point.name, {.ipus = 4, .stages_per_ipu = 1, .micro_batches = count}, costs_of_split, [&](const auto& t) {
      const bool splits = point.name == "zb1p" || point.name == "zb2p";
      const std::size_t cycles = counted(stages, schedule::tabulate(t)).chips.total.value;
      table.row({std::string{point.name}, std::to_string(cycles), std::to_string(schedule::makespan(t, splits ? costs_of_split : costs_of_whole)), "-",
                 std::to_string(point.peak_bytes)});
      if (cycles < fastest) memory.limits[0] = point.peak_bytes;
      fastest = std::min(fastest, cycles);
    });
  }
  // begin: search
  std::size_t found = static_cast<std::size_t>(-1);
  for (const bool splits : {false, true}) {
    auto costs = splits ? costs_of_split : costs_of_whole;
    for (const char* const round : {"", " again"}) {
      const auto best = schedule::search(where, costs, memory, {.metric = schedule::search_metric::makespan, .split = splits, .iterations = 2000});
      const run::chips_profile profile = counted(stages, best.timetable);
      costs = with_messages(stages, run::costs_in(profile, best.timetable, 0));  // as they are in this very schedule
      const std::size_t cycles = profile.chips.total.value;
      table.row({(splits ? "search, split" : "search, whole") + std::string{round}, std::to_string(cycles), std::to_string(best.makespan),
                 std::to_string(best.lower_bound), std::to_string(best.peak_bytes)});
      found = std::min(found, cycles);
    }
  }
  // end: search
  std::cout << table.text() << "the searched one is not slower, within the memory of the catalogue's fastest: " << (found <= fastest ? "yes" : "no") << "\n\n";
  return found <= fastest;
}

/// Prints the frontier of time and memory of a network with the costs that chips counted.
template <class Pipeline>
void show_frontier(const Pipeline& stages, const dynamic_array<schedule::activation_bytes>& bytes) {
  const auto split = schedule::zb1p(stages, micro_batches<count>);
  const auto costs = with_messages(stages, run::costs_in(counted(stages, split), split, 0));
  // begin: frontier
  const auto metric = schedule::search_metric::makespan;
  const auto found = schedule::frontier(where, costs, bytes, {.each = {.metric = metric, .iterations = 500}, .chosen = 12});
  std::cout << report::frontier_text(found, schedule::catalogue_points(where, costs, bytes, metric), metric, costs);
  // end: frontier
}

}  // namespace

int main(int argc, char** arguments) {
  const std::string_view asked = argc > 1 ? arguments[1] : "";
  if (argc > 2 || (!asked.empty() && asked != "mnist" && asked != "gpt" && asked != "frontier")) {
    const bool help = asked == "--help" || asked == "-h";
    (help ? std::cout : std::cerr) << "usage: " << arguments[0] << " [mnist | gpt | frontier]\n";
    return help ? 0 : 2;
  }
  bool good = true;
  if (asked.empty() || asked == "mnist") good = compare("MNIST", mnist_stages, kept(mnist, {1, 2, 3, 4})) && good;
  if (asked.empty() || asked == "gpt") good = compare("GPT", gpt_stages, kept(gpt, {3, 5, 7, 8})) && good;
  if (asked == "frontier") show_frontier(gpt_stages, kept(gpt, {3, 5, 7, 8}));
  return good ? 0 : 1;
}
