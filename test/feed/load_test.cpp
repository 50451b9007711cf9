// SPDX-License-Identifier: BSL-1.0
// The loader's vectors, and the two ways in which this loader differs from the one that they were taken from: its order
// does not depend on the number of workers, and no sample is dropped in silence.
#include <ipuflow/feed/adaptors/batch.hpp>
#include <ipuflow/feed/adaptors/cache.hpp>
#include <ipuflow/feed/adaptors/filter.hpp>
#include <ipuflow/feed/adaptors/map.hpp>
#include <ipuflow/feed/adaptors/repeat.hpp>
#include <ipuflow/feed/adaptors/shuffle.hpp>
#include <ipuflow/feed/adaptors/slice.hpp>
#include <ipuflow/feed/load.hpp>

#include <doctest/doctest.h>

#include "greedy_names.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <array>
#include <deque>
#include <limits>
#include <list>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace load_test {

using namespace ipuflow::feed;
using namespace ipuflow::feed::impl;

namespace {

std::vector<int> count_to(std::size_t size) {
  std::vector<int> numbers(size);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

using steps = std::vector<std::vector<int>>;

template <class Loader>
steps pass(Loader& l) {
  steps all_of;
  for (const auto& [column] : l) all_of.emplace_back(column.elements().begin(), column.elements().end());
  return all_of;
}

std::vector<int> joined(const steps& all_of) {
  std::vector<int> together;
  for (const auto& step : all_of) together.insert(together.end(), step.begin(), step.end());
  return together;
}

constexpr loading modes[] = {loading::sync, loading::async, loading::async_rebatched};
const auto same = [](int i) { return i; };  // keeps a dataset from being handed out in place

/// 101 samples in shares of 15, as seven workers of the other loader divide them.
auto in_seven_shares(const std::vector<int>& numbers) {
  return shares(
      7, [&](std::size_t k, std::size_t) { return numbers | drop(15 * k) | take(15) | map(same); }, numbers.size());
}

}  // namespace

TEST_CASE("100 samples: as many steps as the batch size, device iterations and replicas make") {
  const std::vector<int> numbers = count_to(100);
  const std::pair<batch_sizes, std::size_t> vectors[] = {
      {{}, 100},
      {{.micro_batch = 4}, 25},
      {{.device_iterations = 4}, 25},
      {{.replicas = 4}, 25},
      {{.micro_batch = 2, .replicas = 2, .device_iterations = 5}, 5}};
  for (const auto& [sizes, length] : vectors) {
    for (const loading mode : modes) {
      auto l = load(numbers | map(same), sizes, {.mode = mode, .workers = 2});
      CHECK(l.size() == length);
      CHECK(pass(l).size() == length);
      CHECK(joined(pass(l)) == numbers);
    }
  }
}

TEST_CASE("100 samples by 4 in 3 processes: 8 steps each, together 96 in order; shuffled, epochs drop others") {
  const std::vector<int> numbers = count_to(100);
  std::vector<int> together(96);
  std::vector<bool> seen(100);
  for (std::size_t process = 0; process < 3; ++process) {
    auto l = async(numbers, 4, {.workers = 1, .process = process, .processes = 3});
    CHECK(l.size() == 8);
    CHECK(l.dropped() == 4);
    const auto mine = joined(pass(l));
    CHECK(mine.size() == 32);
    for (std::size_t i = 0; i < mine.size(); ++i) together[i / 4 * 12 + process * 4 + i % 4] = mine[i];
    auto mixed_up = async(numbers, 4, {.shuffle = 11, .process = process, .processes = 3});
    for (int epoch = 0; epoch < 4; ++epoch) {
      for (const int i : joined(pass(mixed_up))) seen[static_cast<std::size_t>(i)] = true;
    }
  }
  CHECK(together == count_to(96));
  CHECK(std::count(seen.begin(), seen.end(), true) == 100);
}

TEST_CASE("100 samples by 2 in 2 processes: 25 steps each and all samples") {
  const std::vector<int> numbers = count_to(100);
  std::vector<int> together;
  for (std::size_t process = 0; process < 2; ++process) {
    auto l = sync(numbers, 2, {.process = process, .processes = 2});
    CHECK(l.size() == 25);
    for (const int i : joined(pass(l))) together.push_back(i);
  }
  CHECK(together[0] == 0);
  CHECK(together[2] == 4);  // the other process has 2 and 3
  std::sort(together.begin(), together.end());
  CHECK(together == numbers);
}

TEST_CASE("processes that shuffle with one seed never load a sample twice, and differ every epoch") {
  const std::vector<int> numbers = count_to(100);
  for (std::size_t processes = 2; processes <= 5; ++processes) {
    std::vector<steps> first_of_process;
    for (std::size_t epoch = 0; epoch < 5; ++epoch) {
      std::vector<int> times(100);
      for (std::size_t process = 0; process < processes; ++process) {
        auto l = sync(numbers, 4, {.shuffle = 3, .process = process, .processes = processes});
        for (std::size_t skipped = 0; skipped < epoch; ++skipped) (void)pass(l);
        const steps mine = pass(l);
        for (const int i : joined(mine)) ++times[static_cast<std::size_t>(i)];
        if (process > 0) continue;
        CHECK(std::find(first_of_process.begin(), first_of_process.end(), mine) == first_of_process.end());
        first_of_process.push_back(mine);
      }
      CHECK(*std::max_element(times.begin(), times.end()) == 1);
    }
  }
}

TEST_CASE("101 samples by 4 in seven shares: each share loses its tail unless steps are rebatched, and it is counted") {
  const std::vector<int> numbers = count_to(101);
  for (std::size_t workers = 0; workers <= 8; ++workers) {
    for (const loading mode : modes) {
      auto l = load(in_seven_shares(numbers), 4, {.mode = mode, .workers = workers});
      const bool rebatched = mode == loading::async_rebatched;
      for (int epoch = 0; epoch < 2; ++epoch) {
        const auto seen = pass(l);
        CHECK(seen.size() == (rebatched ? 25 : 20));
        CHECK(joined(seen).size() == (rebatched ? 100 : 80));
        CHECK(l.dropped() == (rebatched ? 1 : 21));
        CHECK(l.size() == 25);
      }
    }
  }
}

TEST_CASE("101 samples in seven shares, tails kept: many short steps if nothing is put together, otherwise one") {
  const std::vector<int> numbers = count_to(101);
  for (const loading mode : modes) {
    auto l = load(in_seven_shares(numbers), 4, {.mode = mode, .workers = 2, .last = tail::kept});
    const auto seen = pass(l);
    CHECK(seen.size() == (mode == loading::sync ? 6 * 4 + 3 : 26));
    CHECK(joined(seen).size() == 101);
    CHECK(l.dropped() == 0);
  }
}

TEST_CASE("a step is given as a number, as samples, or as sizes") {
  const std::vector<int> numbers = count_to(100);
  using namespace ipuflow;
  CHECK(sync(numbers, 10).size() == 10);
  CHECK(sync(numbers, 10_samples).size() == 10);
  CHECK(sync(numbers, batch_sizes{.micro_batch = 5, .accumulation = 2}).size() == 10);
}

TEST_CASE("sizes of a step, and samples, stand in braces, too") {
  const std::vector<int> numbers = count_to(12);
  const batch_sizes sizes{.micro_batch = 2, .accumulation = 3};
  for (const tail last : {tail::dropped, tail::kept}) {
    auto one = load(numbers, {.micro_batch = 5}, {.last = last});
    CHECK(pass(one).size() == (last == tail::kept ? 3 : 2));
  }
  auto plain = load(numbers, sizes), bare = load(numbers, {4}), in_order = sync(numbers, {.micro_batch = 2, .accumulation = 3});
  auto ahead = async(numbers, {.micro_batch = 2, .accumulation = 3}, {.workers = 2}), rebatched = async_rebatched(numbers, {.micro_batch = 2, .accumulation = 3});
  CHECK(pass(bare).size() == 3);
  CHECK(pass(plain) == pass(in_order));
  CHECK(pass(plain) == pass(ahead));
  CHECK(pass(plain) == pass(rebatched));
  auto few = load({3, 1, 2}, 2, {.last = tail::kept});
  CHECK(pass(few) == steps{{3, 1}, {2}});
}

TEST_CASE("101 samples of a dataset with an index: 25 steps, 100 samples, whatever the mode") {
  const std::vector<int> numbers = count_to(101);
  for (const loading mode : modes) {
    auto l = load(numbers | map(same), 4, {.mode = mode, .workers = 7});
    CHECK(pass(l).size() == 25);
    CHECK(joined(pass(l)) == count_to(100));
    CHECK(l.dropped() == 1);
  }
}

TEST_CASE("101 samples rebatched from any number at a time: 100, or all of them") {
  const std::vector<int> numbers = count_to(101);
  const std::list<int> listed(numbers.begin(), numbers.end());
  for (const std::size_t at_a_time : {0u, 1u, 2u, 3u, 4u}) {
    for (const tail last : {tail::dropped, tail::kept}) {
      const loader_options o{.workers = 2, .last = last, .worker_batch = at_a_time};
      const auto check = [&](auto&& l) {
        auto seen = joined(pass(l));
        CHECK(seen.size() == (last == tail::dropped ? 100 : 101));
        CHECK(l.size() == (last == tail::dropped ? 25 : 26));
        std::sort(seen.begin(), seen.end());
        CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
      };
      check(async_rebatched(numbers | map(same), 4, o));
      check(async_rebatched(in_seven_shares(numbers), 4, o));
      check(async_rebatched(listed, 4, o));
    }
  }
}

TEST_CASE("500 samples with fields, 2 iterations on 3 replicas: 83 steps of 6") {
  const std::vector<int> numbers = count_to(500);
  auto l = async(numbers | map([](int i) { return std::tuple{i, 2.0 * i}; }),
                 batch_sizes{.replicas = 3, .device_iterations = 2});
  std::size_t count = 0;
  for (auto& [whole_numbers, real_ones] : l) {
    CHECK(whole_numbers.size() == 6);
    CHECK(real_ones[5] == 2.0 * whole_numbers[5]);
    ++count;
  }
  CHECK(count == 83);
}

TEST_CASE("the order is the same for 0 to 8 workers, in every mode, and of every kind of dataset") {
  const std::vector<int> numbers = count_to(40);
  const std::list<int> listed(numbers.begin(), numbers.end());
  const std::vector<std::vector<int>> sampler{{5, 4, 3}, {2, 1}, {0, 0, 0, 0}, {39, 7}};
  for (const loading mode : modes) {
    for (const tail last : {tail::dropped, tail::kept}) {
      const auto same_for_all = [&](auto make) {
        std::vector<steps> wanted;
        for (std::size_t workers = 0; workers <= 8; ++workers) {
          auto l = make(loader_options{
              .mode = mode, .workers = workers, .last = last, .worker_batch = 2, .async = {.miss_sleep = {}}});
          for (std::size_t epoch = 0; epoch < 2; ++epoch) {
            const steps seen = pass(l);
            if (workers == 0) wanted.push_back(seen);
            CHECK(seen == wanted[epoch]);
          }
        }
      };
      same_for_all([&](loader_options o) { return load(numbers | map(same), 6, o); });
      same_for_all([&](loader_options o) { return o.shuffle = 7, load(numbers, 6, o); });
      same_for_all([&](loader_options o) { return load(numbers | shuffle(7) | batch(3, last), 6, o); });
      same_for_all([&](loader_options o) { return load(listed | map(same), 6, o); });
      same_for_all([&](loader_options o) { return load(in_seven_shares(numbers), 6, o); });
      same_for_all([&](loader_options o) { return load(numbers, sampler, 3, o); });
    }
  }
}

TEST_CASE("of a dataset with an index, the order does not depend on how many samples a worker takes at a time either") {
  const std::vector<int> numbers = count_to(101);
  auto whole_steps = async(numbers, 10, {.shuffle = 7});
  const steps wanted = pass(whole_steps);
  for (std::size_t at_a_time = 1; at_a_time <= 10; ++at_a_time) {
    auto l = async(numbers, 10, {.workers = 3, .shuffle = 7, .worker_batch = at_a_time});
    CHECK(pass(l) == wanted);
  }
}

TEST_CASE("a batched dataset is loaded by its samples, and says itself what becomes of the tail") {
  const std::vector<int> numbers = count_to(11);
  auto kept = async(numbers | shuffle(7) | batch(2, tail::kept), 4);
  auto dropped = async(numbers | shuffle(7) | batch(2), 4, {.last = tail::kept});
  CHECK(kept.size() == 3);
  CHECK(dropped.size() == 2);
  const auto order = numbers | shuffle(7);
  const auto seen = joined(pass(kept));
  for (std::size_t i = 0; i < 11; ++i) CHECK(seen[i] == order[i]);
}

TEST_CASE("a dataset repeated inside an epoch, an epoch repeated as a range") {
  const std::vector<int> numbers = count_to(10);
  auto l = async(numbers | shuffle(7) | repeat(3), 5);
  CHECK(l.size() == 6);
  auto plain = async(numbers | map(same), 5);
  std::size_t count = 0;
  for (auto&& step : plain | repeat(3)) count += step.size();
  CHECK(count == 30);
}

TEST_CASE("a step that is larger than any number of samples is one step of all that there are") {
  const std::vector<int> numbers = count_to(50'000);
  const std::list<int> linked(numbers.begin(), numbers.end());
  constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
  for (const loading mode : modes) {
    for (const std::size_t step : {unlimited, unlimited / 2 + 1, std::size_t{50'001}}) {
      for (const std::size_t worker_batch : {std::size_t{0}, std::size_t{777}}) {
        const loader_options o{.mode = mode, .workers = 2, .last = tail::kept, .worker_batch = worker_batch};
        auto in_order = load(numbers | map(same), step, o);
        CHECK(pass(in_order) == steps{numbers});
        auto shuffled_options = o;
        shuffled_options.shuffle = 1;
        auto shuffled = load(numbers, step, shuffled_options);
        auto came = joined(pass(shuffled));
        CHECK(came != numbers);
        std::ranges::sort(came);
        CHECK(came == numbers);
        auto ranged = load(linked, step, o);
        CHECK(joined(pass(ranged)) == numbers);
      }
    }
  }
}

TEST_CASE("samples of several fields in a vector become a column each") {
  std::vector<std::tuple<std::array<float, 2>, std::uint8_t>> samples;
  for (std::size_t i = 0; i < 5; ++i) samples.push_back({{static_cast<float>(i), 0.5f}, static_cast<std::uint8_t>(2 * i)});
  std::size_t at = 0;
  for (auto&& [pair, label] : load(samples, 2, {.last = tail::kept})) {
    for (std::size_t i = 0; i < label.size(); ++i, ++at) {
      CHECK(pair[i][0] == static_cast<float>(at));
      CHECK(label[i] == 2 * at);
    }
  }
  CHECK(at == samples.size());
}

TEST_CASE("samples that own memory travel too") {
  const std::list<std::string> words{"one", "two", "three", "four", "five"};
  auto l = async_rebatched(words, 2, {.workers = 2, .last = tail::kept, .worker_batch = 1});
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::vector<std::string> seen;
    for (auto& [column] : l) seen.insert(seen.end(), column.elements().begin(), column.elements().end());
    CHECK(seen == std::vector<std::string>(words.begin(), words.end()));
  }
}

namespace {

/// Every sample of a dataset of a number in an array of arrays and a label, as it comes back from a loader.
template <class Dataset>
void comes_back(const Dataset& d) {
  std::size_t at = 0;
  for (auto& [pictures, labels] : load(d, 2)) {
    static_assert(std::remove_cvref_t<decltype(pictures)>::field_type::extent == 6);
    for (std::size_t i = 0; i < 2; ++i, ++at) {
      CHECK(pictures[i][0] == static_cast<float>(at));
      CHECK(pictures[i][5] == -static_cast<float>(at));
      CHECK(labels[i] == static_cast<std::uint8_t>(at));
    }
  }
  CHECK(at == 4);
}

}  // namespace

TEST_CASE("vectors, spans, arrays and deques of tuples or pairs are datasets, read field by field") {
  using picture = std::array<std::array<float, 3>, 2>;
  std::vector<std::tuple<picture, std::uint8_t>> tuples;
  std::vector<std::pair<picture, std::uint8_t>> pairs;
  for (std::uint8_t i = 0; i < 4; ++i) {
    const auto x = static_cast<float>(i);
    tuples.push_back({picture{{{x, 0, 0}, {0, 0, -x}}}, i});
    pairs.push_back({picture{{{x, 0, 0}, {0, 0, -x}}}, i});
  }
  static_assert(!contiguous_samples<decltype(tuples)> && !contiguous_samples<std::vector<std::tuple<float>>>);
  comes_back(tuples);
  comes_back(pairs);
  comes_back(std::span{tuples});
  comes_back(std::array{pairs[0], pairs[1], pairs[2], pairs[3]});
  comes_back(std::deque(tuples.begin(), tuples.end()));
  comes_back(tuples | take(4));
}

TEST_CASE("a tuple of one is a sample of one field; arrays of arrays alone are read where they are") {
  const std::vector<std::tuple<float>> ones{{1.5f}, {2.5f}};
  for (auto& [numbers] : load(ones, 2)) CHECK(numbers[1] == 2.5f);
  const std::vector<std::array<std::array<int, 2>, 2>> squares{{{{1, 2}, {3, 4}}}, {{{5, 6}, {7, 8}}}};
  auto steps = load(squares, 1);
  CHECK(steps.in_place());
  int last = 0;
  for (auto& [square] : steps) last = square[0][3];
  CHECK(last == 8);
}

/// The samples of steps in one number.
template <class Steps>
int sum_of_things(Steps&& steps) {
  int sum = 0;
  for (auto&& [column] : steps) {
    for (std::size_t i = 0; i < column.size(); ++i) sum += column[i].number;
  }
  return sum;
}

TEST_CASE("functions of a user's namespace that take anything are not called for its types") {
  namespace feed = ipuflow::feed;
  const greedy::things d;
  const greedy::row_of_things r;
  CHECK(sum_of_things(feed::load(d, 2)) == 15);
  CHECK(sum_of_things(feed::async(greedy::things{}, {.micro_batch = 2}, {.shuffle = 1})) == 15);
  CHECK(sum_of_things(feed::sync(std::vector<greedy::thing>(4, greedy::thing{1}), {.micro_batch = 2})) == 4);
  CHECK(sum_of_things(feed::load({greedy::thing{1}, greedy::thing{2}}, 1)) == 3);
  const auto odd = d | feed::map(greedy::next_thing{}) | feed::filter(greedy::is_odd{});
  CHECK(sum_of_things(feed::load(odd | feed::cache(ipuflow::bytes{1 << 20}) | feed::repeat(2), 2)) == 18);
  CHECK(sum_of_things(feed::load(d | feed::shuffle(1) | feed::drop(1) | feed::batch(5), 5)) > 0);
  CHECK(sum_of_things(feed::async_rebatched(r, 2, {.worker_batch = 1})) == 6);
  CHECK(sum_of_things(feed::load(r | feed::map(greedy::next_thing{}) | feed::drop(1) | feed::take(4), 2)) == 8);
}

/// Throws when it is assigned for the last time.
struct assigned_so_often {
  static inline int live = 0, assignments = 0;

  assigned_so_often() { ++live; }
  assigned_so_often(const assigned_so_often&) { ++live; }
  ~assigned_so_often() { --live; }
  assigned_so_often& operator=(const assigned_so_often&) {
    if (--assignments == 0) throw std::runtime_error{"enough"};
    return *this;
  }
};

TEST_CASE("what throws while samples of a range move to more room leaves none of them behind") {
  const std::list<assigned_so_often> samples(5000);  // room for 4096 is made first
  const auto steps = [&] {
    for (auto&& step : load(samples, 5000)) CHECK(step.size() == 5000);
  };
  assigned_so_often::assignments = 5000 + 4096 + 1;
  steps();
  CHECK(assigned_so_often::live == 5000);
  assigned_so_often::assignments = 4096 + 10;
  CHECK_THROWS_AS(steps(), sample_error);
  CHECK(assigned_so_often::live == 5000);
}

}  // namespace load_test
