// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/stage_failed.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace stage_failed_test {

using namespace ipuflow;
using run::impl::first_failure;
using run::stage_failed;
using schedule::pass;

namespace {

template <class Thrown>
void note(first_failure& kept, const schedule::op& at, Thrown thrown) {
  try {
    throw thrown;
  } catch (...) {
    kept.set(at);
  }
}

template <class Check>
void rethrown(const first_failure& kept, Check check) {
  try {
    kept.rethrow();
    FAIL("nothing was thrown");
  } catch (const stage_failed& failed) {
    check(failed);
  }
}

}  // namespace

TEST_CASE("a failure names stage, pass and micro-batch, and keeps its cause") {
  first_failure kept;
  CHECK_NOTHROW(kept.rethrow());
  note(kept, {pass::backward, 2, 7}, std::out_of_range{"no such pixel"});
  note(kept, {pass::forward, 0, 9}, std::runtime_error{"too late"});
  rethrown(kept, [](const stage_failed& failed) {
    CHECK(failed.what() == std::string{"ipuflow: stage 2 failed in the backward of micro-batch 7: no such pixel"});
    CHECK(failed.stage() == 2);
    CHECK(failed.micro_batch() == 7);
    CHECK(failed.pass() == pass::backward);
    CHECK_THROWS_AS(std::rethrow_exception(failed.cause()), std::out_of_range);
  });
}

TEST_CASE("of several replicas the one that failed is named") {
  first_failure kept;
  try {
    throw std::runtime_error{"no such pixel"};
  } catch (...) {
    kept.set({pass::forward, 2, 7}, 3);
  }
  rethrown(kept, [](const stage_failed& failed) {
    CHECK(failed.what() ==
          std::string{"ipuflow: stage 2 failed in the forward of micro-batch 7 of replica 3: no such pixel"});
    CHECK(failed.replica() == 3);
  });
  CHECK(stage_failed{{}, std::make_exception_ptr(1)}.replica() == 0);
}

TEST_CASE("in a run of operations the one that failed is named") {
  first_failure kept;
  note(kept, {pass::forward, 1, 4}, run::failed_after{std::make_exception_ptr(std::runtime_error{"x"}), 3});
  rethrown(kept, [](const stage_failed& failed) {
    CHECK(failed.micro_batch() == 7);
    CHECK_THROWS_WITH_AS(std::rethrow_exception(failed.cause()), "x", std::runtime_error);
  });
}

TEST_CASE("anything can be thrown, and long texts are cut") {
  first_failure kept;
  note(kept, {}, 42);
  rethrown(kept, [](const stage_failed& failed) {
    CHECK(std::string{failed.what()}.ends_with("micro-batch 0: something that is no std::exception"));
    CHECK_THROWS_AS(std::rethrow_exception(failed.cause()), int);
  });
  first_failure long_one;
  note(long_one, {}, std::runtime_error{std::string(5000, 'x')});
  rethrown(long_one, [](const stage_failed& failed) { CHECK(std::string{failed.what()}.ends_with("xxx...")); });
}

}  // namespace stage_failed_test
