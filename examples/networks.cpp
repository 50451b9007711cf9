// SPDX-License-Identifier: BSL-1.0
// A published network with weights from a file.   usage: networks [file.safetensors]
// A file that is not there is written: it has the names by which torchvision_weights.py puts torchvision's weights in.
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/train/predict.hpp>
#include <ipuflow/train/safetensors.hpp>
#include <ipuflow/zoo/resnet.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>

using namespace ipuflow;

constexpr auto network = single_stage(input<float, 3, 64, 64>, zoo::resnet18<>);

int main(int count, char** arguments) {
  if (count > 2 || (count == 2 && arguments[1][0] == '-')) {  // no name to write a file to
    std::fprintf(stderr, "usage: %s [file.safetensors]\n", arguments[0]);
    return 2;
  }
  // begin: weights
  auto model = train::initial_model(network, /*seed=*/1);
  if (count > 1) {
    const std::string path = arguments[1];
    if (std::filesystem::exists(path)) train::load_safetensors(network, model, path);
    else train::save_safetensors(network, model, path);
  }
  // end: weights
  std::printf("%zu parameters\n", model.values.size());

  // begin: predict
  train::predictor predict{network, share<train::model<float>>(model)};
  std::array<float, 3 * 64 * 64> image{};
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<float>(i % 7) / 7;
  const auto scores = predict(image);
  // end: predict
  std::printf("%zu classes\n", scores.size());
  if (count > 1) std::printf("the largest is class %zu, with %.4f\n", train::largest(scores), double{scores[train::largest(scores)]});
}
