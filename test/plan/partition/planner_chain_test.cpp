// SPDX-License-Identifier: BSL-1.0
// The planner's command reads a line of a chain, or says what is wrong with it, and prints what reads back as JSON.
#include <pipeline_planner/chain.hpp>
#include <report/json.hpp>

#include "partition_cases.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace planner_chain_test {

using namespace ipuflow;
using pipeline_planner::read_chain;

namespace {

std::string refusal(const std::string& text) {
  try {
    (void)read_chain(text);
  } catch (const error& bad) {
    return bad.what();
  }
  return {};
}

std::string line_of(std::span<const plan::chain_block> blocks) {
  std::string text = "chain\tsome\"net\"\t" + std::to_string(blocks.size()) + "\t";
  for (const plan::chain_block& b : blocks) {
    for (const std::size_t number : {b.forward, b.backward, b.cut_bytes, b.parameter_bytes}) text += std::to_string(number) + ",";
    text += std::to_string(b.activation_bytes) + " ";
  }
  return text + "\n";
}

}  // namespace

TEST_CASE("what is written is read") {
  const auto read = read_chain("# a comment\r\n\r\n" + line_of(partition_cases::resnet101));
  CHECK(read.name == "some\"net\"");
  CHECK(std::equal(read.blocks.begin(), read.blocks.end(), partition_cases::resnet101.begin(), partition_cases::resnet101.end()));
  CHECK(read_chain("chain a 1 1,2,3,4,5").blocks[0] == plan::chain_block{1, 2, 3, 4, 5});
  CHECK(read_chain("\xEF\xBB\xBF" "chain a 1 1,2,3,4,5").name == "a");  // as some editors write UTF-8
}

TEST_CASE("what is not a chain is refused in a sentence") {
  CHECK(refusal("") == "ipuflow: there is no chain; write chain, a name, the number of blocks and the blocks");
  CHECK(refusal("\n\n # x\n") == refusal(""));
  CHECK(refusal("answer a 2") == "ipuflow: a line begins with 'answer'; a chain begins with chain");
  CHECK(refusal(std::string(50, '\x01')) == "ipuflow: a line begins with '" + std::string(40, '?') + "...'; a chain begins with chain");
  CHECK(refusal("chain a 0\nchain b 0") == "ipuflow: a second chain follows 'a'; give a file with one");
  CHECK(refusal("chain") == "ipuflow: '' in the number of blocks is no whole number below 2 to the 64");
  CHECK(refusal("chain a 2 1,2,3,4,5") == "ipuflow: chain 'a' says 2 blocks and has 1");
  CHECK(refusal("chain a 1 1,2,3,4,5 1,2,3,4,5") == "ipuflow: chain 'a' says 1 block and has 2");
  for (const std::string block : {"1,2,3,4", "1,2,3,4,5,6", "1,2,3,4,5,"}) {
    CHECK(refusal("chain a 1 " + block) ==
          "ipuflow: block 0 is '" + block + "'; write five numbers: forward, backward, bytes of its cut, parameters and activations");
  }
  for (const std::string number : {"-1", "+1", "1.5", "", "x", "0x10", "18446744073709551616"}) {
    CHECK(refusal("chain a 2 1,2,3,4,5 1,2," + number + ",4,5") ==
          "ipuflow: '" + number + "' in block 1 is no whole number below 2 to the 64");
  }
}

TEST_CASE("the answer is one JSON object") {
  const auto chain = read_chain(line_of(partition_cases::gnmt));
  const json::value answer = json::parser{pipeline_planner::balanced_json(chain, {.stages = 3})}.parse();
  CHECK(answer["chain"].text == "some\"net\"");
  CHECK(answer["bottleneck"].number == 43'480);
  REQUIRE(answer["cuts"].items.size() == 2);
  CHECK(answer["cuts"].items[0].number == 4);
  CHECK(answer["cuts"].items[1].number == 7);
  CHECK(answer["stages"].items[2]["end"].number == 9);
  CHECK(answer["recomputed"].items.empty());
}

}  // namespace planner_chain_test
