// SPDX-License-Identifier: BSL-1.0
// Shows how far a pass over the data has come, with loss and accuracy: a bar that moves on a terminal, one line at the
// end where output goes to a file.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>

namespace ipuflow::train {

namespace impl {

[[nodiscard]] inline bool is_terminal(std::FILE* file) { return isatty(fileno(file)) == 1; }

}  // namespace impl

class progress_bar {
 public:
  /// `title` stands in front, `steps` make a whole pass.
  progress_bar(std::string title, std::size_t steps, std::FILE* to = stdout)
      : progress_bar{std::move(title), steps, to, impl::is_terminal(to)} {}
  progress_bar(std::string title, std::size_t steps, std::FILE* to, bool terminal)
      : title_{std::move(title)}, steps_{steps}, to_{to}, terminal_{terminal} {}

  /// One more step is done; loss and accuracy, in percent, are those so far.
  void step(double loss, double accuracy) {
    ++done_;
    loss_ = loss;
    accuracy_ = accuracy;
    if (terminal_) show('\r', false);
  }

  /// The last line.
  void end() {
    if (done_ > 0) show(terminal_ ? '\r' : '\0', true);
  }

 private:
  static constexpr std::size_t width = 30;

  void show(char first, bool last) const {
    if (first != '\0') std::fputc(first, to_);
    std::fprintf(to_, "%s ", title_.c_str());
    if (terminal_) {
      const std::size_t full = steps_ == 0 ? width : width * (done_ < steps_ ? done_ : steps_) / steps_;
      std::fprintf(to_, "[%s%s] ", std::string(full, '#').c_str(), std::string(width - full, '.').c_str());
    }
    std::fprintf(to_, "%zu/%zu  loss %.4f  accuracy %.2f %%", done_, steps_, loss_, accuracy_);
    if (terminal_) std::fputs("\x1b[K", to_);  // what a longer line has left
    if (last) std::fputc('\n', to_);
    std::fflush(to_);
  }

  std::string title_;
  std::size_t steps_;
  std::FILE* to_;
  bool terminal_;
  std::size_t done_ = 0;
  double loss_ = 0;
  double accuracy_ = 0;
};

}  // namespace ipuflow::train
