// SPDX-License-Identifier: BSL-1.0
// A command that plans a pipeline. Of a network that it knows: does a configuration fit its chips, how fast is it, and what bounds it. Of
// a chain of blocks that was profiled: the best partition into stages, as one JSON object. Bad input, and a chain that does not fit, end
// with one sentence and exit status 2.
#include "command_line/command_line.hpp"
#include "pipeline_planner/chain.hpp"

#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <pipeline_planner/request.hpp>

#include <CLI/CLI.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace ipuflow;

namespace {

struct request {
  std::string chain;
  std::string load = "compute";
  std::string recompute;
  plan::balance_options rules{};
  pipeline_planner::network_request planned{};
};

/// The options of a chain.
void describe_chain(CLI::App& app, CLI::Option* chain, request& wanted) {
  constexpr std::size_t most = std::size_t{1} << 62;
  plan::balance_options& rules = wanted.rules;
  app.add_option("--stages", rules.stages, "number of stages")->check(CLI::Range(1, 4096))->needs(chain);
  app.add_flag("--fewer-stages", rules.fewer_stages, "or fewer, if the longest stage is no longer then")->needs(chain);
  app.add_option("--load", wanted.load, "what a stage is busy with: compute alone, compute and the copies at its cuts, or the longer of "
                                        "compute and any copy, where they overlap")
      ->check(CLI::IsMember({"compute", "copies", "overlap"}))
      ->needs(chain);
  app.add_option("--bytes-per-us", rules.link.rate, "what a link between stages carries in a microsecond each way")
      ->check(CLI::Range(std::size_t{1}, most))
      ->needs(chain);
  app.add_option("--memory", rules.chip.memory, "bytes of a chip: parameters four times, and the stash of 1F1B")
      ->check(CLI::Range(std::size_t{0}, most))
      ->needs(chain);
}

void describe(CLI::App& app, request& wanted) {
  CLI::Option* const chain =
      app.add_option("--chain", wanted.chain, "a file with a line: chain, name, number of blocks, and for each block forward, backward (in us), "
                                              "bytes of the cut behind it, of its parameters, of its activations");
  CLI::Option* const network = app.add_option("--network", wanted.planned.network, "a network to be planned on chips")->excludes(chain);
  std::vector<std::string> names;
  for (const pipeline_planner::known_network& n : pipeline_planner::known_networks) names.emplace_back(n.name);
  network->check(CLI::IsMember(std::move(names)));
  app.add_flag("--recompute{all}", wanted.recompute, "stages keep what enters them and run forward again before backward: all of them, =full for those "
                                                     "that do not fit without, or numbers, =0,2; of a chain, those blocks that make a stage fit by it");
  app.option_defaults()->group("Of a network");
  pipeline_planner::describe(app, network, wanted.planned);
  app.option_defaults()->group("Of a chain");
  describe_chain(app, chain, wanted);
  app.callback([&app, &wanted] {
    plan::balance_options& rules = wanted.rules;
    if (!wanted.planned.network.empty()) return;
    if (wanted.chain.empty()) throw CLI::RequiredError("--network or --chain");
    if (app.count("--stages") == 0) throw CLI::RequiredError("--stages");
    if (!wanted.recompute.empty() && wanted.recompute != "all") throw CLI::ValidationError("--recompute", "a chain's blocks are chosen, so it has no value");
    rules.load = wanted.load == "copies" ? plan::load_kind::copies : wanted.load == "overlap" ? plan::load_kind::overlap : plan::load_kind::compute;
    if (rules.load != plan::load_kind::compute && rules.link.rate == 0) throw CLI::RequiredError("--bytes-per-us");
    if (rules.load == plan::load_kind::compute && rules.link.rate != 0)
      throw CLI::ValidationError("--bytes-per-us", "compute alone waits for no copy; give --load copies or overlap, too");
  });
}

}  // namespace

int main(int argc, char** argv) {
  request wanted;
  CLI::App app{"Plans pipelines"};
  describe(app, wanted);
  wanted.planned.command = command_line::as_given("pipeline_planner", argc, argv);
  return command_line::answer(app, argc, argv, "ipuflow: this does not fit into memory; give a smaller one", [&] {
    if (!wanted.planned.network.empty()) {
      wanted.planned.recompute = wanted.recompute;
      return pipeline_planner::planned_text(std::move(wanted.planned));
    }
    wanted.rules.recompute = !wanted.recompute.empty();
    return pipeline_planner::balanced_json(pipeline_planner::read_chain(command_line::read_file(wanted.chain)), wanted.rules);
  });
}
