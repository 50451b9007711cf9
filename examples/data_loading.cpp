// SPDX-License-Identifier: BSL-1.0
// Is the loader fast enough? The experiment of the data-loading tutorial with its options: how many images a second the loader
// gives, how many a pipeline can train on when its data cost nothing, and how many both manage together; on threads of this
// machine or, counted, on four chips that wait for the loader of this machine.
#include "command_line/command_line.hpp"
#include "data_loading/experiment.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <string>

int main(int count, char** arguments) {
  CLI::App app{"Finds out whether loading data or training limits the speed"};
  app.option_defaults()->always_capture_default();
  experiment e;
  std::string images = "digits";
  std::string where = "threads";
  std::string mode = "async";
  std::size_t miss_sleep = 100;
  app.add_option("--images", images, "digits, or made-up: as large as the tutorial's")->check(CLI::IsMember({"digits", "made-up"}));
  auto* const items = app.add_option("--items", e.items, "Images that are made up");
  app.add_option("--on", where, "threads: measured; chips: counted on four")->check(CLI::IsMember({"threads", "chips"}));
  app.add_option("--batch-size", e.batch_size, "Samples in a micro-batch");
  app.add_option("--device-iterations", e.device_iterations, "Updates in a step");
  app.add_option("--replicas", e.replicas, "Copies of the pipeline");
  app.add_flag("--synthetic-data", e.synthetic, "Nothing but training on data that cost nothing");
  app.add_option("--workers", e.loading.workers, "Threads of the loader");
  app.add_option("--mode", mode, "Of the loader")->check(CLI::IsMember({"sync", "async", "async-rebatched"}));
  app.add_option("--buffer-size", e.loading.async.buffer_size, "Steps that an asynchronous loader has ready");
  app.add_option("--miss-sleep", miss_sleep, "Microseconds that an idle worker naps")->check(CLI::Range(0, 1'000'000));
  app.add_flag("--early-preload", e.loading.async.early_preload, "Fill the buffer when the loader is made");
  app.add_option("--passes", e.passes, "Over the data, for each figure")->check(CLI::Range(std::size_t{1}, std::size_t{1} << 30));
  return command_line::print(app, count, arguments, "ipuflow: these images do not fit into memory; make up fewer, or take smaller steps", [&] {
    if (items->count() > 0 && images == "digits") throw CLI::ValidationError("--items", "the digits are those of files; give --images made-up, too, or leave it out");
    e.on_chips = where == "chips";
    e.loading.async.miss_sleep = std::chrono::microseconds{miss_sleep};
    e.loading.mode = mode == "sync" ? feed::loading::sync : mode == "async" ? feed::loading::async : feed::loading::async_rebatched;
    (images == "digits" ? with_digits : with_made_up_images)(e);
    return "";  // it prints as it goes
  });
}
