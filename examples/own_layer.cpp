// SPDX-License-Identifier: BSL-1.0
// A layer of one's own, and a stage of layers run by hand: forward, backward, and a look at whether the gradient is right;
// then the same on simulated tiles.
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

using namespace ipuflow;

// begin: layer
/// x where it is positive, a learned fraction of x elsewhere.
struct leaky_t {};
inline constexpr leaky_t leaky{};

template <element E, std::size_t... Extent>
constexpr tensor<E, Extent...> output_of(leaky_t, tensor<E, Extent...>) { return {}; }

template <element E, std::size_t... Extent>
constexpr nn::layer_facts facts(leaky_t, tensor<E, Extent...>) {
  return {.parameters = 1, .forward_work = shape<Extent...>::elements};  // and backward_inputs reads the input: the default
}

template <element E, std::size_t... Extent, class T>
constexpr void initialise_layer(leaky_t, tensor<E, Extent...>, std::uint64_t /*seed*/, T* values, T* /*state*/) {
  values[0] = static_cast<T>(0.25f);
}

template <class T, class S>
void forward(leaky_t, nn::forward_pass<T, nn::in<S>, nn::out<S>> pass) {
  const auto [x] = pass.in;
  const auto [y] = pass.out;
  for (std::size_t i = 0; i < x.size(); ++i) {
    y[i] = where_greater(x[i], nn::lanes<T>{}, x[i], pass.parameters[0] * x[i]);
  }
}

template <class T, class S>
void backward_inputs(leaky_t, nn::inputs_pass<T, nn::in<S>, nn::out<S>> pass) {
  const auto [x] = pass.in;
  const auto [d_y] = pass.d_out;
  const auto [d_x] = pass.d_in;
  for (std::size_t i = 0; i < x.size(); ++i) {
    d_x[i] = where_greater(x[i], nn::lanes<T>{}, d_y[i], pass.parameters[0] * d_y[i]);
  }
}

template <class T, class S>
void backward_weights(leaky_t, nn::weights_pass<T, nn::in<S>, nn::out<S>> pass) {
  const auto [x] = pass.in;
  const auto [d_y] = pass.d_out;
  nn::lanes<T> total{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    total += where_greater(x[i], nn::lanes<T>{}, nn::lanes<T>{}, x[i] * d_y[i]);
  }
  nn::add_to(pass.d_parameters[0], sum(total));
}
// end: layer

// begin: lowering
template <class E, std::size_t... N>
ipu::step lower_forward(leaky_t, const nn::forward_lowering<nn::in<tensor<E, N...>>, nn::out<tensor<E, N...>>>& l) {
  const auto run = [](std::span<const E> x, std::span<const float> fraction, std::span<E> y) {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = float{x[i]} > 0 ? x[i] : E{fraction[0] * float{x[i]}};
  };
  const auto cost = [](const ipu::architecture& chip, ipu::lengths n) {
    return nn::row_cost(chip, ipu::element_type_of<E>(), n[0], 1);
  };
  const ipu::arranged fraction = l.as(l.numbers.weights, ipu::element_type::f32);  // it may be kept as a half
  return ipu::sequence(fraction.bring,
      nn::on_rows(l, "leaky", l.samples, {ipu::name_from("leaky"), ipu::elementwise_code, run, cost},
                  {nn::read_rows(l.in[0]), nn::everywhere(fraction.variable), nn::write_rows(l.out[0])}));
}

template <class E, std::size_t... N>
ipu::step lower_backward_inputs(leaky_t, const nn::inputs_lowering<nn::in<tensor<E, N...>>, nn::out<tensor<E, N...>>>& l) {
  const auto run = [](std::span<const E> x, std::span<const float> fraction, std::span<const E> d_y, std::span<E> d_x) {
    for (std::size_t i = 0; i < x.size(); ++i) d_x[i] = float{x[i]} > 0 ? d_y[i] : E{fraction[0] * float{d_y[i]}};
  };
  const auto cost = [](const ipu::architecture& chip, ipu::lengths n) {
    return nn::row_cost(chip, ipu::element_type_of<E>(), n[0], 1);
  };
  const ipu::arranged fraction = l.as(l.numbers.weights, ipu::element_type::f32);
  return ipu::sequence(fraction.bring,
      nn::on_rows(l, "leaky gradient", l.samples, {ipu::name_from("leaky gradient"), ipu::elementwise_code, run, cost},
                  {nn::read_rows(l.in[0]), nn::everywhere(fraction.variable), nn::read_rows(l.d_out[0]),
                   nn::write_rows(l.d_in[0])}));
}

template <class E, std::size_t... N>
ipu::step lower_backward_weights(leaky_t, const nn::weights_lowering<nn::in<tensor<E, N...>>, nn::out<tensor<E, N...>>>& l) {
  const auto run = [](std::span<const E> x, std::span<const E> d_y, std::span<float> sums) {  // a sum for each sample
    for (float& sum : sums) sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (float{x[i]} <= 0) sums[i / shape<N...>::elements] += float{x[i]} * float{d_y[i]};
  };
  const auto cost = [](const ipu::architecture& chip, ipu::lengths n) {
    return nn::row_cost(chip, ipu::element_type_of<E>(), n[0], 1);
  };
  const ipu::variable_id sums = l.temporary("sums", ipu::element_type::f32, l.samples);
  const ipu::variable_id more = l.more_of(l.numbers.weights);
  return ipu::sequence(
      nn::on_rows(l, "leaky sums", l.samples, {ipu::name_from("leaky sums"), ipu::elementwise_code, run, cost},
                  {nn::read_rows(l.in[0]), nn::read_rows(l.d_out[0]), nn::write_rows(sums)}),
      ipu::reduce(l.g, ipu::reduce_operation::sum, {1, l.samples, 1}, sums, more, l.where),
      l.add_to(l.numbers.d_weights, more));
}
// end: lowering

