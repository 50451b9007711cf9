// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/sources/cifar10.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

namespace cifar10_test {

using namespace ipuflow;
using namespace ipuflow::feed;

using wrong_file = rejected<file_fault>;

namespace {

class file_of {
 public:
  file_of(const char* name, const std::string& bytes) : path_{std::filesystem::temp_directory_path() / name} {
    std::ofstream{path_, std::ios::binary} << bytes;
  }
  ~file_of() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string record(char label, char pixel) {
  return std::string(1, label) + std::string(cifar10_record::pixels, pixel);
}

}  // namespace

TEST_CASE("records of several files, one after the other") {
  const file_of first{"ipuflow_cifar_1", record(1, 'a') + record(2, 'b')};
  const file_of none{"ipuflow_cifar_2", ""};
  const file_of third{"ipuflow_cifar_3", record(3, 'c') + record(9, 'd') + record(10, 'e')};
  const auto d = cifar10(first.path(), none.path(), third.path());
  REQUIRE(d.size() == 5);
  const char pixels[] = {'a', 'b', 'c', 'd'};
  const int labels[] = {1, 2, 3, 9};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto [image, label] = d[i];
    CHECK(label == labels[i]);
    CHECK(image[0] == pixels[i]);
    CHECK(image[3071] == pixels[i]);
  }
  try {
    (void)d[4];
    FAIL("accepted");
  } catch (const wrong_file& wrong) {
    CHECK(wrong.found() ==
          file_fault{file_wrong::label_too_large, 10, 9, file_name{third.path()}});
  }
}

TEST_CASE("a file that is cut is refused") {
  const file_of cut{"ipuflow_cifar_cut", record(1, 'a') + "b"};
  try {
    (void)cifar10(cut.path());
    FAIL("accepted");
  } catch (const wrong_file& wrong) {
    CHECK(wrong.found() ==
          file_fault{file_wrong::not_whole_records, 3074, 3073, file_name{cut.path()}});
  }
}

}  // namespace cifar10_test
