// SPDX-License-Identifier: BSL-1.0
// A file as memory (POSIX mmap): it is read when it is looked at, and forgotten when memory is short, so it may be
// larger than memory. Cutting the file while it is mapped ends the process (SIGBUS), as with any mapped file.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/plain_file.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/feed/sources/file_fault.hpp>

#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace ipuflow::feed {

class mapped_file {
 public:
  /// Throws if the file cannot be read.
  explicit mapped_file(std::string path) : path_{std::move(path)} {
    const plain_file file{path_.c_str()};
    if (file.wrong() != 0) fail(file.wrong() == ENOENT ? file_wrong::missing : file_wrong::unreadable, file.wrong());
    if (!file.is_plain()) fail(file_wrong::no_file, 0);
    size_ = file.size();
    if (size_ == 0) return;  // nothing to map
    void* const at = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (at == MAP_FAILED) fail(file_wrong::unreadable, errno);
    data_ = static_cast<const std::uint8_t*>(at);
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file() {
    if (data_ != nullptr) ::munmap(const_cast<std::uint8_t*>(data_), size_);
  }

  light_span<const std::uint8_t> bytes() const { return {data_, size_}; }
  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void fail(file_wrong kind, int system) const {
    throw rejected{file_fault{kind, static_cast<std::size_t>(system), 0, file_name{path_}}};
  }

  std::string path_;
  std::size_t size_ = 0;
  const std::uint8_t* data_ = nullptr;
};

namespace impl {

/// A mapping that all datasets made of it keep.
inline shared<const mapped_file> map_file(std::string path) {
  return share<const mapped_file>(std::move(path));
}

}  // namespace impl

}  // namespace ipuflow::feed
