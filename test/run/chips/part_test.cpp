// SPDX-License-Identifier: BSL-1.0
// A value arrives at its place, or where it may have to wait.
#include <ipuflow/run/chips/part.hpp>

#include <doctest/doctest.h>

namespace part_test {

using namespace ipuflow;
using namespace ipuflow::run::impl;

TEST_CASE("what does not wait arrives at its place; what waits beside it; mail in its box") {
  const ipu::variable_id place{1};
  const ipu::variable_id early{2};
  const ipu::variable_id box{3};
  const ipu::variable_id read{4};
  CHECK(wired_channel{}.arrives_at(place).index == place.index);
  const wired_channel waits{.what = {{early, place}}};
  CHECK(waits.arrives_at(place).index == early.index);
  CHECK(waits.arrives_at(read).index == read.index);
  const wired_channel mail{.what = {{box, read}}, .taken = {{read, place}}};
  CHECK(mail.arrives_at(place).index == box.index);
}

TEST_CASE("what has no I/O tiles goes straight between streaming memory and its tiles") {
  CHECK_FALSE(streamed{{1}, {}, {1}}.has_io_tiles());
  CHECK(streamed{{1}, {}, {2}}.has_io_tiles());
}

}  // namespace part_test
