// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/ipu/engine/engine.hpp>

#include "said.hpp"
#include "tiny.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <numeric>
#include <random>
#include <span>
#include <vector>

namespace engine_test {

using namespace ipuflow;
using namespace ipuflow::ipu;
using namespace ipuflow::ipu::impl;

namespace {

std::vector<float> counted(std::size_t n, float from = 0) {
  std::vector<float> made(n);
  std::iota(made.begin(), made.end(), from);
  return made;
}

}  // namespace

TEST_CASE("random programs: what they compute is what plain arrays compute, and both engines see the same profile") {
  std::mt19937 random(8);
  for (int trial = 0; trial < 60; ++trial) {
    const chip_system all = pod(tiny_chip(), 2);
    graph g(tiny_chip(), 2);
    constexpr std::size_t n = 64;
    std::vector<variable_id> v;
    std::vector<std::vector<float>> plain(4, std::vector<float>(n, 0));
    for (std::size_t i = 0; i < 4; ++i)
      v.push_back(g.add_variable<float>("v", n, i % 2 == 0 ? linear(n, 16) : grid(8, 8, 4, 4)));
    const variable_id spare = g.add_temporary<float>("spare", n, linear(n, 16));
    const std::size_t body = g.add_codelet(increment());
    std::vector<step> steps;
    std::vector<std::pair<bool, copy_piece>> done;
    for (int s = 0; s < 8; ++s) {
      const std::size_t from = random() % 4;
      const std::size_t to = random() % 4;
      if (random() % 2 == 0) {
        const std::size_t length = 1 + random() % 30;
        const copy_piece piece{{v[from], random() % (n - length)}, {v[to], random() % (n - length)}, length};
        steps.push_back(copy({piece}));
        done.emplace_back(false, piece);
      } else {  // to = from + 1, by way of the temporary
        const compute_set_id set = g.add_compute_set("s");
        const std::size_t per_tile = n / 16;
        g.add_vertices(set, {body, 0, 16, 1, {part(spare, 0, per_tile, per_tile), part(v[0], 0, per_tile, per_tile)}});
        steps.push_back(sequence(copy({{{v[from]}, {spare}, n}}), execute(set), copy({{{v[0]}, {v[to]}, n}})));
        done.emplace_back(true, copy_piece{{v[from]}, {v[to]}, n});
      }
    }
    const std::size_t turns = 1 + random() % 3;
    const step program = repeat(turns, sequence(steps));
    engine runs(all, g, program, {.checked = true});
    for (std::size_t i = 0; i < 4; ++i) runs.write(v[i], plain[i] = counted(n, static_cast<float>(100 * i)));
    const profile ran = runs.run();
    for (std::size_t turn = 0; turn < turns; ++turn) {
      for (const auto& [adds, p] : done) {
        const std::vector<float> source = plain[p.from.variable.index];
        if (adds) {
          for (std::size_t i = 0; i < n; ++i) plain[0][i] = source[i] + 1;
          if (p.to.variable.index != 0) plain[p.to.variable.index] = plain[0];
        } else {
          for (std::size_t i = 0; i < p.length; ++i) plain[p.to.variable.index][p.to.begin + i] = source[p.from.begin + i];
        }
      }
    }
    for (std::size_t i = 0; i < 4; ++i) CHECK(runs.read<float>(v[i]) == plain[i]);
    CHECK(ran == cost(all, g, program));
  }
}

TEST_CASE("a program by hand: vertices with fields, a loop and a copy to another chip do what is written") {
  constexpr std::size_t n = 32, on_each = n / 8;
  // begin: by_hand
  graph g{tiny_chip(), 2};  // two chips of eight tiles: tiles 8 to 15 are the second one's
  const variable_id x = g.add_variable<float>("x", n, linear(n, 8)), sum = g.add_variable<float>("sum", n, linear(n, 8));
  const variable_id away = g.add_variable<float>("away", n, on_tile(n, 15));
  const stream_id in = g.add_stream({name_from("in")});
  const std::size_t add_times = g.add_codelet(
      {name_from("add_times"), ipuflow::bytes{96},
       [](float by, std::span<const float> from, inout<float> to) {
         for (std::size_t i = 0; i < from.size(); ++i) to[i] += by * from[i];
       },
       [](const architecture&, lengths l) { return vertex_cost{.bundles = 3 + 2 * l[0], .flops = 2 * l[0]}; }});
  const compute_set_id all = g.add_compute_set("all");
  for (std::size_t tile = 0; tile < 8; ++tile)  // operands: a first element and a length
    g.add_vertices(all, {.codelet = add_times,
                         .first_tile = tile,
                         .operands = {part(x, tile * on_each, on_each), part(sum, tile * on_each, on_each)},
                         .fields = std::array{static_cast<float>(tile)}});  // one value for each vertex
  const step program = sequence(stream_in{in, x}, repeat(3, execute{all}), copy{{{.from = {sum}, .to = {away}, .length = n}}});

  engine chips{pod(tiny_chip(), 2), g, program, {.checked = true}};
  chips.write(sum, std::vector<float>(n, 1));
  chips.feed<float>(in, counted(n));
  const profile ran = chips.run();
  const std::vector<float> came = chips.read<float>(away);
  // end: by_hand
  for (std::size_t i = 0; i < n; ++i) CHECK(came[i] == static_cast<float>(1 + 3 * (i / on_each) * i));
  CHECK(ran.chips[0][phase::compute] == cycles{3 * 6 * (3 + 2 * on_each)});  // one of six workers has a turn every six cycles
  CHECK(ran.chips[0].flops == 3 * 2 * n);
  CHECK(ran.chips[0].moved.chip_out == 4 * n);
  CHECK(ran == cost(pod(tiny_chip(), 2), g, program));
}

TEST_CASE("streams bring and take in order, remote buffers keep, and the profile is the costing engine's") {
  const chip_system all = pod(tiny_chip(), 1);
  graph g(tiny_chip());
  const variable_id a = g.add_variable<float>("a", 16, linear(16, 8));
  const variable_id b = g.add_temporary<float>("b", 16, linear(16, 8));
  const stream_id in = g.add_stream({name_from("in"), 3, {}});
  const stream_id out = g.add_stream({name_from("out"), 1, {}});
  const remote_id kept = g.add_remote("kept", 16, element_type::f32);
  const compute_set_id set = g.add_compute_set("s");
  g.add_vertices(set, {g.add_codelet(increment()), 0, 8, 1, {part(a, 0, 2, 2), part(b, 0, 2, 2)}});
  const step program =
      sequence(repeat(3, sequence(overlap(stream_in(in, a), synchronise()), execute(set), stream_out(b, out))),
               store(a, kept), stream_in(in, a), load(kept, a));
  engine runs(all, g, program, {.checked = true});
  runs.feed<float>(in, counted(64));
  CHECK(runs.run() == cost(all, g, program));
  CHECK(runs.drain<float>(out) == counted(48, 1));
  CHECK(runs.drain<float>(out).empty());
  CHECK(runs.read<float>(a) == counted(16, 32));
  CHECK(said_by([&] { runs.run(); }) ==
        "ipuflow: stream 'in' has 0 bytes left for a transfer of 64; feed it before the run");
}

TEST_CASE("collectives over replicas") {
  const chip_system all = pod(tiny_chip(), 8);
  graph g(tiny_chip(), 2);
  const variable_id v = g.add_variable<float>("v", 16, linear(16, 16));
  const variable_id shard = g.add_variable<float>("shard", 4, linear(4, 16));
  const variable_id whole_one = g.add_variable<float>("whole", 16, linear(16, 16));
  const step program = sequence(reduce_scatter(v, shard), all_gather(shard, whole_one), all_reduce(v));
  engine runs(all, g, program, {.replicas = 4, .checked = true});
  for (std::size_t r = 0; r < 4; ++r) runs.write(v, counted(16, static_cast<float>(100 * r)), r);
  const profile p = runs.run();
  CHECK(p == cost(all, g, program, {.replicas = 4}));
  for (std::size_t r = 0; r < 4; ++r) {
    for (std::size_t i = 0; i < 16; ++i) {
      CHECK(runs.read<float>(v, r)[i] == 600 + 4 * static_cast<float>(i));
      CHECK(runs.read<float>(whole_one, r)[i] == 600 + 4 * static_cast<float>(i));
    }
    for (std::size_t i = 0; i < 4; ++i) CHECK(runs.read<float>(shard, r)[i] == 600 + 4 * static_cast<float>(4 * r + i));
  }
}

TEST_CASE("a copy within a variable moves what was there before it") {
  const chip_system all = pod(tiny_chip(), 1);
  graph g(tiny_chip());
  const variable_id v = g.add_variable<float>("v", 16, linear(16, 8));
  const step program = copy({{{v}, {v, 1}, 15}, {{v, 15}, {v}, 1}});
  engine runs(all, g, program);
  runs.write(v, counted(16));
  runs.run();
  CHECK(runs.read<float>(v)[0] == 15);
  CHECK(runs.read<float>(v)[1] == 0);
  CHECK(runs.read<float>(v)[15] == 14);
}

TEST_CASE("the host gives and takes whole variables of the right type that keep their contents") {
  const chip_system all = pod(tiny_chip(), 1);
  graph g(tiny_chip());
  const variable_id v = g.add_variable<float>("v", 16, linear(16, 8));
  const variable_id t = g.add_temporary<float>("t", 16, linear(16, 8));
  const step nothing = sequence();
  engine runs(all, g, nothing);
  CHECK(said_by([&] { runs.write(v, counted(15)); }) ==
        "ipuflow: the host gives or takes 15 elements of 'v', which has 16; give all of them");
  CHECK(said_by([&] { runs.read<half>(v); }) ==
        "ipuflow: the host accesses 'v' with elements of 2 bytes, it has elements of 4; use its type");
  CHECK(said_by([&] { runs.read<float>(t); }) ==
        "ipuflow: 't' does not keep its contents to the end of a program; make it a variable, not a temporary");
}

TEST_CASE("a checked engine refuses a wrong program before it runs") {
  const chip_system all = pod(tiny_chip(), 1);
  graph g(tiny_chip());
  const variable_id v = g.add_variable<float>("v", 16, linear(16, 8));
  const compute_set_id set = g.add_compute_set("s");
  const std::size_t body = g.add_codelet(increment());
  g.add_vertex(set, body, 0, {part(v, 0, 1), part(v, 1, 1)});
  g.add_vertex(set, body, 0, {part(v, 0, 1), part(v, 1, 1)});
  const step program = execute(set);
  CHECK_NOTHROW(engine(all, g, program));
  CHECK(said_by([&] {
          engine(all, g, program, {.checked = true});
        }).find("two vertices of compute set 's' write element 1") != std::string::npos);
}

TEST_CASE("a ring is a queue: each reader gets what was pushed, in turn, on tiles and in streaming memory") {
  for (const bool away : {false, true}) {
    CAPTURE(away);
    const chip_system all = pod(tiny_chip(), 1);
    graph g(tiny_chip());
    const variable_id in = g.add_variable<float>("in", 24, grid(4, 6, 2, 3));
    const variable_id first = g.add_variable<float>("first", 24, g[in].map());
    const variable_id second = g.add_variable<float>("second", 24, g[in].map());
    constexpr std::size_t depth = 3;
    const ring_id r = away ? g.add_ring_off_chip("ring", in, depth, 2) : g.add_ring("ring", in, depth, 2);
    const stream_id from = g.add_stream({name_from("from")});
    const stream_id to = g.add_stream({name_from("to")});
    const auto value = [&](variable_id v) { return stream_out(v, to); };
    // One reader is a value behind, the other two.
    const step fill = sequence(stream_in(from, in), push(in, r), stream_in(from, in), push(in, r));
    const step turn =
        sequence(stream_in(from, in), push(in, r), pull(r, first), value(first), pull(r, second, 1), value(second));
    const step program = sequence(fill, pull(r, first), value(first), repeat(8, turn));
    engine runs(all, g, program, {.checked = true});
    std::vector<float> values(10 * 24);
    std::iota(values.begin(), values.end(), 1.0f);
    runs.feed(from, std::span<const float>{values});
    const profile ran = runs.run();
    CHECK(ran == cost(all, g, program));
    const std::vector<float> came = runs.drain<float>(to);
    REQUIRE(came.size() == 17 * 24);
    std::vector<float> expected(values.begin(), values.begin() + 24);
    for (std::size_t t = 0; t < 8; ++t) {
      const auto at = [&](std::size_t m) { return values.begin() + static_cast<std::ptrdiff_t>(m * 24); };
      expected.insert(expected.end(), at(t + 1), at(t + 2));
      expected.insert(expected.end(), at(t), at(t + 1));
    }
    CHECK(came == expected);
    const std::uint64_t streamed = ran.chips[0].moved.streaming_in + ran.chips[0].moved.streaming_out;
    CHECK(streamed == (away ? (10 + 17) * 24 * sizeof(float) : 0));
    for (const variable_memory& v : ran.memory.variables) {
      if (v.name == name_from("ring")) CHECK(v.size == depth * 24 * sizeof(float));
    }
  }
}

TEST_CASE("the slots of a ring in an order of its own: a stack") {
  const chip_system all = pod(tiny_chip(), 1);
  graph g(tiny_chip());
  const variable_id v = g.add_variable<float>("v", 16, linear(16, 8));
  const ring_id r = g.add_ring("stack", v, 3);
  g.set_order(r, {0, 1, 2}, {{2, 1, 0}});
  const stream_id from = g.add_stream({name_from("from")});
  const stream_id to = g.add_stream({name_from("to")});
  const step program = repeat(2, sequence(repeat(3, sequence(stream_in(from, v), push(v, r))),
                                          repeat(3, sequence(pull(r, v), stream_out(v, to)))));
  engine runs(all, g, program);
  for (int i = 0; i < 6; ++i) runs.feed(from, std::span<const float>{std::vector<float>(16, static_cast<float>(i))});
  CHECK(runs.run() == cost(all, g, program));
  const std::vector<float> came = runs.drain<float>(to);
  for (const auto& [position, value] : {std::pair{0, 2}, {1, 1}, {2, 0}, {3, 5}, {4, 4}, {5, 3}})
    CHECK(came[static_cast<std::size_t>(position) * 16] == static_cast<float>(value));
}

TEST_CASE("a ring that begins again with each run has the first slot next, also where fewer values were pulled than pushed") {
  const chip_system all = pod(tiny_chip(), 1);
  for (const bool away : {false, true}) {
    graph g(tiny_chip());
    const variable_id v = g.add_variable<float>("v", 16, linear(16, 8));
    const ring_id r = away ? g.add_ring_off_chip("ring", v, 2) : g.add_ring("ring", v, 2);
    g.begin_again(r, 3, {2});
    const stream_id from = g.add_stream({name_from("from")});
    const stream_id to = g.add_stream({name_from("to")});
    const step in = sequence(stream_in(from, v), push(v, r)), out = sequence(pull(r, v), stream_out(v, to));
    const step program = repeat(2, sequence(in, in, out, out, in));
    engine runs(all, g, program);
    for (int i = 0; i < 6; ++i) runs.feed(from, std::span<const float>{std::vector<float>(16, static_cast<float>(i))});
    runs.run();
    const std::vector<float> came = runs.drain<float>(to);
    for (const auto& [position, value] : {std::pair{0, 0}, {1, 1}, {2, 3}, {3, 4}})
      CHECK(came[static_cast<std::size_t>(position) * 16] == static_cast<float>(value));
  }
}

TEST_CASE(
    "a pull costs a copy on each tile and the supervisor's counting; checked, it brings back what was written only") {
  const chip_system all = pod(tiny_chip(), 2);
  graph g(tiny_chip(), 2);
  const variable_id v = g.add_variable<float>("v", 80, linear(80, 8, 8));
  const variable_id w = g.add_variable<float>("w", 80, linear(80, 8, 8));
  const ring_id r = g.add_ring("ring", v, 2);
  const profile p = cost(all, g, pull(r, v));
  vertex_cost one = local_copy_cost(tiny_chip(), 40_B);
  one.supervisor += 48;
  CHECK(p.total == alone(one, tiny_chip()));
  CHECK(p.chips[1][phase::compute] == p.total);
  CHECK(p.chips[0][phase::compute] == cycles{});
  const step only = pull(r, v);
  engine empty(all, g, only, {.checked = true});
  empty.run();  // nothing is read yet
  const step reads = sequence(pull(r, v), copy({{{v}, {w}, 80}}));
  engine unwritten(all, g, reads, {.checked = true});
  CHECK(said_by([&] { unwritten.run(); }).find("never written") != std::string::npos);
}

TEST_CASE("what does not lie like the slots of a ring cannot go there") {
  const chip_system all = pod(tiny_chip(), 1);
  graph g(tiny_chip());
  const variable_id v = g.add_variable<float>("v", 16, linear(16, 8));
  const variable_id other = g.add_variable<float>("other", 16, linear(16, 4));
  const ring_id r = g.add_ring("ring", v, 2);
  const std::string sentence =
      "ipuflow: ring 'ring' does not hold copies of what is mapped like 'other'; push and pull variables of the layout "
      "and type that it was added for";
  CHECK(said_by([&] { (void)cost(all, g, push(other, r)); }) == sentence);
  const step wrong = pull(r, other);
  CHECK(said_by([&] { engine(all, g, wrong, {.checked = true}); }) == sentence);
  CHECK(said_by([&] { (void)cost(all, g, push(v, r)); }) == "nothing");
}

TEST_CASE("a ring without slots, and a reader that it does not have, are told") {
  const chip_system all = pod(tiny_chip(), 1);
  graph g(tiny_chip());
  const variable_id v = g.add_variable<float>("v", 16, linear(16, 8));
  const ring_id none = g.add_ring("none", v, 0);
  const ring_id unread = g.add_ring("unread", v, 2, 0);
  const ring_id once = g.add_ring("once", v, 2);
  CHECK(said_by([&] { (void)cost(all, g, push(v, none)); }) ==
        "ipuflow: ring 'none' has no slots for 'v'; add it with a depth of at least 1");
  const step second = sequence(push(v, once), pull(once, v, 1));
  CHECK(said_by([&] { engine(all, g, second, {.checked = true}); }) ==
        "ipuflow: reader 1 pulls 'v' from ring 'once', which has 1 reader; count them from 0, or add the ring with more");
  const step first = pull(unread, v);
  CHECK(said_by([&] { engine(all, g, first, {.checked = true}); }) ==
        "ipuflow: reader 0 pulls 'v' from ring 'unread', which has 0 readers; count them from 0, or add the ring with more");
  const step pushed = push(v, unread);
  CHECK(said_by([&] { engine(all, g, pushed, {.checked = true}); }) == "nothing");
}

TEST_CASE("a checked engine finds a copy that leaves its variables before it lays the program out") {
  const chip_system all = pod(tiny_chip(), 1);
  graph g(tiny_chip());
  const variable_id v = g.add_variable<float>("v", 16, linear(16, 8));
  const variable_id w = g.add_variable<float>("w", 16, linear(16, 8));
  const auto found = [&](const copy_piece& piece) {
    const step leaves = copy({piece});
    return said_by([&] { engine(all, g, leaves, {.checked = true}); });
  };
  CHECK(found({{v, 12}, {w}, 5}) == "ipuflow: a copy touches element 16 of 'v', which has 16; shorten the copy");
  CHECK(found({{v}, {w, 0, 8}, 4, 3}) == "ipuflow: a copy touches element 19 of 'w', which has 16; shorten the copy");
  constexpr auto far = static_cast<std::size_t>(-1) / 2 + 1;  // twice that is 0
  CHECK(found({{v, 0, far}, {w}, 1, 3}).find("element 18446744073709551615 of 'v'") != std::string::npos);
  CHECK(found({{v, 12}, {w}, 4}) == "nothing");
}

TEST_CASE("the host turns only to replicas that there are") {
  const chip_system all = pod(tiny_chip(), 2);
  graph g(tiny_chip());
  const variable_id v = g.add_variable<float>("v", 16, linear(16, 8));
  const remote_id home = g.add_remote("home", 16, element_type::f32);
  const stream_id from = g.add_stream({name_from("from")});
  const step program = sequence(stream_in(from, v), stream_out(v, from), store(v, home));
  engine runs(all, g, program, {.replicas = 2});
  const std::string sentence = "ipuflow: the host turns to replica 2 of an engine that has 2; count them from 0";
  CHECK(said_by([&] { runs.write(v, counted(16), 1); }) == "nothing");
  CHECK(said_by([&] { runs.write(v, counted(16), 2); }) == sentence);
  CHECK(said_by([&] { (void)runs.read<float>(v, 2); }) == sentence);
  CHECK(said_by([&] { runs.write(home, counted(16), 2); }) == sentence);
  CHECK(said_by([&] { (void)runs.read<float>(home, 2); }) == sentence);
  CHECK(said_by([&] { runs.feed<float>(from, counted(16), 2); }) == sentence);
  CHECK(said_by([&] { (void)runs.drain<float>(from, 2); }) == sentence);
}

TEST_CASE("the host writes and reads what lives in streaming memory, all of it, in its type") {
  const chip_system all = pod(tiny_chip(), 1);
  graph g(tiny_chip());
  const variable_id v = g.add_variable<float>("v", 16, linear(16, 8));
  g.keep_while_used(v);
  const remote_id home = g.add_remote("home", 16, element_type::f32);
  const remote_id copied = g.add_remote("copied", 16, element_type::f32);
  const step program = sequence(load(home, v), store(v, copied));
  engine runs(all, g, program);
  runs.write(home, counted(16));
  runs.run();
  CHECK(runs.read<float>(copied) == counted(16));
  CHECK(said_by([&] { runs.write(home, counted(15)); }).find("gives or takes 15 elements of 'home'") !=
        std::string::npos);
  CHECK(said_by([&] { runs.read<half>(home); }).find("accesses 'home' with elements of 2 bytes") != std::string::npos);
  CHECK(said_by([&] { runs.read<float>(v); }).find("does not keep its contents") != std::string::npos);
}

TEST_CASE("what came to a graph when its engine was there is told where it is used") {
  const chip_system all = pod(tiny_chip(), 1);
  graph g(tiny_chip());
  const variable_id v = g.add_variable<float>("v", 16, linear(16, 8));
  const compute_set_id set = g.add_compute_set("s");
  const std::size_t code = g.add_codelet(increment());
  g.add_vertices(set, {code, 0, 8, 1, {part(v, 0, 2, 2), part(v, 0, 2, 2)}});
  const step program = execute(set);
  engine runs(all, g, program);
  const variable_id w = g.add_variable<float>("w", 16, linear(16, 8));
  const stream_id in = g.add_stream({name_from("in")});
  const remote_id away = g.add_remote("away", 16, element_type::f32);
  const auto told = [](const char* kind, int number, int count) {
    return "ipuflow: " + std::string{kind} + ' ' + std::to_string(number) + " came into use when the engine was there, which has no room for it (it has " +
           std::to_string(count) + "); make the engine of a graph that is whole";
  };
  const ipuflow::light_vector<float> values(16);
  CHECK(said_by([&] { runs.write(w, values); }) == told("variable", 1, 1));
  CHECK(said_by([&] { (void)runs.read<float>(w); }) == told("variable", 1, 1));
  CHECK(said_by([&] { runs.feed<float>(in, values); }) == told("stream", 0, 0));
  CHECK(said_by([&] { (void)runs.drain<float>(in); }) == told("stream", 0, 0));
  CHECK(said_by([&] { runs.write(away, values); }) == told("remote buffer", 0, 0));
  CHECK(said_by([&] { (void)runs.read<float>(away); }) == told("remote buffer", 0, 0));
  g.add_vertices(set, {code, 0, 8, 1, {part(w, 0, 2, 2), part(w, 0, 2, 2)}});
  CHECK(said_by([&] { runs.run(); }) == told("variable", 1, 1));
}

TEST_CASE("a run that throws between push and pull leaves rings where they were before it") {
  const chip_system all = pod(tiny_chip(), 1);
  graph g(tiny_chip());
  const variable_id v = g.add_variable<float>("v", 16, linear(16, 8)), seen = g.add_variable<float>("seen", 16, linear(16, 8));
  const stream_id in = g.add_stream({name_from("in")});
  const ring_id r = g.add_ring("ring", v, 2);
  const variable_id other = g.add_variable<float>("other", 16, linear(16, 8));
  const step program = sequence(push(v, r), stream_in(in, other), pull(r, seen));
  engine runs(all, g, program);
  runs.write(v, ipuflow::light_vector<float>(16, 1.0f));
  CHECK(said_by([&] { runs.run(); }).find("feed it before the run") != std::string::npos);
  runs.write(v, ipuflow::light_vector<float>(16, 2.0f));
  runs.feed<float>(in, ipuflow::light_vector<float>(16));
  runs.run();
  CHECK(runs.read<float>(seen)[0] == 2);
}

TEST_CASE("a repeat of no turns, and a copy that writes one half twice, leave the rest of a temporary as it was") {
  const chip_system all = pod(tiny_chip(), 1);
  graph g(tiny_chip());
  const mapping on_each = linear(16, 8);
  const variable_id one = g.add_variable<float>("one", 16, on_each), two = g.add_variable<float>("two", 16, on_each);
  const variable_id kept = g.add_temporary<float>("kept", 16, on_each), between = g.add_temporary<float>("between", 16, on_each);
  const variable_id made = g.add_variable<float>("made", 16, linear(16, 8));
  const auto all_of = [](variable_id from, variable_id to) { return copy({{.from = {from}, .to = {to}, .length = 16}}); };
  const auto run = [&](const step& again) {
    const step program = sequence(all_of(one, kept), all_of(two, between), all_of(between, made), again, all_of(kept, made));
    engine runs(all, g, program, {.checked = true});
    runs.write(one, ipuflow::light_vector<float>(16, 1.0f));
    runs.write(two, ipuflow::light_vector<float>(16, 2.0f));
    runs.run();
    return runs.read<float>(made);
  };
  CHECK(run(repeat(0, all_of(two, kept))) == ipuflow::light_vector<float>(16, 1.0f));
  const auto halves = run(copy({{.from = {two}, .to = {kept}, .length = 8}, {.from = {two}, .to = {kept}, .length = 8}}));
  CHECK(halves[0] == 2);
  CHECK(halves[15] == 1);
}

}  // namespace engine_test
