// SPDX-License-Identifier: BSL-1.0
// The pipelining tutorial's program: four blocks on four IPUs, trained on MNIST and tested, with the schedule, the
// sizes and the precision of your choice, and what that would take on the chips. On the sample that comes with the
// library, or on a folder with the four files of the whole set.
#include <ipuflow/chips.hpp>
#include <ipuflow/feed.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/report.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>

using namespace ipuflow;

namespace {

// begin: model
template <class Number>
constexpr auto mnist = pipeline(input<Number, 1, 28, 28>, per_sample<"label", std::uint8_t>,
    stage(block<"B1">(nn::conv2d<10, 5>, nn::max_pool<2>, nn::relu)),
    stage(block<"B2">(nn::conv2d<20, 5>, nn::max_pool<2>, nn::relu)),
    stage(block<"B3">(nn::flatten, nn::linear<256>, nn::relu)),
    stage(block<"B4">(nn::linear<10>, use<"label">(nn::cross_entropy))));
// end: model

struct settings {
  // begin: sizes
  std::size_t batch_size = 40;
  std::size_t gradient_accumulation = 10;
  std::size_t device_iterations = 10;
  std::size_t replicas = 1;
  std::size_t test_batch_size = 8;
  std::size_t test_iterations = 100;
  std::size_t epochs = 3;
  float learning_rate = 1e-3f;
  // end: sizes
  std::string data = IPUFLOW_EXAMPLE_DATA;  // the sample that comes with the library
  std::string strategy = "pipelined";
  std::string schedule{};
  std::string precision = "float";
  std::string profile_dir = "profile";
  std::string save{};
  std::size_t threads = 0;
  std::uint64_t seed = 1;
  bool synthetic_data = false;
  bool profile = false;
  bool offload_optimiser = false;
  bool debug = false;

  std::string schedule_name() const {
    if (!schedule.empty()) return schedule;
    return strategy == "sharded" ? "sharded" : "1f1b";
  }
};

void read_arguments(CLI::App& app, settings& s, int count, char** arguments) {
  app.option_defaults()->always_capture_default();
  const auto* batch = app.add_option("--batch-size", s.batch_size, "Samples in a micro-batch (sample: 8)");
  const auto* accumulation =
      app.add_option("--gradient-accumulation", s.gradient_accumulation, "Micro-batches between updates (sample: 8)");
  const auto* epochs = app.add_option("--epochs", s.epochs, "Passes over the data (sample: 15)");
  app.add_option("--device-iterations", s.device_iterations, "Updates in a step");
  app.add_option("--replicas", s.replicas, "Copies of the pipeline");
  app.add_option("--test-batch-size", s.test_batch_size, "Samples in a micro-batch of the test");
  app.add_option("--learning-rate", s.learning_rate, "Of AdamW");
  app.add_option("--strategy", s.strategy, "Execution strategy")->check(CLI::IsMember({"pipelined", "sharded"}));
  app.add_option("--schedule", s.schedule, "Any schedule by its name, instead of what the strategy says");
  app.add_option("--precision", s.precision, "Of data and parameters")->check(CLI::IsMember({"float", "half"}));
  app.add_option("--threads", s.threads, "Host threads; 0: one a core");
  app.add_option("--seed", s.seed, "Of initial parameters and of the order of the data");
  app.add_option("--data", s.data, "Folder with the four files of MNIST");
  app.add_option("--save", s.save, "File for the trained parameters");
  app.add_option("--profile-dir", s.profile_dir, "Folder for the profile");
  app.add_flag("--profile", s.profile, "Write what threads did, and what chips would do: text, traces and pictures");
  app.add_flag("--synthetic-data", s.synthetic_data, "Train on one step that costs nothing to load");
  app.add_flag("--offload-optimiser", s.offload_optimiser, "Keep the optimiser's state off the simulated chips");
  app.add_flag("--debug", s.debug, "Say more");
  app.parse(count, arguments);
  if (s.data != IPUFLOW_EXAMPLE_DATA) return;
  // The sample has 2,000 images: smaller batches and more epochs, so that there are as many updates as in the tutorial.
  if (batch->count() == 0) s.batch_size = 8;
  if (accumulation->count() == 0) s.gradient_accumulation = 8;
  if (epochs->count() == 0) s.epochs = 15;
}

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
  // begin: schedule
  const schedule::setup asked = schedule::setup_of(model, s.gradient_accumulation);
  schedule::with_schedule(s.schedule_name(), asked, [&](const auto& timetable) {
    throw_if(schedule::verify(timetable));
    run_on<Precision>(model, schedule::tabulate(timetable), s);  // as a table all schedules have one type
  });
  // end: schedule
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app{"Trains the MNIST network of the pipelining tutorial"};
  settings s;
  try {
    read_arguments(app, s, count, arguments);
    if (!s.save.empty()) train::check_can_save(s.save);  // now, and not after hours of training
    if (s.profile) report::check_can_save(s.profile_dir);
    if (s.precision == "half") {
      run_by_name<train::precision<float, half>>(mnist<half>, s);
    } else {
      run_by_name<train::precision<>>(mnist<float>, s);
    }
  } catch (const CLI::ParseError& e) {
    return app.exit(e);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
