// SPDX-License-Identifier: BSL-1.0
// Every trained number belongs to one tensor; names say the block and the layer, and regrouping changes nothing.
#include <ipuflow/train/named_tensors.hpp>

#include "small_network.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <string>

namespace named_tensors_test {

using namespace ipuflow;

TEST_CASE("tensors follow each other without gaps to the end of the model, each with a name of its own") {
  const auto tensors = train::named_tensors(test::small_network);
  REQUIRE(tensors.size() == 10);
  CHECK(tensors[0] == train::named_tensor{"a[0] weights", 0, 27, {{3, 1, 3, 3}, 4}});
  CHECK(tensors[1] == train::named_tensor{"a[0] biases", 27, 3, {{3}, 1}});
  CHECK(tensors[2].name == "a[1] weights");
  CHECK(tensors[4] == train::named_tensor{"b[1] weights", 36, 384, {{8, 48}, 2}});
  std::size_t next = 0;
  std::set<std::string> names;
  for (const auto& t : tensors) {
    CHECK(t.first == next);
    next += t.count;
    names.insert(t.name);
  }
  CHECK(next == train::initial_model(test::small_network, 1).values.size());
  CHECK(names.size() == tensors.size());
}

TEST_CASE("extents multiply to the numbers of a tensor") {
  for (const auto& t : train::named_tensors(test::small_network)) {
    std::size_t product = 1;
    for (const std::size_t extent : t.extents) product *= extent;
    CHECK(product == t.count);
  }
}

TEST_CASE("the running state of layers has names, too") {
  const auto state = train::named_state(test::small_network);
  REQUIRE(state.size() == 1);
  CHECK(state[0] == train::named_tensor{"a[1] state", 0, 6, {{6}, 1}});
  CHECK(train::initial_model(test::small_network, 1).state.size() == 6);
}

TEST_CASE("regrouping changes nothing") {
  CHECK(train::named_tensors(regroup(test::small_network, stage<"a", "b">(), stage<"c", "d">())) ==
        train::named_tensors(test::small_network));
}

}  // namespace named_tensors_test
