// SPDX-License-Identifier: BSL-1.0
// How fast data can be had: of a dataset itself, its loader, or an infeed, without anybody using it. Prints the report as JSON.
#include "command_line/command_line.hpp"

#include <ipuflow/feed.hpp>
#include <ipuflow/feed/dataset_benchmark.hpp>

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace ipuflow;

enum class source { dataset, sync, async, async_rebatched, infeed, synthetic };

struct settings {
  std::string images{}, labels{};
  std::size_t items = 1000, width = 28 * 28, step = 100, workers = 0, worker_batch = 0, epochs = 3, elements = 0;
  long miss_sleep = 100;
  std::optional<std::uint64_t> shuffle{};
  source from = source::async;
  bool copies = false;
};

settings parse(int argc, char** argv) {
  settings s;
  CLI::App app{"Measures a dataset, a loader or an infeed, and prints JSON"};
  auto* images = app.add_option("--images", s.images, "IDX file of images; without it, memory is made up");
  app.add_option("--labels", s.labels, "IDX file of their labels")->needs(images);
  app.add_option("--items", s.items, "samples to make up");
  app.add_option("--width", s.width, "floats in each");
  app.add_option("--step", s.step, "samples that a loader hands over at once");
  app.add_option("--workers", s.workers, "threads that load");
  app.add_option("--worker-batch", s.worker_batch, "samples that a worker takes at a time; 0: a step");
  app.add_option("--miss-sleep", s.miss_sleep, "microseconds that an idle worker naps");
  app.add_option("--shuffle", s.shuffle, "seed");
  app.add_option("--epochs", s.epochs, "epochs to measure");
  app.add_option("--elements", s.elements, "elements in each: samples or steps; 0: all of them");
  app.add_flag("--memcpy", s.copies, "copy every tensor once more, as a device would");
  const std::map<std::string, source> names{{"dataset", source::dataset}, {"sync", source::sync},
      {"async", source::async}, {"async_rebatched", source::async_rebatched}, {"infeed", source::infeed},
      {"synthetic", source::synthetic}};
  app.add_option("--from", s.from, "what is measured")->transform(CLI::CheckedTransformer(names));
  command_line::refuse_negative_counts(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& stop) {
    std::exit(app.exit(stop));
  }
  return s;
}

template <class Source>
void report(Source&& from, const settings& s, std::size_t everything) {
  const std::size_t elements = s.elements > 0 ? s.elements : everything;
  std::puts(feed::to_json(feed::benchmark(from, {s.epochs, elements, s.copies})).c_str());
}

template <class Dataset>
void run(const Dataset& d, const settings& s) {
  feed::loader_options o{.workers = s.workers, .shuffle = s.shuffle, .worker_batch = s.worker_batch};
  o.async.miss_sleep = std::chrono::microseconds{s.miss_sleep};
  o.mode = s.from == source::sync              ? feed::loading::sync
           : s.from == source::async_rebatched ? feed::loading::async_rebatched
                                               : feed::loading::async;
  const std::size_t steps = feed::steps_per_epoch(d.size(), s.step);
  if (s.from == source::dataset) return s.shuffle ? report(d | feed::shuffle(*s.shuffle), s, d.size()) : report(d, s, d.size());
  if (s.from == source::synthetic) return report(feed::synthetic_like(d, steps, s.step), s, steps);
  auto loader = feed::load(d, s.step, o);
  if (s.from == source::infeed) return report(feed::infeed{loader | feed::repeat()}, s, steps);
  report(loader, s, steps);
}

int main(int argc, char** argv) {
  const settings s = parse(argc, argv);
  try {
    if (!s.images.empty()) {
      run(feed::idx(s.images, s.labels), s);
    } else {
      const auto floats = samples{s.items} * s.width;  // throws where there are more than can be counted
      const std::vector<float> pixels(floats.value, 1.0f);
      run(feed::rows(pixels, s.width), s);
    }
  } catch (const error& wrong) {
    std::fprintf(stderr, "%s\n", wrong.what());
    return 1;
  } catch (const std::exception&) {  // of memory
    std::fprintf(stderr, "ipuflow: these samples do not fit into memory; measure fewer or smaller ones\n");
    return 1;
  }
}
