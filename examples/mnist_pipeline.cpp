// SPDX-License-Identifier: BSL-1.0
// The pipelining tutorial's program: four blocks on four IPUs, trained on MNIST and tested, with the schedule, the
// sizes and the precision of your choice, and what that would take on the chips. On the sample that comes with the
// library, or on a folder with the four files of the whole set.
#include <ipuflow/train/model_file.hpp>

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>

#include "command_line/command_line.hpp"
#include "mnist_pipeline/parts.hpp"

namespace {

void read_arguments(CLI::App& app, settings& s, int count, char** arguments) {
  app.option_defaults()->always_capture_default();
  const auto* batch = app.add_option("--batch-size", s.batch_size, "Samples in a micro-batch (sample: 8)");
  const auto* accumulation =
      app.add_option("--gradient-accumulation", s.gradient_accumulation, "Micro-batches between updates (sample: 8)");
  const auto* epochs = app.add_option("--epochs", s.epochs, "Passes over the data (sample: 15)");
  app.add_option("--device-iterations", s.device_iterations, "Updates in a step");
  app.add_option("--replicas", s.replicas, "Copies of the pipeline");
  app.add_option("--test-batch-size", s.test_batch_size, "Samples in a micro-batch of the test")->check(CLI::Range(std::size_t{1}, std::size_t{1} << 30));
  app.add_option("--learning-rate", s.learning_rate, "Of AdamW");
  app.add_option("--strategy", s.strategy, "Execution strategy")->check(CLI::IsMember({"pipelined", "sharded"}));
  app.add_option("--schedule", s.schedule, "Any schedule by its name, instead of what the strategy says");
  app.add_option("--precision", s.precision, "Of data and parameters")->check(CLI::IsMember({"float", "half"}));
  app.add_option("--threads", s.threads, "Host threads; 0: one a core");
  app.add_option("--seed", s.seed, "Of initial parameters and of the order of the data");
  app.add_option("--data", s.data, "Folder with the four files of MNIST");
  app.add_option("--save", s.save, "File for the trained parameters");
  auto* profile = app.add_flag("--profile", s.profile, "Write what threads did, and what chips would do: text, traces and pictures");
  app.add_option("--profile-dir", s.profile_dir, "Folder for the profile")->needs(profile);
  app.add_flag("--synthetic-data", s.synthetic_data, "Train on one step that costs nothing to load");
  app.add_flag("--offload-optimiser", s.offload_optimiser, "Keep the optimiser's state off the simulated chips");
  app.add_flag("--debug", s.debug, "Say more");
  command_line::refuse_negative_counts(app);
  app.parse(count, arguments);
  if (s.data != IPUFLOW_EXAMPLE_DATA) return;
  // The sample has 2,000 images: smaller batches and more epochs, so that there are as many updates as in the tutorial.
  if (batch->count() == 0) s.batch_size = 8;
  if (accumulation->count() == 0) s.gradient_accumulation = 8;
  if (epochs->count() == 0) s.epochs = 15;
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app{"Trains the MNIST network of the pipelining tutorial"};
  settings s;
  try {
    read_arguments(app, s, count, arguments);
    s.command = command_line::as_given("mnist_pipeline", count, arguments);
    if (!s.save.empty()) train::check_can_save(s.save);  // now, and not after hours of training
    const schedule::table timetable = timetable_of(s);
    if (s.precision == "half") {
      train_in_halves(timetable, s);
    } else {
      train_in_floats(timetable, s);
    }
    command_line::throw_if_unwritten();
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
