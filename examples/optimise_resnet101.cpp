// SPDX-License-Identifier: BSL-1.0
// ResNet-101 in training on two chips, from a configuration that does not fit to one that is fast, as a course of the vendor's walked it:
// each step's change by the plan, and beside it the cycles that were published.
#include <ipuflow/chips.hpp>
#include <ipuflow/plan/predict/fits_fault.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <pipeline_planner/blocks.hpp>
#include <pipeline_planner/networks.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

using namespace ipuflow;

namespace {

struct step_of_path {
  const char* change;
  plan::configuration with;
  std::uint64_t published;  // cycles of the profile; 0: none
};

// begin: path
/// Each step changes one thing of the one before.
std::vector<step_of_path> path(std::size_t cut) {
  plan::configuration c{.cuts = {cut},
                        .schedule = "popart",
                        .ipus = 2,
                        .micro_batch = 64,
                        .accumulation = 3,
                        .precision = plan::numbers::f32_32,
                        .recompute = schedule::all_stages};
  std::vector<step_of_path> made{{"32.32, accumulation 3", c, 0}};
  c.precision = plan::numbers::f16_16;
  made.push_back({"16.16", c, 60'111'417});
  c.accumulation = 8;
  made.push_back({"accumulation 8", c, 95'653'315});
  c.device_iterations = 4;
  made.push_back({"4 device iterations", c, 283'021'420});
  c.bytes_in = true;
  made.push_back({"8-bit I/O", c, 278'393'266});
  c.asynchronous_loading = true;
  made.push_back({"asynchronous loading", c, 0});
  return made;
}
// end: path

/// The cut in a version of the network: with bytes there is one block more, which converts them.
std::vector<std::size_t> cut_of(const train::planner& planner, const plan::configuration& c) {
  return {pipeline_planner::block_of(planner.network(c), "layer3[8]")};
}

double mebibytes(std::uint64_t n) { return static_cast<double>(n) / 1024 / 1024; }

}  // namespace

int main() {
  train::planner planner(ipu::mk2, pipeline_planner::resnet101());
  std::vector<step_of_path> steps = path(0);
  std::vector<plan::prediction> plans;
  for (step_of_path& s : steps) {
    s.with.cuts = cut_of(planner, s.with);
    plans.push_back(planner(s.with));
  }

  // begin: call
  // A published profile begins before the host has anything ready. That time is fitted to the first row that has one, and to no other.
  const double first = static_cast<double>(steps[1].published) - static_cast<double>(plans[1].total.value);
  const seconds call = cycles{static_cast<std::uint64_t>(first)} / ipu::mk2.clock;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].with.call_time = call;
    plans[i] = planner(steps[i].with);
  }
  // end: call
  std::printf("A call takes %.1f ms, so that the plan of '%s' is what was published.\n\n", call.value * 1e3, steps[1].change);

  std::printf("%-22s %8s %8s %11s %9s %11s %7s %6s\n", "", "chip 0", "chip 1", "bytes in", "labels", "published", "plan", "error");
  std::printf("%-22s %8s %8s %11s %9s %11s %7s %6s\n", "", "% full", "% full", "chip 0", "chip 1", "Mcycles", "", "%");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const plan::prediction& p = plans[i];
    const auto full = [&](std::size_t chip) {
      return 100 * static_cast<double>(p.memory[chip].bytes.total()) / static_cast<double>(p.tile_memory.value);
    };
    std::printf("%-22s %8.1f %8.1f %7.1f MiB %9llu", steps[i].change, full(0), full(1), mebibytes(p.from_host[0]),
                static_cast<unsigned long long>(p.from_host[1]));
    const double cycles_of_step = static_cast<double>(p.total.value), published = static_cast<double>(steps[i].published);
    if (published > 0)
      std::printf(" %11.1f %7.1f %+6.1f\n", published / 1e6, cycles_of_step / 1e6, 100 * (cycles_of_step / published - 1));
    else
      std::printf(" %11s %7.1f\n", "", cycles_of_step / 1e6);
  }

  std::printf("\nbytes in and cycles are of a step: of %zu samples first, of %zu in the end\n", plans.front().samples, plans.back().samples);
  std::printf("\n%-22s %10s %8s %8s\n", "", "samples/s", "by first", "published");
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const double speed = plans[i].samples_per_second(), of_first = plans[1].samples_per_second();
    std::printf("%-22s %10.0f %8.2f", steps[i].change, speed, speed / of_first);
    if (steps[i].published > 0) {
      const double rate = static_cast<double>(plans[i].samples) / static_cast<double>(steps[i].published);
      std::printf(" %8.2f", rate / (static_cast<double>(plans[1].samples) / static_cast<double>(steps[1].published)));
    }
    std::printf("\n");
  }

  std::printf("\nwith 5 %% of each tile's memory kept free:\n");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto wrong = plan::verify_fits(plans[i]);
    std::printf("%s: %s\n", steps[i].change, wrong ? std::string(sentence(wrong).view()).c_str() : "fits");
  }
}
