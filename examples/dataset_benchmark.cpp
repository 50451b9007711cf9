// SPDX-License-Identifier: BSL-1.0
// How fast data can be had: of a dataset itself, its loader, or an infeed, without anybody using it. Prints the report as JSON.
#include "command_line/command_line.hpp"

#include <ipuflow/feed.hpp>
#include <ipuflow/feed/dataset_benchmark.hpp>

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace ipuflow;

enum class source { dataset, sync, async, async_rebatched, infeed, synthetic };

const std::map<std::string, source> sources{{"dataset", source::dataset}, {"sync", source::sync}, {"async", source::async},
    {"async_rebatched", source::async_rebatched}, {"infeed", source::infeed}, {"synthetic", source::synthetic}};

struct settings {
  std::string images{}, labels{}, from = "async";
  std::size_t items = 1000, width = 28 * 28, step = 100, workers = 0, worker_batch = 0, miss_sleep = 100, epochs = 3, elements = 0;
  std::optional<std::uint64_t> shuffle{};
  bool copies = false;
};

void describe(CLI::App& app, settings& s) {
  auto* images = app.add_option("--images", s.images, "IDX file of images; without it, memory is made up");
  auto* labels = app.add_option("--labels", s.labels, "IDX file of their labels")->needs(images);
  images->needs(labels);
  app.add_option("--items", s.items, "samples to make up")->excludes(images);
  app.add_option("--width", s.width, "floats in each")->excludes(images);
  app.add_option("--step", s.step, "samples that a loader hands over at once");
  app.add_option("--workers", s.workers, "threads that load");
  app.add_option("--worker-batch", s.worker_batch, "samples that a worker takes at a time; 0: a step");
  app.add_option("--miss-sleep", s.miss_sleep, "microseconds that an idle worker naps")->check(CLI::Range(0, 1'000'000));
  app.add_option("--shuffle", s.shuffle, "seed");
  app.add_option("--epochs", s.epochs, "epochs to measure");
  app.add_option("--elements", s.elements, "elements in each: samples or steps; 0: all of them");
  app.add_flag("--memcpy", s.copies, "copy every tensor once more, as a device would");
  std::vector<std::string> names;
  for (const auto& known : sources) names.push_back(known.first);
  app.add_option("--from", s.from, "what is measured")->check(CLI::IsMember(names));
}

template <class Source>
std::string report(Source&& from, const settings& s, std::size_t everything) {
  const std::size_t elements = s.elements > 0 ? s.elements : everything;
  return feed::to_json(feed::benchmark(from, {s.epochs, elements, s.copies})) + "\n";
}

template <class Dataset>
std::string run(const Dataset& d, const settings& s) {
  const source from = sources.at(s.from);
  feed::loader_options o{.workers = s.workers, .shuffle = s.shuffle, .worker_batch = s.worker_batch};
  o.async.miss_sleep = std::chrono::microseconds{s.miss_sleep};
  o.mode = from == source::sync              ? feed::loading::sync
           : from == source::async_rebatched ? feed::loading::async_rebatched
                                             : feed::loading::async;
  const std::size_t steps = feed::steps_per_epoch(d.size(), s.step);
  if (from == source::dataset) return s.shuffle ? report(d | feed::shuffle(*s.shuffle), s, d.size()) : report(d, s, d.size());
  if (from == source::synthetic) return report(feed::synthetic_like(d, steps, s.step), s, steps);
  auto loader = feed::load(d, s.step, o);
  if (from == source::infeed) return report(feed::infeed{loader | feed::repeat()}, s, steps);
  return report(loader, s, steps);
}

int main(int argc, char** argv) {
  settings s;
  CLI::App app{"Measures a dataset, a loader or an infeed, and prints JSON"};
  describe(app, s);
  return command_line::print(app, argc, argv, "ipuflow: these samples do not fit into memory; measure fewer or smaller ones", [&] {
    if (!s.images.empty()) return run(feed::idx(s.images, s.labels), s);
    const auto floats = samples{s.items} * s.width;  // throws where there are more than can be counted
    const std::vector<float> pixels(floats.value, 1.0f);
    return run(feed::rows(pixels, s.width), s);
  });
}
