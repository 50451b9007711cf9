// SPDX-License-Identifier: BSL-1.0
// MNIST trained while another thread of the host prints the loss of each step as soon as it is known; the training waits if
// the printing is slower. Prints every tenth step and its loss.
#include <ipuflow/feed.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/feeds.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

using namespace ipuflow;

const std::string data = IPUFLOW_EXAMPLE_DATA;

// begin: network
constexpr auto network = pipeline(input<float, 28, 28>, per_sample<"label", std::uint8_t>, per_run<"rate", float>,
    stage(block<"hidden">(nn::flatten, nn::linear<128>, nn::relu)).ipu<0>(),
    stage(block<"scores">(nn::linear<10>, use<"label">(nn::cross_entropy))).ipu<1>());
// end: network

int main() {
  // begin: monitor
  const auto digits = feed::idx<28, 28>(data + "/train-images-idx3-ubyte", data + "/train-labels-idx1-ubyte");
  train::session session{network, schedule::grouped(network, micro_batches<4>), train::rate_from<"rate">(train::sgd{}),
                         {.micro_batch = 8, .outputs = feed::output_mode::sum, .inputs = {.scale = 1 / 255.0f}}};

  auto [in, out] = train::feeds(session, digits, {.epochs = train::all_epochs, .loading = {.shuffle = 1}});
  std::jthread monitor{[results = out.follow()]() mutable {
    for (std::size_t step = 0; const auto& [scores, loss] : results) {
      if (step++ % 10 == 0) std::printf("step %zu loss = %.4f\n", step - 1, static_cast<double>(loss) / 4);
    }
  }};
  session.run(in, out, 60, with<"rate">(0.1f));
  session.run(in, out, 41, with<"rate">(0.01f));  // goes on with the next samples
  out.close();                                    // the monitor comes to its end
  // end: monitor
}
