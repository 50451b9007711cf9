// SPDX-License-Identifier: BSL-1.0
// Training and test on threads, in any precision.
#pragma once

#include <ipuflow/feed.hpp>
#include <ipuflow/report/distribution_svg.hpp>
#include <ipuflow/report/files.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include "network.hpp"
#include "parts.hpp"

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

// begin: epoch
/// One pass over the data; every step says how loss and accuracy are so far.
template <class Session, class Steps>
train::score run_epoch(Session& session, Steps&& steps, train::progress_bar* shown) {
  train::score score;
  for (auto&& step : steps) {
    auto& [predictions, loss] = session(step);
    score.add(loss, predictions, std::get<1>(step.columns()).elements());
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
    train::progress_bar shown{"epoch " + std::to_string(epoch) + "/" + std::to_string(s.epochs), steps.size(),
                              {.samples = session.samples_per_step()}};
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
    std::printf("  stage %zu keeps the activations of %zu micro-batch%s: %zu bytes\n", stage, alive[stage], alive[stage] == 1 ? "" : "es",
                session.stash_bytes(stage));
  }
  std::printf("  the optimiser keeps %zu bytes\n", session.optimiser_bytes());
}

// begin: distributions
/// The numbers of each tensor by their size: those that were learned, and the gradients of the last update.
template <class P, class Session>
void save_distributions(const P& network, const Session& session, const std::string& folder) {
  std::vector<report::named_distribution> weights;
  std::vector<report::named_distribution> gradients;
  for (const train::named_tensor& t : train::named_tensors(network)) {
    weights.push_back({t.name, report::distribution_of(std::span{session.parameters()->values}.subspan(t.first, t.count))});
    gradients.push_back({t.name, report::distribution_of(session.gradients().subspan(t.first, t.count))});
  }
  const auto save = [&](const char* what, const std::vector<report::named_distribution>& all) {
    report::save_file(folder + "/" + what + ".txt", [&](auto& out) { out << report::distribution_text<>(all); });
    report::save_file(folder + "/" + what + ".svg", [&](auto& out) { out << report::distribution_svg<>(all, what); });
  };
  save("weights", weights);
  save("gradients", gradients);
}
// end: distributions

/// `show(timetable, options, s, events)` says what the same takes on chips.
template <class Precision, class P, class Show>
void run_on(const P& model, const schedule::table& timetable, const settings& s, Show show) {
  if (s.profile) report::check_can_save(s.profile_dir);
  // Before a session takes memory for steps of any size:
  throw_if(feed::verify_steps(feed::idx<28, 28>(s.data + "/train-images-idx3-ubyte", s.data + "/train-labels-idx1-ubyte").size(),
                              {.micro_batch = s.batch_size, .accumulation = s.gradient_accumulation, .replicas = s.replicas, .device_iterations = s.device_iterations}));
  // Before hours of training:
  const std::size_t tested = feed::idx<28, 28>(s.data + "/t10k-images-idx3-ubyte", s.data + "/t10k-labels-idx1-ubyte").size();
  if (s.test_batch_size > tested)
    throw error{filled("ipuflow: --test-batch-size {got} is more than the {limit} images of the test; give at most that", {{"got", s.test_batch_size}, {"limit", tested}})};
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
  if (s.profile) {
    report::save(s.profile_dir, events);
    save_distributions(model, session, s.profile_dir);
  }
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
  show(timetable, options, s, events);
}
