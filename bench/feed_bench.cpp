// SPDX-License-Identifier: BSL-1.0
// What a loader costs: 10,000 items of 1 x 128 x 128 floats with a label, 800 a step, as in the data loading tutorial.
// `copied` is a memcpy of the same images in the same steps, without choosing them; feed_vs_torch.py puts PyTorch's loader beside
// it. A loader hands out steps and nothing reads what is in them: `in_order` and `synthetic` copy nothing, so they have no bytes.
#include <ipuflow/feed/adaptors/cache.hpp>
#include <ipuflow/feed/images/images.hpp>
#include <ipuflow/feed/adaptors/map.hpp>
#include <ipuflow/feed/adaptors/permutation.hpp>
#include <ipuflow/feed/images/resize.hpp>
#include <ipuflow/feed/adaptors/shuffle.hpp>
#include <ipuflow/feed/load.hpp>
#include <ipuflow/feed/images/pixels.hpp>
#include <ipuflow/feed/sources/csv.hpp>
#include <ipuflow/feed/sources/idx.hpp>
#include <ipuflow/feed/sources/rows.hpp>
#include <ipuflow/feed/sources/synthetic.hpp>
#include <ipuflow/feed/sources/zip.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <vector>

using namespace ipuflow;

namespace {

constexpr std::size_t items = 10'000, width = 128 * 128, step = 800;

const std::vector<float>& pixels() {
  static const std::vector<float> all = [] {
    std::vector<float> made(items * width);
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<float>(i % 251);
    return made;
  }();
  return all;
}

auto dataset() {
  static const std::vector<std::int64_t> labels(items, 3);
  return feed::zip(feed::rows<1, 128, 128>(pixels()), labels);
}

constexpr std::size_t image_bytes = width * sizeof(float);

void count(benchmark::State& state, std::size_t samples, std::size_t bytes_of_each) {
  state.SetItemsProcessed(static_cast<std::int64_t>(samples));
  if (bytes_of_each > 0) state.SetBytesProcessed(static_cast<std::int64_t>(samples * bytes_of_each));
}

void copied(benchmark::State& state) {
  std::vector<float> into(step * width, 1.0f);
  std::size_t samples = 0;
  (void)pixels();
  for (auto _ : state) {
    for (std::size_t first = 0; first + step <= items; first += step) {
      std::memcpy(into.data(), pixels().data() + first * width, step * image_bytes);
      benchmark::DoNotOptimize(into.data());
      benchmark::ClobberMemory();
    }
    samples += items / step * step;
  }
  count(state, samples, image_bytes);
}

/// One epoch after the other, the first one not counted; of each sample so many bytes are copied.
template <class Loader>
void pass(benchmark::State& state, Loader&& l, std::size_t bytes_of_each) {
  std::size_t samples = 0;
  for (auto& s : l) benchmark::DoNotOptimize(s.size());
  for (auto _ : state) {
    for (auto& s : l) benchmark::DoNotOptimize(samples += s.size());
  }
  count(state, samples, bytes_of_each);
}

void shuffled_sync(benchmark::State& state) {
  pass(state, feed::sync(dataset(), step, {.workers = static_cast<std::size_t>(state.range(0)), .shuffle = 7}), image_bytes + sizeof(std::int64_t));
}

void shuffled_async(benchmark::State& state) {
  pass(state, feed::async(dataset(), step, {.workers = static_cast<std::size_t>(state.range(0)), .shuffle = 7}), image_bytes + sizeof(std::int64_t));
}

void in_order(benchmark::State& state) { pass(state, feed::sync(dataset(), step), 0); }

void synthetic(benchmark::State& state) { pass(state, feed::synthetic_like(dataset(), items / step, step), 0); }

/// 60,000 small images of bytes, converted by the workers or left as they are.
void mnist(benchmark::State& state, bool converted) {
  static const std::vector<std::uint8_t> bytes(60'000 * 784);
  const auto images = feed::rows<28, 28>(bytes) | feed::shuffle(7);
  const feed::loader_options o{.workers = static_cast<std::size_t>(state.range(0))};
  if (!converted) return pass(state, feed::async(images, 400, o), 784);
  const auto floats = images | feed::map([](std::span<const std::uint8_t, 784> image) {
                        std::array<float, 784> result;
                        feed::pixels{0.1307f, 0.3081f}(image, result);
                        return result;
                      });
  pass(state, feed::async(floats, 400, o), 784 * sizeof(float));
}

/// 6,000 images of 28 x 28 floats.
auto small_images() {
  return feed::rows<28, 28>(std::span{pixels()}.first(6'000 * 784)) | feed::images<1, 28, 28>();
}

/// One image of 28 x 28 as 56 x 56, as one writes it for this case: places are quarters.
void doubled(const float* from, float* into) {
  for (std::size_t y = 0; y < 56; ++y) {
    const std::size_t above = y == 0 ? 0 : (y - 1) / 2, below = std::min<std::size_t>(above + 1, 27);
    const float down = y == 0 ? 0.0f : y % 2 == 0 ? 0.75f : 0.25f;
    for (std::size_t x = 0; x < 56; ++x) {
      const std::size_t left = x == 0 ? 0 : (x - 1) / 2, right = std::min<std::size_t>(left + 1, 27);
      const float across = x == 0 ? 0.0f : x % 2 == 0 ? 0.75f : 0.25f;
      const float upper = (1 - across) * from[28 * above + left] + across * from[28 * above + right];
      const float lower = (1 - across) * from[28 * below + left] + across * from[28 * below + right];
      into[56 * y + x] = (1 - down) * upper + down * lower;
    }
  }
}

void resized_by_hand(benchmark::State& state) {
  const auto images = small_images();
  std::array<float, 56 * 56> into{};
  for (auto _ : state) {
    for (std::size_t i = 0; i < images.size(); ++i) {
      doubled(images[i].data(), into.data());
      benchmark::DoNotOptimize(into.data());
      benchmark::ClobberMemory();
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(images.size()));
}

void resized(benchmark::State& state) {
  const auto images = small_images() | feed::resize<56, 56>();
  for (auto _ : state) {
    for (std::size_t i = 0; i < images.size(); ++i) benchmark::DoNotOptimize(images[i]);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(images.size()));
}

/// A loader of resized images: made anew in each epoch, kept in a cache, and as they would be in memory.
void resized_and_loaded(benchmark::State& state) {
  pass(state, feed::sync(small_images() | feed::resize<56, 56>() | feed::shuffle(7), 400), 56 * 56 * sizeof(float));
}

void resized_and_cached(benchmark::State& state) {
  pass(state, feed::sync(small_images() | feed::resize<56, 56>() | feed::cache(1_GiB) | feed::shuffle(7), 400), 56 * 56 * sizeof(float));
}

void resized_before(benchmark::State& state) {
  pass(state, feed::sync(feed::rows<56, 56>(std::span{pixels()}.first(6'000 * 56 * 56)) | feed::shuffle(7), 400), 56 * 56 * sizeof(float));
}

void permuted(benchmark::State& state) {
  const feed::permutation order{static_cast<std::size_t>(state.range(0)), 7};
  std::size_t at = 0;
  for (auto _ : state) benchmark::DoNotOptimize(order[at = (at + 1) % order.size()]);
}

/// 200,000 rows of eight numbers and a word, 14 MB, read from the page cache.
void csv(benchmark::State& state) {
  const auto path = (std::filesystem::temp_directory_path() / "ipuflow_feed_bench.csv").string();
  {
    std::ofstream file{path};
    for (std::size_t i = 0; i < 200'000; ++i) {
      for (std::size_t column = 0; column < 8; ++column) file << static_cast<float>(i * 8 + column) * 0.0137f << ',';
      file << (i % 3 == 0 ? "left\n" : "right\n");
    }
  }
  for (auto _ : state) {
    const auto rows = feed::csv<std::array<float, 8>, feed::label<>>(path, {.header = false});
    benchmark::DoNotOptimize(rows.size());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(std::filesystem::file_size(path)));
  std::filesystem::remove(path);
}

}  // namespace

BENCHMARK(csv);
BENCHMARK(copied)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(shuffled_sync)->Arg(0)->Arg(1)->Arg(2)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(shuffled_async)->Arg(1)->Arg(2)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(in_order)->UseRealTime();
BENCHMARK(synthetic)->UseRealTime();
BENCHMARK_CAPTURE(mnist, bytes, false)->Arg(1)->Arg(2)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK_CAPTURE(mnist, floats, true)->Arg(1)->Arg(2)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(resized_by_hand);
BENCHMARK(resized);
BENCHMARK(resized_and_loaded)->UseRealTime();
BENCHMARK(resized_and_cached)->UseRealTime();
BENCHMARK(resized_before)->UseRealTime();
BENCHMARK(permuted)->Arg(10'000)->Arg(60'000)->Arg(std::int64_t{1} << 40);
