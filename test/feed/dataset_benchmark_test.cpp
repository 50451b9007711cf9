// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/feed/adaptors/repeat.hpp>
#include <ipuflow/feed/dataset_benchmark.hpp>
#include <ipuflow/feed/device/infeed.hpp>
#include <ipuflow/feed/load.hpp>
#include <ipuflow/feed/sources/rows.hpp>
#include <ipuflow/feed/sources/synthetic.hpp>
#include <ipuflow/feed/sources/zip.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <list>
#include <span>
#include <string>
#include <vector>

namespace dataset_benchmark_test {

using namespace ipuflow;
using namespace ipuflow::feed;

namespace {

void check(const std::vector<epoch_figures>& epochs, std::size_t count, double elements, double bytes_of_one) {
  CHECK(epochs.size() == count);
  for (const epoch_figures& e : epochs) {
    CHECK(e.elements_processed == elements);
    CHECK(e.total_bytes_processed == elements * bytes_of_one);
    CHECK(e.time_elapsed > 0);
    CHECK(e.elements_per_second == doctest::Approx(elements / e.time_elapsed));
    CHECK(e.bandwidth == doctest::Approx(e.total_bytes_processed / (1e9 * e.time_elapsed)));
  }
}

}  // namespace

TEST_CASE("10 epochs of 1000 elements of a dataset, 5 of 256 of an infeed") {
  const std::vector<float> pixels(10 * 16);
  const std::vector<int> labels(10);
  const auto d = zip(rows<4, 4>(pixels), labels);
  for (const bool copies : {false, true}) {
    check(benchmark(d, {.epochs = 10, .elements_per_epoch = 1000, .do_memcpy = copies}), 10, 1000, 68);
    check(benchmark(infeed{d | repeat()}, {.epochs = 5, .elements_per_epoch = 256, .do_memcpy = copies}), 5, 256, 68);
  }
}

TEST_CASE("steps of a loader, of a synthetic source, and elements of a plain range") {
  const std::vector<int> labels(10);
  check(benchmark(async(labels, 2, {.shuffle = 7}), {.epochs = 3, .elements_per_epoch = 12}), 3, 12, 8);
  check(benchmark(synthetic_like(labels, 3, 5), {.epochs = 2, .elements_per_epoch = 7}), 2, 7, 20);
  check(benchmark(std::list<double>(3), {.epochs = 2, .elements_per_epoch = 7}), 2, 7, 8);
}

TEST_CASE("a report is JSON, and all of its numbers are real ones") {
  CHECK(to_json({{1000, 64000, 0.5, 2000, 0.000128}, {1, 2, 3, 4, 1e-30}}) ==
        R"({"epochs":[{"elements_processed":1000.0,"total_bytes_processed":64000.0,"time_elapsed":0.5,)"
        R"("elements_per_second":2000.0,"bandwidth":0.000128},{"elements_processed":1.0,"total_bytes_processed":2.0,)"
        R"("time_elapsed":3.0,"elements_per_second":4.0,"bandwidth":1e-30}]})");
  CHECK(to_json({}) == R"({"epochs":[]})");
}

TEST_CASE("what measures nothing is refused") {
  const std::vector<int> v(3);
  CHECK_THROWS_WITH(benchmark(v, {.epochs = 0}), "ipuflow: a benchmark of 0 epochs measures nothing; run at least 1");
  CHECK_THROWS_WITH(benchmark(v, {.elements_per_epoch = 0}),
                    "ipuflow: a benchmark of epochs of 0 elements measures nothing; process at least 1");
  const std::vector<std::span<const float>> none(2);
  CHECK_THROWS_WITH(benchmark(none, {}),
                    "ipuflow: an element of the source has a dimension of size 0; give all dimensions at least 1");
  CHECK_THROWS_WITH(benchmark(infeed{samples_of(v)}, {.elements_per_epoch = 4}),
                    "ipuflow: the infeed ended after 3 of 4 elements of an epoch; feed it from a source that repeats");
  CHECK_THROWS_WITH(benchmark(std::list<int>{}, {}), "ipuflow: the dataset is empty; give it at least 1 sample");
}

}  // namespace dataset_benchmark_test
