// SPDX-License-Identifier: BSL-1.0
// Shows how far a pass over the data has come, with loss and accuracy: on a terminal a bar that moves, with the rate and
// the time that is left; where output goes to a file, one line at the end without times, so that the logs of equal runs
// are equal.
#pragma once

#include <ipuflow/core/clock.hpp>

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>

namespace ipuflow::train {

/// The destination and the figures of a progress bar.
struct progress_options {
  using clock_reading = steady_clock::time_point (*)();

  std::FILE* to = stdout;                  ///< where it is printed
  std::size_t samples = 0;                 ///< of a step: the rate is that of samples; 0: that of steps
  clock_reading now = &steady_clock::now;  ///< the clock
};

namespace impl {

[[nodiscard]] inline bool is_terminal(std::FILE* file) { return isatty(fileno(file)) == 1; }

/// "0:07", "12:34", "1:02:03"; a time is at most 999 hours.
[[nodiscard]] inline std::string clock_time(double seconds) {
  constexpr double most = 999 * 3600.0 + 3599;
  const auto all = static_cast<std::size_t>(seconds < 0 ? 0 : seconds < most ? seconds + 0.5 : most);
  char text[32];
  if (all < 3600)
    std::snprintf(text, sizeof text, "%zu:%02zu", all / 60, all % 60);
  else
    std::snprintf(text, sizeof text, "%zu:%02zu:%02zu", all / 3600, all / 60 % 60, all % 60);
  return text;
}

}  // namespace impl

class progress_bar {
 public:
  /// `title` stands in front, `steps` make a whole pass.
  progress_bar(std::string title, std::size_t steps, const progress_options& options = {})
      : progress_bar{std::move(title), steps, options, impl::is_terminal(options.to)} {}
  progress_bar(std::string title, std::size_t steps, const progress_options& options, bool terminal)
      : title_{std::move(title)}, steps_{steps}, options_{options}, terminal_{terminal}, start_{options.now()} {}

  /// One more step is done; loss and accuracy, in percent, are those so far.
  void step(double loss, double accuracy) {
    ++done_;
    loss_ = loss;
    accuracy_ = accuracy;
    if (terminal_) show('\r', false);
  }

  /// The same where no accuracy is measured: none is shown.
  void step(double loss) { step(loss, unknown); }

  /// The last line.
  void end() {
    if (done_ > 0) show(terminal_ ? '\r' : '\0', true);
  }

 private:
  static constexpr std::size_t width = 30;
  static constexpr double unknown = -1;  // accuracy

  void show(char first, bool last) const {
    std::FILE* const to = options_.to;
    if (first != '\0') std::fputc(first, to);
    std::fprintf(to, "%s ", title_.c_str());
    if (terminal_) {
      const std::size_t full = steps_ == 0 ? width : width * (done_ < steps_ ? done_ : steps_) / steps_;
      std::fprintf(to, "[%s%s] ", std::string(full, '#').c_str(), std::string(width - full, '.').c_str());
    }
    std::fprintf(to, "%zu/%zu  loss %.4f", done_, steps_, loss_);
    if (accuracy_ != unknown) std::fprintf(to, "  accuracy %.2f %%", accuracy_);
    if (terminal_) std::fprintf(to, "%s\x1b[K", times().c_str());  // clears what a longer line has left
    if (last) std::fputc('\n', to);
    std::fflush(to);
  }

  /// "  1234 samples/s, 0:07 left": the rate of the pass so far, and what the other steps take at that rate.
  std::string times() const {
    const double passed = std::chrono::duration<double>(options_.now() - start_).count();
    if (!(passed > 0) || done_ == 0) return "";
    const double rate = static_cast<double>(done_) / passed;
    const bool samples = options_.samples > 0;
    const double shown = samples ? rate * static_cast<double>(options_.samples) : rate;
    char text[64];
    std::snprintf(text, sizeof text, shown < 100 ? "  %.1f %s/s" : "  %.0f %s/s", shown, samples ? "samples" : "steps");
    if (done_ >= steps_) return text + (" in " + impl::clock_time(passed));
    return text + (", " + impl::clock_time(static_cast<double>(steps_ - done_) / rate) + " left");
  }

  std::string title_;
  std::size_t steps_;
  progress_options options_;
  bool terminal_;
  steady_clock::time_point start_;
  std::size_t done_ = 0;
  double loss_ = 0;
  double accuracy_ = 0;
};

}  // namespace ipuflow::train
