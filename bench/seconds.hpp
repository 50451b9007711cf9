// SPDX-License-Identifier: BSL-1.0
// What benchmarks that are no programs of Google Benchmark are told: for how many seconds they measure.
#pragma once

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace bench {

/// A whole number from 1 to a day; nothing else is taken for a time.
inline std::chrono::seconds seconds_of(std::string_view text) {
  long seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size() || seconds < 1 || seconds > 86'400) {
    std::fprintf(stderr, "'%.*s' is no time to measure for; give whole seconds from 1 to 86400\n", static_cast<int>(text.size()), text.data());
    std::exit(2);
  }
  return std::chrono::seconds{seconds};
}

/// The only argument, or 20 without one. Options of Google Benchmark, which a test gives, ask for a single turn of each contestant.
inline std::chrono::seconds seconds_given(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "20";
  if (first.starts_with("--benchmark_")) {
    std::fprintf(stderr, "no program of Google Benchmark: one turn of each contestant, which measures nothing; give seconds instead\n");
    return std::chrono::seconds{0};
  }
  if (argc > 2 || first.starts_with("-h") || first.starts_with("--")) {
    const bool asked = argc == 2 && (first == "-h" || first == "--help");
    std::fprintf(asked ? stdout : stderr, "usage: %s [seconds, 20 if not given]\n", argv[0]);
    std::exit(asked ? 0 : 2);
  }
  return seconds_of(first);
}

/// The exit code: whether what was printed could be written.
inline int written() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
  std::fprintf(stderr, "the output cannot be written; check the space where it goes\n");
  return 2;
}

}  // namespace bench
