// SPDX-License-Identifier: BSL-1.0
// What training of the MNIST pipeline takes on four simulated IPUs: in words, as a picture, as a trace, or as a page. Everything is
// counted and nothing computed, so it answers at once.
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/report.hpp>
#include <ipuflow/report/page/chips_part.hpp>
#include <ipuflow/report/page/document.hpp>
#include <ipuflow/report/page/schedule_part.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <optional>
#include <string>

#include "command_line/command_line.hpp"

using namespace ipuflow;

namespace {

constexpr auto mnist = pipeline(input<float, 1, 28, 28>, per_sample<"label", std::uint8_t>,
    stage(block<"B1">(nn::conv2d<10, 5>, nn::max_pool<2>, nn::relu)),
    stage(block<"B2">(nn::conv2d<20, 5>, nn::max_pool<2>, nn::relu)),
    stage(block<"B3">(nn::flatten, nn::linear<256>, nn::relu)),
    stage(block<"B4">(nn::linear<10>, use<"label">(nn::cross_entropy))));

struct request {
  std::string view = "summary";
  std::string schedule = "grouped";
  std::string against{};
  std::size_t micro_batches = 16;
  std::size_t updates = 1;
  std::size_t replicas = 1;
  std::size_t io_tiles = 0;
  std::optional<std::size_t> highlight{};
  bool offload_optimiser = false;
};

// begin: cost
run::chips_profile profile_of(const schedule::table& timetable, const request& r) {
  const train::options options{.micro_batch = 40, .device_iterations = r.updates, .replicas = r.replicas};
  on::chips chips{.system = ipu::pod(ipu::mk2, 4 * r.replicas), .io_tiles = r.io_tiles};
  if (r.offload_optimiser) chips.optimiser_state = run::kept_in::streaming_memory;
  const train::session session(mnist, timetable, train::adamw{}, options, chips);
  return session.cost();
}
// end: cost

// begin: views
void show(const run::chips_profile& profile, const request& r) {
  if (r.view == "timeline") std::cout << report::timeline_svg(profile, {.highlight = r.highlight.value_or(schedule::nowhere), .all_replicas = true});
  if (r.view == "memory") std::cout << report::memory_over_steps_svg(profile.chips);
  if (r.view == "tiles") std::cout << report::memory_by_tile_svg(profile.chips);
  if (r.view == "trace") report::trace_json(std::cout, profile);
  if (r.view == "summary") std::cout << report::summary(profile, {.samples = 40 * r.micro_batches * r.updates * r.replicas});
}
// end: views

// begin: page
void add_to_page(report::page_builder& page, const std::string& schedule, const run::chips_profile& profile, const schedule::table& timetable, const request& r) {
  page.add("schedule " + schedule, profile, timetable, report::page_samples{40 * r.micro_batches * r.updates * r.replicas});
}
// end: page

}  // namespace

int main(int count, char** arguments) {
  request r;
  CLI::App app{"Profiles the MNIST pipeline on four simulated IPUs"};
  app.option_defaults()->always_capture_default();
  app.add_option("view", r.view, "What to show")
      ->check(CLI::IsMember({"summary", "timeline", "memory", "tiles", "trace", "page"}));
  app.add_option("--schedule", r.schedule, "Any schedule by its name");
  app.add_option("--against", r.against, "Another schedule, of which a summary stands behind the first; a page compares both");
  app.add_option("--micro-batches", r.micro_batches, "Between updates, of 40 images each")->check(CLI::Range(std::size_t{0}, std::size_t{1} << 20));
  app.add_option("--updates", r.updates, "Of the weights");
  app.add_option("--replicas", r.replicas, "Copies of the pipeline, four IPUs each");
  app.add_option("--io-tiles", r.io_tiles, "Of each IPU: transfers run beside compute");
  app.add_option("--highlight", r.highlight, "A micro-batch to be seen in the timeline");
  app.add_flag("--offload-optimiser", r.offload_optimiser, "Keep the optimiser's state in streaming memory");
  command_line::refuse_negative_counts(app);
  CLI11_PARSE(app, count, arguments);
  try {
    if (r.highlight && r.view != "timeline") throw error{message_text{"ipuflow: --highlight is of a timeline; ask for that view, or leave it out"}};
    if (r.highlight && *r.highlight >= r.micro_batches)
      throw error{filled("ipuflow: --highlight {got} is none of the {limit} micro-batches of an update; give a number below that",
                         {{"got", *r.highlight}, {"limit", r.micro_batches}})};
    if (!r.against.empty() && r.view != "summary" && r.view != "page")
      throw error{filled("ipuflow: --against puts a second {view} behind the first, and a file has one; ask for a page, which compares both, or for each alone",
                         {{"view", r.view}})};
    const schedule::setup asked = schedule::setup_of(mnist, r.micro_batches);
    report::page_builder page{{.title = "MNIST on four IPUs", .command = command_line::as_given("chips_profile", count, arguments)}};
    for (const std::string& name : {r.schedule, r.against}) {
      const auto profiled = [&](const auto& t) {
        const schedule::table steps = schedule::tabulate(t);
        const run::chips_profile profile = profile_of(steps, r);
        r.view == "page" ? add_to_page(page, name, profile, steps, r) : show(profile, r);
      };
      if (name == "grouped" && r.io_tiles > 0)
        profiled(schedule::grouped(asked, schedule::grouped_options{.io_tiles = true}));
      else if (!name.empty())
        schedule::with_schedule(name, asked, profiled);
    }
    if (r.view == "page") page.write(std::cout);
    command_line::throw_if_unwritten();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
