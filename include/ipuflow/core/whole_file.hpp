// SPDX-License-Identifier: BSL-1.0
// A file that is written whole or not at all. Its bytes go to a new file beside its place, which takes the place when
// all of them are on the disk; so a reader, a second writer, a full disk or a loss of power never see half of it. The
// new file has a name that no file had: two savers do not tear each other's, and no link that waits there is followed.
// A link at the place itself stays, and what it leads to is replaced; a device or a pipe is written straight.
#pragma once

#include <ipuflow/core/algorithms.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace ipuflow {

namespace detail {

/// With the number of the process, a number that no other file under way has.
inline std::atomic<std::size_t> next_new_file{0};

/// A system call again, as long as signals break it off.
template <class Call>
auto retried(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace detail

class whole_file {
 public:
  /// Begins a file for that place; `fine()` says whether there can be one.
  explicit whole_file(std::string path) : place_{std::move(path)} { open(); }
  whole_file(const whole_file&) = delete;
  whole_file& operator=(const whole_file&) = delete;
  /// A file that was not kept is gone.
  ~whole_file() { give_up(); }

  /// False after the first thing that failed; from then on nothing is written.
  [[nodiscard]] bool fine() const { return wrong_ == 0; }
  /// The system's number of what failed (errno), or 0.
  [[nodiscard]] int wrong() const { return wrong_; }

  void write(const void* data, std::size_t count) {
    const char* const from = static_cast<const char*>(data);
    if (waiting_.size() + count < at_once) {
      waiting_.append(from, count);
      return;
    }
    put(waiting_.data(), waiting_.size());
    waiting_.clear();
    put(from, count);
  }

  /// Puts the file in its place once all of it is on the disk. True if it is there, and stays through a loss of power.
  [[nodiscard]] bool keep() {
    put(waiting_.data(), waiting_.size());
    waiting_.clear();
    if (!straight_) expect(fine() && detail::retried([&] { return ::fsync(file_); }) == 0);
    // A signal breaks off the waiting, and not the closing; of a file that is on the disk there is nothing to wait for.
    if (file_ >= 0) expect(::close(algorithms::exchange(file_, -1)) == 0 || errno == EINTR);
    if (straight_ || !fine()) return fine();
    expect(::rename(beside_.c_str(), place_.c_str()) == 0);
    if (!fine()) return false;
    beside_.clear();
    const int folder = detail::retried([&] { return ::open(folder_of(place_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
    expect(folder >= 0 || errno == EACCES);  // a folder that may be written and not read cannot be waited for
    if (folder >= 0) {
      expect(detail::retried([&] { return ::fsync(folder); }) == 0 || errno == EINVAL);
      ::close(folder);
    }
    return fine();
  }

  /// Removes the new file. The system's number of what failed first, or 0: one that cannot be removed stays, and could not be kept either.
  int give_up() {
    if (file_ >= 0) ::close(algorithms::exchange(file_, -1));
    if (!beside_.empty()) expect(::unlink(beside_.c_str()) == 0);
    beside_.clear();
    return wrong_;
  }

  /// The process that writes, or wrote, a new file of this name; 0 if that is none. One that was killed leaves its file behind.
  static int writer_of(std::string_view name) {
    constexpr std::string_view front = ".ipuflow-", back = ".new";
    if (name.size() < front.size() + back.size() || name.substr(0, front.size()) != front || name.substr(name.size() - back.size()) != back) return 0;
    const std::string number{name.substr(front.size())};
    return std::atoi(number.c_str());
  }

 private:
  static constexpr std::size_t at_once = std::size_t{1} << 16;

  void expect(bool done) {
    if (!done && wrong_ == 0) wrong_ = errno == 0 ? EIO : errno;
  }

  static std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  }

  /// A link may lead to where nothing is yet: the file is made there.
  void follow_links() {
    constexpr int most = 40;  // as the system has it
    for (int links = 0; links < most; ++links) {
      char text[4096];
      const ssize_t size = ::readlink(place_.c_str(), text, sizeof text);
      if (size <= 0) return;  // it is no link
      const std::string led_to(text, static_cast<std::size_t>(size));
      place_ = led_to[0] == '/' ? led_to : folder_of(place_) + "/" + led_to;
    }
  }

  void open() {
    struct stat old{};
    const bool there = ::stat(place_.c_str(), &old) == 0;
    expect(there || errno == ENOENT);
    if (there && !S_ISREG(old.st_mode)) {
      straight_ = true;  // a folder is refused here, and a pipe without a reader
      file_ = detail::retried([&] { return ::open(place_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC); });
      expect(file_ >= 0 && ::fcntl(file_, F_SETFL, 0) == 0);
      return;
    }
    if (there) {
      expect(::access(place_.c_str(), W_OK) == 0);  // what may not be written may not be replaced
      struct freed {
        char* text;
        ~freed() { std::free(text); }
      };
      const freed led_to{::realpath(place_.c_str(), nullptr)};
      expect(led_to.text != nullptr);  // or a link would be replaced, and not what it leads to
      if (led_to.text != nullptr) place_ = led_to.text;
    } else {
      follow_links();
    }
    for (int tries = 0; fine() && file_ < 0 && tries < 1000; ++tries) {
      const std::size_t number = detail::next_new_file.fetch_add(1, std::memory_order_relaxed);  // no partner: unique
      char name[80];
      std::snprintf(name, sizeof name, "/.ipuflow-%ld-%zu.new", static_cast<long>(::getpid()), number);
      beside_ = folder_of(place_) += name;
      file_ = detail::retried([&] { return ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666); });
      if (file_ < 0 && errno != EEXIST) break;
    }
    if (file_ < 0) {
      expect(false);
      return beside_.clear();
    }
    if (there) expect(::fchmod(file_, old.st_mode & 07777) == 0);
  }

  void put(const char* from, std::size_t count) {
    for (std::size_t written = 0; fine() && written < count;) {
      errno = 0;
      const auto now = detail::retried([&] { return ::write(file_, from + written, count - written); });
      expect(now > 0);
      if (now > 0) written += static_cast<std::size_t>(now);
    }
  }

  std::string place_;
  std::string beside_{};  // empty once it has its place
  std::string waiting_{};
  int file_ = -1;
  int wrong_ = 0;
  bool straight_ = false;
};

/// Why a file cannot be written at that place (errno), or 0: what a program that computes for hours asks before it
/// begins. Nothing is left behind, and a pipe is not opened, whose reader would take that for the end.
inline int why_unwritable(const std::string& path) {
  struct stat old{};
  const bool straight = ::stat(path.c_str(), &old) == 0 && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode);
  if (!straight) return whole_file{path}.give_up();
  return ::access(path.c_str(), W_OK) == 0 ? 0 : errno;
}

}  // namespace ipuflow
