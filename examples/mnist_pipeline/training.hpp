// SPDX-License-Identifier: BSL-1.0
// The network, its training and its test on threads, and what the same takes on simulated chips, in any precision.
#pragma once

#include <ipuflow/chips.hpp>
#include <ipuflow/feed.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/report.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include "settings.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>

using namespace ipuflow;

// begin: model
template <class Number>
constexpr auto mnist = pipeline(input<Number, 1, 28, 28>, per_sample<"label", std::uint8_t>,
    stage(block<"B1">(nn::conv2d<10, 5>, nn::max_pool<2>, nn::relu)),
    stage(block<"B2">(nn::conv2d<20, 5>, nn::max_pool<2>, nn::relu)),
    stage(block<"B3">(nn::flatten, nn::linear<256>, nn::relu)),
    stage(block<"B4">(nn::linear<10>, use<"label">(nn::cross_entropy))));
// end: model

template <class Batch>
std::size_t count_right(const train::result_column& predictions, const Batch& batch) {
  return train::count_right(predictions, std::get<1>(batch.columns()).elements(), 10);
}

// begin: epoch
/// One pass over the data; every step says how loss and accuracy are so far.
template <class Session, class Steps>
train::score run_epoch(Session& session, Steps&& steps, train::progress_bar* shown) {
  train::score score;
  for (auto&& step : steps) {
    auto& [predictions, loss] = session(step);
    score.add(train::mean_of(loss), count_right(predictions, step), step.size());
    if (shown != nullptr) shown->step(score.mean_loss(), score.accuracy());
  }
  return score;
}
// end: epoch

template <class Session, class Steps>
void train_on(Session& session, Steps&& steps, const settings& s) {
  std::size_t images = 0;
  double seconds = 0;
  for (std::size_t epoch = 1; epoch <= s.epochs; ++epoch) {
    train::progress_bar shown{"epoch " + std::to_string(epoch) + "/" + std::to_string(s.epochs), steps.size()};
    const auto start = std::chrono::steady_clock::now();
    images += run_epoch(session, steps, &shown).samples;
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    shown.end();
  }
  if (images == 0) return;
  std::fprintf(stderr, "%.0f images/s on %zu threads\n", static_cast<double>(images) / seconds, session.threads());
}

template <class Session, class Timetable>
void describe(const Session& session, const Timetable& timetable, const settings& s) {
  std::printf("%s over %zu IPUs, %zu samples a step\n", s.schedule_name().c_str(), timetable.where.ipus,
              session.samples_per_step());
  const auto alive = schedule::in_flight(timetable);
  for (std::size_t stage = 0; stage < timetable.where.stages; ++stage) {
    std::printf("  stage %zu keeps the activations of %zu micro-batches: %zu bytes\n", stage, alive[stage],
                session.stash_bytes(stage));
  }
  std::printf("  the optimiser keeps %zu bytes\n", session.optimiser_bytes());
}

// begin: predict
/// The same step on simulated chips, counted.
template <class Precision, class P>
run::chips_profile predict(const P& model, const schedule::table& timetable, const train::options& options, bool offload) {
  const auto state = offload ? run::kept_in::streaming_memory : run::kept_in::tiles;
  const train::session session(model, timetable, train::adamw{}, options, Precision{},
                               on::chips{.system = ipu::pod(ipu::mk2, timetable.where.ipus * options.replicas),
                                         .optimiser_state = state,
                                         .allow_out_of_memory = true});  // what does not fit is worth seeing
  return session.cost();
}
// end: predict

template <class Precision, class P>
void show_model(const P& model, const schedule::table& timetable, const train::options& options, const settings& s) {
  const std::size_t ipus = timetable.where.ipus * options.replicas;
  if (ipus > ipu::most_chips) return;
  const run::chips_profile p = predict<Precision>(model, timetable, options, s.offload_optimiser);
  const std::size_t samples =
      timetable.where.micro_batches * options.micro_batch * options.device_iterations * options.replicas;
  const auto update = [](const run::chips_profile& of) { return of.chips.total.value / of.runs; };
  const ipu::memory_report& memory = p.chips.memory;
  std::printf("on %zu simulated IPUs: %zu cycles an update, %.0f samples/s, %zu of %zu bytes on the fullest tile\n",
              ipus, update(p), static_cast<double>(samples) / p.chips.time().value,
              memory.tiles[memory.fullest].total(), p.chips.tile_memory.value);
  if (s.offload_optimiser) {
    const run::chips_profile kept = predict<Precision>(model, timetable, options, false);
    const auto live = ipu::memory_category::always_live;
    std::printf("offloaded: always-live variables take %zu bytes instead of %zu, an update %zu cycles instead of %zu\n",
                memory.total(live), kept.chips.memory.total(live), update(p), update(kept));
  }
  if (!s.profile) return;
  report::save(s.profile_dir, p, {.samples = samples});
  std::printf("profile: see %s\n", s.profile_dir.c_str());
}

template <class Precision, class P, class Timetable>
void run_on(const P& model, const Timetable& timetable, const settings& s) {
  // begin: session
  run::trace events{s.profile ? std::size_t{1} << 16 : 0};
  const train::options options{.micro_batch = s.batch_size,
                               .device_iterations = s.device_iterations,
                               .replicas = s.replicas,
                               .outputs = feed::output_mode::all,
                               .inputs = train::scaling::of_pixels(0.1307f, 0.3081f),
                               .parameters = train::rounding::stochastic,
                               .seed = s.seed};
  train::session session(model, timetable, train::adamw{.rate = s.learning_rate}, options, Precision{},
                         on::threads{.count = s.threads, .events = s.profile ? &events : nullptr});

  const auto images = feed::idx<28, 28>(s.data + "/train-images-idx3-ubyte", s.data + "/train-labels-idx1-ubyte");
  auto steps = feed::async(images, session.samples_per_step(), {.shuffle = s.seed});
  // end: session
  if (s.debug) describe(session, timetable, s);
  if (s.synthetic_data) {
    train_on(session, feed::synthetic_like(images, steps.size(), session.samples_per_step()), s);
  } else {
    train_on(session, steps, s);
  }
  if (s.profile) report::save(s.profile_dir, events);
  if (!s.save.empty()) save(*session.parameters(), s.save);

  // begin: test
  const auto test_images = feed::idx<28, 28>(s.data + "/t10k-images-idx3-ubyte", s.data + "/t10k-labels-idx1-ubyte");
  const auto forwards = schedule::inference(schedule::setup_of(model, s.test_iterations, mode::inference));
  auto trained = train::inference(model, forwards, session.parameters(),
                                  {.micro_batch = s.test_batch_size, .inputs = options.inputs}, Precision{},
                                  on::threads{.count = s.threads});
  const auto score = run_epoch(trained, feed::load(test_images, trained.samples_per_step(), {.last = feed::tail::kept}), nullptr);
  std::printf("test accuracy %.2f %% of %zu images\n", score.accuracy(), score.samples);
  // end: test
  show_model<Precision>(model, schedule::tabulate(timetable), options, s);
}

template <class Precision, class P>
void run_by_name(const P& model, const settings& s) {
  if (s.profile) report::check_can_save(s.profile_dir);
  // begin: schedule
  const schedule::setup asked = schedule::setup_of(model, s.gradient_accumulation);
  schedule::with_schedule(s.schedule_name(), asked, [&](const auto& timetable) {
    throw_if(schedule::verify(timetable));
    run_on<Precision>(model, schedule::tabulate(timetable), s);  // as a table all schedules have one type
  });
  // end: schedule
}
