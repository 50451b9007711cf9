// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/sources/mapped_file.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace mapped_file_test {

using namespace ipuflow;
using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

using wrong_file = rejected<file_fault>;

TEST_CASE("a file's bytes are there as long as somebody holds the mapping") {
  const auto path = (std::filesystem::temp_directory_path() / "ipuflow_mapped_file_test").string();
  std::ofstream{path, std::ios::binary} << std::string{"ab\0c", 4};
  const auto file = map_file(path);
  std::remove(path.c_str());
  const auto copy = file;
  CHECK(copy->bytes().size() == 4);
  CHECK(copy->bytes()[3] == 'c');
  CHECK(copy->path() == path);
}

TEST_CASE("an empty file has no bytes") {
  const auto path = (std::filesystem::temp_directory_path() / "ipuflow_mapped_file_empty").string();
  std::ofstream{path};
  CHECK(mapped_file{path}.bytes().empty());
  std::remove(path.c_str());
}

TEST_CASE("what is no readable file says so") {
  const auto kind_of = [](const std::string& path) {
    try {
      const mapped_file file{path};
    } catch (const wrong_file& wrong) {
      CHECK(wrong.found().where == file_name{path});
      return wrong.found().kind;
    }
    return file_wrong::nothing;
  };
  CHECK(kind_of("/nonexistent/file") == file_wrong::missing);
  CHECK(kind_of("/") == file_wrong::no_file);
  CHECK(kind_of("/dev/null") == file_wrong::no_file);
  CHECK(kind_of("/dev/null/file") == file_wrong::unreadable);
}

}  // namespace mapped_file_test
