// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/plain_file.hpp>

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace plain_file_test {

using ipuflow::plain_file;
namespace fs = std::filesystem;

TEST_CASE("a plain file is read to its end") {
  const fs::path path = fs::temp_directory_path() / ("ipuflow_plain_" + std::to_string(std::random_device{}()));
  std::ofstream{path} << "some bytes";
  plain_file file{path.c_str()};
  CHECK(file.wrong() == 0);
  CHECK(file.is_plain());
  CHECK(file.size() == 10);
  char bytes[20]{};
  CHECK(file.read(bytes, 4) == 4);
  CHECK(file.read(bytes + 4, 16) == 6);
  CHECK(std::string(bytes) == "some bytes");
  CHECK(file.read(bytes, 1) == 0);
  CHECK(file.wrong() == 0);
  fs::remove(path);
}

TEST_CASE("what is no plain file is said so at once; a pipe that nobody writes is not waited for") {
  const fs::path path = fs::temp_directory_path() / ("ipuflow_pipe_" + std::to_string(std::random_device{}()));
  REQUIRE(::mkfifo(path.c_str(), 0666) == 0);
  for (const char* name : {path.c_str(), "/dev/zero", "/"}) {
    CAPTURE(name);
    const plain_file file{name};
    CHECK(file.wrong() == 0);
    CHECK_FALSE(file.is_plain());
  }
  fs::remove(path);
  CHECK(plain_file{path.c_str()}.wrong() == ENOENT);
  char byte = 0;
  plain_file folder{"/"};
  CHECK(folder.read(&byte, 1) == 0);
  CHECK(folder.wrong() == EISDIR);
}

}  // namespace plain_file_test
