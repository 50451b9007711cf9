// SPDX-License-Identifier: BSL-1.0
// A training that is interrupted at any step and begun anew ends as one that was not.
#include <ipuflow/feed.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/checkpoints.hpp>

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace checkpoints_test {

using namespace ipuflow;

namespace {

constexpr auto network = pipeline(input<float, 4>, per_sample<"class", std::uint8_t>,
                                  stage(block<"in">(nn::linear<6>, nn::tanh, nn::dropout<0.2>)).ipu<0>(),
                                  stage(block<"out">(nn::linear<3>, use<"class">(nn::cross_entropy))).ipu<1>());

struct made_up {
  std::size_t size() const { return 50; }
  std::tuple<std::array<float, 4>, std::uint8_t> operator[](std::size_t index) const {
    std::array<float, 4> x{};
    for (std::size_t i = 0; i < 4; ++i) x[i] = 2 * nn::random_unit(index, i) - 1;
    return {x, static_cast<std::uint8_t>(index % 3)};
  }
};

/// A folder that is gone afterwards.
struct scratch_folder {
  std::string path = (std::filesystem::temp_directory_path() / ("ipuflow_checkpoints_" + std::to_string(std::random_device{}()))).string();

  ~scratch_folder() { std::filesystem::remove_all(path); }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator{path}) found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }
};

constexpr auto timetable = schedule::grouped(network, micro_batches<4>);
using session_type = train::session<std::remove_cvref_t<decltype(network)>, std::remove_cvref_t<decltype(timetable)>, train::adamw>;

/// A training of some passes: 12 steps in each, in an order of their own.
struct training {
  session_type session{network, timetable, train::adamw{.rate = 1e-2f}, {.micro_batch = 1}};
  decltype(feed::load(made_up{}, 4)) loader = feed::load(made_up{}, 4, {.shuffle = 5});

  /// True if it reached the end, false if it was interrupted behind step `last`.
  bool run(train::checkpoints<>& saved, std::size_t passes, std::size_t last = static_cast<std::size_t>(-1)) {
    while (loader.place().pass < passes) {
      for (auto&& step : loader) {
        session(step);
        saved.after_step(session, loader);
        if (session.steps() == last) return false;
      }
    }
    saved.wait();
    return true;
  }
};

train::training_state<> uninterrupted(std::size_t passes) {
  training whole;
  const scratch_folder folder;
  train::checkpoints none{folder.path};
  whole.run(none, passes);
  CHECK(whole.session.steps() == passes * 12);
  CHECK(folder.names().empty());
  return whole.session.state();
}

}  // namespace

TEST_CASE("interrupted at any step, a training ends as one that was not") {
  const train::training_state<> wanted = uninterrupted(2);
  for (std::size_t last = 1; last < 24; ++last) {
    const scratch_folder folder;
    {
      training first;
      train::checkpoints saved{folder.path, {.every = 5}};
      CHECK_FALSE(saved.resume(first.session, first.loader));
      CHECK_FALSE(first.run(saved, 2, last));
    }
    training second;
    train::checkpoints saved{folder.path, {.every = 5}};
    CHECK(saved.resume(second.session, second.loader) == (last >= 5));
    CHECK(second.session.steps() == last / 5 * 5);
    CHECK(second.run(saved, 2));
    CHECK(second.session.state() == wanted);
  }
}

TEST_CASE("the newest stay; a torn one is passed over and named, the one before is taken") {
  const scratch_folder folder;
  training one;
  train::checkpoints saved{folder.path, {.every = 2, .keep = 3}};
  one.run(saved, 1);
  CHECK(folder.names() == std::vector<std::string>{"step-00000000000000000008.checkpoint", "step-00000000000000000010.checkpoint",
                                                   "step-00000000000000000012.checkpoint"});
  std::filesystem::resize_file(folder.path + "/step-00000000000000000012.checkpoint", 100);
  training two;
  CHECK(saved.resume(two.session, two.loader));
  CHECK(two.session.steps() == 10);
  REQUIRE(saved.passed_over().size() == 1);
  CHECK(saved.passed_over()[0].find("step-00000000000000000012.checkpoint has 100 bytes and should have ") != std::string::npos);
  CHECK(two.run(saved, 1));
  CHECK(two.session.state() == one.session.state());
  std::fstream{folder.path + "/step-00000000000000000012.checkpoint", std::ios::in | std::ios::out | std::ios::binary}.seekp(32).put(5);
  CHECK(saved.resume(two.session, two.loader));
  CHECK(two.session.steps() == 10);
  REQUIRE(saved.passed_over().size() == 1);
  CHECK(saved.passed_over()[0].find("has an optimiser's name, a size of numbers") != std::string::npos);
  CHECK(two.run(saved, 1));
  CHECK(saved.resume(one.session));  // without a loader
  CHECK(saved.passed_over().empty());
  CHECK(one.session.steps() == 12);
}

