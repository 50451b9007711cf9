// SPDX-License-Identifier: BSL-1.0
// The weights that training begins with, in a file that other programs read.
#include <ipuflow/train/model.hpp>
#include <ipuflow/train/safetensors.hpp>

#include <string>

#include "parts.hpp"

namespace gpt {

void save_initial_weights(const std::string& path) {
  train::save_safetensors(network, train::initial_model(network, in_micro_batches.seed), path);
}

}  // namespace gpt