// begin: program
constexpr auto network = single_stage(input<float, 8>, per_sample<"label", std::uint8_t>,
    block<"all">(nn::linear<16>, leaky, nn::linear<4>, use<"label">(nn::cross_entropy)));
using program = nn::stage_program<decltype(network), 0, double>;
static_assert(program::parameter_count == 8 * 16 + 16 + 1 + 16 * 4 + 4);
// end: program

struct aligned {
  void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t{nn::area_alignment}); }
};
using area_memory = std::unique_ptr<std::byte, aligned>;

area_memory allocate(bytes size) {
  const auto count = size.value + nn::area_alignment;
  return area_memory{static_cast<std::byte*>(::operator new(count, std::align_val_t{nn::area_alignment}))};
}

/// The gradient of the learned fraction on a chip, for the same samples and parameters.
float fraction_on_tiles(std::size_t samples, const std::vector<double>& images, const std::vector<std::uint8_t>& labels,
                        const std::vector<double>& values) {
  // begin: tiles
  ipu::graph g{ipu::mk2};
  const plan::lowered stage = nn::lower_stage<0>(network, g, {.samples = samples, .loss_gradient = 1.0f / static_cast<float>(samples)});
  const ipu::stream_id in[] = {g.add_stream({ipu::name_from("images")}), g.add_stream({ipu::name_from("labels")})};
  const ipu::step pass = ipu::sequence(ipu::stream_in(in[0], stage.entry[0]), ipu::stream_in(in[1], stage.entry[1]),
                                       stage.clear, stage.forward, stage.backward);
  const ipu::chip_system one = ipu::pod(ipu::mk2, 1);
  ipu::engine chip{one, g, pass, {.checked = true}};
  for (const plan::trained_tensor& t : stage.parameters) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(t.first);
    chip.write(t.value, std::vector<float>(first, first + static_cast<std::ptrdiff_t>(g[t.value].elements())));
  }
  chip.feed<float>(in[0], std::vector<float>(images.begin(), images.end()));
  chip.feed<std::int32_t>(in[1], std::vector<std::int32_t>(labels.begin(), labels.end()));
  chip.run();
  // end: tiles
  return chip.read<float>(stage.parameters[2].gradient)[0];  // after weights and biases of the first layer
}

/// Throws if our layer, with its parameter kept as a half, is no program for a chip.
void look_at_halves(std::size_t samples) {
  ipu::graph g{ipu::mk2};
  const plan::lowered stage = nn::lower_stage<0>(network, g, {.samples = samples, .parameters = ipu::element_type::f16});
  throw_if(ipu::verify_program(g, ipu::sequence(stage.clear, stage.forward, stage.backward)));
}

int main() {
  constexpr std::size_t samples = 20;
  // begin: memory
  const program stage{samples};
  std::vector<area_memory> owned;
  nn::stage_memory memory;
  for (const nn::area each : {nn::area::entry, nn::area::kept, nn::area::passing, nn::area::exit}) {
    memory.value(each) = owned.emplace_back(allocate(stage.layout().bytes_of_values(each))).get();
    memory.gradient(each) = owned.emplace_back(allocate(stage.layout().bytes_of_gradients(each))).get();
  }
  // end: memory

  std::vector<double> images(samples * 8);
  std::vector<std::uint8_t> labels(samples);
  for (std::size_t i = 0; i < images.size(); ++i) images[i] = std::sin(static_cast<double>(i * i));
  for (std::size_t s = 0; s < samples; ++s) labels[s] = static_cast<std::uint8_t>(s % 4);

  // begin: run
  std::vector<double> values(program::parameter_count), gradient(program::parameter_count);
  program::initialise(/*seed=*/1, values.data(), nullptr);
  nn::pack(images.data(), stage.input<0>(memory));
  nn::pack(labels.data(), stage.input<1>(memory));

  const nn::context context{.seed = 1};
  const auto mean_loss = [&] {
    stage.forward(memory, {values.data(), nullptr}, context);
    std::vector<double> losses(samples);
    nn::unpack(stage.output<1>(memory).read(), losses.data());
    double total = 0;
    for (const double loss : losses) total += loss;
    return total / samples;
  };
  mean_loss();
  stage.seed_gradients(memory, 1.0 / samples);
  stage.backward(memory, {values.data(), nullptr}, context, gradient.data());
  // end: run

  constexpr std::size_t fraction = 8 * 16 + 16;  // the parameter of our layer comes after those of the first
  constexpr double step = 1e-5;
  values[fraction] += step;
  const double above = mean_loss();
  values[fraction] -= 2 * step;
  const double below = mean_loss();
  values[fraction] += step;
  const double difference = (above - below) / (2 * step);
  bool right = std::abs(gradient[fraction] - difference) < 1e-8;
  const auto on_tiles = static_cast<double>(fraction_on_tiles(samples, images, labels, values));
  std::printf("gradient %.6f, finite difference %.6f, on tiles %.5f\n", gradient[fraction], difference, on_tiles);
  right = right && std::abs(on_tiles - difference) < 1e-6;

  look_at_halves(samples);

  for (int update = 0; update < 200; ++update) {
    gradient.assign(gradient.size(), 0);
    mean_loss();
    stage.seed_gradients(memory, 1.0 / samples);
    stage.backward(memory, {values.data(), nullptr}, context, gradient.data());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] -= 0.5 * gradient[i];
  }
  std::printf("loss after 200 updates: %.2f\n", mean_loss());
  return right && mean_loss() < 0.5 ? 0 : 1;
}
