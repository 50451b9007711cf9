// SPDX-License-Identifier: BSL-1.0
// A first plan: does this network fit two chips, how fast is it there, and what bounds it? It prints one line for each size of a
// micro-batch, and why the last one is refused.
// begin: whole
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/plan/predict/fits_fault.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/planning/planner.hpp>

#include <cstdint>
#include <cstdio>
#include <string>

using namespace ipuflow;

constexpr auto network = single_stage(input<half, 1, 28, 28>, per_sample<"label", std::uint8_t>,
    block<"B1">(nn::conv2d<10, 5>, nn::max_pool<2>, nn::relu),
    block<"B2">(nn::conv2d<20, 5>, nn::max_pool<2>, nn::relu),
    block<"B3">(nn::flatten, nn::linear<256>, nn::relu),
    block<"B4">(nn::linear<10>, use<"label">(nn::cross_entropy)));

int main() {
  train::planner planner(ipu::mk2, {train::planned(network, plan::numbers::f16_16, train::sgd{.momentum = 0.9f})});
  plan::configuration c{.cuts = {1}, .ipus = 2, .accumulation = 16, .precision = plan::numbers::f16_16};  // block B2 begins stage 1
  for (const std::size_t samples : {64u, 1024u, 16'384u}) {
    c.micro_batch = samples;
    const plan::prediction p = planner(c);
    const plan::fits_fault wrong = plan::verify_fits(p);
    std::printf("%5zu samples: %8.0f a second, bound by %s\n", samples, p.samples_per_second(), std::string(name_of(p.bound())).c_str());
    if (wrong) std::printf("%s\n", std::string(sentence(wrong).view()).c_str());
  }
}
// end: whole
