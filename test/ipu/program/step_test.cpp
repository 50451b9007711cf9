// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/step.hpp>

#include <doctest/doctest.h>

namespace step_test {

using namespace ipuflow::ipu;

TEST_CASE("steps keep what they are made of, in order") {
  const step s = sequence(execute({3}), repeat(5, copy({{{0}, 0, {1}, 2, 4}})), call({7}));
  REQUIRE(s.body.size() == 3);
  CHECK(s.body[0].kind == step_kind::execute);
  CHECK(s.body[0].index == 3);
  CHECK(s.body[1].kind == step_kind::repeat);
  CHECK(s.body[1].count == 5);
  CHECK(s.body[1].body[0].pieces[0].to_begin == 2);
  CHECK(s.body[2].kind == step_kind::call);
  CHECK(s.body[2].index == 7);
  CHECK(sequence(std::vector<step>{s, s}).body.size() == 2);
  CHECK(parallel({s, s, s}).body.size() == 3);
  CHECK(overlap(s, execute({1})).body[1].index == 1);
  CHECK(stream_in({2}, {4}).variable.index == 4);
  CHECK(stream_out({4}, {2}).index == 2);
  CHECK(load({1}, {5}).kind == step_kind::remote_load);
  CHECK(store({5}, {1}).kind == step_kind::remote_store);
  CHECK(all_gather({1}, {2}).target.index == 2);
  CHECK(reduce_scatter({1}, {2}).variable.index == 1);
  CHECK(all_reduce({6}).kind == step_kind::all_reduce);
  CHECK(synchronise().kind == step_kind::sync);
}

TEST_CASE("a label is put on once: another one goes around it") {
  const step once = labelled(3, execute({1}));
  CHECK(once.label == 3);
  CHECK(once.kind == step_kind::execute);
  const step twice = labelled(4, once);
  CHECK(twice.label == 4);
  REQUIRE(twice.body.size() == 1);
  CHECK(twice.body[0].label == 3);
  CHECK(execute({1}).label == no_label);
}

TEST_CASE("pushes and pulls name their ring, and a pull its reader") {
  CHECK(push({4}, {2}).index == 2);
  CHECK(push({4}, {2}).variable.index == 4);
  CHECK(pull({2}, {4}).count == 0);
  CHECK(pull({2}, {4}, 1).count == 1);
}

}  // namespace step_test
