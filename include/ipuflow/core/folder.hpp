// SPDX-License-Identifier: BSL-1.0
// A folder and the names in it, straight from the system: <filesystem> costs more to compile than all that is built on this.
#pragma once

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

namespace ipuflow {

/// Makes a folder if there is none; why it cannot (errno), or 0.
template <class = void>
int make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0777) == 0) return 0;
  struct stat there{};
  const int wrong = errno;
  return wrong == EEXIST && ::stat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode) ? 0 : wrong;
}

/// All names in a folder, in order; none if it cannot be read.
template <class = void>
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> found;
  DIR* const open = ::opendir(folder.c_str());
  if (open == nullptr) return found;
  try {
    while (const dirent* const entry = ::readdir(open)) found.emplace_back(entry->d_name);
  } catch (...) {
    ::closedir(open);
    throw;
  }
  ::closedir(open);
  std::sort(found.begin(), found.end());
  return found;
}

/// Removes a file; one that is not there is no fault.
template <class = void>
void remove_file(const std::string& path) {
  ::unlink(path.c_str());
}

}  // namespace ipuflow
