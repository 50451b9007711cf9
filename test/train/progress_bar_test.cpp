// SPDX-License-Identifier: BSL-1.0
// A file gets one line without times. A terminal gets the rate so far and the time left at that rate, by a clock that
// the test sets.
#include <ipuflow/train/progress_bar.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

namespace progress_bar_test {

using namespace ipuflow;

namespace {

std::chrono::milliseconds passed{};
std::chrono::steady_clock::time_point set_clock() { return std::chrono::steady_clock::time_point{passed}; }

/// Two steps of `steps`, the first after two seconds, the second after one more.
std::string shown(bool terminal, std::size_t steps = 4, std::size_t samples = 0, bool measured = true) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::tmpfile(), &std::fclose};
  passed = {};
  train::progress_bar p{"epoch 1/3", steps, {.to = file.get(), .samples = samples, .now = &set_clock}, terminal};
  passed = std::chrono::milliseconds{2000};
  p.step(2.5, 10);
  passed = std::chrono::milliseconds{3000};
  if (measured) p.step(1.25, 50.125);
  else p.step(1.25);
  p.end();
  std::string text(static_cast<std::size_t>(std::ftell(file.get())), ' ');
  std::rewind(file.get());
  REQUIRE(std::fread(text.data(), 1, text.size(), file.get()) == text.size());
  return text;
}

}  // namespace

TEST_CASE("a file gets one line when the pass is over") {
  CHECK(shown(false) == "epoch 1/3 2/4  loss 1.2500  accuracy 50.12 %\n");
}

TEST_CASE("An accuracy that is not measured is not shown") {
  CHECK(shown(false, 4, 0, false) == "epoch 1/3 2/4  loss 1.2500\n");
}

TEST_CASE("a terminal gets a bar that moves, with the rate and the time left") {
  const std::string text = shown(true);
  CHECK(text.find("\repoch 1/3 [#######.......................] 1/4  loss 2.5000  accuracy 10.00 %  0.5 steps/s, 0:06 left") == 0);
  CHECK(text.find("\repoch 1/3 [###############...............] 2/4  loss 1.2500  accuracy 50.12 %  0.7 steps/s, 0:03 left") !=
        std::string::npos);
  CHECK(text.back() == '\n');
}

TEST_CASE("the rate is that of samples if a step says how many it has; a whole pass says how long it took") {
  const std::string text = shown(true, 2, 600);
  CHECK(text.find("1/2  loss 2.5000  accuracy 10.00 %  300 samples/s, 0:02 left") != std::string::npos);
  CHECK(text.find("2/2  loss 1.2500  accuracy 50.12 %  400 samples/s in 0:03") != std::string::npos);
}

TEST_CASE("times of hours, and of nothing") {
  CHECK(train::impl::clock_time(0) == "0:00");
  CHECK(train::impl::clock_time(59.6) == "1:00");
  CHECK(train::impl::clock_time(3599) == "59:59");
  CHECK(train::impl::clock_time(3723) == "1:02:03");
  CHECK(train::impl::clock_time(1e300) == "999:59:59");
}

TEST_CASE("a pass without steps says nothing; a file is no terminal") {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::tmpfile(), &std::fclose};
  CHECK_FALSE(train::impl::is_terminal(file.get()));
  train::progress_bar{"nothing", 0, {.to = file.get()}}.end();
  CHECK(std::ftell(file.get()) == 0);
}

}  // namespace progress_bar_test