TEST_CASE("all stay if that is wanted, and other files are left alone") {
  const scratch_folder folder;
  std::filesystem::create_directory(folder.path);
  std::ofstream{folder.path + "/step-1.checkpoint"} << "mine";
  std::ofstream{folder.path + "/notes"} << "mine";
  training one;
  train::checkpoints saved{folder.path, {.every = 1, .keep = 0}};
  one.run(saved, 1);
  CHECK(folder.names().size() == 12 + 2);
}

TEST_CASE("what a process that was killed left half written goes, what one that lives writes stays") {
  const scratch_folder folder;
  std::filesystem::create_directory(folder.path);
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  std::ofstream{folder.path + "/.ipuflow-" + std::to_string(gone) + "-3.new"} << "half";
  const std::string alive = ".ipuflow-" + std::to_string(::getpid()) + "-999999.new";
  std::ofstream{folder.path + "/" + alive} << "half";
  training one;
  train::checkpoints saved{folder.path};
  CHECK_FALSE(saved.resume(one.session, one.loader));
  CHECK(folder.names() == std::vector<std::string>{alive});
}

TEST_CASE("a signal makes a checkpoint behind the step at hand, and what was done on the signal before is done again") {
  const scratch_folder folder;
  static int seen = 0;
  auto* const before = std::signal(SIGUSR1, [](int) { ++seen; });
  training one;
  {
    train::checkpoints saved{folder.path, {.signal = SIGUSR1}};
    one.loader.restart();
    one.session(*one.loader.next());
    CHECK_FALSE(saved.after_step(one.session, one.loader));
    one.session(*one.loader.next());
    std::raise(SIGUSR1);
    CHECK(saved.after_step(one.session, one.loader));
    CHECK(folder.names() == std::vector<std::string>{"step-00000000000000000002.checkpoint"});
    CHECK_FALSE(saved.after_step(one.session, one.loader));
    CHECK(seen == 0);
  }
  std::raise(SIGUSR1);
  CHECK(seen == 1);
  std::signal(SIGUSR1, before);
}

TEST_CASE("a checkpoint that cannot be written is told once, training goes on, and the next one is written") {
  const scratch_folder folder;
  training one;
  train::checkpoints saved{folder.path};
  std::filesystem::remove(folder.path);
  saved.write(one.session, one.loader);
  CHECK_THROWS_AS(saved.wait(), rejected<train::checkpoint_fault>);
  CHECK_NOTHROW(saved.wait());
  std::filesystem::create_directory(folder.path);
  saved.write(one.session, one.loader);
  saved.wait();
  CHECK(folder.names().size() == 1);
}

TEST_CASE("a folder where nothing can be written is refused at once; a checkpoint of something else is no accident") {
  const scratch_folder folder;
  const std::string nowhere = folder.path + "/none/here";
  CHECK_THROWS_WITH(train::checkpoints{nowhere}, ("ipuflow: cannot keep checkpoints in " + nowhere +
                                                  ", the system says error 2; check its path and who may write there")
                                                     .c_str());
  CHECK_THROWS_WITH((train::checkpoints{folder.path, {.signal = SIGKILL}}),
                    "ipuflow: no program can be told of signal 9 (checkpoint_options::signal); ask for one like SIGUSR1");
  training one;
  train::checkpoints saved{folder.path};
  saved.write(one.session, one.loader);
  saved.wait();
  train::session other{network, timetable, train::lamb{.rate = 1e-2f}, {.micro_batch = 1}};
  CHECK_THROWS_AS(saved.resume(other), rejected<train::state_fault>);
  train::session wide{network, timetable, train::adamw{.rate = 1e-2f}, {.micro_batch = 1}, train::precision<double>{}};
  train::checkpoints<double> wider{folder.path};
  CHECK_THROWS_AS(wider.resume(wide), rejected<train::checkpoint_fault>);
}

TEST_CASE("session and loader go on together: where one of them cannot, the other stays as it was") {
  const scratch_folder folder;
  training one;
  train::checkpoints saved{folder.path, {.every = 5}};
  one.run(saved, 1);
  training two;
  auto by_order = feed::load(std::list<std::tuple<std::array<float, 4>, std::uint8_t>>(8), 4);
  const train::training_state<> before = two.session.state();
  CHECK_THROWS_AS(saved.resume(two.session, by_order), rejected<feed::loader_fault>);
  CHECK(two.session.state() == before);
  train::session other{network, timetable, train::lamb{.rate = 1e-2f}, {.micro_batch = 1}};
  CHECK_THROWS_AS(saved.resume(other, two.loader), rejected<train::state_fault>);
  CHECK(two.loader.place() == feed::loader_place{});
  CHECK(saved.resume(two.session, two.loader));
  CHECK(two.session.steps() == 10);
}

}  // namespace checkpoints_test
