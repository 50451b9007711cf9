// SPDX-License-Identifier: BSL-1.0
// A file that is read. Only plain files are: a pipe in its place would keep the reader waiting for ever.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace ipuflow {

class plain_file {
 public:
  explicit plain_file(const char* path) {
    do number_ = ::open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    while (number_ < 0 && errno == EINTR);
    struct stat facts{};
    if (number_ < 0 || ::fstat(number_, &facts) != 0) {
      wrong_ = errno;
    } else {
      is_plain_ = S_ISREG(facts.st_mode);
      size_ = is_plain_ ? static_cast<std::size_t>(facts.st_size) : 0;
    }
  }
  plain_file(const plain_file&) = delete;
  plain_file& operator=(const plain_file&) = delete;
  ~plain_file() {
    if (number_ >= 0) ::close(number_);
  }

  /// The system's number of what failed first (errno), or 0.
  [[nodiscard]] int wrong() const { return wrong_; }
  [[nodiscard]] bool is_plain() const { return is_plain_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] int number() const { return number_; }

  /// Reads on. Less than `count` bytes come at the end of the file, or if the system fails.
  std::size_t read(void* to, std::size_t count) {
    std::size_t got = 0;
    while (got < count) {
      const auto now = ::read(number_, static_cast<char*>(to) + got, count - got);
      if (now < 0 && errno == EINTR) continue;
      if (now < 0) wrong_ = errno;
      if (now <= 0) break;
      got += static_cast<std::size_t>(now);
    }
    return got;
  }

 private:
  int number_ = -1;
  int wrong_ = 0;
  std::size_t size_ = 0;
  bool is_plain_ = false;
};

}  // namespace ipuflow
