// SPDX-License-Identifier: BSL-1.0
// What a user of the program may choose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

struct settings {
  // begin: sizes
  std::size_t batch_size = 40;
  std::size_t gradient_accumulation = 10;
  std::size_t device_iterations = 10;
  std::size_t replicas = 1;
  std::size_t test_batch_size = 8;
  std::size_t test_iterations = 100;
  std::size_t epochs = 3;
  float learning_rate = 1e-3f;
  // end: sizes
  std::string data = IPUFLOW_EXAMPLE_DATA;  // the sample that comes with the library
  std::string strategy = "pipelined";
  std::string schedule{};
  std::string precision = "float";
  std::string profile_dir = "profile";
  std::string save{};
  std::string command{};  // as it was given
  std::size_t threads = 0;
  std::uint64_t seed = 1;
  bool synthetic_data = false;
  bool profile = false;
  bool offload_optimiser = false;
  bool debug = false;

  std::string schedule_name() const {
    if (!schedule.empty()) return schedule;
    return strategy == "sharded" ? "sharded" : "1f1b";
  }
};
