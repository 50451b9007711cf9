// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/ops/elementwise.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train/chips/host.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace host_test {

using namespace ipuflow;

namespace {

ipu::architecture few_tiles() {
  ipu::architecture chip = ipu::mk2;
  chip.tiles = 8;
  return chip;
}

/// What a stream brings of some numbers.
template <class Element, class From>
std::vector<Element> brought(const std::vector<From>& from, std::size_t count, std::size_t all, train::scaling how) {
  ipu::graph g{few_tiles()};
  const auto type = ipu::element_type_of<Element>();
  const ipu::variable_id v = g.add_variable(ipu::name_from("v"), type, all, ipu::linear(all, 8));
  const ipu::stream_id stream = g.add_stream({ipu::name_from("in")});
  const ipu::step program = ipu::stream_in(stream, v);
  const ipu::chip_system system = ipu::pod(few_tiles(), 1);
  ipu::engine e{system, g, program};
  train::impl::feed_numbers(e, stream, 0, type, from.data(), count, all, how);
  e.run();
  return e.read<Element>(v);
}

}  // namespace

TEST_CASE("Integers that stand for real numbers are scaled, others are not; what is missing is zero") {
  const std::vector<std::uint8_t> pixels{0, 51, 255};
  const train::scaling how = train::scaling::of_pixels(0.5f, 0.25f);
  const std::vector<float> scaled = brought<float>(pixels, 3, 4, how);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(scaled[i] == doctest::Approx((static_cast<float>(pixels[i]) / 255 - 0.5f) / 0.25f));
  CHECK(scaled[3] == 0);
  CHECK(brought<std::int32_t>(pixels, 3, 3, how) == std::vector<std::int32_t>{0, 51, 255});
  CHECK(brought<float>(std::vector<float>{1, 2}, 2, 3, how) == std::vector<float>{1, 2, 0});
  CHECK(brought<half>(std::vector<float>{0.3f}, 1, 1, {}) == std::vector<half>{half{0.3f}});
}

TEST_CASE("A whole number that tiles cannot keep does not become another that they can") {
  const std::vector<std::int64_t> labels{3, -1, (std::int64_t{1} << 32) + 3, -(std::int64_t{1} << 40), std::numeric_limits<std::int64_t>::max()};
  constexpr auto least = std::numeric_limits<std::int32_t>::min(), most = std::numeric_limits<std::int32_t>::max();
  CHECK(brought<std::int32_t>(labels, 5, 5, {}) == std::vector<std::int32_t>{3, -1, most, least, most});
  const std::vector<std::uint64_t> tokens{7, (std::uint64_t{1} << 32) + 7};
  CHECK(brought<std::uint32_t>(tokens, 2, 2, {}) == std::vector<std::uint32_t>{7, 0xffff'ffff});
}

TEST_CASE("Micro-batches as a chip takes them, in each half of a timetable of two directions") {
  const schedule::table grouped =
      schedule::with_schedule("grouped", schedule::setup{4, 1, 8}, [](const auto& t) { return schedule::tabulate(t); });
  CHECK(train::impl::forwards_on(grouped, 2, 2) == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(train::impl::forwards_on(grouped, 2, 1).empty());
  const schedule::table both =
      schedule::with_schedule("chimera", schedule::setup{4, 1, 8}, [](const auto& t) { return schedule::tabulate(t); });
  CHECK(train::impl::forwards_on(both, 0, 0) == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(train::impl::forwards_on(both, 0, 3) == std::vector<std::size_t>{4, 5, 6, 7});
}

TEST_CASE("Results go to the rows that sessions on threads have, a loss as its mean") {
  const auto stored = [](feed::output_mode mode, bool loss, std::size_t samples) {
    train::impl::result_rows rows{{mode, 2}, {3, 2, 2, 1, 2}, samples};  // 2 iterations of 2 micro-batches on 2 replicas
    train::result_column to{{}, loss ? std::size_t{1} : std::size_t{3}};
    to.values.resize(to.width * results_per_step(rows.kept, rows.sizes));
    for (std::size_t index = 0; index < 4; ++index) {
      for (std::size_t r = 0; r < 2; ++r) {
        const auto value = static_cast<float>(10 * index + r);
        rows.store(to, loss, std::vector<float>{value, value, value + 3}, index, r);
      }
    }
    return to.values;
  };
  using values = std::vector<float>;
  CHECK(stored(feed::output_mode::all, true, 24) == values{1, 2, 11, 12, 21, 22, 31, 32});
  CHECK(stored(feed::output_mode::every_n, true, 24) == values{11, 12, 31, 32});
  CHECK(stored(feed::output_mode::final, true, 24) == values{31, 32});
  CHECK(stored(feed::output_mode::sum, true, 24) == values{1 + 11 + 21 + 31, 2 + 12 + 22 + 32});
  CHECK(stored(feed::output_mode::final, false, 24) == values{30, 30, 33, 31, 31, 34});
  CHECK(stored(feed::output_mode::all, true, 5) == values{1, 1, 0, 0, 0, 0, 0, 0});  // of the second micro-batch two
}

TEST_CASE("Numbers of any type are written and read as floats") {
  ipu::graph g{few_tiles()};
  const ipu::chip_system system = ipu::pod(few_tiles(), 1);
  const ipu::variable_id f = g.add_variable<float>("f", 3, ipu::linear(3, 2));
  const ipu::variable_id h = g.add_variable<half>("h", 3, ipu::linear(3, 2));
  const ipu::step nothing = ipu::sequence(ipu::fill(g, g.add_temporary<float>("t", 1, ipu::on_tile(1, 0)), 0));
  ipu::engine e{system, g, nothing};
  const std::vector<float> values{0.5f, -2, 4};
  for (const ipu::variable_id v : {f, h}) {
    train::impl::write_numbers(e, g, v, values, 0);
    std::vector<float> back(3);
    train::impl::read_numbers(e, g, v, back);
    CHECK(back == values);
  }
}

}  // namespace host_test
