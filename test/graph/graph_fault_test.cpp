// SPDX-License-Identifier: BSL-1.0
// Every kind of fault, its sentence, and its run-time twin: what `throw_if` throws says what the compile-fail test of the same
// fault expects.
#include <ipuflow/graph/graph_fault.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <string_view>

namespace graph_fault_test {

using namespace ipuflow;

namespace {

struct told {
  graph_fault found;
  std::string_view sentence;
};

constexpr graph_site site(std::string_view name, std::string_view op_type = {}, std::string_view given = {},
                          std::size_t stage = 0, std::size_t op = 0) {
  return {stage, op, fixed_string<60>{name}, type_text{op_type}, type_text{given}};
}

constexpr told all[] = {
    {{graph_wrong::no_stages, 0, 1},
     "ipuflow: a pipeline or stage without blocks does nothing; give it block<...>(op...)"},
    {{graph_wrong::number_in_call, 1, 0, site("repeat", "", "repeat<3>(block...)")},
     "ipuflow: repeat is given a number in parentheses, which is a part of its type; write repeat<3>(block...)"},
    {{graph_wrong::no_part, 1, 0, site("stage", "int", "it blocks")},
     "ipuflow: argument 1 of stage(...) does not belong there, it is int; give it blocks"},
    {{graph_wrong::too_few_stages, 1, 2},
     "ipuflow: a pipeline needs at least 2 stages but has 1; add a stage, or say single_stage(...) if one is meant"},
    {{graph_wrong::unnamed_block, 0, 60},
     "ipuflow: a block has an empty name; give it one, as in block<\"encoder\">(op...)"},
    {{graph_wrong::long_name, 61, 60, site("encod...")},
     "ipuflow: block 'encod...' has a name of 61 characters; choose one of at most 60"},
    {{graph_wrong::repeated_block, 2, 0, site("a")},
     "ipuflow: two blocks are called 'a', number 0 and number 2; give every block a name of its own"},
    {{graph_wrong::block_in_two_stages, 1, 0, site("b")},
     "ipuflow: block 'b' is in stage 0 and in stage 1; name it once"},
    {{graph_wrong::block_in_no_stage, 2, 2, site("c")},
     "ipuflow: block 'c' is in none of the 2 stages; add it to one"},
    {{graph_wrong::unknown_block, 0, 3, site("B2", "", "a, b, c")},
     "ipuflow: there is no block 'B2'; the blocks are a, b, c"},
    {{graph_wrong::cut_outside, 12, 3, site("b")},
     "ipuflow: block 'b' has 3 ops, so no part of it begins at op 12; cut it before one of its own, counted from 0"},
    {{graph_wrong::no_repetition}, "ipuflow: repeat<0>(...) describes nothing; say how often, from 1 on, or leave it out"},
    {{graph_wrong::uneven_split, 6, 4},
     "ipuflow: 4 blocks are split into 6 stages; ask for 1 to 4, so that each has a block"},
    {{graph_wrong::ids_descend, 0, 1, site("b")},
     "ipuflow: block 'b' is in stage 0 but the block before it in stage 1; stages follow the data, so list blocks in the "
     "order in which it flows"},
    {{graph_wrong::names_descend, 1, 0, site("c", "", "b")},
     "ipuflow: stage 1 names block 'c' before block 'b', which the data reach earlier; name the blocks of a stage in the "
     "pipeline's order"},
    {{graph_wrong::beginnings_descend, 1, 0, site("a", "", "b")},
     "ipuflow: stages are to begin at block 'b' and then at block 'a', which is not behind it; name each once, in the "
     "pipeline's order"},
    {{graph_wrong::branches_in_line, 1, 2, site("", "", "", 1)},
     "ipuflow: stage 1 has 2 concurrent branches, which would be one behind the other in stages that begin at blocks; "
     "regroup(...) names the stages with their branches"},
    {{graph_wrong::no_such_stage, 4, 3},
     "ipuflow: stage 4 is asked for, but a pipeline has 3; its stages count from 0 to one less"},
    {{graph_wrong::lists_differ, 4, 3}, "ipuflow: 4 IPUs are given for 3 stages; give one entry for each stage"},
    {{graph_wrong::places_differ, 3, 2, site("b", "", "", 1)},
     "ipuflow: stage 1 is on one IPU, but block 'b' in it is placed on IPU 3 and one before it on IPU 2; place the stage, "
     "stage(...).ipu<2>(), or make two of it"},
    {{graph_wrong::branches_unplaced, 1, 2, site("", "", "", 1)},
     "ipuflow: stage 1 has 2 concurrent branches but is placed on 1 IPU; give ipus(...) with one for each branch"},
    {{graph_wrong::nested_concurrency},
     "ipuflow: concurrent(...) stands inside concurrent(...); put all branches side by side in one"},
    {{graph_wrong::branches_descend, 0, 1, site("c", "", "", 3)},
     "ipuflow: block 'c' is in branch 0 of stage 3 but the block before it in branch 1; list the branches in the order of "
     "their blocks"},
    {{graph_wrong::branches_differ, 1, 0, site("b", "f", "int", 2, 1)},
     "ipuflow: concurrent branches take the same arguments, but branch 1 of stage 2 does not: in block 'b' op 1, f, is "
     "given (int); make every branch take them"},
    {{.kind = graph_wrong::no_input, .where = site("", "f")},
     "ipuflow: the type of the pipeline's input cannot be read off its first op, f; say it first: pipeline(input<T>, ...)"},
    {{.kind = graph_wrong::cannot_take, .where = site("b", "f", "int", 2, 1)},
     "ipuflow: stage 2 cannot take what it is given: in block 'b' op 1, f, is given (int); change the op or what stands "
     "before it"},
    {{.kind = graph_wrong::wants_real, .where = site("b", "f", "tensor<int, 3>", 2, 1)},
     "ipuflow: stage 2 cannot compute with whole numbers: in block 'b' op 1, f, is given (tensor<int, 3>); make them real "
     "before it, with nn::cast<float> or nn::normalise<mean, deviation>"},
    {{.kind = graph_wrong::immovable, .where = site("b", "f", "", 2, 1)},
     "ipuflow: op 1 of block 'b', f, gives what can be neither moved nor copied from there; give a value that moves, or a "
     "pointer"},
    {{.kind = graph_wrong::unknown_value, .where = site("rate", "", "b", 2, 1)},
     "ipuflow: nothing before op 1 of block 'b' provides the value 'rate'; declare it with per_sample or per_run, or keep it "
     "earlier"},
    {{.kind = graph_wrong::repeated_value, .where = site("rate")},
     "ipuflow: two values are called 'rate'; give every value a name of its own"},
    {{graph_wrong::unnamed_value, 0, 60},
     "ipuflow: a value has an empty name; give it one, as in keep<\"skip\"> or per_sample<\"label\", int>"},
    {{graph_wrong::long_value_name, 61, 60, site("skip...")},
     "ipuflow: value 'skip...' has a name of 61 characters; choose one of at most 60"},
    {{graph_wrong::kept_count, 2, 1, site("b", "", "int", 2, 1)},
     "ipuflow: keep in block 'b', op 1, has 2 names for 1 value (int); give one name for each"},
    {{.kind = graph_wrong::kept_move_only, .where = site("b", "", "box", 2, 1)},
     "ipuflow: keep in block 'b', op 1, would copy what cannot be copied (box); keep what can, or let it flow"},
};

static_assert(message(graph_fault{}).empty() && accept<graph_fault{}>());
static_assert(sizeof(all) / sizeof(all[0]) == static_cast<std::size_t>(graph_wrong::kept_move_only),
              "every kind has its sentence here");

}  // namespace

TEST_CASE("every kind says its own sentence, as a message and as an exception") {
  std::set<graph_wrong> kinds;
  for (const told& t : all) {
    CHECK(message(t.found).view() == t.sentence);
    CHECK_THROWS_WITH_AS(throw_if(t.found), std::string{t.sentence}.c_str(), error);
    CHECK(kinds.insert(t.found.kind).second);
    CHECK_FALSE(kinds.contains(graph_wrong::nothing));
  }
}

TEST_CASE("what is too long to tell is cut, and the sentence still ends") {
  graph_fault found{graph_wrong::cannot_take};
  found.where.op_type = type_text{std::string(400, 'x')};
  found.where.given = type_text{std::string(400, 'y')};
  found.where.name = fixed_string<60>{std::string(400, 'z')};
  const auto text = message(found);
  CHECK(text.view().substr(text.size() - 40) == "; change the op or what stands before it");
}

}  // namespace graph_fault_test
