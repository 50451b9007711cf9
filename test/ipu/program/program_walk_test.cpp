// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/program/program_walk.hpp>

#include "said.hpp"
#include "tiny.hpp"

#include <ipuflow/ipu/engine/engine.hpp>
#include <ipuflow/ipu/program/arrange.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace program_walk_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

TEST_CASE("chips of a step are those of its tiles") {
  graph g(tiny_chip(), 4);
  const variable_id a = g.add_variable<float>("a", 320, linear(320, 32));
  const variable_id b = g.add_variable<float>("b", 10, on_tile(10, 17));
  const compute_set_id set = g.add_compute_set("s");
  g.add_vertices(set, {g.add_codelet(increment()), 7, 2, 1, {part(a, 70, 5, 10), part(a, 75, 5, 10)}});
  CHECK(chips_of(g, execute(set)) == ipuflow::flat_set<std::size_t>{0, 1});
  CHECK(chips_of(g, copy({{{b}, {b, 5}, 5}})) == ipuflow::flat_set<std::size_t>{2});
  const function_id f = g.add_function(repeat(3, execute(set)));
  CHECK(chips_of(g, sequence(call(f), copy({{{b}, {b, 5}, 5}}))) == ipuflow::flat_set<std::size_t>{0, 1, 2});
}

TEST_CASE("every step of a program is checked, functions and loops too") {
  graph g(tiny_chip(), 2);
  const variable_id a = g.add_variable<float>("a", 10, on_tile(10, 0));
  const variable_id b = g.add_variable<float>("b", 10, on_tile(10, 8));
  const variable_id large = g.add_variable<float>("large", 30, on_tile(30, 0));
  const step bad = copy({{{a, 5}, {a}, 6}});
  const function_id f = g.add_function(repeat(2, bad));
  CHECK(verify_program(g, call(f)).kind == program_wrong::copy_range);
  const compute_set_id set = g.add_compute_set("s");
  g.add_vertex(set, g.add_codelet(increment()), 1, {whole(a), part(a, 0, 1)});
  CHECK(verify_program(g, sequence(execute(set))).kind == program_wrong::foreign_memory);
  const step on_a = copy({{{a}, {a, 5}, 5}});
  const step on_b = copy({{{b}, {b, 5}, 5}});
  CHECK(!verify_program(g, parallel({on_a, on_b})));
  CHECK(said(verify_program(g, parallel({on_a, on_b, on_a}))) ==
        "ipuflow: two steps that run in parallel both use chip 0; put them in sequence, or on different chips");
  CHECK(!verify_program(g, all_gather(a, large), 3));
  CHECK(said(verify_program(g, all_gather(a, large), 2)) ==
        "ipuflow: the parts of 'a' on all replicas have 20 elements but 'large' has 30; make them equal");
  CHECK(verify_program(g, reduce_scatter(large, a), 4).kind == program_wrong::sharding);
}

