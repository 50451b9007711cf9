// SPDX-License-Identifier: BSL-1.0
// A command that plans a pipeline: the best partition into stages of a chain of blocks that was profiled, as one JSON object.
// Bad input, and a chain that does not fit, end with one sentence and exit status 2.
#include "command_line/command_line.hpp"
#include "pipeline_planner/chain.hpp"

#include <CLI/CLI.hpp>

#include <string>

using namespace ipuflow;

namespace {

struct request {
  std::string chain;
  std::string load = "compute";
  plan::balance_options rules{};
};

void describe(CLI::App& app, request& wanted) {
  constexpr std::size_t most = std::size_t{1} << 62;
  plan::balance_options& rules = wanted.rules;
  app.add_option("--chain", wanted.chain, "a file with a line: chain, name, number of blocks, and for each block forward, backward (in us), "
                                          "bytes of the cut behind it, of its parameters, of its activations")
      ->required();
  app.add_option("--stages", rules.stages, "number of stages")->required()->check(CLI::Range(1, 4096));
  app.add_flag("--fewer-stages", rules.fewer_stages, "or fewer, if the longest stage is no longer then");
  app.add_option("--load", wanted.load, "what a stage is busy with: compute alone, compute and the copies at its cuts, or the longer of "
                                        "compute and any copy, where they overlap")
      ->check(CLI::IsMember({"compute", "copies", "overlap"}));
  app.add_option("--bytes-per-us", rules.link.rate, "what a link between stages carries in a microsecond each way")
      ->check(CLI::Range(std::size_t{1}, most));
  app.add_option("--memory", rules.chip.memory, "bytes of a chip: parameters four times, and the stash of 1F1B")
      ->check(CLI::Range(std::size_t{0}, most));
  app.add_flag("--recompute", rules.recompute, "blocks may run forward again where that makes a stage fit");
  app.callback([&wanted, &rules] {
    rules.load = wanted.load == "copies" ? plan::load_kind::copies : wanted.load == "overlap" ? plan::load_kind::overlap : plan::load_kind::compute;
    if (rules.load != plan::load_kind::compute && rules.link.rate == 0) throw CLI::RequiredError("--bytes-per-us");
  });
}

}  // namespace

int main(int argc, char** argv) {
  request wanted;
  CLI::App app{"Plans pipelines"};
  describe(app, wanted);
  return command_line::answer(app, argc, argv, "ipuflow: this chain does not fit into memory; give a smaller file", [&] {
    return pipeline_planner::balanced_json(pipeline_planner::read_chain(command_line::read_file(wanted.chain)), wanted.rules);
  });
}
