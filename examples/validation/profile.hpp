// SPDX-License-Identifier: BSL-1.0
// Rows of the validation table from a profile of BERT-L in inference, compiled for one chip: sequences of 128, half,
// micro-batches of one (so its configuration, and so the size of its scores). Bytes are summed over tiles. Also counts
// of parameters, which must be right.
#pragma once

#include <validation/models.hpp>
#include <validation/row.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace validation {

using namespace ipuflow;
using namespace ipuflow::ipu;

/// Bytes of an operation or layer in that profile.
struct profiled_bytes {
  std::string_view id, what;
  double state, code, exchange, control, variables;
  bool code_fitted = false;
};

inline double profiled(const memory_report& m, memory_category c) { return static_cast<double>(m.total(c)); }

/// Variables that are live together, the weights among them.
inline double live_bytes(const memory_report& m) {
  return profiled(m, memory_category::always_live) + profiled(m, memory_category::not_always_live);
}

/// Numbers in all parameters.
inline std::size_t counted(const network_sketch& net) {
  std::size_t sum = 0;
  for (const traced_parameter& p : net.parameters) sum += net.g[p.value].elements();
  return sum;
}

inline std::vector<validation_row> bert_profile_rows() {
  using c = memory_category;
  network_sketch net(mk2, amp_precision::half_half, 0.6, false);
  const attention_shape a;
  const traced_value x = net.value("in", a.sequence * a.hidden);
  encoder_layer(net, a, x);
  const auto part = [&](std::size_t first, std::size_t count) {  // steps of the layer
    const auto begin = net.forward.begin() + static_cast<std::ptrdiff_t>(first);
    return cost(pod(mk2, 1), net.g, sequence(std::vector<step>(begin, begin + static_cast<std::ptrdiff_t>(count))),
                {.allow_out_of_memory = true})
        .memory;
  };
  const memory_report layer = part(0, net.forward.size());
  constexpr std::size_t layers = 24, tokens = 30'400;
  const double weights = profiled(layer, c::always_live);
  std::vector<validation_row> rows;
  const auto add = [&](const profiled_bytes& seen, const memory_report& m, double variables) {
    const auto row = [&](std::string_view what, double measured, double predicted, basis from = basis::derived) {
      if (measured > 0) rows.push_back({seen.id, what, "bytes", measured, predicted, from});
    };
    row(seen.what, seen.state, profiled(m, c::vertex_state));
    row("  vertex code", seen.code, profiled(m, c::vertex_code), seen.code_fitted ? basis::fitted : basis::derived);
    row("  exchange code", seen.exchange, profiled(m, c::exchange_code));
    row("  control code", seen.control, profiled(m, c::control_code));
    row("  variables", seen.variables, variables);
  };
  add({"B1", "BERT-L encoder layer: vertex state", 1'050'044, 7'876'760, 1'280'820, 1'360'492, 76'814'456}, layer,
      live_bytes(layer));
  const double all = static_cast<double>(layers);
  rows.push_back(
      {"B2", "BERT-L, 24 layers: vertex state", "bytes", 25'460'686, all * profiled(layer, c::vertex_state)});
  rows.push_back({"B2", "  exchange code", "bytes", 27'805'164, all * profiled(layer, c::exchange_code)});
  rows.push_back({"B2", "  vertex code, once for all", "bytes", 9'887'022, profiled(layer, c::vertex_code)});
  rows.push_back({"B2", "  variables, with the embedding", "bytes", 718'514'294,
                  all * weights + static_cast<double>(2 * tokens * a.hidden) + live_bytes(layer) - weights});
  add({"B3", "  product for attention: vertex state", 86'272, 2'372'928, 520'300, 104'228, 0, true}, part(0, 1), 0);
  add({"B3", "  softmax: vertex state", 160'768, 2'295'839, 102'048, 201'216, 0, true}, part(4, 1), 0);
  add({"B3", "  norm: vertex state", 221'120, 2'973'137, 227'504, 261'016, 0}, part(9, 5), 0);
  rows.push_back({"C", "parameters of a BERT-L layer", "", 12'596'224, static_cast<double>(counted(net))});
  return rows;
}

/// Of a ResNet with bottlenecks: convolutions, scales and shifts of norms, the last product.
constexpr std::size_t resnet_parameters(std::span<const std::size_t> blocks, std::size_t classes) {
  const auto conv = [](std::size_t in, std::size_t out, std::size_t kernel) {
    return out * (in * kernel * kernel + 2);
  };
  std::size_t sum = conv(3, 64, 7), in = 64, middle = 64;
  for (const std::size_t count : blocks) {
    sum += conv(in, 4 * middle, 1);
    for (std::size_t b = 0; b < count; ++b) {
      sum += conv(in, middle, 1) + conv(middle, middle, 3) + conv(middle, 4 * middle, 1);
      in = 4 * middle;
    }
    middle *= 2;
  }
  return sum + (in + 1) * classes;
}

/// Of a BERT: words, 512 positions, two segments and a norm; layers; a product for the first token. With `heads`, those
/// of pre-training, whose words are the embedding's.
constexpr std::size_t bert_parameters(std::size_t hidden, std::size_t layers, std::size_t words, bool heads) {
  const std::size_t square = hidden * hidden + hidden, norm = 2 * hidden;
  const std::size_t layer = 4 * square + 8 * hidden * hidden + 5 * hidden + 2 * norm;
  const std::size_t all = (words + 512 + 2) * hidden + norm + layers * layer + square;
  return heads ? all + square + norm + words + 2 * hidden + 2 : all;
}

inline std::vector<validation_row> profile_rows() {
  std::vector<validation_row> rows = bert_profile_rows();
  constexpr std::array<std::size_t, 4> fifty{3, 4, 6, 3}, hundred{3, 4, 23, 3};
  const auto resnet = [](std::span<const std::size_t> blocks, std::size_t classes) {
    return static_cast<double>(resnet_parameters(blocks, classes));
  };
  const auto bert = [&](std::string_view what, double given, std::size_t hidden, std::size_t layers, std::size_t words,
                        bool heads) {
    rows.push_back({"C", what, "", given, static_cast<double>(bert_parameters(hidden, layers, words, heads))});
  };
  bert("parameters of BERT-L", 335'141'888, 1024, 24, 30'522, false);
  bert("  with heads", 336'226'108, 1024, 24, 30'522, true);
  bert("  with heads, 30,400 words", 336'101'058, 1024, 24, 30'400, true);
  bert("parameters of BERT-B", 109'482'240, 768, 12, 30'522, false);
  bert("  with heads", 110'106'428, 768, 12, 30'522, true);
  rows.push_back({"C", "parameters of ResNet-50", "", 25'557'032, resnet(fifty, 1000)});
  rows.push_back({"C", "parameters of ResNet-101", "", 44'549'160, resnet(hundred, 1000)});
  rows.push_back({"C", "parameters of ResNet-101, 10 classes", "", 42'520'650, resnet(hundred, 10)});
  return rows;
}

}  // namespace validation
