// SPDX-License-Identifier: BSL-1.0
// Datasets and loaders: digits from files, split, shuffled, loaded in steps by workers; then a dataset of one's own, a sampler,
// and files that are read at the same time. Prints how many steps and samples there are, and what was seen in them.
#include <ipuflow/feed.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ipuflow;

const std::string data = IPUFLOW_EXAMPLE_DATA;

// begin: batching
constexpr feed::batch_sizes sizes{.micro_batch = 10, .accumulation = 4, .replicas = 1, .device_iterations = 5};

static_assert(global_batch(sizes) == 40);                         // between two weight updates
static_assert(samples_per_step(sizes) == 200);                    // what the host hands over at once
static_assert(steps_per_epoch(2000, sizes) == 10);
static_assert(accept<feed::verify_steps(2000, sizes)>());         // or the compiler says what is wrong
// end: batching

void train_on_digits() {
  // begin: dataset
  const auto digits = feed::idx<28, 28>(data + "/train-images-idx3-ubyte", data + "/train-labels-idx1-ubyte");
  const auto training = digits | feed::take(1900) | feed::shuffle(7);
  const auto validation = digits | feed::drop(1900);
  // end: dataset

  // begin: loop
  auto steps = feed::async(training, sizes, {.workers = 2});
  std::printf("%zu steps of %zu samples, %zu left out\n", steps.size(), steps.samples_per_step(), steps.dropped());

  std::array<int, 10> seen{};
  for (int epoch = 0; epoch < 2; ++epoch) {                        // shuffled anew each time
    for (auto& [images, labels] : steps) {                         // 200 x 784 bytes and 200 labels, side by side
      for (const auto label : labels.elements()) ++seen[label];
    }
  }
  // end: loop
  std::printf("labels:");
  for (const int count : seen) std::printf(" %d", count);

  // begin: pixels
  constexpr feed::pixels normalised{0.1307f, 0.3081f};
  double sum = 0;
  for (auto& [images, labels] : feed::sync(validation, 50)) {     // in order and in memory: handed out without a copy
    for (const auto pixel : images.elements()) sum += static_cast<double>(normalised(pixel));
  }
  // end: pixels
  std::printf("\nmean of the normalised pixels: %.2f\n", sum / (100.0 * 784.0));
}

// begin: own
struct waves {                                                     // any class with size() and a const operator[]
  std::size_t size() const { return 1000; }
  std::array<float, 64> operator[](std::size_t index) const {
    std::array<float, 64> wave{};
    for (std::size_t i = 0; i < wave.size(); ++i) wave[i] = std::sin(static_cast<float>(index * i));
    return wave;
  }
};
// end: own

void load_waves() {
  // begin: transform
  const auto louder = waves{} | feed::map([](const std::array<float, 64>& wave) {
                        auto result = wave;
                        for (float& value : result) value *= 10;
                        return result;
                      });
  auto steps = feed::async(louder, 128, {.workers = 4, .last = feed::tail::kept, .shuffle = 3, .worker_batch = 32});
  // end: transform
  std::size_t samples = 0;
  for (auto& step : steps) samples += step.size();
  std::printf("\nwaves: %zu steps, %zu samples\n", steps.size(), samples);
}

void choose_samples() {
  // begin: sampler
  const std::vector<int> numbers{10, 11, 12, 13, 14};
  const std::vector<std::vector<std::size_t>> sampler{{4, 0}, {1, 1}, {3}};
  std::printf("\nchosen:");
  for (auto& [chosen] : feed::load(numbers, sampler, 1, {.last = feed::tail::kept})) {
    for (const int number : chosen.elements()) std::printf(" %d", number);
    std::printf(" |");
  }
  // end: sampler
}

void read_shares() {
  // begin: shares
  const auto lines = feed::shares(3, [](std::size_t file, std::size_t) {
    std::vector<int> read(4);                                      // begun by the worker that reads it
    std::iota(read.begin(), read.end(), static_cast<int>(100 * file));
    return read;
  });
  std::printf("\nin shares:");
  for (auto& [numbers] : feed::async_rebatched(lines, 3, {.workers = 2, .worker_batch = 2})) {
    for (const int number : numbers.elements()) std::printf(" %d", number);
    std::printf(" |");
  }
  // end: shares
}

void fail() {
  // begin: failure
  const std::vector<int> numbers{1, 2, 0, 4};
  const auto inverted = numbers | feed::map([](int n) { return n == 0 ? throw std::domain_error{"a zero"} : 1.0 / n; });
  try {
    for (auto& step : feed::async(inverted | feed::shuffle(7), 2)) (void)step;
  } catch (const feed::sample_error& wrong) {
    std::printf("\n%s\n", wrong.what());
  }
  // end: failure
}

int main() {
  train_on_digits();
  load_waves();
  choose_samples();
  read_shares();
  fail();
}
