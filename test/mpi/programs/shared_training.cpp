// SPDX-License-Identifier: BSL-1.0
// A training that several processes share, for scripts that kill it and for failures of all kinds.
//   shared_training train <folder> <passes>    goes on from the checkpoints in the folder; prints the weights
//   shared_training <failure> <process>        one process fails in its third step, or before
#include <ipuflow/feed/load.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/mpi.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/checkpoints.hpp>

#include <array>
#include <bit>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>

#include <unistd.h>

using namespace ipuflow;

namespace {

template <std::size_t Hidden>
constexpr auto network_of = pipeline(input<float, 16>, per_sample<"class", std::uint8_t>,
    stage(block<"in">(nn::linear<Hidden>, nn::tanh, nn::dropout<0.1>)).template ipu<0>(),
    stage(block<"out">(nn::linear<4>, use<"class">(nn::cross_entropy))).template ipu<1>());

/// Sixteen numbers; the class is the quarter of them that has the greatest sum.
struct made_up {
  std::size_t size() const { return 960; }
  std::tuple<std::array<float, 16>, std::uint8_t> operator[](std::size_t index) const {
    std::array<float, 16> x{};
    std::array<float, 4> sums{};
    for (std::size_t i = 0; i < 16; ++i) sums[i / 4] += x[i] = nn::random_unit(index, i);
    std::size_t greatest = 0;
    for (std::size_t i = 1; i < 4; ++i) greatest = sums[i] > sums[greatest] ? i : greatest;
    return {x, static_cast<std::uint8_t>(greatest)};
  }
};

template <std::size_t Hidden>
int train_all(mpi::world& all, const std::string& what, const std::string& argument, std::size_t passes) {
  constexpr auto& network = network_of<Hidden>;
  const bool trains = what == "train";
  const bool me = !trains && std::stoul(argument) == all.process();
  train::options o{.micro_batch = 5, .replicas = 6};
  o.shard_optimiser = trains;
  if (what == "seed" && me) o.seed = 7;
  if (me && what == "absent") return 0;
  train::session session{network, schedule::one_f_one_b(network, micro_batches<4>), train::adamw{.rate = what == "rate" && me ? 4e-3f : 3e-3f}, o,
                         on::processes{.world = all, .inner = {.count = 1}}};
  auto steps = feed::load(made_up{}, session.samples_per_step(), {.shuffle = 1});
  const std::string own = std::filesystem::temp_directory_path() / ("shared_training_" + std::to_string(::getpid()));
  train::checkpoints saved{trains ? argument : own, {.every = trains ? 5u : 0u, .keep = 2, .writes = all.process() == 0}};
  if (trains && saved.resume(session, steps) && all.process() == 0) std::printf("goes on from step %zu\n", session.steps());
  while (steps.place().pass < passes) {
    for (auto&& step : steps) {
      if (me && session.steps() == 3) {
        if (what == "throw") throw std::runtime_error{"the cat is on the keyboard"};
        if (what == "exit") std::exit(3);
        if (what == "return") return 0;
        if (what == "stop") std::raise(SIGSTOP);
        if (what == "kill") std::raise(SIGKILL);
        if (what == "loss") (*session.parameters()).values[0] = std::numeric_limits<float>::quiet_NaN();
      }
      session(step);
      saved.after_step(session, steps);
    }
  }
  saved.wait();
  std::uint64_t bits = 0;
  for (const float w : session.parameters()->values) bits = std::rotl(bits, 5) ^ std::bit_cast<std::uint32_t>(w);
  if (all.process() == 0) std::printf("%zu steps, weights %016llx\n", session.steps(), static_cast<unsigned long long>(bits));
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "train", argument = count > 2 ? arguments[2] : "checkpoints";
  const std::size_t passes = count > 3 ? std::stoul(arguments[3]) : 3;
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank == nullptr) rank = std::getenv("PMI_RANK");
  if (what == "begin" && rank != nullptr && rank == argument) throw std::runtime_error{"the cat sits on the switch"};  // there is no world yet
  return mpi::run(
      [&](mpi::world& all) {
        const bool other_network = what == "network" && std::stoul(argument) == all.process();
        return other_network ? train_all<8>(all, what, argument, passes) : train_all<64>(all, what, argument, passes);
      },
      {.limit = std::chrono::milliseconds{what == "train" ? 20000 : 1500}});
}
