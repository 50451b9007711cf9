// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/progress_bar.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <memory>
#include <string>

namespace progress_bar_test {

using namespace ipuflow;

namespace {

/// What two steps of four look like.
std::string shown(bool terminal) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::tmpfile(), &std::fclose};
  train::progress_bar p{"epoch 1/3", 4, file.get(), terminal};
  p.step(2.5, 10);
  p.step(1.25, 50.125);
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

TEST_CASE("a terminal gets a bar that moves") {
  const std::string text = shown(true);
  CHECK(text.find("\repoch 1/3 [#######.......................] 1/4  loss 2.5000  accuracy 10.00 %") == 0);
  CHECK(text.find("\repoch 1/3 [###############...............] 2/4  loss 1.2500  accuracy 50.12 %") !=
        std::string::npos);
  CHECK(text.back() == '\n');
}

TEST_CASE("a pass without steps says nothing; a file is no terminal") {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::tmpfile(), &std::fclose};
  CHECK_FALSE(train::impl::is_terminal(file.get()));
  train::progress_bar{"nothing", 0, file.get()}.end();
  CHECK(std::ftell(file.get()) == 0);
}

}  // namespace progress_bar_test