TEST_CASE("what another graph made is told by its number: by steps, by what a graph is asked, by an engine") {
  graph small(tiny_chip()), large(tiny_chip());
  const variable_id a = small.add_variable<float>("a", 10, on_tile(10, 0));
  variable_id v = a;
  compute_set_id set;
  function_id f;
  stream_id s;
  remote_id r;
  ring_id ring;
  std::size_t code = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    v = large.add_variable<float>("v", 10, on_tile(10, 0));
    set = large.add_compute_set("s");
    code = large.add_codelet(increment());
    s = large.add_stream({name_from("s")});
    r = large.add_remote("r", 10, element_type::f32);
    ring = large.add_ring("ring", v, 2);
    f = large.add_function(copy_all(large, v, v));
  }
  const auto told = [&](const char* kind, std::size_t number, std::size_t of) {
    return std::string("ipuflow: ") + kind + " " + std::to_string(number) + " is none of this graph, which has " + std::to_string(of) +
           " of them; hand a graph and its engine only what that graph made";
  };
  const std::size_t above = v.index;
  for (const step& foreign : {step{execute(set)}, step{call(f)}, step{stream_in(s, a)}, step{stream_out(a, s)}, step{load(r, a)},
                              step{store(a, r)}, step{push(a, ring)}, step{pull(ring, a)}}) {
    CHECK(!verify_ids(large, foreign));
    CHECK(verify_ids(small, foreign).got == 1);
    CHECK(verify_ids(small, foreign).limit == 0);
  }
  for (const step& foreign : {step{copy({{{a}, {v}, 5}})}, step{copy({{{v}, {a}, 5}})}, step{all_reduce(v)}, step{all_gather(a, v)},
                              step{reduce_scatter(v, a)}, step{repeat(2, step{all_reduce(v)})}, step{parallel({step{all_reduce(v)}})}}) {
    CHECK(!verify_ids(large, foreign));
    CHECK(said(verify_ids(small, foreign)) == told("variable", above, 1));
    CHECK(said_by([&] { engine e(pod(tiny_chip(), 1), small, foreign); }) == told("variable", above, 1));
    CHECK(said_by([&] { static_cast<void>(cost(pod(tiny_chip(), 1), small, foreign)); }) == told("variable", above, 1));
  }
  CHECK(said(verify_ids(small, large.operation("o", execute(compute_set_id{})))) == told("operation", 0, 0));
  CHECK(said_by([&] { static_cast<void>(small[v]); }) == told("variable", above, 1));
  CHECK(said_by([&] { small.keep_while_used(v); }) == told("variable", above, 1));
  CHECK(said_by([&] { small.set_order(ring, {}, {}); }) == told("ring", 1, 0));
  CHECK(said_by([&] { small.add_vertex(set, 0, 0, {}); }) == told("compute set", 1, 0));
  const compute_set_id own = small.add_compute_set("s");
  CHECK(said_by([&] { small.add_vertex(own, code, 0, {}); }) == told("codelet", 1, 0));
  const std::size_t mine = small.add_codelet(increment());
  CHECK(said_by([&] { small.add_vertex(own, mine, 0, {whole(a), whole(v)}); }) == told("variable", above, 1));
  const step nothing = sequence();
  engine runs(pod(tiny_chip(), 1), small, nothing);
  CHECK(said_by([&] { static_cast<void>(runs.read<float>(v)); }) == told("variable", above, 1));
  CHECK(said_by([&] { runs.write(v, std::vector<float>(10)); }) == told("variable", above, 1));
  CHECK(said_by([&] { static_cast<void>(runs.read<float>(r)); }) == told("remote buffer", 1, 0));
  CHECK(said_by([&] { runs.write(r, std::vector<float>(10)); }) == told("remote buffer", 1, 0));
  CHECK(said_by([&] { static_cast<void>(runs.drain<float>(s)); }) == told("stream", 1, 0));
  CHECK(said_by([&] { runs.feed(s, std::span<const float>{}); }) == told("stream", 1, 0));
  small.add_function(copy_all(large, v, v));  // functions are looked through
  CHECK(said(verify_ids(small, nothing)) == told("variable", above, 1));
}

TEST_CASE("what a step moves is looked at in functions, too, and vertices are not") {
  graph g(tiny_chip());
  const variable_id v = g.add_variable<float>("v", 16, linear(16, 8));
  const variable_id bytes_ = g.add_variable<std::uint8_t>("bytes", 16, linear(16, 8));
  const remote_id small = g.add_remote("small", 8, element_type::f32), large = g.add_remote("large", 32, element_type::f32);
  const auto says = [&](const step& s) { return said(verify_moves(g, s)); };
  CHECK(says(load(small, v)) ==
        "ipuflow: 'v' has 16 elements, but there are 8 in the remote buffer 'small' that it goes to or comes from; make the buffer as large");
  CHECK(says(repeat(2, store(v, small))) == says(load(small, v)));
  CHECK(!verify_moves(g, load(large, v)));
  CHECK(verify_moves(g, load(large, bytes_)).kind == program_wrong::copy_type);
  CHECK(verify_moves(g, all_gather(v, v), 2).kind == program_wrong::sharding);
  const compute_set_id set = g.add_compute_set("away");
  g.add_vertex(set, g.add_codelet(increment()), 0, {part(v, 8, 1), part(v, 0, 1)});
  CHECK(!verify_moves(g, execute(set)));
  const ring_id listed = g.add_ring("listed", v, 2, 2), counted = g.add_ring("counted", v, 2, 2);
  g.set_order(listed, {0, 2}, {{1}, {3}});
  g.begin_again(counted, 2, {1});
  CHECK(says(push(v, listed)) == "ipuflow: ring 'listed' has 2 slots, but its lists name slot 2; count them from 0, or add the ring with more");
  CHECK(says(pull(listed, v)).empty());
  CHECK(verify_moves(g, pull(listed, v, 1)).got == 3);
  CHECK(says(pull(counted, v, 1)) ==
        "ipuflow: reader 1 pulls 'v' from ring 'counted', which has 1 reader; count them from 0, or add the ring with more");
  (void)g.add_function(copy{{{.from = {v, 1}, .to = {v}, .length = 16}}});
  CHECK(says(sequence()) == "ipuflow: a copy touches element 16 of 'v', which has 16; shorten the copy");
}

TEST_CASE("a function that calls itself, or a later one, is told") {
  graph g(tiny_chip());
  const function_id first = g.add_function(sequence()), second = g.add_function(call(first));
  CHECK(!verify_ids(g, call(second)));
  (void)g.add_function(repeat(2, call(function_id{2})));
  CHECK(said(verify_ids(g, call(first))) ==
        "ipuflow: function 2 is none of this graph, which has 2 of them; hand a graph and its engine only what that graph made");
}

}  // namespace program_walk_test
