// SPDX-License-Identifier: BSL-1.0
// Published networks as the rows of the validation table ran them, made of these layers: one iteration of
// training of two small ones, and the encoder layer of BERT-L. Nothing in them is fitted.
#pragma once

#include <ipuflow/ipu/engine/costing.hpp>
#include <validation/attention.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace validation {

using namespace ipuflow;
using namespace ipuflow::ipu;

/// A product of rows before and after, a norm of each row: the layer as in the paper (norm after each half).
inline traced_value encoder_layer(network_sketch& net, const attention_shape& a, const traced_value& x) {
  const std::size_t rows = a.samples * a.sequence;
  const std::size_t hidden = a.hidden;
  const auto norm = [&](const traced_value& v) { return net.norm(v, 1, rows, hidden, hidden, 1); };
  const auto [in, past] = net.fork(x);
  const traced_value seen = attention(net, a, net.product(in, rows, hidden, 3 * hidden));
  const traced_value half_way = norm(net.add(past, net.product(seen, rows, hidden, hidden)));
  const auto [inner, beside] = net.fork(half_way);
  const traced_value wide = net.apply(unary::gelu, gradient::gelu, net.product(inner, rows, hidden, 4 * hidden));
  return norm(net.add(beside, net.product(wide, rows, 4 * hidden, hidden)));
}

/// Seconds between micro-batches on a stage of `layers` encoder layers of a pipeline over a machine: forwards twice (it
/// recomputes), backwards once, gradients added up, and values and gradients handed on between stages.
inline seconds stage_slot(const architecture& chip, const attention_shape& a, std::size_t layers,
                          double memory_proportion) {
  network_sketch net(chip, amp_precision::half_half, memory_proportion);
  const traced_value x = net.value("in", a.samples * a.sequence * a.hidden);
  encoder_layer(net, a, x);
  const chip_system machine = pod(chip, 4);
  const auto time = [&](const step& s) { return cost(machine, net.g, s, {.allow_out_of_memory = true}).total; };
  const cycles one = time(sequence(net.forward)) * 2 + time(sequence(net.backwards(), net.accumulate()));
  std::vector<chip_transfer> handed_on;
  const bytes size{x.elements * size_of(net.element)};
  for (std::size_t c = 0; c + 1 < machine.chips; ++c) handed_on.push_back({c, c + 1, size});
  return (one * layers + transfer_time(machine, handed_on) * 2) / chip.clock;
}

/// The network of the vendor's tutorial on data loading, on images of 128 x 128 in float: an iteration is a batch, its
/// gradients and the update (momentum). The host takes `host_time` to load a batch, in turn with the chip.
inline profile tutorial_iteration(const architecture& chip, std::size_t batch, std::size_t replicas, bool real_data,
                                  seconds host_time) {
  network_sketch net(chip, amp_precision::float_float, 0.6);
  constexpr std::size_t side = 128, pooled = 63, last = 59;
  const traced_value image = net.value("image", batch * side * side);
  const auto relu = [&](const traced_value& v) { return net.apply(unary::relu, gradient::relu, v); };
  const traced_value first = relu(net.convolve(image, {batch, 1, side, side, 5, 3, 3, 1, 0, 1, net.type}, true, true));
  const traced_value small = net.pooled(pooling::max, {batch * 5, side - 2, side - 2, 2, 2}, first);
  const traced_value second = relu(net.convolve(small, {batch, 5, pooled, pooled, 12, 5, 5, 1, 0, 1, net.type}, true));
  const traced_value even = net.norm(second, 1, batch * 3, 4 * last * last, 12, last * last);
  const traced_value hidden = relu(net.product(even, batch, 12 * last * last, 100));
  net.loss(net.product(hidden, batch, 100, 10), batch);
  std::vector<step> steps;
  if (real_data) {
    const stream_id in = net.g.add_stream({name_from("images"), host_time.value > 0 ? 0u : 1u, host_time});
    steps.push_back(stream_in(in, image.value));
  }
  steps.push_back(sequence(net.forward));
  steps.push_back(net.backwards());
  for (const traced_parameter& p : net.parameters) {
    if (replicas > 1) steps.push_back(all_reduce(p.gradient));
    steps.push_back(scaled_add(net.g, p.sum, 0.9f, p.gradient));
    steps.push_back(scaled_add(net.g, p.value, -0.001f, p.sum));
  }
  return cost(pod(chip, replicas), net.g, sequence(std::move(steps)),
              {.replicas = replicas, .allow_out_of_memory = true});
}

