// SPDX-License-Identifier: BSL-1.0
// The experiment of the data-loading tutorial, for images of any size: its options, its network, and the three figures that
// tell what limits the speed, measured on threads of this machine or counted on four chips.
#pragma once

#include <ipuflow/chips.hpp>
#include <ipuflow/feed.hpp>
#include <ipuflow/feed/step_times.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>

using namespace ipuflow;

struct experiment {
  bool made_up = false;  // 1 x 128 x 128 numbers instead of digits
  bool on_chips = false;
  bool synthetic = false;  // no figure but that of synthetic data
  std::size_t items = 10'000;
  std::size_t batch_size = 16;
  std::size_t device_iterations = 1;
  std::size_t replicas = 1;
  std::size_t passes = 2;
  feed::loader_options loading{.mode = feed::loading::async, .workers = 1, .shuffle = 1};
};

void with_digits(const experiment& e);
void with_made_up_images(const experiment& e);

// begin: network
template <std::size_t Size>
constexpr auto network = pipeline(input<float, 1, Size, Size>, per_sample<"label", std::uint8_t>,
    stage(block<"B1">(nn::conv2d<5, 3>, nn::relu, nn::max_pool<2>)).template ipu<0>(),
    stage(block<"B2">(nn::conv2d<12, 5>, nn::relu, nn::max_pool<2>)).template ipu<1>(),
    stage(block<"B3">(nn::flatten, nn::linear<100>, nn::relu)).template ipu<2>(),
    stage(block<"B4">(nn::linear<10>, use<"label">(nn::cross_entropy))).template ipu<3>());
// end: network

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

struct figures {
  double loaded = 0;
  double trained = 0;
  double both = 0;
};

template <std::size_t Size, class Images>
figures measured(const experiment& e, const train::options& o, const Images& images) {
  train::session session{network<Size>, schedule::one_f_one_b(network<Size>, micro_batches<8>), train::sgd{.rate = 1e-3f, .momentum = 0.9f}, o};
  // begin: experiment
  const auto train_on = [&](const auto& step) { session(step); };
  auto loader = feed::load(images, session.samples_per_step(), e.loading);
  auto nothing_to_load = feed::synthetic_like(images, loader.size(), session.samples_per_step());

  images_a_second(nothing_to_load, 1, train_on);  // the first step sets memory aside
  const double trained = images_a_second(nothing_to_load, e.passes, train_on);
  if (e.synthetic) return {.trained = trained};
  const double loaded = images_a_second(loader, e.passes, [](const auto&) {});
  const double both = images_a_second(loader, e.passes, train_on);
  // end: experiment
  return {loaded, trained, both};
}

template <std::size_t Size, class Images>
figures counted(const experiment& e, const train::options& o, const Images& images) {
  // begin: on_chips
  const auto images_a_second = [&](const on::chips& where) {
    train::session session{network<Size>, schedule::one_f_one_b(network<Size>, micro_batches<8>),
                           train::sgd{.rate = 1e-3f, .momentum = 0.9f}, o, where};
    const ipu::profile chips = session.cost().chips;
    return static_cast<double>(session.samples_per_step()) * chips.clock.value / static_cast<double>(chips.total.value);
  };
  const double trained = images_a_second({.synthetic = true});
  if (e.synthetic) return {.trained = trained};
  const std::size_t micro_batches = 8 * e.device_iterations;  // of a replica in a step
  const std::size_t step = o.micro_batch * micro_batches * e.replicas;
  const auto host = feed::step_times(feed::load(images, step, e.loading), 20, micro_batches);
  // end: on_chips
  double seconds_of_all = 0;
  for (const seconds t : host) seconds_of_all += t.value;
  const double loaded = static_cast<double>(host.size() * o.micro_batch * e.replicas) / seconds_of_all;
  return {loaded, trained, images_a_second({.prefetch = e.loading.async.buffer_size, .host_times{host.begin(), host.end()}})};
}

template <std::size_t Size, class Images>
void compare(const experiment& e, const Images& images, const train::scaling& scale) {
  const train::options o{.micro_batch = e.batch_size, .device_iterations = e.device_iterations, .replicas = e.replicas, .inputs = scale};
  // Before a session takes memory for steps of any size:
  throw_if(feed::verify_steps(images.size(), {.micro_batch = o.micro_batch, .accumulation = 8, .replicas = e.replicas, .device_iterations = e.device_iterations}));
  std::printf("%zu samples a step: micro-batch %zu x accumulation 8 x replicas %zu x device iterations %zu\n",
              e.batch_size * 8 * e.replicas * e.device_iterations, e.batch_size, e.replicas, e.device_iterations);
  const figures f = e.on_chips ? counted<Size>(e, o, images) : measured<Size>(e, o, images);
  std::fprintf(stderr, "training, synthetic data  %9.0f images/s\n", f.trained);
  if (e.synthetic) return;
  std::fprintf(stderr, "loader alone              %9.0f images/s\n", f.loaded);
  std::fprintf(stderr, "both                      %9.0f images/s\n", f.both);
  const char* slower = f.loaded < f.trained ? "the loader; give it more workers or larger steps" : "the pipeline; the loader keeps up";
  std::printf("what limits the speed: %s\n", slower);
}
