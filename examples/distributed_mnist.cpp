// SPDX-License-Identifier: BSL-1.0
// Digits learned by any number of processes: alone, or started by `mpirun -n 4 distributed_mnist`. The weights are the same.
//   distributed_mnist [--print-topology]
// begin: whole
#include <ipuflow/feed.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/mpi.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

using namespace ipuflow;

constexpr auto network = pipeline(input<float, 1, 28, 28>, per_sample<"label", std::uint8_t>,
    stage(block<"features">(nn::conv2d<8, 5>, nn::max_pool<2>, nn::relu)).ipu<0>(),
    stage(block<"digits">(nn::flatten, nn::linear<10>, use<"label">(nn::cross_entropy))).ipu<1>());

int main(int count, char** arguments) {
  constexpr auto timetable = schedule::one_f_one_b(network, micro_batches<4>);
  static_assert(accept<schedule::verify_channels(timetable, 0, schedule::receives::early)>());  // no send can wait for ever
  return mpi::run([=](mpi::world& all) {
    const bool first = all.process() == 0;
    if (first && count > 1 && arguments[1] == std::string_view{"--print-topology"})
      std::fputs(mpi::topology_text(all, 4, timetable.where.ipus).c_str(), stderr);

    train::session session{network, timetable, train::adamw{.rate = 3e-3f},
                           {.micro_batch = 8, .replicas = 4, .inputs = {.scale = 1.0f / 255}, .shard_optimiser = true}, on::processes{.world = all}};
    const std::string data = IPUFLOW_EXAMPLE_DATA;
    const auto digits = feed::idx<28, 28>(data + "/t10k-images-idx3-ubyte", data + "/t10k-labels-idx1-ubyte");
    auto steps = feed::load(digits, session.samples_per_step(), {.shuffle = 1});
    for (int epoch = 1; epoch <= 3; ++epoch) {
      double loss = 0;
      for (auto&& step : steps) {
        auto& [scores, losses] = session(step);  // of all processes
        loss += train::mean_of(losses) / static_cast<double>(steps.size());
      }
      if (first) std::printf("epoch %d: loss %.2f\n", epoch, loss);
    }
    return 0;
  });
}
// end: whole
