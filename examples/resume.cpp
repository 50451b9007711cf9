// SPDX-License-Identifier: BSL-1.0
// A training that may be killed at any moment: begun again, it goes on from the newest checkpoint, and ends with the same weights.
//   resume [folder [passes]]     without a folder it does both itself, in one that is gone afterwards
#include <ipuflow/feed.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/checkpoints.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <tuple>

#include <unistd.h>

using namespace ipuflow;

constexpr auto network = pipeline(input<float, 16>, per_sample<"class", std::uint8_t>,
    stage(block<"in">(nn::linear<64>, nn::tanh, nn::dropout<0.1>)).ipu<0>(),
    stage(block<"out">(nn::linear<4>, use<"class">(nn::cross_entropy))).ipu<1>());

/// Sixteen numbers; the class is the quarter of them that has the greatest sum.
struct made_up {
  std::size_t size() const { return 2000; }
  std::tuple<std::array<float, 16>, std::uint8_t> operator[](std::size_t index) const {
    std::array<float, 16> x{};
    std::array<float, 4> sums{};
    for (std::size_t i = 0; i < 16; ++i) sums[i / 4] += x[i] = nn::random_unit(index, i);
    std::size_t greatest = 0;
    for (std::size_t i = 1; i < 4; ++i) greatest = sums[i] > sums[greatest] ? i : greatest;
    return {x, static_cast<std::uint8_t>(greatest)};
  }
};

/// Trains until so many passes are done, or so many steps; returns a sum over the bits of all weights.
std::uint64_t train_in(const std::string& folder, std::size_t passes, std::size_t most_steps = static_cast<std::size_t>(-1)) {
  // begin: resume
  train::session session{network, schedule::one_f_one_b(network, micro_batches<4>), train::adamw{.rate = 3e-3f}, {.micro_batch = 10}};
  auto steps = feed::load(made_up{}, session.samples_per_step(), {.shuffle = 1});

  train::checkpoints saved{folder, {.every = 20, .keep = 2}};
  if (saved.resume(session, steps)) std::printf("goes on from step %zu\n", session.steps());
  for (const std::string& why : saved.passed_over()) std::printf("%s\n", why.c_str());

  while (steps.place().pass < passes && session.steps() < most_steps) {
    for (auto&& step : steps) {
      session(step);
      saved.after_step(session, steps);
      if (session.steps() == most_steps) break;
    }
  }
  saved.wait();
  // end: resume

  std::uint64_t bits = 0;
  for (const float w : session.parameters()->values) bits = std::rotl(bits, 5) ^ std::bit_cast<std::uint32_t>(w);
  std::printf("%zu steps\n", session.steps());
  return bits;
}

int main(int count, char** argument) try {
  if (count > 1) {
    const std::uint64_t bits = train_in(argument[1], count > 2 ? std::stoul(argument[2]) : 10);
    std::printf("weights %016llx\n", static_cast<unsigned long long>(bits));
    return 0;
  }
  const auto scratch = std::filesystem::temp_directory_path() / ("ipuflow_resume_" + std::to_string(::getpid()));
  std::filesystem::create_directories(scratch);
  const std::uint64_t whole = train_in((scratch / "whole").string(), 3);
  train_in((scratch / "broken").string(), 3, 77);  // as if it had been killed there
  const std::uint64_t resumed = train_in((scratch / "broken").string(), 3);
  std::filesystem::remove_all(scratch);
  std::printf("%s\n", resumed == whole ? "the same weights, bit for bit" : "other weights");
  return resumed == whole ? 0 : 1;
} catch (const std::exception& wrong) {
  std::fprintf(stderr, "%s\n", wrong.what());
  return 2;
}
