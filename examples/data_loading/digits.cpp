// SPDX-License-Identifier: BSL-1.0
// The experiment with the digits that lie beside the examples.
#include "experiment.hpp"

#include <string>

void with_digits(const experiment& e) {
  const std::string data = IPUFLOW_EXAMPLE_DATA;
  const auto images = feed::idx<28, 28>(data + "/train-images-idx3-ubyte", data + "/train-labels-idx1-ubyte");
  compare<28>(e, images, train::scaling::of_pixels(0.1307f, 0.3081f));
}
