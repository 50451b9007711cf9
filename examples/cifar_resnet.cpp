// SPDX-License-Identifier: BSL-1.0
// Trains a small ResNet on CIFAR-10 over two or four stages: residual blocks with batch norm, augmented pictures, a rate that warms
// up and falls, progress, checkpoints, a model file to go on from, and a profile. Give it the files of the set, or let it draw pictures.
// `--chips` makes the same updates on simulated chips, too, and compares the losses.
#include <ipuflow/feed.hpp>
#include <ipuflow/report/files.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/checkpoints.hpp>

#include <CLI/CLI.hpp>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <tuple>

#include "cifar_resnet/network.hpp"
#include "cifar_resnet/pictures.hpp"
#include "cifar_resnet/settings.hpp"
#include "command_line/command_line.hpp"

namespace {

/// What is shown and kept while it trains; nothing of both where pictures are only looked at.
struct while_training {
  train::progress_bar* shown = nullptr;
  train::checkpoints<>* saved = nullptr;
};

template <class Session, class Steps>
train::score pass(Session& session, Steps&& steps, const while_training& with = {}) {
  train::score score;
  for (auto&& step : steps) {
    auto& [predictions, loss] = session(step);
    score.add(loss, predictions, std::get<1>(step.columns()).elements());
    if (with.shown != nullptr) with.shown->step(score.mean_loss(), score.accuracy());
    if constexpr (requires { session.go_on(session.state()); }) {
      if (with.saved != nullptr) with.saved->after_step(session, steps);
    }
  }
  return score;
}

template <class P>
void train_on(const P& model, const settings& s) {
  const pictures drawn_or_read{s.files, s.drawn, 1};
  const std::size_t images_an_update = s.batch * micro_batches_an_update;
  auto steps = feed::async(augmented(drawn_or_read), images_an_update, {.shuffle = 4});
  const train::options options = options_of(s);
  const train::adamw rule = rule_of(s, s.epochs * steps.size() + s.updates_before);

  auto learned = share<train::model<>>(train::initial_model(model, options.seed));
  if (!s.model.empty() && s.updates_before > 0) load(*learned, s.model);
  run::trace events{s.profile.empty() ? 0 : std::size_t{1} << 16};
  train::session session{model, schedule::one_f_one_b(model, micro_batches<micro_batches_an_update>), rule, options, learned,
                         on::threads{.count = s.threads, .events = s.profile.empty() ? nullptr : &events}};
  std::optional<train::checkpoints<>> saved;
  if (!s.checkpoints.empty()) {
    saved.emplace(s.checkpoints, train::checkpoint_options{.every = 50, .signal = SIGUSR1});
    if (saved->resume(session, steps)) std::printf("goes on behind update %zu\n", session.updates());
  }
  while (steps.place().pass < s.epochs) {
    const std::size_t epoch = steps.place().pass + 1;
    train::progress_bar shown{"epoch " + std::to_string(epoch) + "/" + std::to_string(s.epochs), steps.size(), {.samples = images_an_update}};
    pass(session, steps, {&shown, saved ? &*saved : nullptr});
    shown.end();
    if (!s.model.empty()) save(*learned, s.model);
    if (saved) saved->write(session, steps);
  }
  if (saved) saved->wait();
  if (!s.profile.empty()) report::save(s.profile, events);

  auto trained = train::inference(model, schedule::inference(model, micro_batches<micro_batches_an_update>), learned, {.micro_batch = s.batch});
  const pictures unseen{s.test_files, s.drawn / 2, 5};
  const auto score = pass(trained, feed::load(unseen, trained.samples_per_step(), {.last = feed::tail::kept}));
  std::printf("%zu updates; %.1f %% of %zu other pictures are right\n", s.updates_before + session.updates(), score.accuracy(), score.samples);
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app{"Trains a small ResNet on CIFAR-10, or on pictures that it draws"};
  settings s;
  app.add_option("files", s.files, "data_batch_1.bin and so on; none: drawn pictures");
  app.add_option("--test", s.test_files, "test_batch.bin");
  app.add_option("--stages", s.stages, "Two or four")->check(CLI::IsMember({2, 4}));
  app.add_option("--epochs", s.epochs, "Passes over the data");
  app.add_option("--batch", s.batch, "Pictures in a micro-batch; an update has four");
  app.add_option("--drawn", s.drawn, "Pictures to draw where there are no files");
  app.add_option("--rate", s.rate, "The highest learning rate");
  app.add_option("--threads", s.threads, "Host threads; 0: one a core");
  auto* model = app.add_option("--model", s.model, "File for the model, written after each epoch");
  app.add_option("--updates-before", s.updates_before, "Goes on with the model file, after so many updates")->needs(model);
  app.add_option("--checkpoints", s.checkpoints, "Folder for checkpoints, every 50 updates, behind each epoch and on SIGUSR1; it goes on from the newest");
  app.add_option("--profile", s.profile, "Folder for what threads did when");
  app.add_flag("--chips", s.chips, "The updates on simulated chips, too, over four stages, to the same losses");
  command_line::refuse_negative_counts(app);
  CLI11_PARSE(app, count, arguments);
  try {
    if (!s.model.empty()) train::check_can_save(s.model);
    if (s.chips) return farthest_on_chips(s) < 1e-3 ? 0 : 1;
    s.stages == 2 ? train_on(two_stages, s) : train_on(four_stages, s);
    command_line::throw_if_unwritten();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
