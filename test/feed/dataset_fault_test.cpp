// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/batch.hpp>
#include <ipuflow/feed/adaptors/map.hpp>
#include <ipuflow/feed/adaptors/repeat.hpp>
#include <ipuflow/feed/adaptors/shuffle.hpp>
#include <ipuflow/feed/adaptors/slice.hpp>
#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/sources/rows.hpp>
#include <ipuflow/feed/sources/zip.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace dataset_fault_test {

using namespace ipuflow::feed;

namespace {

template <class Action>
std::string said(Action action) {
  try {
    action();
  } catch (const ipuflow::error& wrong) {
    return wrong.what();
  }
  return "nothing is wrong";
}

}  // namespace

TEST_CASE("what is wrong with a dataset is said with its numbers") {
  const std::vector<int> three{1, 2, 3}, two{1, 2}, none;
  CHECK(said([&] { (void)(none | repeat()); }) == "ipuflow: the dataset is empty; give it at least 1 sample");
  CHECK(said([&] { (void)zip(three, three, two); }) ==
        "ipuflow: dataset 2 of a zip has 2 samples but the first has 3; give them equally many");
  CHECK(said([&] { (void)rows(three, 0); }) ==
        "ipuflow: rows of 0 elements hold nothing; give them a width of at least 1");
  CHECK(said([&] { (void)rows<2>(three); }) ==
        "ipuflow: 3 elements are not a whole number of rows of 2; give as many as the rows hold");
  CHECK(said([&] { (void)(three | batch(0)); }) ==
        "ipuflow: a dataset cannot be cut into batches of 0 samples; batch at least 1");
  CHECK(said([&] { (void)shuffle(7, 0); }) ==
        "ipuflow: a window of 0 samples cannot be shuffled; keep at least 1 in it");
  CHECK(said([&] { (void)(three | shard(2, 2)); }) ==
        "ipuflow: share 2 is asked for of a dataset cut into 2; shares count from 0 to one less");
}

}  // namespace dataset_fault_test
