// SPDX-License-Identifier: BSL-1.0
// A folder and the names in it, straight from the system: <filesystem> costs more to compile than all that is built on this.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace ipuflow {

/// Makes a folder if there is none; why it cannot (errno), or 0.
template <class = void>
int make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0777) == 0) return 0;
  struct stat there{};
  const int wrong = errno;
  return wrong == EEXIST && ::stat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode) ? 0 : wrong;
}

struct folder_names {
  light_vector<std::string> names{};
  int wrong = 0;  ///< why there may be more (errno), or 0
};

/// All names in a folder, in order.
template <class = void>
folder_names names_in(const std::string& folder) {
  folder_names found;
  DIR* begun = nullptr;
  do begun = ::opendir(folder.c_str());
  while (begun == nullptr && errno == EINTR);
  if (begun == nullptr) {
    found.wrong = errno;
    return found;
  }
  struct closed {
    DIR* folder;
    ~closed() { ::closedir(folder); }
  };
  const closed open{begun};
  errno = 0;  // which alone tells the end from a failure
  while (const dirent* const entry = ::readdir(open.folder)) {
    found.names.emplace_back(entry->d_name);
    errno = 0;
  }
  found.wrong = errno;
  algorithms::sort(found.names.begin(), found.names.end());
  return found;
}

/// Removes a file; one that is not there is no fault.
template <class = void>
void remove_file(const std::string& path) {
  ::unlink(path.c_str());
}

}  // namespace ipuflow
