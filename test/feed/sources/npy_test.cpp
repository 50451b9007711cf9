// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/per_stage.hpp>
#include <ipuflow/feed/sources/npy.hpp>

#include <ipuflow/feed/load.hpp>

#include "made_arrays.hpp"
#include "made_file.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace npy_test {

using namespace ipuflow;
using test::byte_list;

namespace {

/// 0, 1, 2, ... as elements of a type.
template <class Element>
byte_list count_to(std::size_t count, bool big_endian = false) {
  byte_list bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const Element value = static_cast<Element>(static_cast<float>(i));
    std::uint8_t one[sizeof(Element)];
    std::memcpy(one, &value, sizeof(Element));
    if (big_endian) std::reverse(std::begin(one), std::end(one));
    bytes.insert(bytes.end(), std::begin(one), std::end(one));
  }
  return bytes;
}

template <class Element>
void reads(const char* type) {
  for (const bool big : {false, true}) {
    const std::string text = (big ? ">" : "<") + std::string{type};
    const test::made_file file{"types.npy", test::npy_of(test::npy_text(text, "(3, 4)"), count_to<Element>(12, big))};
    const auto samples = feed::npy<Element, 2, 2>(file.path());
    static_assert(feed::contiguous_samples<decltype(samples)>);
    REQUIRE(samples.size() == 3);
    CHECK(static_cast<float>(samples[2][3]) == 11);
    CHECK(static_cast<float>(std::get<0>(samples.columns())[1][0]) == 4);
  }
}

template <class Act>
std::string refused(const test::made_file& file, Act act) {
  return test::sentence_of<rejected<feed::array_fault>>(file.path(), act);
}

}  // namespace

TEST_CASE("elements of every type, in both orders of bytes") {
  reads<float>("f4");
  reads<double>("f8");
  reads<half>("f2");
  reads<std::int8_t>("i1");
  reads<std::int16_t>("i2");
  reads<std::int32_t>("i4");
  reads<std::int64_t>("i8");
  reads<std::uint8_t>("u1");
  reads<std::uint16_t>("u2");
  reads<std::uint32_t>("u4");
  reads<std::uint64_t>("u8");
  const test::made_file file{"bool.npy", test::npy_of(test::npy_text("|b1", "(3,)"), {1, 0, 1})};
  CHECK(feed::npy<std::uint8_t>(file.path())[2] == 1);
}

TEST_CASE("elements as memory has them are the file itself; those of Fortran's order are put in C's") {
  const test::made_file c{"c.npy", test::npy_of(test::npy_text("<i4", "(2, 3, 2)"), count_to<int>(12))};
  const auto in_place = feed::npy<int, 3, 2>(c.path());
  CHECK(reinterpret_cast<std::uintptr_t>(in_place[0].data()) % 64 == 0);  // of the page, behind a header of 128 bytes
  auto steps = feed::load(in_place, 2);
  CHECK(steps.in_place());

  const test::made_file f{"f.npy", test::npy_of(test::npy_text("<i4", "(2, 3, 2)", true), count_to<int>(12))};
  const auto turned = feed::read_npy<int>(f.path());
  CHECK(std::vector<int>(turned.elements.begin(), turned.elements.end()) == std::vector<int>{0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11});
  const test::made_file line{"line.npy", test::npy_of(test::npy_text("<i4", "(5,)", true), count_to<int>(5))};
  CHECK(feed::npy<int>(line.path())[4] == 4);

  const test::made_file odd{"odd.npy", test::npy_of("{'descr': '<i4', 'fortran_order': False, 'shape': (5,)} ", count_to<int>(5))};
  CHECK(feed::npy<int>(odd.path())[4] == 4);  // not where an int may lie
}

TEST_CASE("samples are single numbers, tensors of extents that are said, or of any") {
  const test::made_file file{"some.npy", test::npy_of(test::npy_text("<f4", "(4, 2, 3)"), count_to<float>(24))};
  const auto any = feed::npy<float, std::dynamic_extent>(file.path());
  CHECK(any[3].size() == 6);
  CHECK(any.header().extents == per_stage(4, 2, 3));
  CHECK(refused(file, [&] { (void)feed::npy<float, 2, 4>(file.path()); }) ==
        "ipuflow: the samples of the array 'f' have 6 elements where 8 are asked for, its shape is (4, 2, 3); ask for the extents behind "
        "the first");
  CHECK(refused(file, [&] { (void)feed::npy<float>(file.path()); }).find("have 6 elements where 1 is") != std::string::npos);
  CHECK(refused(file, [&] { (void)feed::npy<double, 6>(file.path()); }) ==
        "ipuflow: the elements of 'f' are '<f4', which is not double; ask for the type that the file has, and convert samples with "
        "feed::convert");
  const test::made_file one{"one.npy", test::npy_of(test::npy_text("<f4", "()"), count_to<float>(1))};
  CHECK(refused(one, [&] { (void)feed::npy<float>(one.path()); }) ==
        "ipuflow: 'f' is a single number and no array of samples; save an array of at least one axis");
  CHECK(feed::read_npy<float>(one.path()).elements.size() == 1);
  const test::made_file none{"none.npy", test::npy_of(test::npy_text("<f4", "(0, 4294967296, 4294967296)"), {})};
  CHECK(!refused(none, [&] { (void)feed::npy<float, std::dynamic_extent>(none.path()); }).empty());
}

TEST_CASE("a file of which a byte has changed is read or refused, never more") {
  const byte_list whole = test::npy_of(test::npy_text("<i2", "(3, 2)", true), count_to<std::int16_t>(6));
  const test::made_file file{"flipped.npy", whole};
  std::size_t read = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (int by = 1; by < 256; by = by * 2 + 5) {
      byte_list changed = whole;
      changed[i] = static_cast<std::uint8_t>(changed[i] ^ by);
      try {
        read += feed::impl::array_in<std::int16_t>(changed, nullptr, "f").elements.size() > 0;
      } catch (const rejected<feed::array_fault>& wrong) {
        CHECK(std::string_view{wrong.what()}.starts_with("ipuflow: "));
      }
    }
  }
  CHECK(read > 12);  // at least where an element changed
}

}  // namespace npy_test
