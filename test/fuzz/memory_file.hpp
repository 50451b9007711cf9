// SPDX-License-Identifier: BSL-1.0
// What fuzzers of readers of files share: a file in memory under a path, and a law that ends the program where it does not hold.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

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

}  // namespace fuzz