/// Where the perceptron below keeps what Adam remembers of a parameter: on the chip, in streaming memory, or there and
/// shared by the replicas if the parameter has as many elements as this.
struct adam_state {
  bool off_chip = false;
  std::size_t shared_from = static_cast<std::size_t>(-1);
};

/// The step of Adam of one parameter: two running means, a square root, a quotient, a scaled addition.
inline step adam_step(network_sketch& net, const traced_parameter& p, const adam_state& state, std::size_t replicas) {
  const std::size_t all = net.g[p.value].elements();
  const bool shared = all >= state.shared_from && all % replicas == 0;
  const std::size_t n = shared ? all / replicas : all;
  const auto own = [&](element_type type) {
    return state.off_chip ? net.g.add_temporary(name_from("state"), type, n, net.spread(n, type))
                          : net.g.add_variable(name_from("state"), type, n, net.spread(n, type));
  };
  const variable_id mean = own(element_type::f16), square = own(element_type::f32);
  std::vector<step> steps, after;
  variable_id value = p.value, slope = p.sum;
  if (shared) {
    value = net.temporary("shard", n);
    slope = net.temporary("shard", n);
    steps.push_back(reduce_scatter(p.sum, slope));
    steps.push_back(copy({{.from = {p.value}, .to = {value}, .length = n}}));
    after.push_back(all_gather(value, p.value));
  } else {
    steps.push_back(all_reduce(p.sum));
  }
  for (const variable_id v : {mean, square}) {
    if (!state.off_chip) break;
    const remote_id far = net.g.add_remote("state", n, net.g[v].type());
    steps.push_back(load(far, v));
    after.push_back(store(v, far));
  }
  const variable_id wide = net.temporary("mean", n), squares = net.temporary("squares", n);
  steps.push_back(cast(net.g, mean, wide));
  steps.push_back(scaled_add(net.g, wide, 0.1f, slope));
  steps.push_back(cast(net.g, wide, mean));
  steps.push_back(apply(net.g, unary::square, slope, squares));
  steps.push_back(scaled_add(net.g, square, 0.001f, squares));
  steps.push_back(apply(net.g, unary::sqrt, square, squares));
  steps.push_back(apply(net.g, binary::div, wide, squares, squares));
  steps.push_back(scaled_add(net.g, value, -0.001f, squares));
  for (step& s : after) steps.push_back(std::move(s));
  return sequence(std::move(steps));
}

/// A step of the vendor's perceptron for digits (784, three times 512, 10; float): `accumulated` micro-batches on each
/// of `replicas` chips, then Adam.
inline profile perceptron_step(const architecture& chip, std::size_t micro_batch, std::size_t accumulated,
                               std::size_t replicas, const adam_state& state) {
  network_sketch net(chip, amp_precision::float_float, 0.6);
  const traced_value image = net.value("image", micro_batch * 784);
  traced_value x = image;
  for (const std::size_t in : {std::size_t{784}, std::size_t{512}, std::size_t{512}})
    x = net.apply(unary::gelu, gradient::gelu, net.product(x, micro_batch, in, 512, in == 784));
  net.loss(net.product(x, micro_batch, 512, 10), micro_batch);
  const stream_id in = net.g.add_stream({name_from("images")});
  const step passes = sequence(stream_in(in, image.value), sequence(net.forward), net.backwards(), net.accumulate());
  std::vector<step> steps{repeat(accumulated, passes)};
  const std::vector<traced_parameter> parameters = net.parameters;
  for (const traced_parameter& p : parameters) steps.push_back(adam_step(net, p, state, replicas));
  return cost(pod(chip, replicas), net.g, sequence(std::move(steps)), {.replicas = replicas});
}

}  // namespace validation
