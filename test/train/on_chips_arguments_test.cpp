// SPDX-License-Identifier: BSL-1.0
// Arguments of a run on chips: sent once, kept on each chip that needs them, and the same numbers as on threads.
#include "chips_check.hpp"

#include <ipuflow/feed/sample_batch.hpp>

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace on_chips_arguments_test {

using namespace ipuflow;

namespace {

/// Used by the second and the last stage; the third only lies between. In `without` as a value of each sample.
template <class Declared>
constexpr auto network(Declared gain) {
  return pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>, gain, block<"a">(nn::flatten, nn::linear<8>, nn::tanh),
                  block<"b">(nn::linear<4>, use<"gain">(nn::add)), block<"c">(nn::linear<4>, nn::relu),
                  block<"d">(use<"gain">(nn::add), nn::linear<4>, use<"label">(nn::cross_entropy)));
}
constexpr auto with_argument = network(per_run<"gain", float, 4>);
constexpr auto with_column = network(per_sample<"gain", float, 4>);
constexpr std::array<float, 4> gain{0.5f, -0.25f, 1.0f, 2.0f};
constexpr std::size_t elements = 4, size = elements * sizeof(float);

/// The samples of test::made_up, and for each the same values in a column.
struct samples_and_column {
  test::made_up made;
  std::vector<float> values;
  decltype(std::tuple_cat(made.columns(), std::tuple{feed::column_view<std::span<const float>>{}})) all;

  explicit samples_and_column(std::size_t count) : made{count}, values(count * elements) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = gain[i % elements];
    all = std::tuple_cat(made.columns(), std::tuple{feed::column_view<std::span<const float>>{values.data(), count, elements}});
  }
  std::size_t size() const { return made.size(); }
  const auto& columns() const { return all; }
};

on::chips four() { return {.system = test::small_system(4), .checked = true}; }

struct bytes_moved {
  std::uint64_t host_in = 0;
  std::uint64_t chip_in = 0;

  friend bool operator==(const bytes_moved&, const bytes_moved&) = default;
};
bytes_moved moved(const run::chips_profile& p) {
  bytes_moved made;
  for (const ipu::chip_profile& c : p.chips.chips) made.host_in += c.moved.host_in, made.chip_in += c.moved.chip_in;
  return made;
}

template <class P, class T>
bytes_moved moved(const P& p, const T& t, const train::options& o, const on::chips& where = four()) {
  return moved(train::session{p, t, train::adamw{}, o, where}.cost());
}

}  // namespace

TEST_CASE("an argument is sent once, and once more to each other chip that needs it") {
  constexpr auto plain = pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>, block<"a">(nn::flatten, nn::linear<8>, nn::tanh),
                                  block<"b">(nn::linear<4>), block<"c">(nn::linear<4>, nn::relu),
                                  block<"d">(nn::linear<4>, use<"label">(nn::cross_entropy)));
  for (const std::size_t iterations : {1u, 3u}) {
    train::options o = test::small_options(3);
    o.device_iterations = iterations;
    for (const std::size_t io_tiles : {0u, 4u}) {
      CAPTURE(iterations);
      CAPTURE(io_tiles);
      on::chips where = four();
      where.io_tiles = io_tiles;
      const bytes_moved without = moved(plain, schedule::grouped(plain, micro_batches<8>), o, where);
      const bytes_moved once = moved(with_argument, schedule::grouped(with_argument, micro_batches<8>), o, where);
      CHECK(once.host_in - without.host_in == size);  // to the second chip
      CHECK(once.chip_in - without.chip_in == size);  // from there to the last
      const bytes_moved each = moved(with_column, schedule::grouped(with_column, micro_batches<8>), o, where);
      CHECK(each.host_in - without.host_in == iterations * 8 * 3 * size);
      CHECK(each.chip_in - without.chip_in == iterations * 3 * 8 * 3 * size);  // all the way
    }
  }
}

TEST_CASE("stages on one chip share what arrives there; a schedule in two directions has each stage on two chips") {
  train::options o = test::small_options(3);
  o.device_iterations = 1;
  constexpr std::uint64_t each = 8 * 3 * size;
  constexpr auto two = regroup(with_argument, stage<"a", "b">().ipu<0>(), stage<"c", "d">().ipu<1>());
  constexpr auto column = regroup(with_column, stage<"a", "b">().ipu<0>(), stage<"c", "d">().ipu<1>());
  const bytes_moved on_two = moved(two, schedule::grouped(two, micro_batches<8>), o);
  const bytes_moved column_on_two = moved(column, schedule::grouped(column, micro_batches<8>), o);
  CHECK(column_on_two.host_in - on_two.host_in == each - size);
  CHECK(column_on_two.chip_in - on_two.chip_in == each - size);
  const auto folded = schedule::tabulate(schedule::looped_bfs(schedule::setup{2, 2, 8}));  // the second chip has both
  CHECK(moved(with_column, folded, o).host_in - moved(with_argument, folded, o).host_in == each - size);
  CHECK(moved(with_column, folded, o).chip_in - moved(with_argument, folded, o).chip_in == 3 * each);
  const auto crossed = schedule::tabulate(schedule::chimera(schedule::setup{4, 0, 8}));
  CHECK(moved(with_column, crossed, o).host_in - moved(with_argument, crossed, o).host_in == each - size);
  CHECK(moved(with_column, crossed, o).chip_in - moved(with_argument, crossed, o).chip_in == 3 * each - 3 * size);
}

