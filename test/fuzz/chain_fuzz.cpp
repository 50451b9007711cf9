// SPDX-License-Identifier: BSL-1.0
// libFuzzer against the planner's reader of chains: a text is refused with a sentence, or its blocks are read again from what is
// written of them, and the partition that is said of them is JSON, in order, covers each block once and has no stage above its
// bottleneck.
#include "../report/json.hpp"
#include "memory_file.hpp"

#include <pipeline_planner/chain.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

using namespace ipuflow;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using fuzz::expect;

std::string written(const pipeline_planner::named_chain& c) {
  std::string text = "# a chain\nchain " + c.name + " " + std::to_string(c.blocks.size());
  for (const plan::chain_block& b : c.blocks) {
    text += " ";
    for (const std::size_t n : {b.forward, b.backward, b.cut_bytes, b.parameter_bytes, b.activation_bytes}) text += std::to_string(n) + ",";
    text.pop_back();
  }
  return text + "\n\n";
}

void use(const pipeline_planner::named_chain& chain, std::size_t stages) {
  const std::string text = written(chain);
  expect(written(pipeline_planner::read_chain(text)) == text);
  if (chain.blocks.size() > 40) return;
  plan::balance_options rules;
  rules.stages = stages;
  const json::value said = json::parsed(pipeline_planner::balanced_json(chain, rules));
  double next = 0;
  for (const json::value& stage : said["stages"].items) {
    expect(stage["first"].number == next && stage["end"].number > next);
    expect(stage["load"].number <= said["bottleneck"].number);
    next = stage["end"].number;
  }
  expect(next == static_cast<double>(chain.blocks.size()));
  expect(said["lower_bound"].number <= said["bottleneck"].number);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text{reinterpret_cast<const char*>(data) + 1, size - 1};
  try {
    use(pipeline_planner::read_chain(text), 1 + data[0] % 6);
  } catch (const error& wrong) {
    expect(std::string_view{wrong.what()}.starts_with("ipuflow: "));
  }
  return 0;
}

/// Sometimes puts a piece of the format somewhere; otherwise changes bytes.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned int seed) {
  constexpr std::string_view words[] = {"chain ", "chain x 2 1,2,3,4,5 5,4,3,2,1\n", "\n", " ", ",", "#", "0", "1,1,1,1,1 ", "18446744073709551615", "18446744073709551616", "4611686018427387904"};
  const std::string_view word = words[seed / 8 % (sizeof words / sizeof *words)];
  if (seed % 2 != 0 || size == 0 || size + word.size() > most) return LLVMFuzzerMutate(data, size, most);
  const std::size_t at = 1 + seed / 256 % size;
  std::memmove(data + at + word.size(), data + at, size - at);
  std::memcpy(data + at, word.data(), word.size());
  return size + word.size();
}
