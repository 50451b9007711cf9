// SPDX-License-Identifier: BSL-1.0
// A network of one's own, trained on a CSV file: its true accuracy, a prediction for one point, and its weights as a file
// that PyTorch reads by name.
#include <ipuflow/feed/load.hpp>
#include <ipuflow/feed/sources/csv.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train/evaluation.hpp>
#include <ipuflow/train/predict.hpp>
#include <ipuflow/train/safetensors.hpp>
#include <ipuflow/train/session.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

using namespace ipuflow;

// begin: network
constexpr auto network = pipeline(input<float, 2>, per_sample<"moon", std::uint8_t>,
    stage(block<"hidden">(nn::linear<16>, nn::tanh)).ipu<0>(),
    stage(block<"out">(nn::linear<2>, use<"moon">(nn::cross_entropy))).ipu<1>());
// end: network

int main() try {
  const std::string data = IPUFLOW_EXAMPLE_DATA;
  const auto path = (std::filesystem::temp_directory_path() / "ipuflow_own_data.safetensors").string();

  // begin: read
  const auto moons = feed::csv<std::array<float, 2>, feed::label<>>(data + "/two_moons.csv");  // x and y, and a word
  const auto training = moons | feed::take(160);
  const auto unseen = moons | feed::drop(160);
  // end: read

  // begin: train
  train::session session{network, schedule::one_f_one_b(network, micro_batches<4>), train::adamw{.rate = 1e-2f}, {.micro_batch = 8}};
  for (int epoch = 0; epoch < 200; ++epoch) {
    for (auto&& step : feed::load(training, session.samples_per_step(), {.shuffle = 1})) session(step);
  }
  // end: train

  // begin: test
  auto trained = train::inference(network, schedule::inference(network, micro_batches<4>), session.parameters(), {.micro_batch = 8});
  train::score score;
  for (auto&& step : feed::load(unseen, trained.samples_per_step(), {.last = feed::tail::kept})) {
    auto& [predictions, loss] = trained(step);
    score.add(loss, predictions, std::get<1>(step.columns()).elements());
  }
  std::printf("%zu points unseen, %s\n", score.samples, score.accuracy() > 95 ? "more than 95 % right" : "not learned");
  // end: test

  // begin: one
  const std::array<float, 2> point{0.0f, 1.1f};
  const auto scores = train::predict(trained, point);
  std::printf("(%g, %g) is of the %s moon\n", static_cast<double>(point[0]), static_cast<double>(point[1]),
              moons.classes()[train::largest(scores)].c_str());
  // end: one

  // begin: save
  train::save_safetensors(network, *session.parameters(), path);

  auto model = train::initial_model(network, 0);  // elsewhere, later
  train::load_safetensors(network, model, path);
  std::printf("read back the same: %s\n", model == *session.parameters() ? "yes" : "no");
  // end: save
  std::filesystem::remove(path);
} catch (const std::exception& wrong) {  // a file that cannot be read or written
  std::fprintf(stderr, "%s\n", wrong.what());
  return 1;
}
