// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/folder.hpp>

#include <doctest/doctest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace folder_test {

using namespace ipuflow;

TEST_CASE("a folder is made once, its names are in order, and a file goes") {
  const std::string path = (std::filesystem::temp_directory_path() / ("ipuflow_folder_" + std::to_string(std::random_device{}()))).string();
  CHECK(names_in(path).names.empty());
  CHECK(names_in(path).wrong == ENOENT);
  CHECK(make_folder(path) == 0);
  CHECK(make_folder(path) == 0);
  for (const char* const name : {"c", "a", "b"}) std::ofstream{path + "/" + name} << name;
  CHECK(names_in(path).names == std::vector<std::string>{".", "..", "a", "b", "c"});
  CHECK(names_in(path).wrong == 0);
  remove_file(path + "/b");
  remove_file(path + "/b");
  CHECK(names_in(path).names == std::vector<std::string>{".", "..", "a", "c"});
  CHECK(make_folder(path + "/a") == EEXIST);  // a file
  CHECK(make_folder(path + "/no/such") == ENOENT);
  CHECK(make_folder(path + "/a/below") == ENOTDIR);
  std::filesystem::remove_all(path);
}

}  // namespace folder_test
