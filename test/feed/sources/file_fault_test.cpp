// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/sources/file_fault.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

namespace file_fault_test {

using namespace ipuflow;
using namespace ipuflow::feed;

namespace {

std::string said(file_wrong kind, std::size_t got, std::size_t limit) {
  return message(file_fault{kind, got, limit, file_name{"a/b"}}).data();
}

}  // namespace

TEST_CASE("a file's fault names the file, what was found and what was expected") {
  CHECK(said(file_wrong::missing, 0, 0) == "ipuflow: there is no file 'a/b'; correct the path, or get the data first");
  CHECK(said(file_wrong::unreadable, 13, 0) ==
        "ipuflow: file 'a/b' cannot be read, the system says error 13; check your rights to it");
  CHECK(said(file_wrong::no_file, 0, 0) == "ipuflow: 'a/b' is a directory, a device or a pipe; give the path of a plain file");
  CHECK(said(file_wrong::header_cut, 3, 16) ==
        "ipuflow: file 'a/b' has 3 bytes but its header alone takes 16; it is cut off, get it anew");
  CHECK(said(file_wrong::magic, 2049, 2051) ==
        "ipuflow: the magic number of 'a/b' is 2049 where 2051 is expected; give an unpacked IDX file of 8-bit values, "
        "images "
        "before labels");
  CHECK(said(file_wrong::sizes_overflow, 5, 6) ==
        "ipuflow: the sizes in the header of 'a/b' multiply to more than 64 bits hold, 5 times 6; the file is damaged, "
        "get it "
        "anew");
  CHECK(said(file_wrong::no_elements, 0, 1) ==
        "ipuflow: the header of 'a/b' announces 0 elements a sample where at least 1 is expected; the file is damaged, "
        "get it "
        "anew");
  CHECK(said(file_wrong::size_differs, 99, 100) ==
        "ipuflow: file 'a/b' has 99 bytes but its header announces 100; it is damaged, get it anew");
  CHECK(
      said(file_wrong::width_differs, 784, 768) ==
      "ipuflow: the samples of 'a/b' have 784 elements where 768 are expected; ask for the extents that the file has");
  CHECK(said(file_wrong::count_differs, 9, 10) ==
        "ipuflow: file 'a/b' has 9 labels for 10 images; give the two files of one set");
  CHECK(said(file_wrong::not_whole_records, 3074, 3073) ==
        "ipuflow: file 'a/b' has 3074 bytes, which is not a whole number of records of 3073; give a CIFAR-10 file in "
        "binary "
        "form");
  CHECK(said(file_wrong::label_too_large, 10, 9) ==
        "ipuflow: a record of 'a/b' has label 10 where at most 9 is expected; the file is damaged, get it anew");
}

TEST_CASE("of a long path the end is shown, and the whole sentence after it") {
  const std::string path = std::string(5000, 'd') + "/train-images";
  const std::string text =
      message(file_fault{file_wrong::size_differs, 1, 2, file_name{path}}).data();
  CHECK(text.find("...ddd") != text.npos);
  CHECK(text.find("/train-images'") != text.npos);
  CHECK(text.ends_with("get it anew"));
}

}  // namespace file_fault_test
