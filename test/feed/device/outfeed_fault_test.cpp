// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/device/outfeed.hpp>
#include <ipuflow/feed/device/outfeed_fault.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <string>

namespace outfeed_fault_test {

using namespace ipuflow::feed;

namespace {

template <class Action>
std::string sentence_of(Action action) {
  try {
    action();
  } catch (const ipuflow::error& wrong) {
    return wrong.what();
  }
  return "nothing is wrong";
}

}  // namespace

TEST_CASE("an outfeed buffers something") {
  CHECK(sentence_of([] { outfeed<int> out{{.buffer_depth = 0}}; }) ==
        "ipuflow: an outfeed is to buffer 0 results; choose a depth from 1 up");
}

TEST_CASE("sizes of an outfeed are sizes of a step") {
  CHECK(sentence_of([] { outfeed<int> out{{.sizes = {.micro_batch = 0}}}; }) == "ipuflow: a micro-batch of 0 samples feeds nothing; give micro_batch at least 1");
  CHECK(sentence_of([] { outfeed<int> out{{.sizes = {.replicas = static_cast<std::size_t>(-1)}}}; }) ==
        "ipuflow: an outfeed is to have results of 18446744073709551615 replicas; give at most 1048576");
}

TEST_CASE("what cannot be summed up is refused when the outfeed is made") {
  const outfeed_options sums{.outputs = {.mode = output_mode::sum}};
  CHECK(sentence_of([&] { outfeed<std::unique_ptr<int>> out{sums}; }) ==
        "ipuflow: results of this type cannot be summed up; give them +=, or choose another output mode");
  CHECK(sentence_of([&] { outfeed<int> out{sums}; }) == "nothing is wrong");
}

TEST_CASE("reading before anything was enqueued says so, and only then") {
  outfeed<int> out;
  const std::string wrong =
      "ipuflow: nothing was ever enqueued into the outfeed being read; run first, or follow it from another thread";
  CHECK(sentence_of([&] { (void)out.dequeue(); }) == wrong);
  CHECK(sentence_of([&] { out.begin(); }) == wrong);
  out.enqueue(1);
  CHECK(out.dequeue().size() == 1);
  CHECK(out.dequeue().empty());
}

TEST_CASE("every replica enqueues once in every micro-batch") {
  outfeed<int> out{{.sizes = {.replicas = 2}}};
  CHECK(sentence_of([&] { out.enqueue(1, 2); }) ==
        "ipuflow: replica 2 enqueues into an outfeed of 2; they count from 0 to one less");
  out.enqueue(1, 0);
  CHECK(sentence_of([&] { out.enqueue(1, 0); }) ==
        "ipuflow: replica 0 enqueues twice in micro-batch 0 of an outfeed; enqueue once, several values as one tuple");
  CHECK(sentence_of([&] { out.begin_micro_batch(); }) ==
        "ipuflow: 1 of 2 replicas enqueued in micro-batch 0 of an outfeed; let each enqueue once in every one");
}

TEST_CASE("a loop that says where its iterations begin notices both with one replica too") {
  outfeed<int> out;
  out.begin_micro_batch();
  out.enqueue(1);
  CHECK(sentence_of([&] { out.enqueue(2); }).find("enqueues twice in micro-batch") != std::string::npos);
  out.begin_micro_batch();
  CHECK(sentence_of([&] { out.begin_micro_batch(); }).find("ipuflow: 0 of 1 replica enqueued in micro-batch 1") == 0);
}

TEST_CASE("an outfeed that is closed takes nothing, and is followed by one reader") {
  outfeed<int> out;
  {
    const auto one = out.follow();
    CHECK(sentence_of([&] { (void)out.follow(); }) ==
          "ipuflow: an outfeed is followed by two readers; let one pass the results on");
  }
  CHECK(sentence_of([&] { (void)out.follow(); }) == "nothing is wrong");
  out.close();
  CHECK(sentence_of([&] { out.enqueue(1); }) ==
        "ipuflow: a result is enqueued after its outfeed was closed; close it after the last run");
}

}  // namespace outfeed_fault_test
