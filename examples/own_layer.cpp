// SPDX-License-Identifier: BSL-1.0
// A layer of one's own, and a stage of layers run by hand: forward, backward, and a look at whether the gradient is right.
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>
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

template <class T, class Shape>
void forward(leaky_t, const nn::context&, nn::parameters<T> p, nn::batch<const T, Shape> x, nn::batch<T, Shape> y) {
  for (std::size_t i = 0; i < x.groups * Shape::elements; ++i) {
    y.data[i] = where_greater(x.data[i], nn::lanes<T>{}, x.data[i], p.values[0] * x.data[i]);
  }
}

template <class T, class Shape>
void backward_inputs(leaky_t, const nn::context&, nn::parameters<T> p, nn::batch<const T, Shape> x,
                     nn::batch<const T, Shape>, nn::batch<const T, Shape> d_y, nn::batch<T, Shape> d_x) {
  for (std::size_t i = 0; i < x.groups * Shape::elements; ++i) {
    d_x.data[i] = where_greater(x.data[i], nn::lanes<T>{}, d_y.data[i], p.values[0] * d_y.data[i]);
  }
}

template <class T, class Shape>
void backward_weights(leaky_t, const nn::context&, nn::parameters<T>, nn::batch<const T, Shape> x,
                      nn::batch<const T, Shape>, nn::batch<const T, Shape> d_y, T* d_values) {
  nn::lanes<T> total{};
  for (std::size_t i = 0; i < x.groups * Shape::elements; ++i) {
    total += where_greater(x.data[i], nn::lanes<T>{}, nn::lanes<T>{}, x.data[i] * d_y.data[i]);
  }
  nn::add_to(d_values[0], sum(total));
}
// end: layer

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
  const auto count = static_cast<std::size_t>(size.value) + nn::area_alignment;
  return area_memory{static_cast<std::byte*>(::operator new(count, std::align_val_t{nn::area_alignment}))};
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
  const bool right = std::abs(gradient[fraction] - difference) < 1e-8;
  std::printf("gradient %.6f, finite difference %.6f\n", gradient[fraction], difference);

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