TEST_CASE("one that no layer reads is not sent at all") {
  constexpr auto unused = pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>, per_run<"rate", float>,
                                   block<"a">(nn::flatten, nn::linear<4>), block<"b">(use<"label">(nn::cross_entropy)));
  constexpr auto plain = pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>, block<"a">(nn::flatten, nn::linear<4>),
                                  block<"b">(use<"label">(nn::cross_entropy)));
  const train::options o = test::small_options(3);
  CHECK(moved(unused, schedule::grouped(unused, micro_batches<8>), o) == moved(plain, schedule::grouped(plain, micro_batches<8>), o));
}

TEST_CASE("what is learned is what threads learn, and what a column of the same values gives") {
  const auto check = [](const auto& timetable_of, on::chips where) {
    where.system.transfer_start = {};  // a column goes along with messages that there are: an argument of a few bytes has its own
    train::options o = test::small_options(3);
    const auto rule = train::sgd{.rate = 0.1f};
    train::session tiles{with_argument, timetable_of(with_argument), rule, o, where};
    train::session threads{with_argument, timetable_of(with_argument), rule, o};
    train::session column{with_column, timetable_of(with_column), rule, o, where};
    const samples_and_column data{tiles.samples_per_step()};
    for (int step = 0; step < 2; ++step) {
      tiles(data.made, with<"gain">(gain));
      threads(data.made, with<"gain">(gain));
      column(data);
    }
    CHECK(tiles.parameters()->values == column.parameters()->values);
    CHECK(test::farthest(tiles.parameters()->values, threads.parameters()->values) < 2e-5);
    CHECK(tiles.profile().chips == tiles.cost().chips);
    CHECK(tiles.cost().chips.total < column.cost().chips.total);
  };
  check([](const auto& p) { return schedule::grouped(p, micro_batches<8>); }, four());
  check([](const auto& p) { return schedule::interleaved(p, micro_batches<8>); }, four());
  on::chips io = four();
  io.io_tiles = 4;
  check([](const auto& p) { return schedule::grouped(p, micro_batches<8>); }, io);
  io.sync = run::waits_for::neighbours;
  check([](const auto& p) { return schedule::zb1p(p, micro_batches<8>); }, io);
}

TEST_CASE("each run is given its own") {
  const auto timetable = schedule::inference(with_argument, micro_batches<4>);
  auto used = train::inference(with_argument, timetable,
                               std::make_shared<train::model<>>(train::initial_model(with_argument, 1)), test::small_options(3), four());
  auto wanted = train::inference(with_argument, timetable,
                                 std::make_shared<train::model<>>(train::initial_model(with_argument, 1)), test::small_options(3));
  const test::made_up data{used.samples_per_step()};
  for (const float first : {1.0f, -1.0f, 3.0f}) {
    const std::array<float, 4> values{first, 0, 0, 0};
    CHECK(test::farthest(used(data, with<"gain">(values))[0].values, wanted(data, with<"gain">(values))[0].values) < 2e-5);
  }
}

TEST_CASE("An argument that the pipeline has no room for is refused and not cut, on chips and on threads") {
  constexpr auto p = pipeline(input<float, 1, 6, 6>, per_run<"class", std::uint8_t>, block<"a">(nn::flatten, nn::linear<8>, nn::tanh),
                              block<"b">(nn::linear<4>, use<"class">(nn::cross_entropy)));
  const auto t = schedule::grouped(p, micro_batches<4>);
  const train::options o = test::small_options(2);
  train::session chips{p, t, train::sgd{}, o, on::chips{.system = test::small_system(2)}};
  train::session threads{p, t, train::sgd{}, o};
  const std::vector<float> numbers(threads.samples_per_step() * 36, 0.5f);
  const feed::sample_batch<std::span<const float>> samples{
      threads.samples_per_step(), std::tuple{feed::column_view<std::span<const float>>{numbers.data(), threads.samples_per_step(), 36}}};
  const argument_fault wanted{argument_wrong::cut, 0, 8, {fixed_string<60>{"class"}, {}}};
  const auto refuses = [&](auto& session) {
    try {
      session(samples, with<"class">(258));
    } catch (const rejected<argument_fault>& no) {
      return no.found() == wanted;
    }
    return false;
  };
  CHECK((refuses(chips) && refuses(threads)));
  CHECK(chips(samples, with<"class">(2))[0].size() == threads(samples, with<"class">(2))[0].size());
}

}  // namespace on_chips_arguments_test
