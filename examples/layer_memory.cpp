// SPDX-License-Identifier: BSL-1.0
// Where the memory of a layer of BERT-large goes: code, state, exchange code and control code of each of its operations, over all
// tiles of one chip, as its compiler would have to find room for. The layer is used, in half, on a sequence of 128.
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/report/chips/operation_memory.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/zoo/transformers.hpp>

#include <cstddef>
#include <cstdint>
#include <iostream>

using namespace ipuflow;

constexpr std::size_t positions = 128;
constexpr zoo::transformer bert_large{.layers = 1, .width = 1024, .heads = 16, .vocabulary = 30'400, .positions = positions};

// begin: whole
constexpr auto encoder = hana::unpack(zoo::bert<bert_large>.blocks, [](const auto&, const auto& layer) { return layer; });
constexpr auto layer = single_stage(input<half, positions, 1024>, per_sample<"text", tensor<std::uint8_t, positions>>, encoder);

int main() {
  const on::chips chip{.synthetic = true, .half_partials = true, .share_code = false};
  const train::session session(layer, schedule::inference(layer, micro_batches<1>), train::sgd{}, {}, chip, train::precision<float, half>{});
  std::cout << report::memory_by_operation(session.cost().chips.memory);
}
// end: whole
