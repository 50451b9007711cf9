// SPDX-License-Identifier: BSL-1.0
// Is the loader fast enough? The experiment of the data-loading tutorial: how many images a second the loader gives, how
// many a pipeline can train on when its data cost nothing, and how many both manage together.
#include <ipuflow/feed.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

using namespace ipuflow;

namespace {

constexpr auto network = pipeline(input<float, 1, 28, 28>, per_sample<"label", std::uint8_t>,
    stage(block<"B1">(nn::conv2d<5, 3>, nn::relu, nn::max_pool<2>)).ipu<0>(),
    stage(block<"B2">(nn::conv2d<12, 5>, nn::relu, nn::max_pool<2>)).ipu<1>(),
    stage(block<"B3">(nn::flatten, nn::linear<100>, nn::relu)).ipu<2>(),
    stage(block<"B4">(nn::linear<10>, use<"label">(nn::cross_entropy))).ipu<3>());

/// Images a second, `use` being called with every step of a few passes.
template <class Steps, class Use>
double images_a_second(Steps& steps, std::size_t passes, Use use) {
  std::size_t images = 0;
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t pass = 0; pass < passes; ++pass) {
    for (auto&& step : steps) {
      use(step);
      images += step.size();
    }
  }
  return static_cast<double>(images) / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void compare(std::size_t workers, std::size_t replicas, std::size_t batch_size, std::size_t passes) {
  const std::string data = IPUFLOW_EXAMPLE_DATA;
  const auto images = feed::idx<28, 28>(data + "/train-images-idx3-ubyte", data + "/train-labels-idx1-ubyte");
  constexpr auto timetable = schedule::one_f_one_b(network, micro_batches<8>);
  train::session session{network, timetable, train::sgd{.rate = 1e-3f, .momentum = 0.9f},
                         {.micro_batch = batch_size, .replicas = replicas, .inputs = train::scaling::of_pixels(0.1307f, 0.3081f)}};
  std::printf("%zu samples a step: micro-batch %zu x accumulation 8 x replicas %zu\n", session.samples_per_step(), batch_size,
              replicas);

  // begin: experiment
  const auto train_on = [&](const auto& step) { session(step); };
  auto loader = feed::async(images, session.samples_per_step(), {.workers = workers, .shuffle = 1});
  auto nothing_to_load = feed::synthetic_like(images, loader.size(), session.samples_per_step());

  images_a_second(nothing_to_load, 1, train_on);  // the first step sets memory aside
  const double loaded = images_a_second(loader, passes, [](const auto&) {});
  const double trained = images_a_second(nothing_to_load, passes, train_on);
  const double both = images_a_second(loader, passes, train_on);
  // end: experiment

  std::fprintf(stderr, "loader alone              %9.0f images/s\n", loaded);
  std::fprintf(stderr, "training, synthetic data  %9.0f images/s\n", trained);
  std::fprintf(stderr, "both                      %9.0f images/s\n", both);
  const char* slower = loaded < trained ? "the loader; give it more workers or larger steps" : "the pipeline; the loader keeps up";
  std::printf("what limits the speed: %s\n", slower);
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app{"Finds out whether loading data or training limits the speed"};
  app.option_defaults()->always_capture_default();
  std::size_t workers = 1, replicas = 1, batch_size = 16, passes = 2;
  app.add_option("--workers", workers, "Threads of the loader");
  app.add_option("--replicas", replicas, "Copies of the pipeline");
  app.add_option("--batch-size", batch_size, "Samples in a micro-batch");
  app.add_option("--passes", passes, "Over the data, for each figure");
  try {
    app.parse(count, arguments);
    compare(workers, replicas, batch_size, passes);
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
