// SPDX-License-Identifier: BSL-1.0
// A small GPT learns to write like a text, character by character, over four stages, and then goes on from a few words of yours. The
// text is what this library says about itself, or a file of your own; with --chips it also makes a few updates on simulated chips.
#include <ipuflow/feed/load.hpp>
#include <ipuflow/report/files.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/checkpoints.hpp>
#include <ipuflow/train/predict.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "char_gpt/parts.hpp"
#include "command_line/command_line.hpp"

namespace gpt {

/// A file, or all pages of a folder in the order of their names.
text_windows read_text(const std::filesystem::path& from) {
  std::vector<std::filesystem::path> files{from};
  if (std::filesystem::is_directory(from)) {
    files.clear();
    for (const auto& entry : std::filesystem::directory_iterator{from}) {
      if (entry.path().extension() == ".md") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
  }
  text_windows text;
  for (const auto& file : files) {
    for (const char c : command_line::read_file(file.string())) text.tokens.push_back(token_of(c));
  }
  if (text.tokens.size() <= 2 * positions)
    throw error{filled("ipuflow: '{name}' has {got} characters to learn from, of which there have to be more than {limit}; give a longer text, or a folder of pages, *.md",
                       {{"name", from.string()}, {"got", text.tokens.size()}, {"limit", 2 * positions}})};
  return text;
}

// begin: write
/// Writes on behind `text`, one character at a time: the next one is drawn by its chance, likely ones more than so.
std::string written_on(shared<train::model<>> model, std::string text, std::size_t count, std::uint64_t seed) {
  train::predictor predict{network, std::move(model)};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t seen = std::min(text.size(), positions), first = text.size() - seen;
    std::array<std::uint8_t, positions> tokens{};
    for (std::size_t p = 0; p < seen; ++p) tokens[p] = token_of(text[first + p]);
    const auto scores = predict(tokens);  // of all positions; that of the last character says what is next
    const float* const last = scores.data() + (seen - 1) * vocabulary;
    const float best = *std::max_element(last, last + vocabulary);
    std::array<float, vocabulary> chance{};
    float sum = 0;
    for (std::size_t c = 0; c < vocabulary; ++c) sum += chance[c] = std::exp((last[c] - best) / 0.7f);
    float left = sum * nn::random_unit(seed, i);
    std::size_t next = 0;
    while (next + 1 < vocabulary && left >= chance[next]) left -= chance[next++];
    text += character_of(next);
  }
  return text;
}
// end: write

void train_and_write(const settings& s) {
  const text_windows text = read_text(s.text);
  if (s.chips > 0) return compare_on_chips(text, s);
  if (!s.save.empty()) train::check_can_save(s.save);
  if (!s.save_initial.empty()) save_initial_weights(s.save_initial);
  // begin: train
  run::trace events{s.profile.empty() ? std::size_t{0} : std::size_t{1} << 16};
  train::session session{network, timetable, train::adamw{.rate = s.rate}, in_micro_batches,
                         on::threads{.count = s.threads, .events = s.profile.empty() ? nullptr : &events}};
  if (!s.load.empty()) load(*session.parameters(), s.load);
  auto steps = feed::load(text, session.samples_per_step(), {.shuffle = s.seed});
  std::optional<train::checkpoints<>> saved;
  if (!s.checkpoints.empty()) {
    saved.emplace(s.checkpoints, train::checkpoint_options{.every = 20, .signal = SIGUSR1});
    if (saved->resume(session, steps)) std::printf("goes on behind update %zu\n", session.steps());
  }
  const std::size_t before = session.steps();
  train::progress_bar shown{before > 0 ? "further updates" : "updates", s.updates - std::min(before, s.updates), {.samples = session.samples_per_step()}};
  const auto start = std::chrono::steady_clock::now();
  std::vector<double> losses;
  while (session.steps() < s.updates) {
    for (auto&& step : steps) {
      losses.push_back(train::mean_of(session(step).back()));
      shown.step(losses.back());
      if (saved) saved->after_step(session, steps);
      if (session.steps() == s.updates) break;
    }
  }
  if (saved) {
    saved->write(session, steps);
    saved->wait();
  }
  // end: train
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  shown.end();
  std::fprintf(stderr, "%.0f characters/s on %zu threads\n",
               static_cast<double>(losses.size() * session.samples_per_step() * positions) / seconds, session.threads());
  const std::size_t last = std::min(losses.size(), std::size_t{50});
  const double sum = std::accumulate(losses.end() - static_cast<std::ptrdiff_t>(last), losses.end(), 0.0);
  std::printf("%zu parameters, %zu update%s", session.parameters()->values.size(), session.steps(), session.steps() == 1 ? "" : "s");
  if (last > 0) std::printf("; the mean loss of the last %zu is %.4f", last, sum / static_cast<double>(last));
  std::printf("\n");
  if (!s.save.empty()) save(*session.parameters(), s.save);
  if (!s.profile.empty()) report::save(s.profile, events);
  std::printf("%s\n", written_on(session.parameters(), s.begin, s.characters, s.seed).c_str());
}

}  // namespace gpt

int main(int count, char** arguments) {
  CLI::App app{"Trains a small GPT on a text"};
  gpt::settings s;
  app.option_defaults()->always_capture_default();
  app.add_option("--text", s.text, "A file, or a folder of pages");
  app.add_option("--updates", s.updates, "Each of 64 samples");
  app.add_option("--threads", s.threads, "Host threads; 0: one a core");
  app.add_option("--learning-rate", s.rate, "Of AdamW");
  app.add_option("--begin", s.begin, "What it writes on from, a character or more")
      ->check([](const std::string& text) { return text.empty() ? std::string{"has to have a character"} : std::string{}; });
  app.add_option("--characters", s.characters, "How much it writes");
  app.add_option("--seed", s.seed, "Of the order of samples, and of what is drawn");
  app.add_option("--load", s.load, "File with parameters to begin from");
  app.add_option("--save", s.save, "File for the trained parameters");
  app.add_option("--save-initial", s.save_initial, "File for the parameters that it begins with, as safetensors");
  app.add_option("--checkpoints", s.checkpoints, "Folder for checkpoints, every 20 updates, at the end and on SIGUSR1; it goes on from the newest");
  app.add_option("--profile", s.profile, "Folder for what threads did");
  app.add_option("--chips", s.chips, "So many updates on threads and on simulated chips instead")->excludes("--updates", "--begin", "--characters", "--load", "--save", "--save-initial", "--checkpoints", "--profile");
  command_line::refuse_negative_counts(app);
  CLI11_PARSE(app, count, arguments);
  try {
    gpt::train_and_write(s);
    command_line::throw_if_unwritten();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
