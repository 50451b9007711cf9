// SPDX-License-Identifier: BSL-1.0
// What fuzzers of readers of files share: a file in memory under a path, and a law that ends the program where it does not hold.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <span>
#include <string>
#include <string_view>

namespace fuzz {

inline void expect(bool holds) {
  if (!holds) std::abort();
}

/// A file in memory, under a path.
class memory_file {
 public:
  explicit memory_file(std::span<const std::uint8_t> bytes) : number_{::memfd_create("fuzzed", 0)} {
    expect(number_ >= 0 && ::write(number_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  memory_file(const memory_file&) = delete;
  ~memory_file() { ::close(number_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(number_); }

 private:
  int number_;
};

/// Calls `load(path)` for a path where there is nothing, for a folder, and for a file that is there and cannot be read: each is refused.
template <class Load>
void expect_refused_paths(Load load) {
  for (const char* const path : {"/no/such/file", "/", "/proc/self/mem"}) {
    bool refused = false;
    try {
      load(std::string{path});
    } catch (const std::exception& wrong) {
      refused = std::string_view{wrong.what()}.starts_with("ipuflow: ") && std::string_view{wrong.what()}.find(path) != std::string_view::npos;
    }
    expect(refused);
  }
}

}  // namespace fuzz
